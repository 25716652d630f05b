// literal_probes.hpp - index of generalized Bloom filters [LVC05]: of each key k1 bits must be set
// and k0 bits must be clear.
//
// Idea       Two walks over the same m bits with different salts. A step yields a statement of
//            cells/literals.hpp: first the statements that a bit is clear. A bit on both walks is
//            clear: the second walk then repeats the statement of the first.
// Invariant  If there are bits to clear, every step is an independent word, so an attacker gains
//            nothing by arranging the bits in runs or stripes. With triple hashing an attacker
//            would gain 2.5 times the rate at 8 bits to set and 8 to clear. Without bits to clear
//            the steps are those of `k_probes`.
// Limits     At most 64 of each, because every step of the second walk compares with all of the
//            first.
// Source     [LVC05].
#pragma once

#include <cstdint>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/engine/probe/index.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/generalized.hpp>

namespace umbel::core {

class literal_probes {
 public:
  // Both walks, over a placement that continues each walk from its words.
  template <class One>
  class over {
   public:
    struct walk {
      walk_of<One> clear_ones;  // from the first step on, to be walked again
      walk_of<One> clears, sets;
      unsigned step;
    };
    over(const One& one, std::uint64_t cells, unsigned clears, unsigned sets) noexcept
        : one_(one), cells_(cells), clears_(clears), sets_(sets) {}
    [[nodiscard]] std::uint64_t cells() const noexcept { return 2 * cells_; }
    [[nodiscard]] unsigned probes() const noexcept { return clears_ + sets_; }
    [[nodiscard]] walk start(digest d) const noexcept {
      constexpr detail::remixer words{detail::salt_of(detail::stage::clearing)};
      const auto clears = one_.start(d, words(d));
      return {clears, clears, one_.start(d), 0};
    }
    [[nodiscard]] std::uint64_t next(walk& w) const noexcept {
      if (w.step++ < clears_) return cells_ + one_.next(w.clears);
      const std::uint64_t cell = one_.next(w.sets);
      auto others = w.clear_ones;
      for (unsigned i = 0; i < clears_; ++i)
        if (one_.next(others) == cell) return cells_ + cell;
      return cell;
    }

   private:
    One one_;
    std::uint64_t cells_;
    unsigned clears_, sets_;
  };
  using walk = over<k_probes>::walk;

  literal_probes() = default;
  literal_probes(std::uint64_t bits, unsigned sets, unsigned clears)
      : sets_(bits, sets, 0, clears == 0 ? k_probes::usual(bits) : scheme::independent),
        clears_(clears) {
    check();
  }

  [[nodiscard]] std::uint64_t cells() const noexcept { return 2 * bits(); }  // statements
  [[nodiscard]] std::uint64_t bits() const noexcept { return sets_.cells(); }
  [[nodiscard]] unsigned sets() const noexcept { return sets_.probes(); }
  [[nodiscard]] unsigned clears() const noexcept { return static_cast<unsigned>(clears_); }
  [[nodiscard]] unsigned probes() const noexcept { return sets() + clears(); }
  [[nodiscard]] walk start(digest d) const noexcept { return all(sets_).start(d); }
  [[nodiscard]] std::uint64_t next(walk& w) const noexcept { return all(sets_).next(w); }
  template <class Work>
  decltype(auto) with_fixed(Work&& work) const {
    return sets_.with_fixed([&](const auto& one) { return work(all(one)); });
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    k_probes::fields(self.sets_, field);
    field("clears", self.clears_);
  }
  void check() {
    sets_.check();
    sets_.require_usual();
    if (clears_ != 0 && sets_.scheme() != scheme::independent)
      throw bad_parameter(detail::text("scheme: expected 1 where keys clear bits, found ",
                                       static_cast<std::uint64_t>(sets_.scheme())));
    if (sets() > sizing::generalized_max_probes)
      throw bad_parameter(detail::text("probes: expected 1 to ", sizing::generalized_max_probes,
                                       ", found ", sets()));
    if (clears_ > sizing::generalized_max_probes)
      throw bad_parameter(detail::text("clears: expected at most ", sizing::generalized_max_probes,
                                       ", found ", clears_));
  }
  friend bool operator==(const literal_probes& a, const literal_probes& b) noexcept {
    return a.clears_ == b.clears_ && a.sets_ == b.sets_;
  }

 private:
  template <class One>
  [[nodiscard]] over<One> all(const One& one) const noexcept {
    return {one, bits(), clears(), sets()};
  }

  k_probes sets_;
  std::uint64_t clears_ = 0;
};

}  // namespace umbel::core
