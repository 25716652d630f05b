// single_system_build.hpp - build of core::single_system [Por09]: tries seeds until the rows of all
// keys have a solution.
//
// Idea       Dense rows with few unknowns are eliminated one by one, others by the method of four
//            Russians. Sparse rows with more than 32768 unknowns, whose matrix would take a
//            fraction of a gigabyte, are solved by Wiedemann's algorithm [Wie86].
// Invariant  The result depends only on the set of (key, value). With sparse rows it does not
//            depend on the solver: only a regular system is accepted, which has one solution.
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
  static constexpr std::uint64_t online_most = 512;    // max. unknowns for online elimination
  static constexpr std::uint64_t table_most = 32'768;  // and for four Russians

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
