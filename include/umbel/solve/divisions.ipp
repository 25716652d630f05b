// divisions.ipp - bodies of solve/divisions.hpp.
#pragma once

#include <algorithm>

#include <umbel/base/integers.hpp>
#include <umbel/cells/kernel/divisions.hpp>
#include <umbel/solve/divisions.hpp>

namespace umbel::solve {

UMBEL_INLINE bool division_search::run(std::span<const std::uint64_t> words,
                                       cells::bit_writer& out) {
  hashes_.clear();
  turns_.clear();
  for (const std::uint64_t word : words) {
    const detail::divided_key key(word);
    hashes_.push_back(key.hash);
    turns_.push_back(key.turn);
  }
  spare_.resize(2 * words.size());
  fixed_.clear();
  unary_.clear();
  if (!divide(0, static_cast<std::uint32_t>(words.size()))) return false;
  out.append(fixed_);
  out.append(unary_);
  return true;
}

// Splits keys [first, first + keys).
UMBEL_INLINE bool division_search::divide(std::uint32_t first, std::uint32_t keys) {
  if (keys <= sizing::division_leaf) return keys < 2 || settle(first, keys);
  const auto& node = tree_[keys];
  std::uint32_t next[3] = {node.children[0].first, node.children[1].first, node.children[2].first};
  const cells::kernel::division as{{node.bounds[0], node.bounds[1]}, {next[1], next[2]}};
  const std::uint32_t trial = cells::kernel::first_division(
      {&hashes_[first], &turns_[first], keys}, as, std::uint32_t{64} << node.remainder);
  if (trial == cells::kernel::no_trial) return false;
  write(trial, node.remainder);
  for (std::uint32_t i = first; i < first + keys; ++i) {
    const detail::divided_key key(std::uint64_t{hashes_[i]} << 32 | turns_[i]);
    const std::uint32_t outcome = key.under(trial);
    const std::uint32_t at = next[(outcome >= node.bounds[0]) + (outcome >= node.bounds[1])]++;
    spare_[2 * at] = key.hash;
    spare_[2 * at + 1] = key.turn;
  }
  for (std::uint32_t i = 0; i < keys; ++i) {
    hashes_[first + i] = spare_[2 * i];
    turns_[first + i] = spare_[2 * i + 1];
  }
  return std::all_of(std::begin(node.children), std::end(node.children),
                     [&](const auto& child) { return divide(first + child.first, child.keys); });
}

UMBEL_INLINE bool division_search::settle(std::uint32_t first, std::uint32_t keys) {
  std::uint32_t still = 0;  // keys that are rotated go last
  for (std::uint32_t i = 0; i < keys; ++i) {
    if (detail::is_turned(turns_[first + i])) continue;
    std::swap(hashes_[first + i], hashes_[first + still]);
    std::swap(turns_[first + i], turns_[first + still++]);
  }
  const unsigned remainder = tree_[keys].remainder;
  const std::uint32_t trial = cells::kernel::first_leaf({&hashes_[first], &turns_[first], keys},
                                                        still, 64 * keys << remainder);
  if (trial == cells::kernel::no_trial) return false;
  write(trial, remainder);
  return true;
}

UMBEL_INLINE void division_search::write(std::uint32_t trial, unsigned remainder) {
  fixed_.put(trial & detail::low_mask(remainder), remainder);
  std::uint32_t zeros = trial >> remainder;
  for (; zeros >= 63; zeros -= 63) unary_.put(0, 63);
  unary_.put(std::uint64_t{1} << zeros, zeros + 1);
}

}  // namespace umbel::solve
