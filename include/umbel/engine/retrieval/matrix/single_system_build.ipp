// single_system_build.ipp - bodies of single_system_build.hpp.
#pragma once

#include <algorithm>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/engine/retrieval/matrix/single_system_build.hpp>
#include <umbel/solve/dense.hpp>
#include <umbel/solve/four_russians.hpp>
#include <umbel/solve/wiedemann.hpp>

namespace umbel::core {

UMBEL_INLINE single_system single_system_builder::build(
    const value_source& keys, const single_system::build_options& options) {
  std::vector<valued> all;
  keys.with_distinct(1, [&](const value_source& once) {  // duplicate keys must not count
    single_system::check_options(once.size(), options);
    once.for_each(0, basic_spool<valued>::bins, [&](std::span<const valued> block) {
      all.insert(all.end(), block.begin(), block.end());
    });
  });
  single_system out;
  out.keys_ = all.size();
  out.width_ = options.width;
  out.spare_ = all.empty() ? 0 : options.spare;
  out.probes_ = single_system::probes_for(all.size(), options.sparse);
  if (all.empty()) {
    out.cells_ = cells::tight(0, options.width);
    return out;
  }
  single_system_builder builder(out, options);
  for (; out.seed_ < sizing::matrix_seeds; ++out.seed_) {
    if (options.sparse && out.seed_ == options.seeds_without_spare)
      out.spare_ = sizing::matrix_exact_spare;
    if (!builder.try_seed(all)) continue;
    out.cells_ = cells::tight(builder.unknowns(), options.width, options.memory);
    for (std::size_t i = 0; i < builder.values_.size(); ++i) out.cells_.set(i, builder.values_[i]);
    return out;
  }
  throw unsolvable(detail::text("system: no seed of ", sizing::matrix_seeds, " has a solution for ",
                                all.size(), " keys"));
}

UMBEL_INLINE bool single_system_builder::try_seed(std::span<const valued> keys) {
  values_.assign(unknowns(), 0);
  const bool by_products = options_.solver == system_solver::wiedemann ||
                           (options_.solver == system_solver::automatic && unknowns() > table_most);
  if (out_.probes_ != 0 && out_.spare_ == 0 && by_products) return solve_by_products(keys);
  return unknowns() <= online_most && out_.probes_ == 0 ? solve_online(keys)
                                                        : solve_by_tables(keys);
}

// Sets the bits of a key's row in words that are zero.
UMBEL_INLINE void single_system_builder::draw(digest d, std::span<std::uint64_t> row) const {
  if (out_.probes_ == 0) {
    std::array<std::uint64_t, single_system::max_words> words;
    solve::dense_rows::draw(d, out_.seed_, unknowns(), words.data());
    std::copy_n(words.begin(), row.size(), row.begin());
    return;
  }
  for (const std::uint32_t u :
       core::draw_sparse(d, out_.seed_, static_cast<unsigned>(out_.probes_), unknowns()))
    row[u / 64] |= std::uint64_t{1} << u % 64;
}

UMBEL_INLINE bool single_system_builder::solve_online(std::span<const valued> keys) {
  solve::dense_system system;
  system.reset(unknowns());
  std::vector<std::uint64_t> row(system.row_words());
  for (const valued& v : keys) {
    draw(v.key, std::span(row).first(row.size() - 1));
    row.back() = v.value;
    if (!system.add(row)) return false;
  }
  system.solve(values_);
  return true;
}

UMBEL_INLINE bool single_system_builder::solve_by_tables(std::span<const valued> keys) {
  solve::four_russians system;
  system.reset(keys.size(), unknowns());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    draw(keys[i].key, system.coefficients(i));
    system.right(i) = keys[i].value;
  }
  return system.solve(values_) && (out_.probes_ == 0 || system.rank() == keys.size());
}

UMBEL_INLINE bool single_system_builder::solve_by_products(std::span<const valued> keys) {
  std::vector<std::uint32_t> members;
  std::vector<std::uint64_t> rights;
  for (const valued& v : keys) {
    const auto row =
        core::draw_sparse(v.key, out_.seed_, static_cast<unsigned>(out_.probes_), unknowns());
    members.insert(members.end(), row.begin(), row.end());
    rights.push_back(v.value);
  }
  if (members.size() != keys.size() * out_.probes_) return false;  // some row has fewer unknowns
  return solve::wiedemann().solve(members, out_.probes_, rights, out_.seed_, values_);
}

}  // namespace umbel::core
