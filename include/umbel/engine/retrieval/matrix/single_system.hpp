// single_system.hpp - retrieval in exactly keys * r bits [Por09]: one linear system over GF(2) for
// all keys.
//
// There are as many unknowns as keys. A key's value is the XOR of the unknowns that its row
// selects: about ln n + 2 of them, drawn from the digest, or half of all. Rows are drawn again with
// the next seed until they have a solution: three or four times on average.
//
// Layout     Unknowns of r bits without gaps or padding, n * r / 8 bytes rounded up, and a few
//            fields. Sparse rows are used for more than 64 keys; below, rows are dense in either
//            form.
// Invariant  After build, value(x) is exact for every key of the build. The bytes depend only on
//            the set of (key, value).
// Limits     The exact form holds up to 65536 keys: the build is cubic, seconds at 10 000. If 64
//            seeds have no solution, it adds eight unknowns; spare() tells. The dense form is a
//            reference, for up to 4096 keys.
// Threads    Immutable: any number of readers. The build uses one thread.
// Source     [Por09] section 3 for dense rows, section 5 for exactly n * r bits.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/tight.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/retrieval/matrix/sparse_rows.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/matrix.hpp>
#include <umbel/solve/dense_rows.hpp>

namespace umbel::core {

class single_system_builder;
enum class system_solver { automatic, four_russians, wiedemann };

class single_system {
 public:
  struct build_options {
    unsigned width = 8;       // bits per value, 1 to 64
    bool sparse = true;       // the exact form; else the dense one
    std::uint64_t spare = 0;  // of the dense form: unknowns beyond the keys
    std::pmr::memory_resource* memory = nullptr;
    // a seam for tests: the solver of sparse systems
    system_solver solver = system_solver::automatic;
    std::uint64_t seeds_without_spare = sizing::matrix_exact_seeds;  // another seam for tests
  };

  single_system() = default;

  [[nodiscard]] static umbel::plan plan(std::uint64_t n, unsigned tag_bits,
                                        const build_options& options) {
    check_options(n, options);
    if (n == 0) return {};
    return {.keys = n,
            .cells = n + options.spare,
            .probes = static_cast<unsigned>(probes_for(n, options.sparse)),
            .bits = 8 * cells::tight::bytes_for(n + options.spare, options.width),
            .fpr = std::exp2(-static_cast<double>(tag_bits))};
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] unsigned width() const noexcept { return static_cast<unsigned>(width_); }
  [[nodiscard]] std::uint64_t spare() const noexcept { return spare_; }
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return 8 * cells_.storage().size(); }
  [[nodiscard]] const cells::tight& cells() const noexcept { return cells_; }

  // Exact for keys of the build, arbitrary for others; 0 if there are no keys.
  [[nodiscard]] std::uint64_t value(digest d) const noexcept {
    std::uint64_t out = 0;
    if (keys_ == 0) return out;
    if (probes_ != 0) {
      for (const std::uint32_t cell :
           core::draw_sparse(d, seed_, static_cast<unsigned>(probes_), cells_.size()))
        out ^= cells_.get(cell);
      return out;
    }
    std::array<std::uint64_t, max_words> row;
    solve::dense_rows::draw(d, seed_, cells_.size(), row.data());
    for (std::uint64_t word = 0; 64 * word < cells_.size(); ++word)
      for (std::uint64_t left = row[word]; left != 0; left &= left - 1)
        out ^= cells_.get(64 * word + static_cast<unsigned>(std::countr_zero(left)));
    return out;
  }
  // sink(i, note_of(digest), value) for i below `total`, in order. All cells fit into a cache, so
  // nothing is prefetched.
  template <class DigestAt, class NoteOf, class Sink>
  void values(std::size_t total, DigestAt&& digest_at, NoteOf&& note_of,
              Sink&& sink) const noexcept {
    for (std::size_t i = 0; i < total; ++i) {
      const digest d = digest_at(i);
      sink(i, note_of(d), value(d));
    }
  }

  friend bool operator==(const single_system& a, const single_system& b) noexcept = default;

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("keys", self.keys_);
    field("width", self.width_);
    field("probes", self.probes_);
    field("spare", self.spare_);
    field("seed", self.seed_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("system", self);
    part.array("cells", self.cells_.storage());
  }
  // `sparse`: whether the form is exact.
  void check(bool sparse) {
    const auto require = [](bool holds, std::string_view field, std::uint64_t found) {
      if (!holds)
        throw corrupt(detail::text("system: field ", field, " has the impossible value ", found));
    };
    require(width_ >= 1 && width_ <= 64, "width", width_);
    require(keys_ <= max_keys(sparse), "keys", keys_);
    require(probes_ == probes_for(keys_, sparse), "probes", probes_);
    require(keys_ == 0 ? spare_ == 0
            : sparse   ? spare_ == 0 || spare_ == sizing::matrix_exact_spare
                       : spare_ <= sizing::matrix_max_spare,
            "spare", spare_);
    require(seed_ < (keys_ == 0 ? 1 : sizing::matrix_seeds), "seed", seed_);
    cells_.reshape(keys_ + spare_, width());
  }

  // Throws bad_parameter.
  static void check_options(std::uint64_t n, const build_options& options) {
    if (n > max_keys(options.sparse))
      throw bad_parameter(detail::text("keys: the form ", options.sparse ? "exact" : "dense",
                                       " takes at most ", max_keys(options.sparse), ", found ", n,
                                       "; the form grouped takes any number, in 2.5% more bits"));
    if (options.spare > (options.sparse ? 0 : sizing::matrix_max_spare))
      throw bad_parameter(detail::text("spare: expected at most ",
                                       options.sparse ? 0 : sizing::matrix_max_spare,
                                       " unknowns, found ", options.spare));
  }

 private:
  friend single_system_builder;
  static constexpr std::size_t max_words =
      detail::ceil_div(sizing::matrix_dense_most + sizing::matrix_max_spare, 128) * 2;

  [[nodiscard]] static constexpr std::uint64_t max_keys(bool sparse) noexcept {
    return sparse ? sizing::matrix_exact_most : sizing::matrix_dense_most;
  }
  // The unknowns per row; 0 if rows are dense.
  [[nodiscard]] static constexpr std::uint64_t probes_for(std::uint64_t n, bool sparse) noexcept {
    return sparse && n > sizing::matrix_word_keys ? sizing::matrix_probes(n) : 0;
  }

  std::uint64_t keys_ = 0;
  std::uint64_t width_ = 1;
  std::uint64_t probes_ = 0;
  std::uint64_t spare_ = 0;
  std::uint64_t seed_ = 0;
  cells::tight cells_;
};

}  // namespace umbel::core
