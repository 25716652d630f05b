// binary_fuse4_filter.hpp - 4-wise binary fuse filter [GL22]: static set of about 1.075 r bits per
// key, false positive rate 2^-r, four reads per query.
//
// A binary_fuse_filter with four cells per key instead of three. The graph can be peeled at a
// higher load, so the set is 5 % smaller. A query reads a fourth cache line, and the build takes
// longer.
//
// Layout     engine/retrieval/peeled.hpp on a 4-wise fuse graph; r from 1 to 64, fastest at 8.
// Invariant  No false negatives. Cells never change after the build.
// Limits     No insert: build again. The sizes are rounded up, which costs small sets more: 1.23 r
//            bits per key at 1e4 keys, 1.38 r at 1e3.
// Threads    Immutable: any number of readers.
// Source     [GL22]. The load is measured by bench/derive/fuse.
#pragma once

#include <string_view>
#include <type_traits>

#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/retrieval/peeled_filter.hpp>

namespace umbel {

// The filter; options and plan() are in engine/retrieval/peeled_filter.hpp. Inherited from
// core/keyed.hpp: may_contain, may_contain_batch.
class binary_fuse4_filter : public core::peeled_filter<core::fuse<4>> {
 public:
  static constexpr std::string_view kind = "binary-fuse4-filter";

  using peeled_filter::peeled_filter;

  // The filter of these keys; duplicate keys count once. Throws `unsolvable` if no seed gives a
  // graph that can be peeled.
  template <core::key_range Keys>
  [[nodiscard]] static binary_fuse4_filter build(const Keys& keys, const options_type& options) {
    return core::set_of<binary_fuse4_filter>(keys, options);
  }
  // The same from digests that can be read again (core/record_source.hpp). A template, so that only
  // programs that call it compile the solver.
  template <class Source = digest_source>
  [[nodiscard]] static binary_fuse4_filter build(const std::type_identity_t<Source>& keys,
                                                 const options_type& options) {
    return {keys, options};
  }
};

}  // namespace umbel
