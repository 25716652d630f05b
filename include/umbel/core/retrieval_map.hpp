// retrieval_map.hpp - the one adaptor that makes any retrieval engine a map.
// Idea       The engine holds value and tag side by side. `find` believes a key whose tag comes out right; `value`
//            does not look, which is faster and exact for members.
// Layout     Stored word = tag << value_bits | value. No fpr asked: no tag, and `find` always answers.
// Limits     Static. value_bits plus tag bits at most 64.
// Threads    Immutable: any number of readers.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/contracts.hpp>
#include <umbel/core/retrieval_filter.hpp>
#include <umbel/core/static_face.hpp>
#include <umbel/hash/hasher.hpp>

namespace umbel::core {

template <class Self, retrieval Engine>
class retrieval_map : public static_map<Self> {
 public:
  // The value given with the key; for a stranger nothing, or with probability fpr some value.
  template <key K>
  [[nodiscard]] std::optional<std::uint64_t> find(const K& k) const noexcept {
    const digest d = hash_(k);
    return believed(check_of(d), engine_.value(d));
  }
  // No check: exact for members, arbitrary for strangers.
  template <key K>
  [[nodiscard]] std::uint64_t value(const K& k) const noexcept {
    return engine_.value(hash_(k)) & detail::low_mask(value_bits());
  }
  // answers[i] for keys[i]; the fast way.
  template <key_span Keys>
  void find_batch(const Keys& keys, std::span<std::optional<std::uint64_t>> answers) const noexcept {
    hash_.over(as_span(keys), [&](auto digest_at) noexcept {
      engine_.values(
          std::size(keys), digest_at, [this](digest d) { return check_of(d); },
          [&](std::size_t i, std::uint64_t check, std::uint64_t word) { answers[i] = believed(check, word); });
    });
  }
  template <key_span Keys>
  void value_batch(const Keys& keys, std::span<std::uint64_t> answers) const noexcept {
    const std::uint64_t mask = detail::low_mask(value_bits());
    hash_.over(as_span(keys), [&](auto digest_at) noexcept {
      engine_.values(
          std::size(keys), digest_at, [](digest) { return std::uint64_t{0}; },
          [&](std::size_t i, std::uint64_t, std::uint64_t word) { answers[i] = word & mask; });
    });
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return engine_.keys(); }
  [[nodiscard]] unsigned value_bits() const noexcept { return static_cast<unsigned>(value_bits_); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return engine_.size_in_bits(); }
  // The share of strangers that get a value.
  [[nodiscard]] double expected_fpr() const noexcept {
    return engine_.keys() == 0 ? 0 : std::exp2(-static_cast<double>(tag_bits()));
  }
  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }

  friend bool operator==(const Self& a, const Self& b) noexcept {
    return a.hash_ == b.hash_ && a.value_bits_ == b.value_bits_ && a.engine_ == b.engine_;
  }
  template <class S, class Field>
  static void fields(S& self, Field&& field) {
    field("value_bits", self.value_bits_);
  }
  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    part.fields("map", self);
    Engine::describe(self.engine_, part);
  }
  void check() {
    engine_.check();
    if (value_bits_ < 1 || value_bits_ > engine_.width())
      throw corrupt(
          detail::text("value_bits: expected at most the engine's width ", engine_.width(), ", found ", value_bits_));
  }

 protected:
  retrieval_map() = default;
  retrieval_map(const hasher& hash, const pair_spool& pairs, unsigned value_bits,
                const typename Engine::build_options& how)
      : hash_(hash),
        value_bits_(value_bits),
        engine_(Engine::build(pairs, how, [=, tag_bits = how.width - value_bits](const valued& v) {
          if ((v.value & ~detail::low_mask(value_bits)) != 0)  // or it would spill into the tag and the row's place
            throw bad_parameter(detail::text("value ", v.value, " does not fit ", value_bits, " bits"));
          return tag_bits == 0 ? v.value : tag_of(v.key, tag_bits) << value_bits | v.value;
        })) {}

  // Width of a stored word, or bad_parameter.
  [[nodiscard]] static unsigned width_for(unsigned value_bits, std::optional<double> fpr) {
    const unsigned width = value_bits + (fpr ? tag_bits_for(*fpr) : 0);
    if (value_bits < 1 || value_bits > 64 || width > 64)
      throw bad_parameter(detail::text("value_bits: expected 1 to 64 together with the bits of fpr, found ", value_bits,
                                       " and ", width - value_bits));
    return width;
  }

 private:
  [[nodiscard]] unsigned tag_bits() const noexcept { return engine_.width() - value_bits(); }
  [[nodiscard]] std::uint64_t check_of(digest d) const noexcept { return tag_bits() == 0 ? 0 : tag_of(d, tag_bits()); }
  [[nodiscard]] std::optional<std::uint64_t> believed(std::uint64_t check, std::uint64_t word) const noexcept {
    if (engine_.keys() == 0) return std::nullopt;
    if (tag_bits() != 0 && word >> value_bits() != check) return std::nullopt;
    return word & detail::low_mask(value_bits());
  }

  hasher hash_;
  std::uint64_t value_bits_ = 1;
  Engine engine_;
};

}  // namespace umbel::core
