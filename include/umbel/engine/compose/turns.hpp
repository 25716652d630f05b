// turns.hpp - active-active buffering (A2) [Yoo10] and double buffering [CLF04]: two Bloom filters,
// of which the older is cleared when the newer is full. The engine of ageing Bloom filters.
//
// Form `a2`: keys are inserted into the newer filter, and a query asks both. Form
// `double_buffering`: only the active filter answers. From half of its room on, keys are inserted
// into both, so that the filter that becomes active next holds the latest keys.
//
// Layout     Two arrays of bits with one index (cells/renewed_bits.hpp). They are cleared cache
//            line by cache line while in use. Each side counts the keys that were new to it.
// Invariant  The last `window` distinct keys are members.
// Limits     Both filters use the same probes. Their contents differ, so their false positives are
//            independent.
// Threads    Many readers or one writer.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string_view>
#include <utility>

#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/renewed_bits.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/engine/compose/any_of.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/aging.hpp>

namespace umbel {

enum class aging_form : std::uint64_t { a2, double_buffering };
inline constexpr std::array<std::string_view, 2> aging_form_names{"a2", "double-buffering"};
[[nodiscard]] constexpr std::string_view name_of(aging_form form) noexcept {
  return aging_form_names[static_cast<std::size_t>(form)];
}

namespace core {

class turns {
  using bits = probes<k_probes, cells::renewed_bits>;

  [[nodiscard]] std::size_t answering() const noexcept { return both_answer() ? 2 : 1; }
  [[nodiscard]] auto by_age() const noexcept {  // first: its users need its return type
    return [this](std::size_t j) -> const bits& { return (j == 0 ? first_ : second_).filter; };
  }

 public:
  turns() : turns(k_probes(1, 1, salt), aging_form::a2, 2, nullptr) {}
  // `at` gives bits and probes of one filter, `room` the number of keys that sets half of its bits.
  turns(const k_probes& at, aging_form form, std::uint64_t room, std::pmr::memory_resource* memory)
      : form_(static_cast<std::uint64_t>(form)),
        room_(room),
        first_{bits({at.cells(), at.probes(), salt}, memory), 0},
        second_{first_},
        lines_per_insert_(sizing::lines_per_insert(at.cells(), room)) {}

  [[nodiscard]] const k_probes& index() const noexcept { return first_.filter.index(); }
  [[nodiscard]] aging_form form() const noexcept { return static_cast<aging_form>(form_); }
  [[nodiscard]] std::uint64_t room() const noexcept { return room_; }
  [[nodiscard]] bool both_answer() const noexcept { return form() == aging_form::a2; }
  [[nodiscard]] std::uint64_t lines_per_insert() const noexcept { return lines_per_insert_; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return 2 * first_.filter.cells().size_in_bits();
  }
  // The false positive rate at the present fill.
  [[nodiscard]] double expected_fpr() const noexcept {
    const double newer = accepts(first_);
    return both_answer() ? 1 - (1 - newer) * (1 - accepts(second_)) : newer;
  }

  [[nodiscard]] bool may_contain(digest d) const noexcept {
    return query_any(answering(), by_age(), d);
  }
  void may_contain(std::size_t total, auto&& digest_at, bool* out) const noexcept {
    query_any(answering(), by_age(), total, digest_at, out);
  }
  // No may_contain_near: renewed bits are tested by branches, and two cells would be two.
  [[nodiscard]] std::size_t batch_from() const noexcept { return core::batch_from(first_.filter); }
  // True if the newer filter changed.
  bool insert(digest d) noexcept {
    for (side* s : {&first_, &second_}) s->filter.cells().renew_some(lines_per_insert_);
    return both_answer() ? insert_newer(d) : insert_both(d);
  }
  void insert(std::size_t total, auto&& digest_at) noexcept {
    detail::ring<digest>(
        total,
        [&](std::size_t i, digest& d) {
      d = digest_at(i);
      first_.filter.prefetch_for_write(d);
      if (!both_answer()) second_.filter.prefetch_for_write(d);
        },
        [&](std::size_t, const digest& d) { (void)insert(d); });
  }
  void clear() noexcept {
    for (side* s : {&first_, &second_}) {
      s->filter.cells().clear();
      s->keys = 0;
    }
  }

  friend bool operator==(const turns&, const turns&) noexcept = default;
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("form", self.form_, aging_form_names);
    field("room", self.room_);
    field("keys", self.first_.keys);
    field("others", self.second_.keys);
  }
  static void describe(auto& self, auto& part) {
    part.fields("index", self.first_.filter.index());
    part.fields("window", self);
    part.fields("first_lines", self.first_.filter.cells());
    part.array("first", self.first_.filter.cells().storage());
    part.array("first_marks", self.first_.filter.cells().marks());
    part.fields("second_lines", self.second_.filter.cells());
    part.array("second", self.second_.filter.cells().storage());
    part.array("second_marks", self.second_.filter.cells().marks());
  }
  void check() {
    first_.filter.check();
    index().require_usual();
    if (index().salt() != salt)
      throw bad_parameter(detail::text("salt: expected ", salt, ", found ", index().salt()));
    second_.filter.index() = index();
    second_.filter.check();
    if (form_ > 1) throw bad_parameter(detail::text("form: expected 0 or 1, found ", form_));
    check_keys(room_ / 2);
    if (room_ < 2)
      throw bad_parameter(detail::text("room: expected at least 2 keys, found ", room_));
    if (first_.keys > room_ || second_.keys > room_)
      throw bad_parameter(detail::text("keys: expected at most ", room_, " in each filter, found ",
                                       first_.keys, " and ", second_.keys));
    lines_per_insert_ = sizing::lines_per_insert(index().cells(), room_);
  }

 private:
  static constexpr std::uint64_t salt = 0x40000;  // different from that of a plain Bloom filter

  struct side {
    bits filter;
    std::uint64_t keys = 0;  // that were new when inserted
    void forget() noexcept {
      filter.cells().forget();
      keys = 0;
    }
    friend bool operator==(const side&, const side&) noexcept = default;
  };
  [[nodiscard]] static double accepts(const side& s) noexcept {
    return std::pow(
        static_cast<double>(s.filter.cells().ones()) / static_cast<double>(s.filter.cells().size()),
        s.filter.index().probes());
  }
  bool insert_newer(digest d) noexcept {
    // Full, and this key is new: it is the first key of the next turn.
    if (first_.keys == room_ && !first_.filter.may_contain(d)) {
      std::swap(first_, second_);
      first_.forget();
    }
    const bool changed = first_.filter.insert(d);
    first_.keys += changed;
    return changed;
  }
  bool insert_both(digest d) noexcept {
    const bool changed = first_.filter.insert(d);
    first_.keys += changed && first_.keys < room_;
    if (first_.keys >= room_ / 2) {
      second_.keys += second_.filter.insert(d);
      if (second_.keys >= room_ / 2) {
        std::swap(first_, second_);
        second_.forget();
      }
    }
    return changed;
  }

  std::uint64_t form_ = 0;
  std::uint64_t room_ = 2;
  side first_, second_;             // the newer or active one, the other
  std::uint64_t lines_per_insert_;  // follows from the sizes
};

}  // namespace core
}  // namespace umbel
