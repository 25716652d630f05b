// universe.hpp - members and others of a declared universe: the input of builds of exact sets.
//
// If every key that will ever be queried is known, a build gets all of them: the members, and the
// universe from which to distinguish them. A structure then answers exactly and stores less than
// the keys. For a key outside the universe it gives either answer.
//
// Limits     The universe may be given with or without the members. The option
//            `members_in_universe` requires that it contains them, which detects that the two lists
//            were swapped.
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

// Thrown if the universe must contain every member and does not: the two lists were swapped, or the
// universe lists only the others.
class incomplete_universe : public bad_parameter {
 public:
  incomplete_universe(std::uint64_t all, std::uint64_t absent)
      : bad_parameter(detail::text("universe: it must name every member, and ", absent, " of ", all,
                                   " members are not in it")),
        members(all),
        missing(absent) {}
  std::uint64_t members, missing;
};

// A universe in two disjoint parts, each without duplicates.
template <class Spool = digest_spool>
struct declared {
  Spool members, others;
  std::uint64_t missing = 0;  // members that are not in the universe as given
  [[nodiscard]] std::uint64_t size() const noexcept { return members.size() + others.size(); }
};
// Separates the members from the others, bin by bin, so that memory stays bounded when spools are
// on disk. The result depends only on the two sets. Throws incomplete_universe if `all_named` and a
// member is not in the universe. A template, so that only programs that build compile the sorting.
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
