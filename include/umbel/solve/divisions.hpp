// solve/divisions.hpp - divides the keys of a bucket until each is alone, and writes down the
// trials that did it.
// Idea       Depth first, the children in order; of every node the first trial that divides its
//            keys as its size says.
// Layout     Codes of Golomb and Rice in two streams: the remainders, whose place is known
//            beforehand, and quotients, in zeros with a one at the end.
// Invariant  The result depends on the set of words alone, not on their order.
// Limits     Two equal words cannot be divided: after thirty times the mean number of trials it is
//            given up; of a leaf, in which all or no keys may be turned, that many times its size.
// Source     [EGV20]; [BKLS23] for turning a half of a leaf.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>
#include <umbel/cells/bit_stream.hpp>
#include <umbel/solve/splits.hpp>

namespace umbel::solve {

class division_search {
 public:
  explicit division_search(const solve::splits& tree) : tree_(tree) {}

  // Writes the codes of a bucket behind what is there. False if its keys cannot be divided.
  [[nodiscard]] bool run(std::span<const std::uint64_t> words, cells::bit_writer& out);

 private:
  [[nodiscard]] bool divide(std::uint32_t first, std::uint32_t keys);
  [[nodiscard]] bool settle(std::uint32_t first, std::uint32_t keys);
  void write(std::uint32_t trial, unsigned remainder);

  const solve::splits& tree_;
  std::vector<std::uint32_t> hashes_, turns_, spare_;
  cells::bit_writer fixed_, unary_;
};

}  // namespace umbel::solve

#if UMBEL_WITH_BODIES
#include <umbel/solve/divisions.ipp>
#endif
