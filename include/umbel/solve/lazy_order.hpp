// lazy_order.hpp - the elimination order of lazy Gaussian elimination [GOV20]: leaves few unknowns
// to a dense system.
//
// All unknowns are *idle* at first. An equation with one idle unknown left *solves* it: that
// unknown is known once the others are. If there is no such equation, the idle unknown with the
// most equations becomes *active*: the dense system determines its value later. An equation without
// idle unknowns goes into that system. With three unknowns per equation about one unknown in
// fifteen becomes active, so the dense system is small.
//
// Invariant  The order depends only on which unknowns occur in which equation, not on coefficients
//            or right sides.
// Threads    One per object. Memory is kept from one system to the next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace umbel::solve {

template <class Unknown>  // std::uint32_t; a template, so that only solvers compile it
class lazy_order {
 public:
  static constexpr Unknown idle = ~Unknown{0};
  struct step {
    Unknown equation;
    Unknown solves;  // or `idle`: the equation goes into the dense system
  };

  // Clears the order.
  void reset(std::size_t unknowns);
  // Adds an equation of these unknowns, each named once. The list may be empty.
  template <class Unknowns>
  void add(const Unknowns& unknowns) {
    for (const std::uint64_t u : unknowns) members_.push_back(static_cast<Unknown>(u));
    ends_.push_back(static_cast<Unknown>(members_.size()));
  }
  // Orders the equations; call it after the last add().
  void settle();

  [[nodiscard]] std::size_t equations() const noexcept { return ends_.size(); }
  [[nodiscard]] std::span<const Unknown> members(std::size_t equation) const noexcept {
    const std::size_t first = equation == 0 ? 0 : ends_[equation - 1];
    return {members_.data() + first, ends_[equation] - first};
  }
  // After settle():
  [[nodiscard]] std::span<const step> steps() const noexcept { return steps_; }
  [[nodiscard]] std::span<const Unknown> active() const noexcept { return active_; }  // unknowns
  [[nodiscard]] bool is_active(std::size_t unknown) const noexcept {
    return part_[unknown] % 2 != 0;
  }
  // Index among the active unknowns, or the number of unknowns solved before it.
  [[nodiscard]] Unknown number(std::size_t unknown) const noexcept { return part_[unknown] / 2; }

 private:
  [[nodiscard]] std::span<const Unknown> equations_of(std::size_t unknown) const noexcept {
    return {incident_.data() + begins_[unknown], begins_[unknown + 1] - begins_[unknown]};
  }
  void index_unknowns();
  void leave_idle(std::size_t unknown, Unknown part);

  std::size_t unknowns_ = 0;
  std::vector<Unknown> members_, ends_;     // members of all equations, one after another
  std::vector<Unknown> begins_, incident_;  // the equations of each unknown
  std::vector<Unknown> heaviest_;           // unknowns by number of equations, falling
  std::vector<Unknown> left_;               // number of idle unknowns of each equation
  // equations with at most one idle unknown, in the order they became so
  std::vector<Unknown> ready_;
  // for each unknown: `idle`, or twice its number, plus 1 if active
  std::vector<Unknown> part_;
  std::vector<Unknown> active_;
  std::vector<step> steps_;
};

template <class Unknown>
void lazy_order<Unknown>::reset(std::size_t unknowns) {
  unknowns_ = unknowns;
  members_.clear();
  ends_.clear();
}

template <class Unknown>
void lazy_order<Unknown>::index_unknowns() {
  begins_.assign(unknowns_ + 1, 0);
  for (const Unknown u : members_) ++begins_[u + 1];
  for (std::size_t u = 0; u < unknowns_; ++u) begins_[u + 1] += begins_[u];
  incident_.resize(members_.size());
  std::vector<Unknown>& next = heaviest_;  // borrows its memory until the lines below
  next.assign(begins_.begin(), begins_.end() - 1);
  for (std::size_t e = 0; e < equations(); ++e)
    for (const Unknown u : members(e)) incident_[next[u]++] = static_cast<Unknown>(e);
  for (std::size_t u = 0; u < unknowns_; ++u) heaviest_[u] = static_cast<Unknown>(u);
  std::sort(heaviest_.begin(), heaviest_.end(), [&](Unknown a, Unknown b) {
    const std::size_t of_a = equations_of(a).size(), of_b = equations_of(b).size();
    return of_a != of_b ? of_a > of_b : a < b;
  });
}

template <class Unknown>
void lazy_order<Unknown>::leave_idle(std::size_t unknown, Unknown part) {
  part_[unknown] = part;
  for (const Unknown e : equations_of(unknown))
    if (--left_[e] == 1) ready_.push_back(e);
}

template <class Unknown>
void lazy_order<Unknown>::settle() {
  index_unknowns();
  part_.assign(unknowns_, idle);
  active_.clear();
  steps_.clear();
  ready_.clear();
  left_.resize(equations());
  for (std::size_t e = 0; e < equations(); ++e) {
    left_[e] = static_cast<Unknown>(members(e).size());
    if (left_[e] <= 1) ready_.push_back(static_cast<Unknown>(e));
  }
  Unknown solved = 0;
  for (std::size_t next = 0, heavy = 0; next < equations();) {
    // every equation left has two idle unknowns or more, so the list holds one
    if (next == ready_.size()) {
      while (part_[heaviest_[heavy]] != idle) ++heavy;
      const Unknown chosen = heaviest_[heavy];
      active_.push_back(chosen);
      leave_idle(chosen, static_cast<Unknown>(2 * active_.size() - 1));
      continue;
    }
    const Unknown e = ready_[next++];
    const auto all = members(e);
    const auto last =
        std::find_if(all.begin(), all.end(), [&](Unknown u) { return part_[u] == idle; });
    if (last == all.end()) {
      steps_.push_back({e, idle});
    } else {
      steps_.push_back({e, *last});
      leave_idle(*last, 2 * solved++);
    }
  }
}

}  // namespace umbel::solve
