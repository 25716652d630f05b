// retouch.ipp - bodies of retouch.hpp.
#pragma once

#include <bit>
#include <numeric>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/text.hpp>
#include <umbel/engine/probe/retouch.hpp>

namespace umbel::core {

UMBEL_INLINE void check_retouch(std::span<const digest> members,
                                std::span<const digest> non_members,
                                const retouch_options& options) {
  const auto check_weights =
      [](std::span<const double> weights, std::size_t keys, const char* name) {
    if (!weights.empty() && weights.size() != keys)
      throw bad_parameter(
          detail::text(name, ": expected none or ", keys, ", found ", weights.size()));
    for (const double w : weights)
      if (!(w > 0 && w < 1e300))
        throw bad_parameter(detail::text(name, ": expected weights above 0, found ", w));
  };
  check_weights(options.member_weights, members.size(), "member_weights");
  check_weights(options.non_member_weights, non_members.size(), "non_member_weights");
  std::vector<digest> sorted(members.begin(), members.end());
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < non_members.size(); ++i)
    if (std::binary_search(sorted.begin(), sorted.end(), non_members[i]))
      throw bad_parameter(detail::text("non-members: number ", i, " is a member"));
}

UMBEL_INLINE void make_slots(std::vector<std::uint64_t>& cells) {
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  if (cells.size() > std::uint64_t{1} << 32)
    throw bad_parameter(detail::text("non-members: their bits number ", cells.size(),
                                     ", at most 2^32 are handled at once"));
}

namespace retouching {

// The keys of one side: which are left, their weights, and the total weight of each slot.
class side {
 public:
  side(std::size_t slots, const slot_rows& rows, std::span<const double> weights, bool with_users)
      : rows_(rows), weights_(weights), left_(rows.size(), true), worth_(slots) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const std::uint32_t slot : rows[i]) worth_[slot] += weight(i);
    if (with_users) list_users(slots);
  }
  [[nodiscard]] double worth(std::uint32_t slot) const noexcept { return worth_[slot]; }
  [[nodiscard]] bool is_left(std::size_t i) const noexcept { return left_[i]; }
  // Removes a key, and its weight from its slots.
  void drop(std::size_t i) noexcept {
    left_[i] = false;
    for (const std::uint32_t slot : rows_[i]) worth_[slot] -= weight(i);
  }
  // Removes every remaining key that needs the slot.
  void drop_users(std::uint32_t slot) noexcept {
    for (std::size_t u = first_[slot]; u < first_[slot + 1]; ++u)
      if (left_[users_[u]]) drop(users_[u]);
  }

 private:
  [[nodiscard]] double weight(std::size_t i) const noexcept {
    return weights_.empty() ? 1 : weights_[rows_.key[i]];
  }
  void list_users(std::size_t slots) {
    first_.assign(slots + 1, 0);
    for (const std::uint32_t slot : rows_.slot) ++first_[slot + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    users_.resize(rows_.slot.size());
    auto next = first_;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (const std::uint32_t slot : rows_[i]) users_[next[slot]++] = i;
  }

  const slot_rows& rows_;
  std::span<const double> weights_;
  std::vector<bool> left_;
  std::vector<double> worth_;       // by slot
  std::vector<std::size_t> first_;  // of a slot's users
  std::vector<std::size_t> users_;
};

}  // namespace retouching

UMBEL_INLINE std::vector<std::uint32_t> choose_slots(std::size_t slots, const slot_rows& members,
                                                     const slot_rows& non_members,
                                                     const retouch_options& options,
                                                     retouch_report& report) {
  retouching::side in(slots, members, options.member_weights, !options.counts_only);
  retouching::side out(slots, non_members, options.non_member_weights, !options.counts_only);
  std::vector<bool> gone(slots);
  const auto needs_gone = [&](std::span<const std::uint32_t> row) {
    return std::any_of(row.begin(), row.end(), [&](std::uint32_t slot) { return gone[slot]; });
  };
  const auto is_better = [&](std::uint32_t a, std::uint32_t b) {
    switch (options.choice) {
      case clearing::fewest_members: return in.worth(a) < in.worth(b);
      case clearing::max_non_members: return out.worth(a) > out.worth(b);
      case clearing::best_ratio: return in.worth(a) * out.worth(b) < in.worth(b) * out.worth(a);
      case clearing::any: break;
    }
    return false;
  };
  std::vector<std::uint32_t> cleared;
  for (std::size_t i = 0; i < non_members.size(); ++i) {
    if (needs_gone(non_members[i])) continue;
    const auto row = non_members[i];
    std::uint32_t best = row[options.choice == clearing::any
                                 ? detail::fastrange(detail::remix(options.seed, i), row.size())
                                 : 0];
    for (const std::uint32_t slot : row)
      if (is_better(slot, best)) best = slot;
    gone[best] = true;
    cleared.push_back(best);
    if (options.counts_only) {
      out.drop(i);
    } else {
      in.drop_users(best);
      out.drop_users(best);
    }
  }
  report.cleared = cleared.size();
  report.removed = non_members.size();
  report.members = members.size();
  for (std::size_t i = 0; i < members.size(); ++i)
    if (options.counts_only ? needs_gone(members[i]) : !in.is_left(i))
      report.forgotten.push_back(members.key[i]);
  return cleared;
}

UMBEL_INLINE std::uint64_t clear_some(cells::bits& bits, std::uint64_t count, std::uint64_t seed) {
  std::uint64_t left = bits.storage().ones(), wanted = std::min(count, left), drawn = 0;
  const std::uint64_t cleared = wanted;
  auto words = bits.storage().span();
  for (std::size_t i = 0; i < words.size() && wanted > 0; ++i)
    for (std::uint64_t rest = words[i]; rest != 0; rest &= rest - 1, --left)
      // `wanted` of the remaining `left` bits are to be cleared
      if (detail::fastrange(detail::remix(seed, drawn++), left) < wanted) {
        words[i] &= ~(rest & (~rest + 1));
        --wanted;
      }
  return cleared;
}

}  // namespace umbel::core
