// universe.hpp - the two sides of a declared universe: what builds of exact sets start from.
//
// When every key that will ever be asked is known, a build can be given all of them: the members,
// and the universe they are to be distinguished from. What is stored is a fraction of the keys;
// what is answered is exact. Outside the universe nothing is promised: the answer may be either.
//
// Limits     The universe may be given with the members or without them; options may ask that it be
//            given with them (`members_in_universe`), because two lists that were swapped then
//            show.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/spool.hpp>

namespace umbel::core {

// A universe that was to name every member and does not: the two lists were swapped, or it names
// the others alone.
class incomplete_universe : public bad_parameter {
 public:
  incomplete_universe(std::uint64_t all, std::uint64_t absent)
      : bad_parameter(detail::text("universe: it must name every member, and ", absent, " of ", all,
                                   " members are not in it")),
        members(all),
        missing(absent) {}
  std::uint64_t members, missing;
};

// A universe in two disjoint parts, each without repeats.
template <class Spool = digest_spool>
struct declared {
  Spool members, others;
  std::uint64_t missing = 0;  // members that the universe, as it was given, does not name
  [[nodiscard]] std::uint64_t size() const noexcept { return members.size() + others.size(); }
};
// Bin by bin, so that memory stays bounded where spools lie on disk. The result depends on the two
// sets alone. Throws incomplete_universe if `all_named` and the universe misses a member.
// a template, so that only programs that build compile the sorting
template <class Spool = digest_spool>
[[nodiscard]] declared<Spool> told_apart(const std::type_identity_t<Spool>& members,
                                         const std::type_identity_t<Spool>& universe,
                                         unsigned threads, bool all_named = false) {
  declared<Spool> out{members.emptied(), universe.emptied()};
  using records = decltype(members.sorted_bin(0));
  const std::size_t step = std::max(1U, threads);
  for (std::size_t first = 0; first < Spool::bins; first += step) {  // a few bins at a time
    std::vector<declared<records>> sorted(std::min(step, Spool::bins - first));
    detail::parallel_for(sorted.size(), threads, [&](std::size_t i) {
      sorted[i].members = members.sorted_bin(first + i);
      const records every = universe.sorted_bin(first + i);
      std::set_difference(every.begin(), every.end(), sorted[i].members.begin(),
                          sorted[i].members.end(), std::back_inserter(sorted[i].others));
      sorted[i].missing = sorted[i].members.size() + sorted[i].others.size() - every.size();
    });
    for (const auto& bin : sorted) {
      out.members.add(bin.members);
      out.others.add(bin.others);
      out.missing += bin.missing;
    }
  }
  if (all_named && out.missing != 0) throw incomplete_universe(out.members.size(), out.missing);
  return out;
}

}  // namespace umbel::core
