// row_probes.hpp - index of split Bloom filters [XDL04]: equal rows of cells, each a plain Bloom
// filter.
//
// Idea       Either the digest of a key selects its row, or a key may be in any row in use. Then a
//            query tries one row after another, as in engine/probe/choices.hpp, and an insert is
//            given the row.
// Layout     Row i is cells i*m to (i+1)*m - 1. A key has the same positions in every row, those of
//            engine/probe/k_probes.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/text.hpp>
#include <umbel/engine/probe/index.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::core {

template <class Inner>
class rowed_over {
 public:
  rowed_over(const Inner& inner, std::uint64_t rows, bool hashed, unsigned used) noexcept
      : inner_(inner), each_(inner.cells()), rows_(rows), hashed_(hashed), used_(used) {}

  struct walk {
    walk_of<Inner> inner;
    std::uint64_t row = 0;  // its first cell
    digest key;
    unsigned number = 0;
  };
  [[nodiscard]] std::uint64_t cells() const noexcept { return rows_ * each_; }
  [[nodiscard]] unsigned probes() const noexcept { return inner_.probes(); }
  [[nodiscard]] unsigned groups() const noexcept { return used_; }
  [[nodiscard]] walk start(digest d) const noexcept { return start(d, 0); }
  [[nodiscard]] walk start(digest d, unsigned number) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::parts, 0x50000)};
    const std::uint64_t row = hashed_ ? detail::fastrange(words(d).first(), rows_) : number;
    return {inner_.start(d), row * each_, d, number};
  }
  [[nodiscard]] std::uint64_t next(walk& w) const noexcept { return w.row + inner_.next(w.inner); }

 private:
  Inner inner_;
  std::uint64_t each_, rows_;
  bool hashed_;
  unsigned used_;
};

class row_probes {
 public:
  static constexpr std::uint64_t max_rows = 4096;
  // whether the digest selects the row
  static constexpr std::array<std::string_view, 2> form_names{"fill", "hash"};

  row_probes() = default;
  row_probes(const k_probes& row, std::uint64_t rows, bool hashed)
      : row_(row), rows_(rows), hashed_(hashed) {
    check();
  }

  [[nodiscard]] const k_probes& row() const noexcept { return row_; }
  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  [[nodiscard]] bool hashed() const noexcept { return hashed_ != 0; }
  // The number of rows that a query tries, at least one; not used if the digest selects the row.
  [[nodiscard]] unsigned used() const noexcept { return used_; }
  void use(unsigned rows) noexcept { used_ = rows; }

  using walk = rowed_over<k_probes>::walk;
  [[nodiscard]] std::uint64_t cells() const noexcept { return rows_ * row_.cells(); }
  [[nodiscard]] unsigned probes() const noexcept { return row_.probes(); }
  [[nodiscard]] unsigned groups() const noexcept { return used_; }
  [[nodiscard]] walk start(digest d) const noexcept { return over(row_).start(d); }
  [[nodiscard]] walk start(digest d, unsigned number) const noexcept {
    return over(row_).start(d, number);
  }
  [[nodiscard]] std::uint64_t next(walk& w) const noexcept { return w.row + row_.next(w.inner); }
  template <class Work>
  decltype(auto) with_fixed(Work&& work) const {
    return row_.with_fixed([&](const auto& inner) -> decltype(auto) { return work(over(inner)); });
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    k_probes::fields(self.row_, field);
    field("rows", self.rows_);
    field("form", self.hashed_, form_names);
  }
  void check() {
    row_.check();
    row_.require_usual();
    if (rows_ == 0 || rows_ > max_rows)
      throw bad_parameter(detail::text("rows: expected 1 to ", max_rows, ", found ", rows_));
    if (row_.cells() > sizing::max_bits / rows_)
      throw bad_parameter(detail::text("cells: expected at most 2^56 in all rows, found ",
                                       row_.cells(), " in each"));
    if (hashed_ > 1) throw bad_parameter(detail::text("form: expected 0 or 1, found ", hashed_));
  }
  friend bool operator==(const row_probes& a, const row_probes& b) noexcept {
    return a.row_ == b.row_ && a.rows_ == b.rows_ && a.hashed_ == b.hashed_;
  }

 private:
  template <class Inner>
  [[nodiscard]] rowed_over<Inner> over(const Inner& inner) const noexcept {
    return {inner, rows_, hashed(), used_};
  }

  k_probes row_;
  std::uint64_t rows_ = 1;
  std::uint64_t hashed_ = 0;
  unsigned used_ = 1;  // follows from the number of keys
};

}  // namespace umbel::core
