// probe_table.hpp - number of probes for some keys: a static map of 6-bit numbers that accepts one
// non-member in 65536.
//
// Idea       A filter needs the same number for a key every time, not the right one. A non-member
//            that the table accepts always has the same number, any from 0 to 63, and its false
//            positive rate is the one of that number.
// Layout     A 3-wise binary fuse graph of 22-bit words: 6 bits of number, 16 of tag. About 25 bits
//            per key.
// Invariant  Every key of the build gets its number. Numbers are at most 63 for any contents.
// Threads    Immutable: any number of readers.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <type_traits>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/retrieval/peeled.hpp>
#include <umbel/engine/retrieval/peeled_build.hpp>
#include <umbel/engine/retrieval/word_rule.hpp>

namespace umbel::core {

class probe_table {
 public:
  using engine = peeled<core::fuse<3>>;
  static constexpr unsigned number_bits = 6, tag_bits = 16, width = number_bits + tag_bits;
  static constexpr unsigned most = (1U << number_bits) - 1;

  probe_table() = default;
  // a template, so that only programs that build compile the solver
  template <class Spool = pair_spool>
  [[nodiscard]] static probe_table build(const std::type_identity_t<Spool>& numbers,
                                         std::pmr::memory_resource* memory = nullptr) {
    probe_table out;
    if (numbers.size() != 0)
      out.engine_ = engine::build(numbers, {.width = width, .memory = memory},
                                  [](const valued& v, std::uint64_t tag) {
        if (v.value > most)
          throw bad_parameter(detail::text("probes: expected at most ", most, ", found ", v.value));
        return v.value ^ tag_rule(number_bits).own_bits(tag & detail::low_mask(width));
      });
    return out;
  }

  [[nodiscard]] std::optional<unsigned> probes(digest d) const noexcept {
    if (engine_.keys() == 0) return std::nullopt;
    const auto [word, tag] = engine_.answer(d);
    const std::uint64_t number = word ^ tag_rule(number_bits).own_bits(tag);
    return number <= most ? std::optional(static_cast<unsigned>(number)) : std::nullopt;
  }
  // The share of non-members that the table accepts.
  [[nodiscard]] double mistaken() const noexcept {
    return keys() == 0 ? 0 : 1.0 / (1U << tag_bits);
  }
  [[nodiscard]] std::uint64_t keys() const noexcept { return engine_.keys(); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return engine_.size_in_bits(); }

  friend bool operator==(const probe_table&, const probe_table&) = default;
  static void describe(auto& self, auto& part) { engine::describe(self.engine_, part); }
  void check() {
    engine_.check();
    if (engine_.width() != (engine_.keys() == 0 ? engine().width() : width))
      throw bad_parameter(
          detail::text("width: expected ", width, " bits for every key, found ", engine_.width()));
  }

 private:
  engine engine_;
};

}  // namespace umbel::core
