// k_probes.hpp - the k probes of a plain Bloom filter [Blo70], drawn with repetition by triple
// hashing [DM04] or another scheme.
//
// Idea       Triple hashing in 64-bit arithmetic (x += y, y += z), with fastrange on every value:
//            three multiplications per key, not k. Below 4096 cells the walks of two keys overlap
//            too often, so every probe is an independent word there. Other schemes can be
//            requested; the scheme is a run-time value.
// Invariant  Each position is reduced separately, so position(m/2) follows from position(m), and
//            filters can be folded.
// Source     [DM04] for triple hashing. doc/theory/hashing.md has a table of what walks cost at
//            small m.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/engine/probe/index.hpp>
#include <umbel/engine/probe/walks.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/walks.hpp>

namespace umbel::core {

class k_probes {
 public:
  using choice = std::optional<core::scheme>;               // none: the usual one
  static constexpr std::string_view kind = "bloom-filter";  // of the filter it makes
  static constexpr std::uint64_t independent_below = sizing::bloom_words_from;
  // below this size, the excess error of plain double hashing is larger than any plan's
  static constexpr std::uint64_t double_from = 65'536;

  k_probes() = default;
  k_probes(std::uint64_t cells, unsigned probes, std::uint64_t salt = 0)
      : k_probes(cells, probes, salt, usual(cells)) {}
  k_probes(std::uint64_t cells, unsigned probes, std::uint64_t salt, core::scheme by)
      : cells_(cells), probes_(probes), scheme_(static_cast<std::uint64_t>(by)), salt_(salt) {
    check();
  }

  // The number of probes that the scheme fixes, else the requested one.
  [[nodiscard]] static unsigned probes_for(choice by, unsigned options) {
    if (by != scheme::chunks) return options;
    if (options != 0 && options != 4)
      throw bad_parameter(detail::text("probes: under scheme chunks expected 4, found ", options));
    return 4;
  }
  // The nearest number of cells that the scheme can use: at least `cells` if it may grow, else at
  // most.
  [[nodiscard]] static k_probes fitted(std::uint64_t cells, unsigned probes, choice by, bool grow) {
    if (by == scheme::plain_double && cells < double_from)
      throw bad_parameter(detail::text("scheme: double hashing needs at least ", double_from,
                                       " bits, found ", cells,
                                       "; choose enhanced, or leave the scheme out"));
    if (by == scheme::partitioned && cells % probes != 0)
      cells = (cells < probes || grow ? cells / probes + 1 : cells / probes) * probes;
    if (by.value_or(usual(cells)) == scheme::triple && (grow || cells >= 64))  // whole words
      cells = grow ? detail::ceil_div(cells, 64) * 64 : cells / 64 * 64;
    if (by == scheme::h3) cells = grow ? std::bit_ceil(cells) : std::bit_floor(cells);
    if (by && steps_modulo(*by) && cells == 1) cells = 2;
    return {cells, probes, 0, by.value_or(usual(cells))};
  }
  [[nodiscard]] choice choice_made() const noexcept { return scheme(); }
  // The false positive rate after n keys.
  [[nodiscard]] double rate(std::uint64_t keys) const {
    const auto n = static_cast<double>(keys), m = static_cast<double>(cells_);
    if (scheme() == scheme::partitioned) return sizing::partitioned_fpr(n, m, probes());
    double plain = sizing::bloom_fpr(keys, cells_, probes());
    if (keys == 0) return plain;
    if (has_narrow_words(scheme()))
      plain = std::min(1.0, plain * sizing::narrow_penalty(n, m, probes()));
    if (!steps_modulo(scheme())) return plain;
    const double rho = sizing::fill_after(n, m, probes());
    const double excess =
        scheme() == scheme::triple_modular ? sizing::triple_excess(m, probes(), rho)
        : scheme() == scheme::enhanced     ? sizing::enhanced_excess(n, m)
        : scheme() == scheme::extended     ? sizing::extended_excess(n, m, probes(), rho)
                                           : sizing::double_excess(n, m, rho);
    return std::min(1.0, plain + excess);
  }
  [[nodiscard]] bool bits_differ() const noexcept { return scheme() == scheme::partitioned; }
  [[nodiscard]] std::string in_words() const {
    return detail::text(cells_, " bits, ", probes_, " probes, scheme ", name_of(scheme()));
  }
  // The hash to use if this one was requested: a few schemes require a hash of their own.
  [[nodiscard]] static hasher right_hash(choice by, const hasher& options) {
    if (!by || !has_own_hash(*by)) return options;
    const hasher own = by == scheme::chunks ? hasher::md5()
                       : by == scheme::crc  ? hasher::crc()
                                            : hasher::fnv();
    if (options != own && options != hasher())
      throw bad_parameter(detail::text("hash: scheme ", name_of(*by),
                                       " has a hash of its own, without seed and key"));
    return own;
  }

  [[nodiscard]] static constexpr core::scheme usual(std::uint64_t cells) noexcept {
    return cells < independent_below ? scheme::independent : scheme::triple;
  }
  [[nodiscard]] std::uint64_t cells() const noexcept { return cells_; }
  [[nodiscard]] unsigned probes() const noexcept { return static_cast<unsigned>(probes_); }
  [[nodiscard]] core::scheme scheme() const noexcept { return static_cast<core::scheme>(scheme_); }

  [[nodiscard]] walk start(digest d) const noexcept { return start(d, words_(d)); }
  [[nodiscard]] walk start(digest d, const detail::remixed& words) const noexcept {
    return start_walk(shape(), d, words);
  }
  [[nodiscard]] std::uint64_t next(walk& w) const noexcept { return next_cell(shape(), w); }

  // The default schemes, as placements whose steps are inlined: the words of a walk, one after
  // another. x and y are not adjacent members: otherwise the compiler would add both as one vector
  // and wait for its halves.
  struct triple_steps {
    struct state {
      std::uint64_t x, z, y;
    };
    [[nodiscard, gnu::always_inline]] static state start(const detail::remixed& words) noexcept {
      return {.x = words.first(), .z = words.third(), .y = words.second()};
    }
    [[nodiscard, gnu::always_inline]] static std::uint64_t next(state& s) noexcept {
      const std::uint64_t word = s.x;
      s.x += s.y;
#if defined(__clang__)
      asm("" : "+r"(s.x));  // else clang adds both in a vector and extracts them again
#endif
      s.y += s.z;
      return word;
    }
  };
  struct independent_steps {
    struct state {
      std::uint64_t x;
    };
    [[nodiscard]] static state start(const detail::remixed& words) noexcept {
      return {words.first()};
    }
    [[nodiscard]] static std::uint64_t next(state& s) noexcept {
      const std::uint64_t word = detail::mix64(s.x);
      s.x += detail::golden;
      return word;
    }
  };
  template <class Steps>
  class inlined {
   public:
    using state = typename Steps::state;
    explicit inlined(const k_probes& at) noexcept
        : cells_(at.cells_), probes_(at.probes()), words_(at.words_) {}
    [[nodiscard]] std::uint64_t cells() const noexcept { return cells_; }
    [[nodiscard]] unsigned probes() const noexcept { return probes_; }
    [[nodiscard]] state start(digest d) const noexcept { return Steps::start(words_(d)); }
    [[nodiscard]] static state start(digest, const detail::remixed& words) noexcept {
      return Steps::start(words);
    }
    [[nodiscard]] std::uint64_t next(state& s) const noexcept {
      return detail::fastrange(Steps::next(s), cells_);
    }

   private:
    std::uint64_t cells_;
    unsigned probes_;
    detail::remixer words_;
  };
  // work(placement), with an inlined placement for the default schemes: the scheme is tested once,
  // not at every step.
  template <class Work>
  decltype(auto) with_fixed(Work&& work) const {
    if (scheme() == scheme::triple) return work(inlined<triple_steps>(*this));
    if (scheme() == scheme::independent) return work(inlined<independent_steps>(*this));
    return work(*this);
  }

  // Triple hashing over whole words: one product gives the word and the bit in it. It is the same
  // cell that fastrange over all cells gives. Used by single queries.
  class by_words {
   public:
    using state = triple_steps::state;
    explicit by_words(const k_probes& at) noexcept : index_(at) {}
    [[nodiscard, gnu::always_inline]] unsigned probes() const noexcept { return index_.probes(); }
    [[nodiscard, gnu::always_inline]] state start(digest d) const noexcept {
      return triple_steps::start(index_.words_(d));
    }
    [[nodiscard, gnu::always_inline]] cells::bit_spot next(state& s) const noexcept {
      const auto [word, rest] = detail::multiply(triple_steps::next(s), index_.word_count_);
      return {word, static_cast<unsigned>(rest >> 58)};
    }

   private:
    const k_probes& index_;
  };
  [[nodiscard, gnu::always_inline]] bool has_words() const noexcept { return word_count_ != 0; }

  [[nodiscard]] std::uint64_t salt() const noexcept { return salt_; }
  // For those that draw walks under several salts, or under any hash.
  [[nodiscard]] bool is_usual() const noexcept {
    return scheme() == scheme::triple || scheme() == scheme::independent;
  }
  void require_usual() const {
    if (!is_usual())
      throw bad_parameter(detail::text("scheme: expected 0 or 1 here, found ", scheme_));
  }

  // The same walks over half as many cells. The scheme stays the same; otherwise a folded filter
  // would differ from one built at that size.
  [[nodiscard]] k_probes halved() const {
    const std::uint64_t unit = scheme() == scheme::partitioned ? 2 * probes_
                               : steps_modulo(scheme())        ? 4
                                                               : 2;
    if (cells_ % unit != 0 || cells_ < unit)
      throw bad_parameter(scheme() == scheme::triple || scheme() == scheme::independent
                              ? detail::text("cannot halve a filter of ", cells_,
                                             " bits: the number of bits must be even")
                              : detail::text("cannot halve a filter of ", cells_,
                                             " bits under scheme ", name_of(scheme()),
                                             ": the number of bits must be a multiple of ", unit));
    return {cells_ / 2, probes(), salt_, scheme()};
  }
  [[nodiscard]] bool folds_onto_itself() const noexcept { return reduces_modulo(scheme()); }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("cells", self.cells_);
    field("probes", self.probes_);
    field("scheme", self.scheme_, scheme_names);
    field("salt", self.salt_);
  }
  void check() {
    if (cells_ == 0 || cells_ > sizing::max_bits)
      throw bad_parameter(detail::text("cells: expected 1 to 2^56, found ", cells_));
    if (probes_ == 0 || probes_ > sizing::bloom_max_probes)
      throw bad_parameter(
          detail::text("probes: expected 1 to ", sizing::bloom_max_probes, ", found ", probes_));
    if (scheme_ >= scheme_names.size())
      throw bad_parameter(
          detail::text("scheme: expected 0 to ", scheme_names.size() - 1, ", found ", scheme_));
    check_scheme();
    words_ = detail::remixer(detail::salt_of(detail::stage::probes, salt_));
    word_count_ = scheme() == scheme::triple && cells_ % 64 == 0 ? cells_ / 64 : 0;
  }
  friend bool operator==(const k_probes& a, const k_probes& b) noexcept {
    return a.cells_ == b.cells_ && a.probes_ == b.probes_ && a.scheme_ == b.scheme_ &&
           a.salt_ == b.salt_;
  }

 private:
  [[nodiscard]] walk_shape shape() const noexcept { return {cells_, probes_, salt_, scheme()}; }
  void check_scheme() const {
    const auto require =
        [&](bool holds, std::string_view what, std::string_view expected, std::uint64_t found) {
      if (!holds)
        throw bad_parameter(detail::text(what, ": under scheme ", name_of(scheme()), " expected ",
                                         expected, ", found ", found));
    };
    if (steps_modulo(scheme())) require(cells_ >= 2, "cells", "at least 2", cells_);
    if (scheme() == scheme::partitioned)
      require(cells_ % probes_ == 0, "cells", "a multiple of the probes", cells_);
    if (scheme() == scheme::chunks) {
      require(probes_ == 4, "probes", "4", probes_);
      require(cells_ <= std::uint64_t{1} << 32, "cells", "at most 2^32", cells_);
    }
    if (scheme() == scheme::pairwise)
      require(cells_ <= std::uint64_t{1} << 48, "cells", "at most 2^48", cells_);
    if (scheme() == scheme::h3)
      require(std::has_single_bit(cells_), "cells", "a power of two", cells_);
    if (scheme() == scheme::crc)
      require(cells_ <= std::uint64_t{1} << 31, "cells", "at most 2^31", cells_);
    if (has_own_hash(scheme())) require(salt_ == 0, "salt", "0", salt_);
  }

  std::uint64_t cells_ = 1;
  std::uint64_t probes_ = 1;
  std::uint64_t scheme_ = static_cast<std::uint64_t>(scheme::independent);
  std::uint64_t salt_ = 0;
  detail::remixer words_;         // follows from salt_
  std::uint64_t word_count_ = 0;  // of triple hashing over whole words; follows from the others
};

}  // namespace umbel::core
