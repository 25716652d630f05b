// lazy.ipp - bodies of lazy.hpp.
#pragma once

#include <umbel/solve/lazy.hpp>

namespace umbel::solve {

UMBEL_INLINE void lazy_system::reset(std::size_t unknowns) {
  unknowns_ = unknowns;
  members_.clear();
  ends_.clear();
  rights_.clear();
}

UMBEL_INLINE bool lazy_system::solve(std::span<std::uint64_t> out) {
  index_unknowns();
  settle_order();
  if (!eliminate()) return false;
  substitute(out);
  return true;
}

UMBEL_INLINE void lazy_system::index_unknowns() {
  begins_.assign(unknowns_ + 1, 0);
  for (const std::uint32_t u : members_) ++begins_[u + 1];
  for (std::size_t u = 0; u < unknowns_; ++u) begins_[u + 1] += begins_[u];
  incident_.resize(members_.size());
  std::vector<std::uint32_t>& next = heaviest_;  // its memory is free until the next lines
  next.assign(begins_.begin(), begins_.end() - 1);
  for (std::size_t e = 0; e < equations(); ++e)
    for (const std::uint32_t u : members(e)) incident_[next[u]++] = static_cast<std::uint32_t>(e);
  for (std::size_t u = 0; u < unknowns_; ++u) heaviest_[u] = static_cast<std::uint32_t>(u);
  std::sort(heaviest_.begin(), heaviest_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::size_t of_a = equations_of(a).size(), of_b = equations_of(b).size();
    return of_a != of_b ? of_a > of_b : a < b;
  });
}

UMBEL_INLINE void lazy_system::leave_idle(std::size_t unknown, std::uint32_t part) {
  part_[unknown] = part;
  for (const std::uint32_t e : equations_of(unknown))
    if (--left_[e] == 1) ready_.push_back(e);
}

UMBEL_INLINE void lazy_system::settle_order() {
  part_.assign(unknowns_, idle);
  is_active_.assign(unknowns_, false);
  active_.clear();
  steps_.clear();
  ready_.clear();
  left_.resize(equations());
  for (std::size_t e = 0; e < equations(); ++e) {
    left_[e] = static_cast<std::uint32_t>(members(e).size());
    if (left_[e] <= 1) ready_.push_back(static_cast<std::uint32_t>(e));
  }
  std::uint32_t solved = 0;
  for (std::size_t next = 0, heavy = 0; next < equations();) {
    if (next == ready_.size()) {  // some equation has two idle unknowns or more, so one is left in the list
      while (part_[heaviest_[heavy]] != idle) ++heavy;
      const std::uint32_t chosen = heaviest_[heavy];
      is_active_[chosen] = true;
      active_.push_back(chosen);
      leave_idle(chosen, static_cast<std::uint32_t>(active_.size() - 1));
      continue;
    }
    const std::uint32_t e = ready_[next++];
    const auto all = members(e);
    const auto last = std::find_if(all.begin(), all.end(), [&](std::uint32_t u) { return part_[u] == idle; });
    if (last == all.end()) {
      steps_.push_back({e, idle});
    } else {
      steps_.push_back({e, *last});
      leave_idle(*last, solved++);
    }
  }
}

// Every equation as a row over the active unknowns: those that solve are kept for the ones after them, the others go
// into the dense system.
UMBEL_INLINE bool lazy_system::eliminate() {
  dense_.reset(active_.size());
  const std::size_t words = dense_.row_words();
  rows_.resize((steps_.size() + 1) * words);
  std::size_t solved = 0;
  for (const step& s : steps_) {
    const std::span row(rows_.data() + solved * words, words);
    std::fill(row.begin(), row.end(), 0);
    row.back() = rights_[s.equation];
    for (const std::uint32_t u : members(s.equation)) {
      if (u == s.solves) continue;
      if (is_active_[u])
        row[part_[u] / 64] ^= std::uint64_t{1} << part_[u] % 64;
      else
        add_row(row, {rows_.data() + part_[u] * words, words});
    }
    if (s.solves != idle)
      ++solved;
    else if (!dense_.add(row))
      return false;
  }
  return true;
}

UMBEL_INLINE void lazy_system::substitute(std::span<std::uint64_t> out) {
  values_.resize(active_.size());
  dense_.solve(values_);
  for (std::size_t i = 0; i < active_.size(); ++i) out[active_[i]] = values_[i];
  for (const step& s : steps_) {
    if (s.solves == idle) continue;
    std::uint64_t value = rights_[s.equation];
    for (const std::uint32_t u : members(s.equation)) value ^= out[u];  // its own is still zero
    out[s.solves] = value;
  }
}

}  // namespace umbel::solve
