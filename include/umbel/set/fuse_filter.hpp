// fuse_filter.hpp - static set of about 1.13 r bits per key, error 2^-r, three reads per query.
// Idea       f(x) = B[h0] ^ B[h1] ^ B[h2]; build solves f(x) = tag(x) for all keys, so strangers pass by luck only.
// Layout     core/fuse.hpp under the fingerprint adaptor; r from 1 to 64, fastest at 8 and 16.
// Invariant  After build, f(x) == tag(x) for every key given: no false negatives. Cells never change again.
// Limits     No insert: build again. Small sets pay for rounding (1.28 r bits at 1e4 keys, 1.41 r at 1e3).
// Threads    Immutable: any number of readers.
// Source     [GL22]; differs in that shapes come from sizing/fuse.hpp and keys are 128-bit digests.
#pragma once

#include <string_view>
#include <type_traits>

#include <umbel/core/fuse.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/retrieval_filter.hpp>
#include <umbel/core/traits.hpp>

namespace umbel {

struct fuse_filter_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  std::optional<double> fpr{};
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
  std::uint64_t shard_from = sizing::fuse_shard_from;  // a seam for tests
};

class fuse_filter : public core::retrieval_filter<fuse_filter, core::fuse> {
 public:
  using options = fuse_filter_options;
  static constexpr std::string_view kind = "fuse-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .is_static = true};

  fuse_filter() = default;

  using core::static_set<fuse_filter>::build;
  template <class Spool = digest_spool>  // a template, so that only programs that build compile the solver
  [[nodiscard]] static fuse_filter build(const std::type_identity_t<Spool>& keys, const options& wish) {
    return {wish.hash, keys, how(wish)};
  }
  [[nodiscard]] static umbel::plan plan(const options& wish) {
    const unsigned width = how(wish).width;
    return core::fuse::plan(wish.keys.value_or(0), width, width, wish.shard_from);
  }

 private:
  using retrieval_filter::retrieval_filter;
  [[nodiscard]] static core::fuse::build_options how(const options& wish) {
    return {.width = core::tag_bits_for(wish.fpr.value_or(1.0 / 256)),
            .memory = wish.memory,
            .threads = wish.threads,
            .shard_from = wish.shard_from};
  }
};

}  // namespace umbel
