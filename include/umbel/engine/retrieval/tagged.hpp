// tagged.hpp - set adaptor of any retrieval engine: the values are tags, that is, fingerprints.
//
// The build stores tag(x), a few bits of the key's hash, for every key x. A query passes if the
// engine returns the key's tag. A non-member passes with probability 2^-r for tags of r bits. An
// engine that makes all members return 0 (`all_zero`) needs no tags.
//
// Tags       tag_of() draws them from the digest by a product of their own. An engine that computes
//            a tag while it locates the key's cells offers answer(digest), which returns value and
//            tag. It then passes the tag to value_of(record, tag) in the build and to note_of(tag)
//            in a batch. An engine with other tags drawn from the digest has tag_word(digest),
//            whose low bits they are.
// Fast path  An engine may offer matches(digest): whether value and tag are equal, in as few
//            instructions as possible. It is false if there are no keys.
// Limits     Static. `Engine` also has build(spool, options, value_of) and describe.
// Threads    Immutable: any number of readers.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/can.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/engine/retrieval/answered.hpp>
#include <umbel/engine/retrieval/retrieval.hpp>
#include <umbel/hash/hasher.hpp>

namespace umbel::core {

// The least number of fingerprint bits for this false positive rate.
[[nodiscard]] inline unsigned tag_bits_for(double fpr) {
  check_fpr(fpr);
  return static_cast<unsigned>(std::clamp(std::ceil(-std::log2(fpr) - 1e-9), 1.0, 64.0));
}
// The width of a word with a value and a fingerprint for this rate; throws bad_parameter.
[[nodiscard]] inline unsigned value_and_tag_bits(unsigned value_bits, std::optional<double> fpr) {
  const unsigned width = value_bits + (fpr ? tag_bits_for(*fpr) : 0);
  if (value_bits < 1 || value_bits > 64 || width > 64)
    throw bad_parameter(
        detail::text("value_bits: expected 1 to 64 together with the bits of fpr, found ",
                     value_bits, " and ", width - value_bits));
  return width;
}

// The fingerprint of a digest: `bits` bits that no index uses.
inline constexpr detail::remixer tag_words{detail::salt_of(detail::stage::tag)};
[[nodiscard]] inline std::uint64_t tag_of(digest d, unsigned bits) noexcept {
  return tag_words(d).first() >> (64 - bits);
}
// The same for an engine that may have tags of its own.
template <class Engine>
[[nodiscard]] std::uint64_t tag_in(digest d, unsigned bits) noexcept {
  if constexpr (requires { Engine::tag_word(d); })
    return Engine::tag_word(d) & detail::low_mask(bits);
  else
    return tag_of(d, bits);
}

// The value that the engine holds for a key, and the key's tag; {~0, 0} if there are no keys.
template <class Engine>
[[nodiscard, gnu::always_inline]] inline answered answer_of(const Engine& engine,
                                                            digest d) noexcept {
  if constexpr (requires { engine.answer(d); })
    return engine.answer(d);
  else if (engine.keys() == 0)
    return {~std::uint64_t{0}, 0};
  else
    return {engine.value(d), tag_in<Engine>(d, engine.width())};
}

// What a build stores for a record, use(tag, record), and what a batch notes for a key, use(tag),
// for either source of tags.
template <class Engine, class Use>
struct tag_source {
  unsigned width;
  Use use;

  [[nodiscard, gnu::always_inline]] std::uint64_t operator()(
      digest d) const noexcept requires std::invocable<Use, std::uint64_t> {
    return use(tag_in<Engine>(d, width));
  }
  [[nodiscard, gnu::always_inline]] std::uint64_t operator()(
      std::uint64_t tag) const noexcept requires std::invocable<Use, std::uint64_t> {
    return use(tag & detail::low_mask(width));
  }
  template <class Record>
  requires std::invocable<Use, std::uint64_t, Record>
  [[nodiscard]] std::uint64_t operator()(const Record& record) const {
    return use(tag_in<Engine>(key_of(record), width), record);
  }
  template <class Record>
  requires std::invocable<Use, std::uint64_t, Record>
  [[nodiscard]] std::uint64_t operator()(const Record& record, std::uint64_t tag) const {
    return use(tag & detail::low_mask(width), record);
  }
};
template <class Engine, class Use>
[[nodiscard]] tag_source<Engine, Use> from_tags(unsigned width, Use use) {
  return {width, std::move(use)};
}

// The tags that members must return: `bits` is their width, a number or a constant. If `counted` is
// 0, members return 0.
template <class Bits>
struct tagger {
  [[no_unique_address]] Bits bits;
  std::uint64_t counted;

  [[nodiscard]] std::uint64_t operator()(digest d) const noexcept {
    return tag_of(d, bits) & counted;
  }
  // For engines with a vector implementation: the remixer whose top bits are the tag.
  [[nodiscard]] static constexpr const detail::remixer& words() noexcept { return tag_words; }
  // For engines with a separate loop for this width.
  template <unsigned Width>
  [[nodiscard]] tagger<std::integral_constant<unsigned, Width>> at_width() const noexcept {
    return {{}, counted};
  }
};

template <retrieval Engine>
class tagged {
 public:
  using build_options = typename Engine::build_options;

  tagged() = default;
  explicit tagged(Engine from) : retrieval_(std::move(from)) {}
  template <class Spool>
  [[nodiscard]] static tagged build(const Spool& keys, const build_options& options) {
    return tagged(Engine::build(
        keys, options,
        from_tags<Engine>(options.width, [](std::uint64_t tag, const digest&) { return tag; })));
  }

  [[nodiscard, gnu::always_inline]] bool may_contain(digest d) const noexcept {
    if constexpr (requires { retrieval_.matches(d); }) {
      return retrieval_.matches(d);
    } else {
      const auto [value, tag] = answer_of(retrieval_, d);
      return value == (tag & counted());
    }
  }
  template <class DigestAt>
  void may_contain(std::size_t total, DigestAt& digest_at, bool* out) const noexcept {
    if (retrieval_.keys() == 0) return void(std::fill_n(out, total, false));
    const auto sink = [out](std::size_t i, std::uint64_t tag, std::uint64_t value) {
      out[i] = value == tag;
    };
    if constexpr (
        requires { retrieval_.answer(digest{}); } || requires { Engine::tag_word(digest{}); })
      retrieval_.values(
          total, digest_at,
          from_tags<Engine>(width(),
                            [counted = counted()](std::uint64_t tag) { return tag & counted; }),
          sink);
    else
      retrieval_.values(total, digest_at, tagger<unsigned>{width(), counted()}, sink);
  }

  // Of the engine's value: a map's single queries do more, and its batch is faster at any size.
  [[nodiscard]] std::size_t batch_from() const noexcept { return core::batch_from(retrieval_); }

  // distinct keys it was built from
  [[nodiscard]] std::uint64_t keys() const noexcept { return retrieval_.keys(); }
  [[nodiscard]] unsigned width() const noexcept { return retrieval_.width(); }  // bits of a tag
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return retrieval_.size_in_bits(); }
  [[nodiscard]] double expected_fpr() const noexcept {
    if (keys() == 0) return 0;
    if constexpr (requires { retrieval_.filter_fpr(); }) return retrieval_.filter_fpr();
    return std::exp2(-static_cast<double>(width()));
  }
  [[nodiscard]] const Engine& retrieval() const noexcept { return retrieval_; }

  friend bool operator==(const tagged&, const tagged&) = default;
  static void describe(auto& self, auto& part) { Engine::describe(self.retrieval_, part); }
  void check() { retrieval_.check(); }

 private:
  // A mask of the bits of tags that are compared: all or none.
  [[nodiscard]] std::uint64_t counted() const noexcept {
    if constexpr (requires { retrieval_.all_zero(); })
      return retrieval_.all_zero() ? 0 : ~std::uint64_t{0};
    else
      return ~std::uint64_t{0};
  }

  Engine retrieval_;
};

}  // namespace umbel::core
