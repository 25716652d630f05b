// grouped_build.ipp - bodies of grouped_build.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>

#include <umbel/base/error.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/base/text.hpp>
#include <umbel/engine/retrieval/matrix/grouped_build.hpp>

namespace umbel::core {

template <class Source>
grouped grouped_builder<Source>::build(const Source& keys, const grouped::build_options& options) {
  grouped::check_options(options);
  grouped out;
  if (grouped_builder(out, options).try_build(keys, 0)) return out;
  keys.with_distinct(options.threads,
                     [&](const Source& once) { out = build_distinct(once, options); });
  return out;
}

template <class Source>
grouped grouped_builder<Source>::build_distinct(const Source& once,
                                                const grouped::build_options& options) {
  grouped out;
  if (grouped_builder(out, options).try_build(once, 0)) return out;
  for (std::uint64_t redraw = 1; redraw < sizing::matrix_redraws; ++redraw) {
    grouped drawing;
    drawing.redraw_ = redraw;
    drawing.draw_shape();
    pair_spool drawn(once.options());
    once.for_each(0, bucketed::pieces, [&](std::span<const valued> block) {
      for (const valued& v : block) drawn.add(valued{drawing.drawn(v.key), v.value});
    });
    const auto own_value = [](const valued& v) { return v.value; };
    const spool_values<valued, decltype(own_value)> again(drawn, own_value);
    if (grouped_builder(out, options).try_build(again, redraw)) return out;
  }
  throw unsolvable(detail::text(
      "grouped: ", sizing::matrix_redraws,
      " times too many keys fell into one bucket; keys chosen to do that need a keyed hash"));
}

// False if there are duplicate keys, or if too many keys are in bad buckets.
template <class Source>
bool grouped_builder<Source>::try_build(const Source& keys, std::uint64_t redraw) {
  out_ = grouped();
  out_.keys_ = keys.size();
  out_.width_ = options_.width;
  out_.group_ = options_.group;
  out_.spare_ = options_.spare;
  out_.levels_ = options_.levels;
  out_.source_ = static_cast<std::uint64_t>(options_.source);
  out_.draw_ = options_.draw;
  out_.redraw_ = redraw;
  out_.draw_shape();
  if (out_.keys_ == 0) return true;
  const std::uint64_t buckets = out_.shape_.buckets;
  keys_ = bucketed(keys, buckets, options_.threads);
  const std::uint64_t bad_from = std::min(
      sizing::matrix_bad_from(static_cast<double>(out_.keys_) / static_cast<double>(buckets)),
      sizing::matrix_bucket_most);
  bad_.resize(buckets);
  for (std::uint64_t i = 0; i < buckets; ++i) bad_[i] = keys_.load()[i] > bad_from;
  std::vector<piece_lists> lists;
  for (bool more = true; more;) {  // a bucket that turns out bad moves all cells after it
    if (!listed_are_few()) return false;
    lay_out();
    lists.assign(bucketed::pieces, {});
    if (!solve_all(keys, lists)) return false;
    more = false;
    for (const piece_lists& one : lists)
      for (const std::uint64_t bucket : one.bad) {
        bad_[bucket] = 1;
        more = true;
      }
  }
  join(lists);
  return true;
}

template <class Source>
bool grouped_builder<Source>::listed_are_few() const noexcept {
  std::uint64_t listed = 0;
  for (std::size_t i = 0; i < bad_.size(); ++i) listed += bad_[i] ? keys_.load()[i] : 0;
  return static_cast<double>(listed) <= sizing::matrix_bad_most(out_.keys_);
}

template <class Source>
void grouped_builder<Source>::lay_out() {
  out_.directory_ = cells::words<>(bad_.size() + 1, options_.memory);
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < bad_.size(); ++i) {
    out_.directory_[i] = first << grouped::first_shift | (bad_[i] ? grouped::bad_flag : 0);
    first += bad_[i] ? 0 : keys_.load()[i];
  }
  out_.directory_[bad_.size()] = first << grouped::first_shift;
  out_.entries_ = cells::packed(out_.groups() + 1, sizing::matrix_entry_bits, options_.memory);
  out_.entries_.set(out_.groups(), grouped::no_stray);
  out_.cells_ =
      cells::packed(first + options_.spare * out_.groups(), options_.width, options_.memory);
}

template <class Source>
bool grouped_builder<Source>::solve_all(const Source& keys, std::vector<piece_lists>& lists) {
  std::vector<workspace> spaces(detail::crew_size(bucketed::pieces, options_.threads));
  std::atomic<bool> repeats = false;
  detail::parallel_for(bucketed::pieces, options_.threads,
                       [&](std::size_t piece, std::size_t worker) {
    workspace& space = spaces[worker];
    space.tabled.clear();
    const auto solve = [&](std::uint64_t bucket, std::span<const valued> own) {
      solve_bucket(bucket, own, space, lists[piece]);
    };
    if (!repeats && !keys_.for_each_bucket(keys, piece, space.piece, solve)) repeats = true;
    for (const auto& one : space.tabled.solve())
      for (unsigned u = 0; u < static_cast<unsigned>(std::popcount(one.set)); ++u)
        out_.cells_.set_shared(one.where + u, one.values[u]);
  });
  return !repeats;
}

template <class Source>
void grouped_builder<Source>::join(const std::vector<piece_lists>& lists) {
  const auto joined = [&](std::vector<std::uint64_t> piece_lists::*which) {
    std::size_t total = 0, at = 0;
    for (const piece_lists& one : lists) total += (one.*which).size();
    cells::words<> out(total, options_.memory);
    for (const piece_lists& one : lists)
      for (const std::uint64_t word : one.*which) out[at++] = word;
    return out;
  };
  out_.seeds_ = joined(&piece_lists::seeds);
  out_.side_ = joined(&piece_lists::side);
}

// ---- one bucket ----

template <class Source>
void grouped_builder<Source>::solve_bucket(std::uint64_t bucket, std::span<const valued> keys,
                                           workspace& space, piece_lists& lists) {
  const std::uint64_t groups = out_.shape_.groups, first_group = bucket * groups;
  if (bad_[bucket]) {
    for (const valued& v : keys) lists.side.insert(lists.side.end(), {v.key.hi, v.key.lo, v.value});
    for (std::uint64_t j = 0; j < groups; ++j)
      out_.entries_.set_shared(first_group + j, grouped::no_stray);
    return;
  }
  std::uint64_t division = 0;
  while (division <= grouped::division_mask && !divide(keys, division, space)) ++division;
  if (division > grouped::division_mask) return lists.bad.push_back(bucket);
  const std::uint64_t first = out_.directory_[bucket] >> grouped::first_shift;
  out_.directory_[bucket] |= division;
  for (std::uint64_t j = 0; j < groups; ++j) {
    const std::uint64_t begin = space.begins[j], count = space.begins[j + 1] - begin;
    const std::uint64_t stray =
        begin - grouped::even(j, keys.size(), out_.scale_) + grouped::no_stray;
    out_.entries_.set_shared(first_group + j, stray);
    if (!solve_group(first_group + j, first + begin, std::span(space.divided).subspan(begin, count),
                     space, lists))
      return lists.bad.push_back(bucket);
  }
}

// Assigns keys to groups. False if a group gets too many keys, or begins too far from its position.
template <class Source>
bool grouped_builder<Source>::divide(std::span<const valued> keys, std::uint64_t division,
                                     workspace& space) const {
  const std::uint64_t groups = out_.shape_.groups, most = sizing::matrix_group_most(out_.group_);
  space.group_of.resize(keys.size());
  space.begins.assign(groups + 1, 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t j =
        detail::fastrange(grouped::divisions[division](keys[i].key).first(), groups);
    space.group_of[i] = static_cast<std::uint32_t>(j);
    ++space.begins[j + 1];
  }
  for (std::uint64_t j = 0; j < groups; ++j) {
    if (space.begins[j + 1] > most) return false;
    space.begins[j + 1] += space.begins[j];
    if (space.begins[j] - grouped::even(j, keys.size(), out_.scale_) + grouped::no_stray >=
        2 * grouped::no_stray)
      return false;
  }
  space.divided.resize(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i)
    space.divided[space.begins[space.group_of[i]]++] = keys[i];
  for (std::uint64_t j = groups; j > 0; --j) space.begins[j] = space.begins[j - 1];
  space.begins[0] = 0;
  return true;
}

// ---- one group ----

template <class Source>
bool grouped_builder<Source>::solve_group(std::uint64_t group, std::uint64_t first,
                                          std::span<const valued> keys, workspace& space,
                                          piece_lists& lists) {
  if (keys.empty()) return true;
  grouped::spot at{first + options_.spare * group,
                   {},
                   static_cast<std::uint32_t>(keys.size() + options_.spare),
                   0};
  const bool by_table = out_.is_tabulated() && keys.size() <= solve::tabled_systems::most;
  for (; at.seed < sizing::matrix_seeds; ++at.seed) {
    if (!(by_table ? try_tabled(at, keys, space) : try_dense(at, keys, space))) continue;
    const std::uint64_t told = std::min<std::uint64_t>(at.seed, sizing::matrix_listed_seed);
    out_.entries_.set_shared(group, told << sizing::matrix_stray_bits);
    if (told == sizing::matrix_listed_seed)
      lists.seeds.push_back(group << grouped::seed_shift | at.seed);
    return true;
  }
  return false;
}

template <class Source>
bool grouped_builder<Source>::try_dense(const grouped::spot& at, std::span<const valued> keys,
                                        workspace& space) {
  if (at.unknowns <= space.one_word.most) return try_small(space.one_word, at, keys, space);
  if (at.unknowns <= space.two_words.most) return try_small(space.two_words, at, keys, space);
  return try_large(at, keys, space);
}

template <class Source>
template <class System>
bool grouped_builder<Source>::try_small(System& system, const grouped::spot& at,
                                        std::span<const valued> keys, workspace& space) {
  std::array<std::uint64_t, 2> row;
  system.reset();
  grouped::spot own = at;
  for (const valued& v : keys) {
    own.key = v.key;
    (void)out_.draw(own, row.data());
    if (!system.add(row.data(), v.value)) return false;
  }
  space.values.resize(at.unknowns);
  system.solve(space.values);
  write(at, space);
  return true;
}

template <class Source>
bool grouped_builder<Source>::try_large(const grouped::spot& at, std::span<const valued> keys,
                                        workspace& space) {
  std::array<std::uint64_t, grouped::max_words + 1> row;
  space.dense.reset(at.unknowns);
  const std::size_t words = space.dense.row_words();
  grouped::spot own = at;
  for (const valued& v : keys) {
    own.key = v.key;
    (void)out_.draw(own, row.data());
    row[words - 1] = v.value;
    if (!space.dense.add(std::span(row).first(words))) return false;
  }
  space.values.resize(at.unknowns);
  space.dense.solve(space.values);
  write(at, space);
  return true;
}

// A group's cells may share their first and last word with a group of another thread.
template <class Source>
void grouped_builder<Source>::write(const grouped::spot& at, const workspace& space) {
  for (std::size_t i = 0; i < space.values.size(); ++i)
    out_.cells_.set_shared(at.first + i, space.values[i]);
}

template <class Source>
bool grouped_builder<Source>::try_tabled(const grouped::spot& at, std::span<const valued> keys,
                                         workspace& space) {
  std::array<unsigned, solve::tabled_systems::most> ids;
  std::uint32_t set = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ids[i] = solve::dense_rows::id(keys[i].key, at.seed);
    if ((set >> ids[i] & 1) != 0) return false;
    set |= std::uint32_t{1} << ids[i];
  }
  if (!space.tabled.is_regular(set)) return false;
  std::array<std::uint64_t, solve::tabled_systems::most> rights{};  // in the order of ids
  for (std::size_t i = 0; i < keys.size(); ++i)
    rights[static_cast<unsigned>(std::popcount(set & ((std::uint32_t{1} << ids[i]) - 1)))] =
        keys[i].value;
  space.tabled.add(set, std::span(rights).first(keys.size()), at.first);
  return true;
}

#if defined(UMBEL_BODIES)
template class grouped_builder<value_source>;
#endif

}  // namespace umbel::core
