// selected_probes.hpp - index of hash selection for Bloom filters [HKL07]: each group of keys
// stores which of C salts it uses.
//
// Idea       A hash with its own salt divides the keys into groups. A table stores the candidate
//            that is best for each group.
// Layout     The candidates are walks of core::k_probes with consecutive salts. The table has one
//            packed cell per group.
// Invariant  There are 2^choice_bits candidates, so every content of a cell is a valid candidate.
// Source     [HKL07].
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/selection.hpp>

namespace umbel::core {

class selected_probes {
 public:
  selected_probes() : selected_probes(k_probes(), 1, 1) {}
  selected_probes(k_probes first, std::uint64_t groups, unsigned choice_bits,
                  std::pmr::memory_resource* memory = nullptr)
      : first_(first), groups_(groups), choice_bits_(choice_bits) {
    require_possible();
    choices_ = cells::packed(groups, choice_bits, memory);
    list_candidates();
  }

  [[nodiscard]] std::uint64_t cells() const noexcept { return first_.cells(); }
  [[nodiscard]] unsigned probes() const noexcept { return first_.probes(); }
  [[nodiscard]] std::uint64_t groups() const noexcept { return groups_; }
  [[nodiscard]] std::size_t candidates() const noexcept { return words_.size(); }
  [[nodiscard]] const cells::packed& choices() const noexcept { return choices_; }
  [[nodiscard]] cells::packed& choices() noexcept { return choices_; }

  [[nodiscard]] std::uint64_t group_of(digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::selection)};
    return detail::fastrange(words(d).first(), groups_);
  }
  [[nodiscard]] walk start(digest d) const noexcept { return first_.start(d, chosen(d)); }
  [[nodiscard]] std::uint64_t next(walk& w) const noexcept { return first_.next(w); }

  // The same over a walk whose steps are inlined.
  template <class One>
  class over {
   public:
    over(const One& one, const selected_probes& all) noexcept : one_(one), all_(&all) {}
    [[nodiscard]] std::uint64_t cells() const noexcept { return one_.cells(); }
    [[nodiscard]] unsigned probes() const noexcept { return one_.probes(); }
    [[nodiscard]] auto start(digest d) const noexcept { return one_.start(d, all_->chosen(d)); }
    [[nodiscard]] std::uint64_t next(walk_of<One>& w) const noexcept { return one_.next(w); }

   private:
    One one_;
    const selected_probes* all_;
  };
  template <class Work>
  decltype(auto) with_fixed(Work&& work) const {
    return first_.with_fixed([&](const auto& one) { return work(over(one, *this)); });
  }
  // work(placement, words): the walks under one candidate.
  template <class Work>
  decltype(auto) under(std::size_t number, Work&& work) const {
    return first_.with_fixed([&](const auto& one) { return work(one, words_[number]); });
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    k_probes::fields(self.first_, field);
    field("groups", self.groups_);
    field("choice_bits", self.choice_bits_);
  }
  void check() {
    first_.check();
    first_.require_usual();
    require_possible();
    choices_.reshape(groups_, static_cast<unsigned>(choice_bits_));
    list_candidates();
  }
  friend bool operator==(const selected_probes& a, const selected_probes& b) noexcept {
    return a.first_ == b.first_ && a.groups_ == b.groups_ && a.choices_ == b.choices_;
  }

 private:
  void require_possible() const {
    constexpr std::uint64_t most = std::uint64_t{1} << 50;
    if (groups_ == 0 || groups_ > most)
      throw bad_parameter(detail::text("groups: expected 1 to 2^50, found ", groups_));
    if (choice_bits_ == 0 || choice_bits_ > sizing::selection_max_choice_bits)
      throw bad_parameter(detail::text("choice_bits: expected 1 to ",
                                       sizing::selection_max_choice_bits, ", found ",
                                       choice_bits_));
  }
  void list_candidates() {
    words_.clear();
    for (std::uint64_t number = 0; number < std::uint64_t{1} << choice_bits_; ++number)
      words_.emplace_back(detail::salt_of(detail::stage::probes, first_.salt() + number));
  }
  [[nodiscard]] detail::remixed chosen(digest d) const noexcept {
    return words_[choices_.get(group_of(d))](d);
  }

  k_probes first_;  // the candidate of choice 0
  std::uint64_t groups_;
  std::uint64_t choice_bits_;
  cells::packed choices_;
  // of all candidates: a salt takes longer to expand than the rest of a query
  std::vector<detail::remixer> words_;
};

}  // namespace umbel::core
