// selected_bloom_filter.ipp - bodies of selected_bloom_filter.hpp: planning and choosing.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <umbel/base/prefetch.hpp>
#include <umbel/set/selected_bloom_filter.hpp>

namespace umbel {

namespace detail {

[[nodiscard]] inline std::uint64_t selected_groups(const selected_options& options) {
  return options.groups != 0 ? options.groups
                             : std::max<std::uint64_t>(
                                   1, options.keys.value_or(0) / sizing::selection_keys_per_group);
}
[[nodiscard]] inline unsigned choice_bits_of(const selected_options& options) {
  return static_cast<unsigned>(std::bit_width(options.candidates) - 1);
}

// Chooses a candidate for every group of keys and sets its bits.
template <class Spool>
class chooser {
 public:
  chooser(core::selected_probes& at, cells::bits& cells, Spool keys)
      : index_(at),
        words_(cells.storage().span()),
        first_(at.groups() + 1),
        keys_(keys.size()),
        order_(at.groups()) {
    const auto each = [&](auto&& work) {
      keys.for_each(0, digest_spool::bins, [&](std::span<const digest> block) {
        for (const digest& d : block) work(d, at.group_of(d));
      });
    };
    each([&](const digest&, std::uint64_t group) { ++first_[group + 1]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::uint64_t> next(first_.begin(), first_.end() - 1);
    each([&](const digest& d, std::uint64_t group) { keys_[next[group]++] = d; });

    std::iota(order_.begin(), order_.end(), std::uint64_t{0});
    std::sort(order_.begin(), order_.end(), [&](std::uint64_t a, std::uint64_t b) {
      return size(a) != size(b) ? size(a) > size(b) : a < b;
    });
    while (!order_.empty() && size(order_.back()) == 0) order_.pop_back();
    const std::size_t most = order_.empty() ? 0 : size(order_.front()) * at.probes();
    for (auto& some : probes_) some.resize(most);
    fresh_.resize(most + 1);
  }

  void run(unsigned refinements) {
    if (refinements != 0) uses_.resize(words_.size() * 64);
    for (const std::uint64_t group : order_) place(group, best_for(group, {.ones = max_ones}));
    for (bool better = true; better && refinements != 0; --refinements) {
      better = false;
      for (const std::uint64_t group : order_) better |= choose_again(group);
    }
  }

 private:
  struct choice {
    std::size_t number = 0;
    std::size_t ones;  // bits it would set that are clear
  };
  static constexpr std::size_t max_ones = std::numeric_limits<std::size_t>::max();
  static constexpr std::uint8_t many = 255;  // counts stop here: such a bit is never cleared again

  [[nodiscard]] std::size_t size(std::uint64_t group) const {
    return first_[group + 1] - first_[group];
  }
  [[nodiscard]] static std::uint64_t mask(std::uint64_t bit) noexcept {
    return std::uint64_t{1} << (bit % 64);
  }

  // The bits of a group under a candidate, and a prefetch of each: they are used one candidate
  // later. This loop is not inlined into new_ones, since together they need more registers than
  // there are.
  [[nodiscard, gnu::noinline]] std::span<const std::uint64_t> locate(std::uint64_t group,
                                                                     std::size_t number) {
    const std::uint64_t* const words = words_.data();
    std::uint64_t* const out = probes_[number % 2].data();
    std::uint64_t* end = out;
    index_.under(number, [&](const auto& at, const remixer& remix) {
      for (std::size_t i = first_[group]; i < first_[group + 1]; ++i) {
        auto walk = at.start(keys_[i], remix(keys_[i]));
        for (unsigned p = at.probes(); p != 0; --p) {
          *end = at.next(walk);
          prefetch_write(words + *end++ / 64);
        }
      }
    });
    return {out, end};
  }
  // How many of these bits are clear, each counted once. Counting may stop at `enough`. Bits are
  // set while counting, so that repeated probes count once, and cleared again.
  [[nodiscard, gnu::noinline]] std::size_t new_ones(std::span<const std::uint64_t> probes,
                                                    std::size_t enough) {
    constexpr std::size_t stride = 32;
    std::uint64_t* const words = words_.data();
    std::uint64_t* const fresh = fresh_.data();
    std::size_t count = 0;
    for (std::size_t done = 0; done < probes.size() && count < enough; done += stride)
      for (const std::uint64_t bit : probes.subspan(done, std::min(stride, probes.size() - done))) {
        const std::uint64_t before = words[bit / 64];
        fresh[count] = bit;
        count += ~before >> (bit % 64) & 1;  // no branch: at half fill it could not be predicted
        words[bit / 64] = before | mask(bit);
      }
    for (std::size_t i = 0; i < count; ++i) words[fresh[i] / 64] &= ~mask(fresh[i]);
    return count;
  }
  // The candidate that adds the fewest ones, if fewer than `so_far`; the first of equal ones.
  [[nodiscard]] choice best_for(std::uint64_t group, choice so_far) {
    const std::size_t total = index_.candidates();
    auto here = locate(group, 0);
    for (std::size_t number = 0; number < total; ++number) {
      const auto next = number + 1 < total ? locate(group, number + 1) : here;
      const std::size_t ones = new_ones(here, so_far.ones);
      if (ones < so_far.ones) so_far = {number, ones};
      here = next;
    }
    return so_far;
  }
  void place(std::uint64_t group, const choice& chosen) {
    index_.choices().set(group, chosen.number);
    for (const std::uint64_t bit : locate(group, chosen.number)) {
      words_[bit / 64] |= mask(bit);
      if (!uses_.empty() && uses_[bit] != many) ++uses_[bit];
    }
  }
  // Chooses again for a group, with the bits of all other groups set. True if the choice changed.
  [[nodiscard]] bool choose_again(std::uint64_t group) {
    const std::size_t number = index_.choices().get(group);
    const auto mine = locate(group, number);
    for (const std::uint64_t bit : mine)
      if (uses_[bit] != many && --uses_[bit] == 0) words_[bit / 64] &= ~mask(bit);
    const choice before{number, new_ones(mine, max_ones)}, after = best_for(group, before);
    place(group, after);
    return after.number != before.number;
  }

  core::selected_probes& index_;
  std::span<std::uint64_t> words_;
  std::vector<std::uint64_t> first_;  // index of the first key of each group, and the end
  std::vector<digest> keys_;          // keys sorted by group
  std::vector<std::uint64_t> order_;  // groups that have keys, in the order in which they choose
  std::vector<std::uint64_t> probes_[2];  // bits of the current and of the next candidate
  std::vector<std::uint64_t> fresh_;
  std::vector<std::uint8_t> uses_;  // number of uses of each bit; only with refinements
};

}  // namespace detail

UMBEL_INLINE plan selected_bloom_filter::plan(const options_type& options) {
  core::check_static({options.keys, options.fpr, options.bits});
  if (options.probes > sizing::bloom_max_probes)
    throw bad_parameter(detail::text("probes: expected at most ", sizing::bloom_max_probes,
                                     ", found ", options.probes));
  if (!std::has_single_bit(options.candidates) || options.candidates < 2 ||
      options.candidates > 1U << sizing::selection_max_choice_bits)
    throw bad_parameter(detail::text("candidates: expected a power of two from 2 to 256, found ",
                                     options.candidates));
  const std::uint64_t keys = options.keys.value_or(0), groups = detail::selected_groups(options);
  if (groups > core::max_keys)
    throw bad_parameter(detail::text("groups: expected at most 2^50, found ", groups));
  const std::uint64_t table =
      cells::packed::words_for(groups, detail::choice_bits_of(options)) * 64;
  if (options.bits && *options.bits <= table)
    throw bad_parameter(detail::text("bits: ", groups, " choices alone take ", table, ", found ",
                                     *options.bits, "; ask for fewer groups"));
  const sizing::selection among{.groups = static_cast<double>(groups),
                                .candidates = static_cast<double>(options.candidates)};
  const auto made =
      options.bits
          ? sizing::plan_selected_for_bits(keys, *options.bits - table, among, options.probes)
          : sizing::plan_selected_for_rate(keys, options.fpr.value_or(1.0 / 256), among,
                                           options.probes);
  core::check_kept(options.fpr, made.fpr);
  return {.keys = keys,
          .cells = made.bits,
          .probes = made.probes,
          .bits = made.bits + table,
          .fpr = made.fpr};
}

template <class Spool>
selected_bloom_filter selected_bloom_filter::build(const std::type_identity_t<Spool>& keys,
                                                   const options_type& options) {
  Spool once = keys.distinct(options.threads);
  selected_options counted = options;
  counted.keys = once.size();
  const auto made = plan(counted);
  engine_type filled(core::selected_probes(core::k_probes(made.cells, made.probes),
                                           detail::selected_groups(counted),
                                           detail::choice_bits_of(options), options.memory),
                     options.memory);
  detail::chooser<Spool>(filled.index(), filled.cells(), std::move(once)).run(options.refinements);
  return {options.hash, std::move(filled)};
}

#if defined(UMBEL_BODIES)
template selected_bloom_filter selected_bloom_filter::build<digest_spool>(const digest_spool&,
                                                                          const selected_options&);
#endif

}  // namespace umbel
