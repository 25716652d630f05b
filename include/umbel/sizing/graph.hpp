// sizing/graph.hpp - shapes of graphs whose form is chosen at run time, and cell widths of Bloomier
// filters [CKRT04].
//
// The three forms share one layout, blocks of cells. `random` has one block. `partitioned` has one
// block per cell of a key. `fuse` has a row of blocks, and a key's cells are in consecutive ones.
//
// Source     [CKRT04] sec. 3.3 for |R| / 2^q and k / 2^q; sizing/scattered.hpp and sizing/fuse.hpp
//            for the sizes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <umbel/sizing/fuse.hpp>
#include <umbel/sizing/scattered.hpp>

namespace umbel::sizing {

enum class graph_form : std::uint8_t {
  random,       // k cells anywhere, with replacement
  partitioned,  // one in each of k equal blocks
  fuse,         // in k consecutive segments; k is three or four
  smallest,     // the smaller of `partitioned` and `fuse` for the number of keys
};
inline constexpr std::array<std::string_view, 4> graph_form_names{"random", "partitioned", "fuse",
                                                                  "smallest"};

struct graph_options {
  graph_form form = graph_form::smallest;
  unsigned arity = 3;        // cells per key, 2 to 8
  double cells_per_key = 0;  // 0: what the form needs
};
// Two reads per query. Three in ten of these graphs are acyclic, so the build tries seeds until one
// is.
inline constexpr graph_options two_probe{
    .form = graph_form::partitioned, .arity = 2, .cells_per_key = 2.1};

struct graph_shape {
  std::uint64_t form = 0;
  std::uint64_t arity = peel_least_arity;
  std::uint64_t blocks = 1;  // fuse: segments where a key may start
  std::uint64_t block = 1;   // cells of a block
  [[nodiscard]] bool is_fuse() const noexcept {
    return form == static_cast<std::uint64_t>(graph_form::fuse);
  }
  [[nodiscard]] std::uint64_t cells() const noexcept {
    return (blocks + (is_fuse() ? arity - 1 : 0)) * block;
  }
  void grow() noexcept {
    if (is_fuse())
      ++blocks;
    else
      block += block / 100 + 1;
  }
  friend bool operator==(const graph_shape&, const graph_shape&) = default;

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("form", self.form, graph_form_names);
    field("arity", self.arity);
    field("blocks", self.blocks);
    field("block", self.block);
  }
};

// Shape of one system of n keys.
[[nodiscard]] inline graph_shape plan_graph(std::uint64_t n, const graph_options& options) {
  const auto shaped = [&](graph_form form, std::uint64_t blocks, std::uint64_t block) {
    return graph_shape{static_cast<std::uint64_t>(form), options.arity, blocks, block};
  };
  const auto in_blocks = [&](graph_form form, std::uint64_t blocks) {
    const double each =
        options.cells_per_key > 0 ? options.cells_per_key : scattered_cells_per_key(options.arity);
    return shaped(form, blocks, plan_scattered(n, each) / blocks);
  };
  const auto in_segments = [&] {
    const fuse_shape known = plan_fuse(options.arity, n);
    const auto length = std::exp2(known.length_bits);
    const double asked =
        std::ceil(options.cells_per_key * static_cast<double>(n) / length) - (options.arity - 1);
    return shaped(graph_form::fuse,
                  options.cells_per_key > 0 ? static_cast<std::uint64_t>(std::max(1.0, asked))
                                            : known.segments,
                  std::uint64_t{1} << known.length_bits);
  };
  switch (options.form) {
    case graph_form::random: return in_blocks(graph_form::random, 1);
    case graph_form::partitioned: return in_blocks(graph_form::partitioned, options.arity);
    case graph_form::fuse: return in_segments();
    case graph_form::smallest: break;
  }
  const graph_shape plain = in_blocks(graph_form::partitioned, options.arity);
  if (options.arity != 3 && options.arity != 4) return plain;
  const graph_shape coupled = in_segments();
  return coupled.cells() < plain.cells() ? coupled : plain;
}

// The share of graphs with two cells per key that are acyclic, and so peel, at this many keys per
// cell; 0 from 1/2 on. The expected number of cycles of length i is c^i / 2i, where c is the mean
// degree of a cell. Bipartite graphs have even cycles only.
[[nodiscard]] inline double acyclic_share(double load, graph_form form) {
  const double degree = 2 * load;
  return std::sqrt(std::max(0.0, 1 - (form == graph_form::random ? degree : degree * degree)));
}

// The fewest bits of a word that is one of `largest` + 1 legal values for members and uniformly
// random for non-members, such that at most a share eps of non-members gets a legal value. May
// exceed 64.
[[nodiscard]] inline unsigned masked_width(std::uint64_t largest, double eps) {
  const double bits = std::ceil(std::log2((static_cast<double>(largest) + 1) / eps) - 1e-9);
  return static_cast<unsigned>(std::max({1.0, bits, static_cast<double>(std::bit_width(largest))}));
}
// The share of non-members with a legal value: (largest + 1) / 2^width.
[[nodiscard]] inline double masked_fpr(std::uint64_t largest, unsigned width) {
  return std::ldexp(static_cast<double>(largest) + 1, -static_cast<int>(width));
}

}  // namespace umbel::sizing
