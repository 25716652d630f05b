// entropy.ipp - bodies of sizing/entropy.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <umbel/sizing/entropy.hpp>

namespace umbel::sizing {

UMBEL_INLINE double entropy(std::span<const std::uint64_t> counts) {
  double n = 0, sum = 0;
  for (const std::uint64_t c : counts) n += static_cast<double>(c);
  for (const std::uint64_t c : counts)
    if (c != 0) sum += static_cast<double>(c) * std::log2(n / static_cast<double>(c));
  return n == 0 ? 0 : sum / n;
}

namespace detail {

// Huffman's algorithm: merge the two lightest nodes until one is left. Two queues suffice: leaves
// are in order of weight, and merged nodes are created in order of weight, so the lightest node is
// at the head of one of them.
inline std::vector<std::uint8_t> huffman_lengths(std::span<const std::uint64_t> falling,
                                                 std::uint64_t least) {
  const std::size_t leaves = falling.size();
  std::vector<std::uint64_t> weight;  // leaves, lightest first; then merged nodes
  weight.reserve(2 * leaves);
  for (std::size_t i = leaves; i-- > 0;) weight.push_back(std::max(falling[i], least));
  std::vector<std::uint32_t> parent(2 * leaves);
  std::size_t leaf = 0, joined = leaves;
  const auto lightest = [&] {
    const bool is_leaf =
        leaf < leaves && (joined == weight.size() || weight[leaf] <= weight[joined]);
    const std::size_t taken = is_leaf ? leaf++ : joined++;
    parent[taken] = static_cast<std::uint32_t>(weight.size());
    return weight[taken];
  };
  while (weight.size() < 2 * leaves - 1) {
    const std::uint64_t first = lightest();
    weight.push_back(first + lightest());  // pushed after both got it as their parent
  }
  std::vector<std::uint8_t> depth(2 * leaves - 1);  // of the root, which is last, 0
  for (std::size_t node = depth.size() - 1; node-- > 0;)
    depth[node] = static_cast<std::uint8_t>(depth[parent[node]] + 1);
  depth.resize(leaves);
  std::reverse(depth.begin(), depth.end());
  return depth;
}

}  // namespace detail

UMBEL_INLINE std::vector<std::uint8_t> code_lengths(std::span<const std::uint64_t> falling) {
  if (falling.empty()) return {};
  auto out = detail::huffman_lengths(falling, 1);
  if (out.back() <= max_code_bits) return out;
  std::uint64_t total = 0;
  for (const std::uint64_t c : falling) total += c;
  // A tree of depth d weighs at least the d-th Fibonacci number times its lightest leaf. With 2^20
  // leaves of at least 2^-20 of the total, which at most doubles it, d stays below 32.
  for (unsigned share = 24; out.back() > max_code_bits; share -= 2)
    out = detail::huffman_lengths(falling, total >> share);
  return out;
}

}  // namespace umbel::sizing
