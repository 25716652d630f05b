// checked.hpp - map adaptor of any retrieval engine: each key's word holds its value and a check.
//
// A rule (word_rule.hpp) combines value and check into one word, by XOR with bits of the key's tag.
// `find` removes these bits and accepts the rest if it is a possible value. `value` ignores the
// check; it is faster, and exact for keys of the build.
//
// Layout     The rule's fields, then the engine. Without an fpr there is no check, and `find`
//            always returns a value.
// Limits     Static. A word has at most 64 bits.
// Threads    Immutable: any number of readers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/engine/retrieval/retrieval.hpp>
#include <umbel/engine/retrieval/tagged.hpp>
#include <umbel/engine/retrieval/word_rule.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/graph.hpp>

namespace umbel::core {

template <retrieval Engine, class Rule = tag_rule>
class checked {
 public:
  using build_options = typename Engine::build_options;

  checked() = default;
  checked(Rule rule, Engine from) : rule_(rule), retrieval_(std::move(from)) { settle(); }
  // Throws bad_parameter for a value that is too large for the rule.
  template <class Spool>
  [[nodiscard]] static checked build(const Spool& pairs, Rule rule, const build_options& options) {
    return {rule, Engine::build(
                      pairs, options,
                      from_tags<Engine>(options.width, [rule](std::uint64_t tag, const valued& v) {
                        // it would overwrite the check, and the place of the row
                        if (v.value > rule.largest())
                          throw bad_parameter(misfit(v.value, rule.largest()));
                        return v.value ^ rule.own_bits(tag);
                      }))};
  }

  [[nodiscard, gnu::always_inline]] std::optional<std::uint64_t> find(digest d) const noexcept {
    const auto [word, tag] = answer_of(retrieval_, d);
    const std::uint64_t value = word ^ rule_.own_bits(tag);
    return value <= last_ ? std::optional(value) : std::nullopt;
  }
  // Without the check: exact for keys of the build, arbitrary for others.
  [[nodiscard, gnu::always_inline]] std::uint64_t value(digest d) const noexcept {
    const auto [word, tag] = answer_of(retrieval_, d);
    return (word ^ rule_.own_value_bits(tag)) & value_mask_;
  }
  // The lambdas capture by value: otherwise the members would be read again after every result.
  template <class DigestAt>
  void find(std::size_t total, DigestAt& digest_at,
            std::optional<std::uint64_t>* out) const noexcept {
    if (retrieval_.keys() == 0) return void(std::fill_n(out, total, std::nullopt));
    retrieval_.values(
        total, digest_at,
        from_tags<Engine>(width(),
                          [rule = rule_](std::uint64_t tag) { return rule.own_bits(tag); }),
        [out, largest = rule_.largest()](std::size_t i, std::uint64_t own, std::uint64_t word) {
      const std::uint64_t value = word ^ own;
      if (value <= largest)
        out[i] = value;
      else
        out[i].reset();
        });
  }
  template <class DigestAt>
  void value(std::size_t total, DigestAt& digest_at, std::uint64_t* out) const noexcept {
    if (retrieval_.keys() == 0) return void(std::fill_n(out, total, 0));
    retrieval_.values(
        total, digest_at,
        from_tags<Engine>(width(),
                          [rule = rule_](std::uint64_t tag) { return rule.own_value_bits(tag); }),
        [out, mask = value_mask_](std::size_t i, std::uint64_t own, std::uint64_t word) {
      out[i] = (word ^ own) & mask;
        });
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return retrieval_.keys(); }
  // bits of value and check
  [[nodiscard]] unsigned width() const noexcept { return retrieval_.width(); }
  [[nodiscard]] unsigned value_bits() const noexcept { return rule_.value_bits(); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return retrieval_.size_in_bits(); }
  // The share of non-members for which `find` returns a value.
  [[nodiscard]] double expected_fpr() const noexcept {
    return keys() == 0 ? 0 : sizing::masked_fpr(rule_.largest(), width());
  }
  [[nodiscard]] const Rule& rule() const noexcept { return rule_; }
  [[nodiscard]] const Engine& retrieval() const noexcept { return retrieval_; }
  [[nodiscard]] Engine& retrieval() noexcept { return retrieval_; }  // of maps whose values change

  friend bool operator==(const checked&, const checked&) = default;
  static void describe(auto& self, auto& part) {
    part.fields("map", self.rule_);
    Engine::describe(self.retrieval_, part);
  }
  void check() {
    retrieval_.check();
    rule_.check(width());
    settle();
  }

 private:
  // Set so that single queries need not test for an empty map: then no value passes, and `value`
  // returns 0.
  void settle() noexcept {
    last_ = keys() == 0 ? 0 : rule_.largest();
    value_mask_ = keys() == 0 ? 0 : rule_.value_mask();
  }

  Rule rule_;
  Engine retrieval_;
  std::uint64_t last_ = 0, value_mask_ = 0;
};

}  // namespace umbel::core
