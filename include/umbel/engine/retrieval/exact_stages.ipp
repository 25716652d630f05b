// exact_stages.ipp - bodies of exact_stages.hpp: counting blocks, building the stages, and batch
// queries.
#pragma once

#include <cmath>
#include <map>
#include <utility>

#include <umbel/base/error.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/universe.hpp>
#include <umbel/engine/retrieval/exact_stages.hpp>
#include <umbel/engine/retrieval/matrix/square_systems_build.hpp>
#include <umbel/engine/retrieval/ribbon/build.hpp>
#include <umbel/engine/retrieval/tagged.hpp>
#include <umbel/sizing/exact_set.hpp>

namespace umbel::core {

// Selects the preset with the fewest bits: a narrow one for a few hundred keys, because then the
// ends of a ribbon cost most.
UMBEL_INLINE ribbon::build_options exact_stages::how_of(std::uint64_t keys, unsigned width,
                                                        const build_options& options) {
  ribbon::build_options out{.width = width,
                            .memory = options.memory,
                            .threads = options.threads,
                            .shard_from = options.shard_from};
  const auto bits = [&](ribbon_preset preset) {
    return ribbon::plan(keys, width, 0, preset, options.shard_from).bits;
  };
  for (const auto preset : {ribbon_preset::compact, ribbon_preset::smallest})
    if (bits(preset) < bits(out.preset)) out.preset = preset;
  return out;
}

// Half a shard: so ribbons of many shards, which tests request, stay ribbons.
UMBEL_INLINE bool exact_stages::takes_squares(std::uint64_t stored, std::uint64_t others,
                                              const build_options& options) {
  return sizing::exact_takes_squares(stored, others) &&
         (stored == 0 || sizing::exact_passing(stored, others) <= options.shard_from / 2);
}

UMBEL_INLINE umbel::plan exact_stages::plan(std::uint64_t keys, std::uint64_t universe,
                                            std::uint64_t shard_from) {
  const build_options options{.shard_from = shard_from};
  check_keys(keys);
  if (universe < keys || universe > max_keys)
    throw bad_parameter(detail::text("universe: expected the number of all keys, at least the ",
                                     keys, " members and at most 2^50, found ", universe));
  umbel::plan out{.keys = keys};
  if (universe == 0) return out;
  const std::uint64_t stored = std::min(keys, universe - keys), others = universe - stored;
  const auto number_bits = [](std::uint64_t n) {
    return 8 * detail::ceil_div(std::bit_width(n | 1), 7);
  };
  if (takes_squares(stored, others, options)) {
    out.bits = number_bits(2 * universe) + number_bits(stored);
    if (stored == 0) return out;
    const unsigned rank = sizing::exact_rank(stored, others);
    const std::uint64_t passing = sizing::exact_passing(stored, others);
    const auto add = [&](std::uint64_t n, unsigned width) {
      out.cells += n;
      out.bits += 8 * (square_systems::entry_bytes(n) + cells::tight::bytes_for(n, width));
      ++out.probes;
    };
    if (rank != 0) {
      out.bits += number_bits(passing - stored);
      add(stored, rank);
    }
    add(passing, 1);
    return out;
  }
  out.bits = own_bits(1);
  const auto add = [&](std::uint64_t n, unsigned width) {
    const auto stage =
        ribbon::plan(n, width, 0, how_of(n, width, options).preset, options.shard_from);
    out.cells += stage.cells;
    out.bits += stage.bits;
    ++out.probes;
  };
  if (const unsigned rank = sizing::exact_rank(stored, others); rank != 0) add(stored, rank);
  add(sizing::exact_passing(stored, others), 1);
  return out;
}

UMBEL_INLINE std::uint64_t exact_stages::size_in_bits() const noexcept {
  if (is_small()) return 8 * head_.size() + first_.size_in_bits() + second_.size_in_bits();
  std::uint64_t sum = own_bits(blocks());
  for (const ribbon& stage : ribbons_) sum += stage.size_in_bits();
  return sum;
}

UMBEL_INLINE double exact_stages::expected_fpr() const noexcept {
  if (blocks() == 0) return 0;
  double sum = 0;
  for (const std::uint8_t way : ways_.span()) {
    const unsigned stage = way & stage_mask, rank = stage == 0 ? 0 : stage_width(stage);
    // passes the first stage, and then reads a random bit
    const double told = (way & settled_bit) != 0 ? 0 : std::exp2(-1.0 - rank);
    sum += (way & inverted_bit) != 0 ? 1 - told : told;
  }
  return sum / static_cast<double>(blocks());
}

// ---- small sets ----

UMBEL_INLINE std::vector<std::uint8_t> exact_stages::head() const {
  std::vector<std::uint8_t> out;
  const auto number = [&](std::uint64_t n) {
    for (; n >= 0x80; n >>= 7) out.push_back(static_cast<std::uint8_t>(n | 0x80));
    out.push_back(static_cast<std::uint8_t>(n));
  };
  const std::uint64_t stored = std::min(members_, universe_ - members_);
  number(2 * universe_ + (members_ > universe_ - members_));
  number(stored);
  if (stored == 0) return out;
  if (first_.keys() != 0) number(second_.keys() - stored);
  first_.write_entries(out);
  second_.write_entries(out);
  return out;
}

UMBEL_INLINE void exact_stages::read_head() {
  head_.own();  // it is believed: own it
  const auto bytes = std::as_const(head_).span();
  const auto require = [](bool holds, std::string_view which, std::uint64_t found) {
    if (!holds)
      throw corrupt(
          detail::text("exact: ", which, " of the head has the impossible value ", found));
  };
  std::size_t at = 0;
  const auto number = [&](std::string_view which) {
    std::uint64_t out = 0;
    for (unsigned shift = 0;; shift += 7) {
      require(at < bytes.size() && shift < 56, which, out);
      const std::uint64_t byte = bytes[at++];
      out |= (byte & 0x7F) << shift;
      if (byte < 0x80) break;
    }
    return out;
  };
  const std::uint64_t all = number("universe"), universe = all / 2, stored = number("minority");
  require(universe != 0 && universe <= 2 * max_keys, "universe", universe);
  require(stored <= universe / 2, "minority", stored);
  set_small(all % 2 == 0 ? stored : universe - stored, universe);
  if (stored != 0) {
    const unsigned rank = sizing::exact_rank(stored, universe - stored);
    const std::uint64_t passing = rank == 0 ? universe : stored + number("passing");
    require(passing <= std::min(universe, max_passing), "passing", passing);
    const std::uint64_t first_bytes = rank == 0 ? 0 : square_systems::entry_bytes(stored);
    const std::uint64_t second_bytes = square_systems::entry_bytes(passing);
    require(bytes.size() - at == first_bytes + second_bytes, "size", bytes.size());
    if (rank != 0) first_.read_entries(bytes.data() + at, stored, rank);
    second_.read_entries(bytes.data() + at + first_bytes, passing, 1);
  }
  if (first_.keys() == 0) first_.cells().storage().require(0);
  if (second_.keys() == 0) second_.cells().storage().require(0);
  // Only one encoding per set.
  const auto again = head();
  require(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()), "size", bytes.size());
}

UMBEL_INLINE void exact_stages::set_small(std::uint64_t members, std::uint64_t universe) {
  members_ = members;
  universe_ = universe;
  const std::uint64_t others = universe - members, stored = std::min(members, others);
  const bool staged = stored != 0 && sizing::exact_rank(stored, universe - stored) != 0;
  ids_ = cells::words<>(1);
  ways_ = cells::words<std::uint8_t>(1);
  ways_[0] = static_cast<std::uint8_t>((staged ? 1 : 0) | (members > others ? inverted_bit : 0) |
                                       (stored == 0 ? settled_bit : 0));
}

UMBEL_INLINE void exact_stages::check() {
  if (is_small()) return read_head();
  const auto require = [](bool holds, std::string_view which, std::uint64_t found) {
    if (!holds) throw corrupt(detail::text("exact: ", which, " has the impossible value ", found));
  };
  require(universe_ <= 2 * max_keys, "field universe", universe_);
  require(members_ <= universe_, "field members", members_);
  require(blocks() <= universe_, "number of blocks", blocks());
  require((universe_ == 0) == (blocks() == 0), "field universe", universe_);
  ways_.require(blocks());
  // both are checked before use: copy them
  ids_.own();
  ways_.own();
  const auto ids = std::as_const(ids_).span();
  for (std::size_t i = 1; i < ids.size(); ++i) require(ids[i - 1] < ids[i], "a block", ids[i]);

  std::uint64_t used = 0;  // bit i: first stage i; bit 0: a block that has none
  for (const std::uint8_t way : std::as_const(ways_).span()) {
    const bool settled = (way & settled_bit) != 0;
    require(!settled || (way & stage_mask) == 0, "a way", way);
    require(settled || (way & stage_mask) < std::max<std::size_t>(1, ribbons_.size()), "a way",
            way);
    if (!settled) used |= std::uint64_t{1} << (way & stage_mask);
  }
  if (used == 0) return require(ribbons_.empty(), "number of ribbons", ribbons_.size());
  require(ribbons_.size() <= 64 &&
              (used | 1) == detail::low_mask(static_cast<unsigned>(ribbons_.size())),
          "number of ribbons", ribbons_.size());
  std::uint64_t stored = 0;
  for (std::size_t i = 0; i < ribbons_.size(); ++i) {
    const ribbon& stage = ribbons_[i];
    const bool last = i + 1 == ribbons_.size();
    require(last ? stage.width() == 1 : i == 0 || ribbons_[i - 1].width() < stage.width(), "width",
            stage.width());
    require(stage.keys() != 0 && stage.keys() <= universe_, "keys", stage.keys());
    ribbon::require_values(stage.preset());
    if (!last) stored += stage.keys();
  }
  require(stored <= ribbons_.back().keys(), "keys", ribbons_.back().keys());  // they all pass
}

// ---- queries ----

// One loop for all stages: the keys are digests, and the values are written to an array.
template <class Engine>
void exact_stage_values(const Engine& from, std::span<const digest> keys,
                        std::uint64_t* out) noexcept {
  from.values(
      keys.size(), [keys](std::size_t i) { return keys[i]; },
      [](digest) { return std::uint64_t{0}; },
      [out](std::size_t i, std::uint64_t, std::uint64_t value) { out[i] = value; });
}

UMBEL_INLINE std::size_t exact_stages::pass(std::span<const digest> keys, const std::uint8_t* ways,
                                            std::uint16_t* passed) const noexcept {
  std::uint64_t used = 0;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if ((ways[i] & settled_bit) == 0) used |= std::uint64_t{1} << (ways[i] & stage_mask);
  std::size_t count = 0;
  std::array<digest, turn> some;
  std::array<std::uint16_t, turn> places;
  std::array<std::uint64_t, turn> values;
  for (; used != 0; used &= used - 1) {
    const auto stage = static_cast<unsigned>(std::countr_zero(used));
    std::size_t found = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      places[found] = static_cast<std::uint16_t>(i);
      some[found] = keys[i];
      found += (ways[i] & (stage_mask | settled_bit)) == stage;
    }
    if (stage == 0) {
      std::copy_n(places.data(), found, passed + count);
      count += found;
      continue;
    }
    with_first(stage, [&](const auto& first) {
      exact_stage_values(first, {some.data(), found}, values.data());
    });
    const unsigned width = stage_width(stage);
    for (std::size_t i = 0; i < found; ++i) {
      passed[count] = places[i];
      count += values[i] == tag_of(some[i], width);
    }
  }
  return count;
}

UMBEL_INLINE void exact_stages::answer(std::span<const digest> keys, const std::uint8_t* ways,
                                       bool* out) const noexcept {
  for (std::size_t i = 0; i < keys.size(); ++i) out[i] = (ways[i] & inverted_bit) != 0;
  std::array<std::uint16_t, turn> passed;
  const std::size_t count = pass(keys, ways, passed.data());
  if (count == 0) return;
  std::array<digest, turn> some;
  std::array<std::uint64_t, turn> values;
  for (std::size_t i = 0; i < count; ++i) some[i] = keys[passed[i]];
  with_second([&](const auto& second) {
    exact_stage_values(second, {some.data(), count}, values.data());
  });
  for (std::size_t i = 0; i < count; ++i) out[passed[i]] = values[i] != 0;
}

// ---- building ----

// The value of a record is its block; that of a bare digest is 0.
template <class Spool>
class exact_stages::builder {
 public:
  builder(const Spool& members, const Spool& universe, const build_options& options)
      : options_(options),
        room_(members.options()),
        all_(told_apart<Spool>(members, universe, options.threads, options.members_in_universe)) {}

  [[nodiscard]] exact_stages build() {
    out_.members_ = all_.members.size();
    out_.universe_ = all_.size();
    const std::vector<block> blocks = shares();
    if (blocks.size() == 1 && blocks[0].id == 0 && build_small(blocks[0].has))
      return std::move(out_);
    number_stages(blocks);
    if (std::all_of(blocks.begin(), blocks.end(), [](const block& b) { return b.has.settled(); }))
      return std::move(out_);
    for (unsigned stage = 1; stage <= ranks_.size(); ++stage) build_first(stage);
    build_second();
    return std::move(out_);
  }

 private:
  struct share {
    std::uint64_t members = 0, others = 0;
    [[nodiscard]] bool inverted() const noexcept { return members > others; }
    [[nodiscard]] bool settled() const noexcept { return members == 0 || others == 0; }
    [[nodiscard]] unsigned rank() const noexcept {
      return settled() ? 0
                       : sizing::exact_rank(std::min(members, others), std::max(members, others));
    }
  };
  struct block {
    std::uint64_t id;
    share has;
  };

  // work(records, whether they are members) for the whole universe.
  template <class Work>
  void each(Work&& work) const {
    all_.members.for_each(0, Spool::bins, [&](auto records) { work(records, true); });
    all_.others.for_each(0, Spool::bins, [&](auto records) { work(records, false); });
  }

  [[nodiscard]] std::vector<block> shares() const {
    if constexpr (std::is_same_v<Spool, digest_spool>) {
      if (all_.size() == 0) return {};
      return {{0, {all_.members.size(), all_.others.size()}}};
    }
    std::map<std::uint64_t, share> counted;
    each([&](const auto& records, bool member) {
      for (const auto& r : records)
        ++(counted[value_of(r)].*(member ? &share::members : &share::others));
    });
    std::vector<block> out;
    for (const auto& [id, has] : counted) out.push_back({id, has});
    return out;
  }

  // ---- square systems ----

  // False if the set is too large, if its digests are not spread evenly over the parts, or if a
  // part has no solution; the last two are very rare. No system is solved before all parts are
  // known to be small, because solving takes cubic time.
  [[nodiscard]] bool build_small(const share& has) {
    const std::uint64_t stored = std::min(has.members, has.others),
                        others = std::max(has.members, has.others);
    if (!takes_squares(stored, others, options_)) return false;
    exact_stages made;
    made.set_small(has.members, has.members + has.others);
    if (stored != 0) {
      const Spool& minority = has.inverted() ? all_.others : all_.members;
      const Spool& majority = has.inverted() ? all_.members : all_.others;
      if (has.rank() != 0 && !choose_first(minority, majority, has, made.first_)) return false;
      std::vector<valued> left;
      const auto keep = [&](const Spool& side, bool stored_side) {
        side.for_each(0, Spool::bins, [&](auto records) {
          for (const auto& r : records)
            if (stored_side || passes_first(made.first_, key_of(r)))
              left.push_back({key_of(r), stored_side != has.inverted() ? 1U : 0U});
        });
      };
      keep(minority, true);
      keep(majority, false);
      const divided second(left);
      if (left.size() > max_passing || !second.fits()) return false;
      std::vector<solved_square> solved;
      for (const auto& keys : second.parts) {
        auto one = solve_square(keys, 0, sizing::square_seeds);
        if (!one) return false;
        solved.push_back(std::move(*one));
      }
      made.second_ = put_together(solved, 1);
    }
    const auto head = made.head();
    made.head_ = cells::words<std::uint8_t>(head.size(), options_.memory);
    std::copy(head.begin(), head.end(), made.head_.data());
    out_ = std::move(made);
    return true;
  }

  // Keys by part, divided as in square_systems.
  struct divided {
    std::vector<std::vector<valued>> parts;
    std::uint64_t keys;
    explicit divided(std::span<const valued> all)
        : parts(sizing::square_parts(all.size())), keys(all.size()) {
      for (const valued& v : all) parts[detail::fastrange(v.key.hi, parts.size())].push_back(v);
    }
    [[nodiscard]] bool fits() const {
      return std::all_of(parts.begin(), parts.end(), [&](const auto& own) {
        return square_systems::fits_entry(keys, own.size());
      });
    }
  };
  [[nodiscard]] static bool passes_first(const square_systems& first, digest d) noexcept {
    return first.keys() == 0 || first.value(d) == tag_of(d, first.width());
  }
  [[nodiscard]] square_systems put_together(const std::vector<solved_square>& solved,
                                            unsigned width) const {
    std::vector<std::uint32_t> counts;
    std::vector<std::uint16_t> seeds;
    for (const solved_square& one : solved) {
      counts.push_back(static_cast<std::uint32_t>(one.values.size()));
      seeds.push_back(static_cast<std::uint16_t>(one.seed));
    }
    square_systems out(counts, seeds, width, options_.memory);
    std::uint64_t at = 0;
    for (const solved_square& one : solved)
      for (const std::uint64_t value : one.values) out.cells().set(at++, value);
    return out;
  }

  // Solves every part several times and keeps the solution that accepts the fewest keys of the
  // majority.
  [[nodiscard]] bool choose_first(const Spool& minority, const Spool& majority, const share& has,
                                  square_systems& out) const {
    const unsigned rank = has.rank();
    std::vector<valued> stored;
    minority.for_each(0, Spool::bins, [&](auto records) {
      for (const auto& r : records) stored.push_back({key_of(r), tag_of(key_of(r), rank)});
    });
    const divided by_part(stored);
    if (!by_part.fits()) return false;
    std::vector<solved_square> best, trial(by_part.parts.size());
    std::vector<std::uint64_t> fewest, from(by_part.parts.size(), 0);
    for (std::uint64_t tries = sizing::exact_tries(stored.size(), majority.size()); tries > 0;
         --tries) {
      for (std::size_t i = 0; i < trial.size(); ++i) {
        auto next = solve_square(by_part.parts[i], from[i], sizing::square_seeds);
        if (!next && best.empty()) return false;
        if (!next) continue;  // no seed is left: keeps the last solution
        from[i] = next->seed + 1;
        trial[i] = std::move(*next);
      }
      const std::vector<std::uint64_t> passed =
          passing_by_part(put_together(trial, rank), majority);
      if (best.empty()) {
        best = trial;
        fewest = passed;
      }
      for (std::size_t i = 0; i < trial.size(); ++i)
        if (passed[i] < fewest[i]) {
          best[i] = trial[i];
          fewest[i] = passed[i];
        }
    }
    out = put_together(best, rank);
    return true;
  }
  [[nodiscard]] std::vector<std::uint64_t> passing_by_part(const square_systems& first,
                                                           const Spool& majority) const {
    std::vector<std::vector<std::uint64_t>> counts(
        detail::crew_size(Spool::bins, options_.threads),
        std::vector<std::uint64_t>(first.parts().size()));
    detail::parallel_for(Spool::bins, options_.threads, [&](std::size_t bin, std::size_t worker) {
      majority.for_each(bin, bin + 1, [&](auto records) {
        for (const auto& r : records)
          counts[worker][first.part_of(key_of(r))] += passes_first(first, key_of(r));
      });
    });
    for (std::size_t i = 1; i < counts.size(); ++i)
      for (std::size_t part = 0; part < counts[0].size(); ++part)
        counts[0][part] += counts[i][part];
    return counts[0];
  }

  // ---- ribbons ----

  // Numbers the first stages by rank, and sets the entry of every block.
  void number_stages(const std::vector<block>& blocks) {
    for (const block& b : blocks)
      if (b.has.rank() != 0) ranks_.push_back(b.has.rank());
    std::sort(ranks_.begin(), ranks_.end());
    ranks_.erase(std::unique(ranks_.begin(), ranks_.end()), ranks_.end());
    out_.ids_ = cells::words<>(blocks.size(), options_.memory);
    out_.ways_ = cells::words<std::uint8_t>(blocks.size(), options_.memory);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const share& has = blocks[i].has;
      out_.ids_[i] = blocks[i].id;
      const auto stage =
          has.rank() == 0
              ? 0
              : std::lower_bound(ranks_.begin(), ranks_.end(), has.rank()) - ranks_.begin() + 1;
      out_.ways_[i] = static_cast<std::uint8_t>(stage | (has.inverted() ? inverted_bit : 0) |
                                                (has.settled() ? settled_bit : 0));
    }
  }

  // Builds the first stage of one rank from the minority of all its blocks.
  void build_first(unsigned stage) {
    digest_spool stored(room_);
    each([&](const auto& records, bool member) {
      const auto wanted = static_cast<std::uint8_t>(stage | (member ? 0 : inverted_bit));
      for (const auto& r : records)
        if (out_.way_of(value_of(r)) == wanted) stored.add(key_of(r));
    });
    const auto with = how_of(stored.size(), ranks_[stage - 1], options_);
    out_.ribbons_.push_back(ribbon::build(
        stored, with, [bits = with.width](const digest& d) { return tag_of(d, bits); }));
  }

  void build_second() {
    pair_spool left(room_);
    each([&](const auto& records, bool member) {
      std::array<digest, turn> keys;
      std::array<std::uint8_t, turn> ways;
      std::array<std::uint16_t, turn> passed;
      for (std::size_t first = 0; first < records.size(); first += turn) {
        const auto some = records.subspan(first, std::min(turn, records.size() - first));
        for (std::size_t i = 0; i < some.size(); ++i) {
          keys[i] = key_of(some[i]);
          ways[i] = out_.way_of(value_of(some[i]));
        }
        const std::size_t count = out_.pass({keys.data(), some.size()}, ways.data(), passed.data());
        for (std::size_t i = 0; i < count; ++i) left.add(valued{keys[passed[i]], member ? 1U : 0U});
      }
    });
    out_.ribbons_.push_back(ribbon::build(left, how_of(left.size(), 1, options_),
                                          [](const valued& v) { return v.value; }));
  }

  const build_options& options_;
  spool_options room_;
  declared<Spool> all_;
  std::vector<unsigned> ranks_;  // of the first stages
  exact_stages out_;
};

template <class Spool>
exact_stages exact_stages::build(const Spool& members, const Spool& universe,
                                 const build_options& options) {
  return builder<Spool>(members, universe, options).build();
}

#if defined(UMBEL_BODIES)
template exact_stages exact_stages::build(const digest_spool&, const digest_spool&,
                                          const build_options&);
template exact_stages exact_stages::build(const pair_spool&, const pair_spool&,
                                          const build_options&);
#endif

}  // namespace umbel::core
