// single_system_build.hpp - how core::single_system is built: seed after seed, until the rows of
// all keys have a solution.
// Idea       Dense rows of few unknowns are eliminated as they come, others by four Russians;
//            sparse ones beyond 32768 unknowns, whose matrix would take a fraction of a gigabyte,
//            by Wiedemann's products.
// Invariant  The result depends on the set of (key, value) alone, and of sparse rows not on the
//            solver: only a regular system is taken, which has one solution.
// Threads    One.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>
#include <umbel/core/value_source.hpp>
#include <umbel/engine/retrieval/matrix/single_system.hpp>

namespace umbel::core {

class single_system_builder {
 public:
  [[nodiscard]] static single_system build(const value_source& keys,
                                           const single_system::build_options& options);

 private:
  static constexpr std::uint64_t online_most = 512;    // unknowns that are eliminated as rows come
  static constexpr std::uint64_t table_most = 32'768;  // and by four Russians

  single_system_builder(single_system& out, const single_system::build_options& options) noexcept
      : out_(out), options_(options) {}
  [[nodiscard]] bool try_seed(std::span<const valued> keys);
  [[nodiscard]] bool solve_online(std::span<const valued> keys);
  [[nodiscard]] bool solve_by_tables(std::span<const valued> keys);
  [[nodiscard]] bool solve_by_products(std::span<const valued> keys);
  void draw(digest d, std::span<std::uint64_t> row) const;
  [[nodiscard]] std::uint64_t unknowns() const noexcept { return out_.keys_ + out_.spare_; }

  single_system& out_;
  const single_system::build_options& options_;
  std::vector<std::uint64_t> values_;
};

}  // namespace umbel::core

#if UMBEL_WITH_BODIES
#include <umbel/engine/retrieval/matrix/single_system_build.ipp>
#endif
