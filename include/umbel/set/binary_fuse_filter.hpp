// binary_fuse_filter.hpp - binary fuse filter [GL22]: static set of about 1.13 r bits per key,
// false positive rate 2^-r, three reads per query.
//
// f(x) = B[h0] ^ B[h1] ^ B[h2]. The build solves f(x) = tag(x) for all keys, by peeling. A
// non-member is a false positive if f(x) equals its tag by chance.
//
// Layout     engine/retrieval/peeled.hpp on a 3-wise fuse graph; r from 1 to 64, fastest at 8.
// Invariant  f(x) == tag(x) for every key of the build: no false negatives. Cells never change
//            after the build.
// Limits     No insert: build again. The sizes are rounded up, which costs small sets more: 1.28 r
//            bits per key at 1e4 keys, 1.41 r at 1e3.
// Threads    Immutable: any number of readers.
// Source     [GL22]; shapes are those of sizing/fuse.hpp, and keys are 128-bit digests.
#pragma once

#include <string_view>
#include <type_traits>

#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/retrieval/peeled_filter.hpp>

namespace umbel {

// The filter; options and plan() are in engine/retrieval/peeled_filter.hpp. Inherited from
// core/keyed.hpp: may_contain, may_contain_batch.
class binary_fuse_filter : public core::peeled_filter<core::fuse<3>> {
 public:
  static constexpr std::string_view kind = "binary-fuse-filter";

  using peeled_filter::peeled_filter;

  // The filter of these keys; duplicate keys count once. Throws `unsolvable` if no seed gives a
  // graph that can be peeled.
  template <core::key_range Keys>
  [[nodiscard]] static binary_fuse_filter build(const Keys& keys, const options_type& options) {
    return core::set_of<binary_fuse_filter>(keys, options);
  }
  // The same from digests that can be read again (core/record_source.hpp). A template, so that only
  // programs that call it compile the solver.
  template <class Source = digest_source>
  [[nodiscard]] static binary_fuse_filter build(const std::type_identity_t<Source>& keys,
                                                const options_type& options) {
    return {keys, options};
  }
};

}  // namespace umbel
