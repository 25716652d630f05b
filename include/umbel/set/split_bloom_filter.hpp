// split_bloom_filter.hpp - a Bloom filter in rows, sized for the largest set that is expected and taken into use row by row.
// Idea       Form `fill`: keys fill one row after another, so a query of a set that is still small looks at few rows, and the rate
//            is as low as so few keys deserve. Form `hash`: a key has one row, which its digest names, and a query looks there.
// Layout     One array of bits, `rows` equal rows of it. A key has the same places in every row.
// Invariant  No key is forgotten; memory stays what it was. With one row the bits are those of a bloom_filter.
// Limits     `full` once the keys it was planned for are in: more would pass the rate. Then build a larger one. A repeat takes
//            room again once another row is in use. No erase.
// Threads    Many readers or one writer.
// Source     [XDL04] by its abstract, [TRL12] sec. III-P; how keys choose rows is ours.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/face.hpp>
#include <umbel/core/ordered_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/engine/probe/row_probes.hpp>
#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/rows.hpp>

namespace umbel {

enum class split_form : std::uint64_t { fill, hash };
[[nodiscard]] constexpr std::string_view name_of(split_form form) noexcept {
  return form == split_form::fill ? "fill" : "hash";
}
[[nodiscard]] constexpr bool form_named(std::string_view name, split_form& out) noexcept {
  for (const auto form : {split_form::fill, split_form::hash})
    if (name == name_of(form)) return out = form, true;
  return false;
}

struct split_options {
  std::optional<std::uint64_t> keys{};  // at most. Of keys, fpr and bits exactly two
  std::optional<double> fpr{};          // when they are in
  std::optional<std::uint64_t> bits{};
  unsigned probes = 0;     // 0: the best number
  std::uint64_t rows = 8;  // 1 to 4096
  split_form form = split_form::fill;
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // for sorting in a build
};

class split_bloom_filter : public core::set_queries<split_bloom_filter>,
                           public core::bounded_inserts<split_bloom_filter>,
                           public core::ordered_build<split_bloom_filter> {
 public:
  using options = split_options;
  static constexpr std::string_view kind = "split-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .may_fill = true, .order_dependent = true};

  split_bloom_filter() = default;
  explicit split_bloom_filter(const options& wish) : split_bloom_filter(fitted(wish), wish) {}

  [[nodiscard]] static umbel::plan plan(const options& wish) {
    const fit made = fitted(wish);
    return {.keys = made.keys,
            .cells = made.at.cells(),
            .probes = made.at.probes(),
            .bits = made.at.cells(),
            .fpr = made.fpr,
            .form = name_of(wish.form)};
  }

  using core::ordered_build<split_bloom_filter>::build;

  void clear() noexcept {
    engine_.cells().storage().clear();
    keys_ = 0;
    engine_.index().use(1);
  }
  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }  // those that changed their row
  [[nodiscard]] std::uint64_t rows() const noexcept { return engine_.index().rows(); }
  [[nodiscard]] std::uint64_t rows_in_use() const noexcept {
    return engine_.index().hashed() ? rows() : engine_.index().used();
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return engine_.cells().size(); }
  // The rate at the present fill of every row.
  [[nodiscard]] double expected_fpr() const noexcept {
    double none = 1, sum = 0;
    for (std::uint64_t i = 0; i < rows(); ++i) {
      const double rate = std::pow(fill(i), engine_.index().probes());
      none *= 1 - rate;
      sum += rate / static_cast<double>(rows());
    }
    return engine_.index().hashed() ? sum : 1 - none;
  }
  [[nodiscard]] double fill(std::uint64_t row) const noexcept {
    const std::uint64_t each = engine_.index().row().cells(), first = row * each, end = first + each;
    std::uint64_t ones = 0;
    for (std::uint64_t word = first / 64; word * 64 < end; ++word) {
      std::uint64_t here = engine_.cells().storage()[word];
      if (word * 64 < first) here &= ~detail::low_mask(static_cast<unsigned>(first % 64));
      if (word * 64 + 64 > end) here &= detail::low_mask(static_cast<unsigned>(end % 64));
      ones += static_cast<unsigned>(std::popcount(here));
    }
    return static_cast<double>(ones) / static_cast<double>(each);
  }

  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  friend bool operator==(const split_bloom_filter& a, const split_bloom_filter& b) noexcept {
    return a.hash_ == b.hash_ && a.engine_.index() == b.engine_.index() && a.room_ == b.room_ && a.keys_ == b.keys_ &&
           a.engine_.cells() == b.engine_.cells();
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("room", self.room_);
    field("keys", self.keys_);
  }
  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    part.fields("index", self.engine_.index());
    part.fields("split", self);
    part.array("cells", self.engine_.cells().storage());
  }
  void check() {
    engine_.check();
    core::check_keys(room_);
    if (room_ == 0 || keys_ > room_ * rows())
      throw bad_parameter(detail::text("keys: expected at most ", room_, " in each row, found ", keys_, " in all"));
    use_rows();
  }

 private:
  friend core::set_queries<split_bloom_filter>;
  friend core::bounded_inserts<split_bloom_filter>;

  struct fit {
    core::row_probes at;
    std::uint64_t room, keys;  // of a row, of all
    double fpr;
  };
  [[nodiscard]] static fit fitted(const options& wish) {
    core::check({wish.keys, wish.fpr, wish.bits});
    const bool hashed = wish.form == split_form::hash;
    (void)core::row_probes(core::k_probes(1, 1), wish.rows, hashed);  // refuses what cannot be
    if (wish.probes > sizing::bloom_max_probes)
      throw bad_parameter(detail::text("probes: expected at most ", sizing::bloom_max_probes, ", found ", wish.probes));
    std::uint64_t keys = wish.keys.value_or(0), room = std::max<std::uint64_t>(1, detail::ceil_div(keys, wish.rows));
    sizing::bloom_plan row{};
    const auto planned_for = [&] { return hashed ? sizing::crowded_row(room) : room; };
    if (wish.bits) {
      const std::uint64_t each = std::max<std::uint64_t>(1, *wish.bits / wish.rows);
      unsigned probes = wish.probes;
      if (wish.fpr) {
        const auto most = sizing::bloom_room_for(each, sizing::row_share(*wish.fpr, wish.rows, hashed), probes);
        probes = most.probes;
        room = most.keys;
        while (hashed && room > 0 && planned_for() > most.keys) room -= room / 256 + 1;
        keys = room * wish.rows;
        room = std::max<std::uint64_t>(room, 1);
      }
      row = sizing::plan_bloom_for_bits(planned_for(), each, probes);
    } else {
      row = sizing::plan_bloom_for_rate(planned_for(), sizing::row_share(*wish.fpr, wish.rows, hashed), wish.probes);
    }
    core::check_keys(keys);
    const double fpr = keys == 0 ? 0
                       : hashed  ? sizing::hashed_rows_fpr(keys, wish.rows, row.bits, row.probes)
                                 : sizing::filled_rows_fpr(keys, room, row.bits, row.probes);
    core::check_kept(wish.fpr, fpr);
    return {core::row_probes(core::k_probes(row.bits, row.probes), wish.rows, hashed), room, keys, fpr};
  }
  split_bloom_filter(const fit& made, const options& wish)
      : hash_(wish.hash), room_(made.room), engine_(made.at, wish.memory) {}

  void use_rows() noexcept {
    const std::uint64_t rows_now = keys_ == 0 ? 1 : detail::ceil_div(keys_, room_);
    engine_.index().use(engine_.index().hashed() ? 1 : static_cast<unsigned>(rows_now));
  }

  [[nodiscard]] bool may_contain_digest(digest d) const noexcept { return engine_.may_contain(d); }
  void may_contain_digests(std::size_t total, auto& digest_at, bool* out) const noexcept {
    engine_.may_contain(total, digest_at, out);
  }
  [[nodiscard]] bool is_full() const noexcept { return keys_ == room_ * rows(); }
  // Nothing: there is no room. Else whether the row changed.
  std::optional<bool> try_insert_digest(digest d) noexcept {
    if (is_full()) return engine_.may_contain(d) ? std::optional(false) : std::nullopt;
    return put_one(engine_.index().start(d, row_to_fill()));
  }
  [[nodiscard]] std::size_t insert_digests(std::size_t total, auto& digest_at) noexcept {
    std::size_t taken = 0;
    while (taken < total && !is_full()) {
      const std::uint64_t left = (engine_.index().hashed() ? room_ * rows() : (row_to_fill() + 1) * room_) - keys_;
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, total - taken));
      const unsigned row = row_to_fill();
      using walk = core::row_probes::walk;
      detail::ring<walk>(
          count,
          [&](std::size_t i, walk& w) {
            w = engine_.index().start(digest_at(taken + i), row);
            core::each_of(engine_.index(), w, [&](std::uint64_t cell) { engine_.cells().prefetch_for_write(cell); });
          },
          [&](std::size_t, const walk& w) { put_one(w); });
      taken += count;
    }
    while (taken < total && engine_.may_contain(digest_at(taken))) ++taken;  // full: those that are in are welcome
    return taken;
  }
  [[nodiscard]] unsigned row_to_fill() const noexcept { return static_cast<unsigned>(keys_ / room_); }
  bool put_one(const core::row_probes::walk& walk) noexcept {
    bool changed = false;
    core::each_of(engine_.index(), walk, [&](std::uint64_t i) { changed |= engine_.cells().set(i); });
    keys_ += changed;
    if (changed) use_rows();
    return changed;
  }

  hasher hash_;
  std::uint64_t room_ = 1;  // keys of a row
  std::uint64_t keys_ = 0;
  core::probes<core::row_probes, cells::bits> engine_;
};

}  // namespace umbel
