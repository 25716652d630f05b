// build.hpp - build of core::ribbon [DHSW22], layer by layer; each layer is solved shard by shard,
// and the base comes last.
//
// Keys bumped from a layer go to the next layer in a spool. Layers leave threshold codes,
// exceptions and columns, which are joined at the end. A base, or a plain ribbon that replaces all
// layers, is drawn again until it has a solution; a homogeneous ribbon until few enough rows are
// sums of members' rows.
//
// Invariant  The result depends only on the set of (key, value): not on input order, threads or
//            addresses.
// Limits     Duplicate keys and memory: see ribbon.hpp.
// Threads    The build starts at most `threads` threads, and no more than it has shards.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/outcome.hpp>
#include <umbel/core/shards.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/engine/retrieval/ribbon/ribbon.hpp>
#include <umbel/engine/retrieval/ribbon/shard.hpp>

namespace umbel::core {

template <class Record>
class ribbon_builder {
 public:
  using spool = basic_spool<Record>;
  using build_options = ribbon::build_options;

  template <class ValueOf>
  [[nodiscard]] static ribbon build(const spool& keys, const build_options& options,
                                    ValueOf& value_of) {
    const auto& shape = ribbon::shape_of(options.preset);
    if (keys.size() == 0) return {0, options.width, options.preset, {}, {}};
    return shape.width == 64 ? build_rows<std::uint64_t>(keys, options, value_of)
                             : build_rows<detail::uint128>(keys, options, value_of);
  }

 private:
  ribbon_builder(const sizing::ribbon_shape& shape, const build_options& options) noexcept
      : shape_(shape), options_(options) {}

  // The results of the layers before they are joined.
  struct parts {
    std::vector<std::uint64_t> layers;
    std::vector<std::uint8_t> codes;
    std::vector<ribbon_exception> exceptions;
    std::vector<cells::columns> cells;
    std::uint64_t base_slots = 0, base_attempt = 0;
  };

  template <class Word, class ValueOf>
  [[nodiscard]] static ribbon build_rows(const spool& keys, const build_options& options,
                                         ValueOf& value_of) {
    parts made;
    ribbon_builder builder(ribbon::shape_of(options.preset), options);
    if (builder.template build_levels<Word>(keys, value_of, made))
      return builder.joined(keys.size(), made);
    const auto once = keys.distinct(options.threads);
    made = {};
    if (!builder.template build_levels<Word>(once, value_of, made))
      throw unsolvable("ribbon: distinct keys still look repeated");
    return builder.joined(once.size(), made);
  }

  // False if there are duplicate keys. Throws for every other failure.
  template <class Word, class ValueOf>
  [[nodiscard]] bool build_levels(const spool& keys, ValueOf& value_of, parts& made) const {
    auto crew = crew_for<Word>(keys);
    if (shape_.form != sizing::ribbon_form::bumped)
      return build_plain(keys, sizing::ribbon_shard_bits(keys.size(), 0, options_.shard_from),
                         value_of, made, crew);
    spool bumped;
    const spool* todo = &keys;
    while (made.layers.size() < sizing::ribbon_layers && todo->size() >= sizing::ribbon_base_from) {
      spool next(room_beside(keys));
      if (!build_layer(*todo, value_of, made, crew, next)) return false;
      bumped = std::move(next);
      todo = &bumped;
      // a new crew holds less memory for fewer keys
      if (keys.options().memory_limit != 0) crew = crew_for<Word>(*todo);
    }
    return todo->size() == 0 || build_plain(*todo, 0, value_of, made, crew);
  }

  // Memory limits for the spools besides one whose keys are on disk: the bumped keys of two layers
  // and of the threads, and the records being worked on; together the same limit as for the keys.
  // If the keys are in memory, the others fit as well, and are faster without a limit.
  [[nodiscard]] static spool_options room_beside(const spool& keys) {
    if (!keys.spilled()) return {};
    return {.memory_limit = detail::ceil_div(keys.options().memory_limit, 4),
            .directory = keys.options().directory};
  }

  template <class Word>
  using crew_of = std::vector<ribbon_shard<Word, Record>>;
  // One builder of shards per thread, for all layers of these keys, so that later layers reuse its
  // memory.
  template <class Word>
  [[nodiscard]] crew_of<Word> crew_for(const spool& keys) const {
    crew_of<Word> out;
    const unsigned bits = sizing::ribbon_shard_bits(keys.size(), 1, options_.shard_from);
    const std::size_t threads = detail::crew_size(std::uint64_t{1} << bits, options_.threads);
    spool_options room = room_beside(keys);  // per thread, so that all together keep the limit
    room.memory_limit = detail::ceil_div(room.memory_limit, threads);
    for (std::size_t i = 0; i < threads; ++i) out.emplace_back(shape_, options_.memory, room);
    return out;
  }
  [[nodiscard]] static ribbon_source bins_of(std::size_t shard, unsigned bits) noexcept {
    const std::size_t bins = spool::bins >> bits;
    return {shard * bins, (shard + 1) * bins};
  }

  template <class Word, class ValueOf>
  [[nodiscard]] bool build_layer(const spool& keys, ValueOf& value_of, parts& made,
                                 crew_of<Word>& crew, spool& bumped) const {
    core::shards parted(
        sizing::ribbon_shard_bits(keys.size(), made.layers.size(), options_.shard_from));
    (void)parted.balance(keys, false);
    const unsigned bits = parted.bits();
    const std::uint64_t shards = parted.count();
    const std::uint64_t slots =
        sizing::ribbon_slots(shape_, keys.size(), bits, options_.layer_scale);
    const std::uint64_t buckets = shape_.buckets(slots);
    if (slots > ribbon_layout::max_slots)
      throw bad_parameter(detail::text("keys: ", keys.size(), " are too many for one shard"));
    const core::ribbon_row rows(made.layers.size(), shape_, slots);
    const std::uint64_t first_bucket = made.codes.size();
    made.codes.resize(first_bucket + (buckets << bits));
    cells::columns& cells = made.cells.emplace_back(slots << bits, options_.width, options_.memory);

    std::vector<std::vector<ribbon_exception>> listed(shards);
    const outcome result = solve_parts(shards, options_.threads,
                                       [&](std::size_t shard, std::size_t worker) {
      auto& mine = crew[worker];
      const auto codes = std::span(made.codes).subspan(first_bucket + shard * buckets, buckets);
      if (const outcome own = mine.fill(keys, bins_of(shard, bits), rows, slots, codes, value_of);
          own != outcome::solved)
        return own;
      mine.solve(options_.width,
                 cells.storage().data() + cells::columns::words_for(shard * slots, options_.width));
      listed[shard] = mine.exceptions();
      return outcome::solved;
    });
    if (result != outcome::solved) return false;
    for (std::uint64_t shard = 0; shard < shards; ++shard)
      // buckets are filled from the last on
      for (auto e = listed[shard].rbegin(); e != listed[shard].rend(); ++e)
        made.exceptions.push_back({first_bucket + shard * buckets + e->bucket, e->depth});
    for (auto& worker : crew) bumped.append(std::move(worker.bumped()));
    made.layers.push_back(ribbon_layout::layer_of(slots, bits));
    return true;
  }

  // All keys in one plain ribbon. Its shards share the first seed with which each has a solution
  // and, if homogeneous, all together have few enough sums.
  template <class Word, class ValueOf>
  [[nodiscard]] bool build_plain(const spool& keys, unsigned shard_bits, ValueOf& value_of,
                                 parts& made, crew_of<Word>& crew) const {
    const bool base = shape_.form == sizing::ribbon_form::bumped;
    core::shards parted(shard_bits);
    const auto load = parted.balance(keys, false);
    const std::uint64_t fullest = *std::max_element(load.begin(), load.end());
    const unsigned bits = parted.bits();
    // The limit for the mean over all shards; a single shard may have more.
    const double max_sums =
        std::exp2(-static_cast<double>(sizing::ribbon_sum_bits(shape_, options_.width)));
    std::vector<double> sums(parted.count());
    for (unsigned attempt = 0; attempt < sizing::ribbon_attempts; ++attempt) {
      const std::uint64_t slots =
          base ? sizing::ribbon_base_slots(shape_, keys.size(), attempt)
               : sizing::ribbon_plain_slots(shape_, keys.size(), fullest, options_.width, attempt,
                                            options_.layer_scale);
      if (slots > ribbon_layout::max_slots) break;
      const core::ribbon_row rows(ribbon_layout::base_salt + attempt, shape_, slots);
      cells::columns cells(slots << bits, options_.width, options_.memory);
      const outcome result = solve_parts(parted.count(), options_.threads,
                                         [&](std::size_t shard, std::size_t worker) {
        auto& mine = crew[worker];
        if (const outcome own = mine.fill_all(keys, bins_of(shard, bits), rows, slots, value_of);
            own != outcome::solved)
          return own;
        if (shape_.form == sizing::ribbon_form::homogeneous) {
          sums[shard] = mine.share_of_sums(rows) / static_cast<double>(sums.size());
          if (sums[shard] > max_sums) return outcome::stuck;
          mine.draw_empty(shard);
        }
        mine.solve(options_.width, cells.storage().data() +
                                       cells::columns::words_for(shard * slots, options_.width));
        return outcome::solved;
      });
      if (result == outcome::repeats) return false;
      if (result == outcome::stuck) continue;
      if (std::accumulate(sums.begin(), sums.end(), 0.0) > max_sums) continue;
      if (base)
        made.base_slots = slots;
      else
        made.layers.push_back(ribbon_layout::layer_of(slots, bits));
      made.base_attempt = attempt;
      made.cells.push_back(std::move(cells));
      return true;
    }
    throw unsolvable(detail::text("ribbon: none of ", sizing::ribbon_attempts,
                                  " plain ribbons could be solved for ", keys.size(), " keys"));
  }

  [[nodiscard]] ribbon joined(std::uint64_t keys, parts& made) const {
    ribbon_layout out{.base_slots = made.base_slots,
                      .base_attempt = made.base_attempt,
                      .layers = cells::words<>(made.layers.size(), options_.memory),
                      .thresholds = {},
                      .exceptions = written(made.exceptions)};
    std::copy(made.layers.begin(), made.layers.end(), out.layers.data());
    if (!made.codes.empty())
      out.thresholds = cells::packed(made.codes.size(), shape_.code_bits, options_.memory);
    for (std::size_t i = 0; i < made.codes.size(); ++i) out.thresholds.set(i, made.codes[i]);
    return {keys, options_.width, options_.preset, std::move(out), joined(made.cells)};
  }
  // The columns of all levels, one after another.
  [[nodiscard]] cells::columns joined(std::vector<cells::columns>& pieces) const {
    if (pieces.size() == 1) return std::move(pieces[0]);
    std::uint64_t words = 0;
    for (const cells::columns& piece : pieces) words += piece.storage().size();
    cells::columns out(words / options_.width * cells::columns::block, options_.width,
                       options_.memory);
    std::uint64_t* next = out.storage().data();
    for (cells::columns& piece : pieces) {
      next = std::copy_n(piece.storage().data(), piece.storage().size(), next);
      piece = cells::columns();
    }
    return out;
  }
  // In the format that ribbon_levels reads.
  [[nodiscard]] cells::words<std::uint32_t> written(
      const std::vector<ribbon_exception>& listed) const {
    using e = ribbon_exception;
    std::vector<std::uint32_t> words;
    std::uint64_t at = 0;
    for (const auto& [bucket, depth] : listed) {
      for (; bucket - at > e::max_step; at += e::max_step)
        words.push_back(e::max_step << e::depth_bits | e::only_a_step);
      words.push_back(static_cast<std::uint32_t>((bucket - at) << e::depth_bits | depth));
      at = bucket;
    }
    cells::words<std::uint32_t> out(words.size(), options_.memory);
    std::copy(words.begin(), words.end(), out.data());
    return out;
  }

  const sizing::ribbon_shape& shape_;
  const build_options& options_;
};

}  // namespace umbel::core
