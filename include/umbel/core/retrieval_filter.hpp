// retrieval_filter.hpp - the one adaptor that makes any retrieval engine a set.
// Idea       A filter is a map whose value is the key's fingerprint: store tag(x) for every key, and believe whoever
//            answers with its own tag. Strangers do so by luck only, once in 2^r. An engine that can make all members
//            answer 0 (`all_zero`) needs no tags.
// Limits     Static. `Engine` also has build(spool, options, value_of) and describe.
// Threads    Immutable: any number of readers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <type_traits>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/contracts.hpp>
#include <umbel/core/face.hpp>
#include <umbel/core/static_face.hpp>
#include <umbel/hash/hasher.hpp>

namespace umbel::core {

// Fingerprint bits for a rate: the fewest that keep it.
[[nodiscard]] inline unsigned tag_bits_for(double fpr) {
  check_fpr(fpr);
  return static_cast<unsigned>(std::clamp(std::ceil(-std::log2(fpr) - 1e-9), 1.0, 64.0));
}
// Bits of a word that holds a value and above it a fingerprint for the rate, or bad_parameter.
[[nodiscard]] inline unsigned value_and_tag_bits(unsigned value_bits, std::optional<double> fpr) {
  const unsigned width = value_bits + (fpr ? tag_bits_for(*fpr) : 0);
  if (value_bits < 1 || value_bits > 64 || width > 64)
    throw bad_parameter(detail::text("value_bits: expected 1 to 64 together with the bits of fpr, found ", value_bits,
                                     " and ", width - value_bits));
  return width;
}

// The fingerprint of a digest: `bits` bits that no index uses.
inline constexpr detail::remixer tag_words{detail::salt_of(detail::stage::tag)};
[[nodiscard]] inline std::uint64_t tag_of(digest d, unsigned bits) noexcept {
  return tag_words(d).first() >> (64 - bits);
}

// The fingerprints that members answer with: tags of so many bits, a number or a constant; or, if `counted` is 0, zeros.
template <class Bits>
struct tagger {
  [[no_unique_address]] Bits bits;
  std::uint64_t counted;

  [[nodiscard]] std::uint64_t operator()(digest d) const noexcept { return tag_of(d, bits) & counted; }
  // For engines that spell it for vectors: the word whose top bits they are.
  [[nodiscard]] static constexpr const detail::remixer& words() noexcept { return tag_words; }
  // For engines with a loop of their own for this width.
  template <unsigned Width>
  [[nodiscard]] tagger<std::integral_constant<unsigned, Width>> at_width() const noexcept {
    return {{}, counted};
  }
};

template <class Self, retrieval Engine>
class retrieval_filter : public set_queries<Self>, public static_set<Self> {
 public:
  [[nodiscard]] std::uint64_t keys() const noexcept { return engine_.keys(); }  // distinct keys it was built from
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return engine_.size_in_bits(); }
  [[nodiscard]] double expected_fpr() const noexcept {
    if (engine_.keys() == 0) return 0;
    if constexpr (requires { engine_.filter_fpr(); }) return engine_.filter_fpr();
    return std::exp2(-static_cast<double>(engine_.width()));
  }
  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  [[nodiscard]] const Engine& engine() const noexcept { return engine_; }

  friend bool operator==(const Self& a, const Self& b) noexcept { return a.hash_ == b.hash_ && a.engine_ == b.engine_; }
  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    Engine::describe(self.engine_, part);
  }
  void check() { engine_.check(); }

 protected:
  retrieval_filter() = default;
  retrieval_filter(const hasher& hash, const digest_spool& keys, const typename Engine::build_options& how)
      : hash_(hash),
        engine_(Engine::build(keys, how, [bits = how.width](const digest& d) { return tag_of(d, bits); })) {}

 private:
  friend set_queries<Self>;
  [[nodiscard]] bool may_contain_digest(digest d) const noexcept {
    return engine_.keys() != 0 && engine_.value(d) == (tag_of(d, engine_.width()) & tags());
  }
  template <class DigestAt>
  void may_contain_digests(std::size_t total, DigestAt&& digest_at, bool* out) const noexcept {
    if (engine_.keys() == 0) {
      std::fill_n(out, total, false);
      return;
    }
    engine_.values(total, digest_at, tagger<unsigned>{engine_.width(), tags()},
                   [out](std::size_t i, std::uint64_t tag, std::uint64_t value) { out[i] = value == tag; });
  }

  // The bits of tags that count: all, or none.
  [[nodiscard]] std::uint64_t tags() const noexcept {
    if constexpr (requires { engine_.all_zero(); })
      return engine_.all_zero() ? 0 : ~std::uint64_t{0};
    else
      return ~std::uint64_t{0};
  }

  hasher hash_;
  Engine engine_;
};

}  // namespace umbel::core
