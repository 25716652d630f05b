// xor_filter.hpp - xor filter [GL20]: static set of 1.23 r bits per key and 32 cells, false
// positive rate 2^-r, three reads per query.
//
// f(x) = B[h0] ^ B[h1] ^ B[h2], one cell in each third of the array. The build solves f(x) = tag(x)
// for all keys. It is the simplest graph that peels: nothing to tune, and wasteful at no size.
//
// Layout     engine/retrieval/peeled.hpp on three equal blocks; r from 1 to 64, fastest at 8.
// Invariant  Every key given passes: no false negatives. Cells never change again.
// Limits     No insert: build again. From 10^4 keys on binary_fuse_filter is smaller and is built
//            faster.
// Threads    Immutable: any number of readers.
// Source     [GL20]; keys are 128-bit digests, large sets are divided into shards.
#pragma once

#include <string_view>
#include <type_traits>

#include <umbel/engine/retrieval/peeled_filter.hpp>
#include <umbel/engine/retrieval/xor.hpp>

namespace umbel {

class xor_filter : public core::peeled_filter<core::xor_graph<3>> {
 public:
  static constexpr std::string_view kind = "xor-filter";

  using peeled_filter::peeled_filter;

  template <core::key_range Keys>
  [[nodiscard]] static xor_filter build(const Keys& keys, const options_type& options) {
    return core::set_of<xor_filter>(keys, options);
  }
  // a template, so that only programs that build compile the solver
  template <class Source = digest_source>
  [[nodiscard]] static xor_filter build(const std::type_identity_t<Source>& keys,
                                        const options_type& options) {
    return {keys, options};
  }
};

}  // namespace umbel
