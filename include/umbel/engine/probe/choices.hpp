// choices.hpp - index of the two-choice Bloom filter [LM07]: several walks per key, of which an
// insert uses one and a query tries all.
//
// Idea       g walks of `k_probes` over the same cells, with the same number of probes and
//            consecutive salts.
// Invariant  As `k_probes`: every position is reduced separately, so filters can be folded.
// Limits     Only the schemes triple and independent: not all others have salts.
// Source     [LM07].
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/two_choice.hpp>

namespace umbel::core {

class choices {
 public:
  using salts = std::array<detail::remixer, sizing::max_choices>;

  // All walks, over a placement that continues each walk from its words.
  template <class One>
  class over {
   public:
    struct walk {
      walk_of<One> steps;
      digest key;  // the other walks start from it
      unsigned number;
    };
    over(const One& one, const salts& words, unsigned groups) noexcept
        : one_(one), words_(&words), groups_(groups) {}
    [[nodiscard]] std::uint64_t cells() const noexcept { return one_.cells(); }
    [[nodiscard]] unsigned probes() const noexcept { return one_.probes(); }
    [[nodiscard]] unsigned groups() const noexcept { return groups_; }
    [[nodiscard]] walk start(digest d, unsigned number = 0) const noexcept {
      return {one_.start(d, (*words_)[number](d)), d, number};
    }
    [[nodiscard]] std::uint64_t next(walk& w) const noexcept { return one_.next(w.steps); }

   private:
    One one_;
    const salts* words_;
    unsigned groups_;
  };
  using walk = over<k_probes>::walk;

  choices() : choices(k_probes(), sizing::min_choices) {}
  choices(std::uint64_t cells, unsigned probes, unsigned groups)
      : choices(k_probes(cells, probes), groups) {}

  [[nodiscard]] std::uint64_t cells() const noexcept { return first_.cells(); }
  [[nodiscard]] unsigned probes() const noexcept { return first_.probes(); }
  [[nodiscard]] unsigned groups() const noexcept { return static_cast<unsigned>(groups_); }

  [[nodiscard]] walk start(digest d, unsigned number = 0) const noexcept {
    return {first_.start(d, words_[number](d)), d, number};
  }
  [[nodiscard]] std::uint64_t next(walk& w) const noexcept { return first_.next(w.steps); }
  template <class Work>
  decltype(auto) with_fixed(Work&& work) const {
    return first_.with_fixed([&](const auto& one) { return work(over(one, words_, groups())); });
  }

  [[nodiscard]] choices halved() const { return {first_.halved(), groups()}; }
  [[nodiscard]] bool folds_onto_itself() const noexcept { return first_.folds_onto_itself(); }
  [[nodiscard]] std::string in_words() const {
    return detail::text(cells(), " bits, ", groups_, " groups of ", probes(), " probes");
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    k_probes::fields(self.first_, field);
    field("groups", self.groups_);
  }
  void check() {
    first_.check();
    first_.require_usual();
    if (groups_ < sizing::min_choices || groups_ > sizing::max_choices)
      throw bad_parameter(detail::text("groups: expected ", sizing::min_choices, " to ",
                                       sizing::max_choices, ", found ", groups_));
    for (unsigned i = 0; i < groups(); ++i)
      words_[i] = detail::remixer(detail::salt_of(detail::stage::probes, first_.salt() + i));
  }
  friend bool operator==(const choices& a, const choices& b) noexcept {
    return a.groups_ == b.groups_ && a.first_ == b.first_;
  }

 private:
  choices(const k_probes& first, unsigned groups) : groups_(groups), first_(first) { check(); }

  std::uint64_t groups_;
  k_probes first_;
  salts words_;  // follow from the first salt; those past `groups_` are unused
};

}  // namespace umbel::core
