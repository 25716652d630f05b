// solve/divisions.hpp - RecSplit construction [EGV20]: splits the keys of a bucket recursively and
// writes the seeds found.
//
// The tree is built depth first, children in order. At every node the search tries seeds (`trial`
// in the code) in order and takes the first that splits the keys into parts of the prescribed
// sizes.
//
// Layout     Golomb-Rice codes in two streams: the remainders, whose positions are known
//            beforehand, and the quotients in unary (zeros ended by a one).
// Invariant  The result depends only on the set of words, not on their order.
// Limits     Two equal words cannot be split. The search stops after thirty times the mean number
//            of trials. At a leaf, where rotation may apply to all keys or to none, the limit is
//            larger by the factor of the leaf's size.
// Source     [EGV20]; [BKLS23] for rotating one half of a leaf's keys.
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

  // Appends the codes of a bucket to `out`. Returns false if the keys cannot be split.
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
