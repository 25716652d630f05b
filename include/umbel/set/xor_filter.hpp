// xor_filter.hpp - xor filter [GL20]: static set of 1.23 r bits per key and 32 cells, false
// positive rate 2^-r, three reads per query.
//
// f(x) = B[h0] ^ B[h1] ^ B[h2], one cell in each third of the array. The build solves f(x) = tag(x)
// for all keys, by peeling. This graph has no parameters to tune, and its sizes are not rounded up.
//
// Layout     engine/retrieval/peeled.hpp on three equal blocks; r from 1 to 64, fastest at 8.
// Invariant  No false negatives. Cells never change after the build.
// Limits     No insert: build again. From 10^4 keys on, binary_fuse_filter is smaller and builds
//            faster.
// Threads    Immutable: any number of readers.
// Source     [GL20]; keys are 128-bit digests, and large sets are divided into shards.
#pragma once

#include <string_view>
#include <type_traits>

#include <umbel/engine/retrieval/peeled_filter.hpp>
#include <umbel/engine/retrieval/xor.hpp>

namespace umbel {

// The filter; options and plan() are in engine/retrieval/peeled_filter.hpp. Inherited from
// core/keyed.hpp: may_contain, may_contain_batch.
class xor_filter : public core::peeled_filter<core::xor_graph<3>> {
 public:
  static constexpr std::string_view kind = "xor-filter";

  using peeled_filter::peeled_filter;

  // The filter of these keys; duplicate keys count once. Throws `unsolvable` if no seed gives a
  // graph that can be peeled.
  template <core::key_range Keys>
  [[nodiscard]] static xor_filter build(const Keys& keys, const options_type& options) {
    return core::set_of<xor_filter>(keys, options);
  }
  // The same from digests that can be read again (core/record_source.hpp). A template, so that only
  // programs that call it compile the solver.
  template <class Source = digest_source>
  [[nodiscard]] static xor_filter build(const std::type_identity_t<Source>& keys,
                                        const options_type& options) {
    return {keys, options};
  }
};

}  // namespace umbel
