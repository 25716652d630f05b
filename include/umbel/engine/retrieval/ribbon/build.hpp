// build.hpp - how core::ribbon is built: layer after layer, each of shards solved apart, and the base.
// Idea       What a layer cannot hold goes on to the next in a spool of its own. Layers leave codes, exceptions and columns
//            behind, which are put together at the end. A base, or a plain ribbon in place of all layers, is drawn until
//            it solves; a homogeneous ribbon until few enough rows are sums of members' rows.
// Invariant  The result depends on the set of (key, value) alone: not on input order, threads or addresses.
// Limits     Repeats are found where a row adds nothing, and dropped, or are a conflict. Memory: 16 bytes per key (24 with
//            values), plus per thread a shard of half a million to a million keys, 32 or 40 bytes each, 48 or 56 where
//            there are 128 coefficients.
// Threads    The build starts `threads` threads and no more than it has shards.
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
#include <umbel/engine/retrieval/ribbon/ribbon.hpp>
#include <umbel/engine/retrieval/ribbon/shard.hpp>
#include <umbel/core/shards.hpp>
#include <umbel/core/spool.hpp>

namespace umbel::core {

template <class Record>
class ribbon_builder {
 public:
  using spool = basic_spool<Record>;
  using build_options = ribbon::build_options;

  template <class ValueOf>
  [[nodiscard]] static ribbon build(const spool& keys, const build_options& how, ValueOf& value_of) {
    ribbon out;
    if (ribbon_builder(out, how).try_build(keys, value_of)) return out;
    const auto once = keys.distinct(how.threads);
    out = ribbon();
    if (!ribbon_builder(out, how).try_build(once, value_of))
      throw unsolvable("ribbon: distinct keys still look repeated");
    return out;
  }

 private:
  ribbon_builder(ribbon& out, const build_options& how) noexcept : out_(out), how_(how) {}

  // What the layers leave behind before they are put together.
  struct parts {
    std::vector<std::uint64_t> layers;
    std::vector<std::uint8_t> codes;
    std::vector<ribbon_exception> exceptions;
    std::vector<cells::columns> cells;
  };

  // False if keys repeat. Everything else that can go wrong throws.
  template <class ValueOf>
  [[nodiscard]] bool try_build(const spool& keys, ValueOf& value_of) {
    (void)ribbon::shape_of(how_.preset);
    out_.keys_ = keys.size();
    out_.width_ = how_.width;
    out_.preset_ = static_cast<std::uint64_t>(how_.preset);
    if (out_.keys_ == 0) return true;
    return out_.with_word([&]<class Word>(Word) { return build_layers<Word>(keys, value_of); });
  }

  template <class Word, class ValueOf>
  [[nodiscard]] bool build_layers(const spool& keys, ValueOf& value_of) {
    parts made;
    auto crew = crew_for<Word>(keys);
    if (out_.shape().form != sizing::ribbon_form::bumped) {
      if (!build_plain(keys, sizing::ribbon_shard_bits(keys.size(), 0, how_.shard_from), value_of, made, crew))
        return false;
      crew.clear();  // its slots take more than what is put together of their solutions
      put_together(made);
      return true;
    }
    spool bumped;
    const spool* todo = &keys;
    while (made.layers.size() < sizing::ribbon_layers && todo->size() >= sizing::ribbon_base_from) {
      spool next(room_beside(keys));
      if (!build_layer(*todo, value_of, made, crew, next)) return false;
      bumped = std::move(next);
      todo = &bumped;
      if (keys.how().memory_limit != 0) crew = crew_for<Word>(*todo);  // which holds less beside fewer keys
    }
    if (todo->size() != 0 && !build_plain(*todo, 0, value_of, made, crew)) return false;
    crew.clear();
    put_together(made);
    return true;
  }

  // Room for what is held beside keys that lie on disk: bumped keys of two layers and of the threads, and records in work,
  // together as much as of the keys. Where these are in memory the others fit as well, and without a limit are faster.
  [[nodiscard]] static spool_options room_beside(const spool& keys) {
    if (!keys.spilled()) return {};
    return {.memory_limit = detail::ceil_div(keys.how().memory_limit, 4), .directory = keys.how().directory};
  }

  template <class Word>
  using crew_of = std::vector<ribbon_shard<Word, Record>>;
  // A builder of shards for every thread that will be at work on these keys, in whatever layer; later ones find the memory there.
  template <class Word>
  [[nodiscard]] crew_of<Word> crew_for(const spool& keys) const {
    crew_of<Word> out;
    const unsigned bits = sizing::ribbon_shard_bits(keys.size(), 1, how_.shard_from);
    const std::size_t threads = detail::crew_size(std::uint64_t{1} << bits, how_.threads);
    spool_options room = room_beside(keys);  // of each, so that all together keep to it
    room.memory_limit = detail::ceil_div(room.memory_limit, threads);
    for (std::size_t i = 0; i < threads; ++i) out.emplace_back(out_.shape(), how_.memory, room);
    return out;
  }
  [[nodiscard]] static ribbon_source bins_of(std::size_t shard, unsigned bits) noexcept {
    const std::size_t bins = spool::bins >> bits;
    return {shard * bins, (shard + 1) * bins};
  }

  template <class Word, class ValueOf>
  [[nodiscard]] bool build_layer(const spool& keys, ValueOf& value_of, parts& made, crew_of<Word>& crew,
                                 spool& bumped) {
    const auto& with = out_.shape();
    core::shards parted(sizing::ribbon_shard_bits(keys.size(), made.layers.size(), how_.shard_from));
    (void)parted.balance(keys, false);
    const unsigned bits = parted.bits();
    const std::uint64_t shards = parted.count();
    const std::uint64_t slots = sizing::ribbon_slots(with, keys.size(), bits, how_.layer_scale);
    const std::uint64_t buckets = with.buckets(slots);
    if (slots > ribbon::most_slots)
      throw bad_parameter(detail::text("keys: ", keys.size(), " are too many for one shard"));
    const core::ribbon_row rows(made.layers.size(), with, slots);
    const std::uint64_t first_bucket = made.codes.size();
    made.codes.resize(first_bucket + (buckets << bits));
    cells::columns& cells = made.cells.emplace_back(slots << bits, how_.width, how_.memory);

    std::vector<std::vector<ribbon_exception>> listed(shards);
    const outcome result = solve_parts(shards, how_.threads, [&](std::size_t shard, std::size_t worker) {
      auto& mine = crew[worker];
      const auto codes = std::span(made.codes).subspan(first_bucket + shard * buckets, buckets);
      if (const outcome own = mine.fill(keys, bins_of(shard, bits), rows, slots, codes, value_of);
          own != outcome::solved)
        return own;
      mine.solve(how_.width, cells.storage().data() + cells::columns::words_for(shard * slots, how_.width));
      listed[shard] = mine.exceptions();
      return outcome::solved;
    });
    if (result != outcome::solved) return false;
    for (std::uint64_t shard = 0; shard < shards; ++shard)
      for (auto e = listed[shard].rbegin(); e != listed[shard].rend(); ++e)  // buckets are filled from the last on
        made.exceptions.push_back({first_bucket + shard * buckets + e->bucket, e->depth});
    for (auto& worker : crew) bumped.append(std::move(worker.bumped()));
    made.layers.push_back(std::uint64_t{bits} << ribbon::shard_shift | slots);
    return true;
  }

  // All keys in one plain ribbon, whose shards share the first seed under which each of them has a solution and, of a
  // homogeneous one, all together have few enough sums.
  template <class Word, class ValueOf>
  [[nodiscard]] bool build_plain(const spool& keys, unsigned shard_bits, ValueOf& value_of, parts& made,
                                 crew_of<Word>& crew) {
    const auto& with = out_.shape();
    const bool base = with.form == sizing::ribbon_form::bumped;
    core::shards parted(shard_bits);
    const auto load = parted.balance(keys, false);
    const std::uint64_t fullest = *std::max_element(load.begin(), load.end());
    const unsigned bits = parted.bits();
    // Of all rows; one shard may have the share of all.
    const double most_sums = std::exp2(-static_cast<double>(sizing::ribbon_sum_bits(with, how_.width)));
    std::vector<double> sums(parted.count());
    for (unsigned attempt = 0; attempt < sizing::ribbon_attempts; ++attempt) {
      const std::uint64_t slots =
          base ? sizing::ribbon_base_slots(with, keys.size(), attempt)
               : sizing::ribbon_plain_slots(with, keys.size(), fullest, how_.width, attempt, how_.layer_scale);
      if (slots > ribbon::most_slots) break;
      const core::ribbon_row rows(ribbon::base_salt + attempt, with, slots);
      cells::columns cells(slots << bits, how_.width, how_.memory);
      const outcome result = solve_parts(parted.count(), how_.threads, [&](std::size_t shard, std::size_t worker) {
        auto& mine = crew[worker];
        if (const outcome own = mine.fill_all(keys, bins_of(shard, bits), rows, slots, value_of);
            own != outcome::solved)
          return own;
        if (out_.all_zero()) {
          sums[shard] = mine.share_of_sums(rows) / static_cast<double>(sums.size());
          if (sums[shard] > most_sums) return outcome::stuck;
          mine.draw_empty(shard);
        }
        mine.solve(how_.width, cells.storage().data() + cells::columns::words_for(shard * slots, how_.width));
        return outcome::solved;
      });
      if (result == outcome::repeats) return false;
      if (result == outcome::stuck) continue;
      if (std::accumulate(sums.begin(), sums.end(), 0.0) > most_sums) continue;
      if (base)
        out_.base_slots_ = slots;
      else
        made.layers.push_back(std::uint64_t{bits} << ribbon::shard_shift | slots);
      out_.base_attempt_ = attempt;
      made.cells.push_back(std::move(cells));
      return true;
    }
    throw unsolvable(detail::text("ribbon: none of ", sizing::ribbon_attempts, " plain ribbons could be solved for ",
                                  keys.size(), " keys"));
  }

  void put_together(parts& made) {
    out_.layers_ = cells::words<>(made.layers.size(), how_.memory);
    std::copy(made.layers.begin(), made.layers.end(), out_.layers_.data());
    out_.draw_levels();
    if (out_.buckets_ != 0) out_.thresholds_ = cells::packed(out_.buckets_, out_.shape().code_bits, how_.memory);
    for (std::uint64_t i = 0; i < out_.buckets_; ++i) out_.thresholds_.set(i, made.codes[i]);
    write_exceptions(made.exceptions);
    out_.draw_exceptions();
    out_.cells_ =
        made.cells.size() == 1 ? std::move(made.cells[0]) : cells::columns(out_.slots_, out_.width(), how_.memory);
    if (made.cells.size() == 1) return;
    std::uint64_t* next = out_.cells_.storage().data();
    for (cells::columns& piece : made.cells) {
      next = std::copy_n(piece.storage().data(), piece.storage().size(), next);
      piece = cells::columns();
    }
  }

  // As ribbon::draw_exceptions reads them.
  void write_exceptions(const std::vector<ribbon_exception>& listed) {
    std::vector<std::uint32_t> words;
    std::uint64_t at = 0;
    for (const ribbon_exception& e : listed) {
      for (; e.bucket - at > ribbon::most_step; at += ribbon::most_step)
        words.push_back(ribbon::most_step << ribbon::depth_bits | ribbon::only_a_step);
      words.push_back(static_cast<std::uint32_t>((e.bucket - at) << ribbon::depth_bits | e.depth));
      at = e.bucket;
    }
    out_.exceptions_ = cells::words<std::uint32_t>(words.size(), how_.memory);
    std::copy(words.begin(), words.end(), out_.exceptions_.data());
  }

  ribbon& out_;
  const build_options& how_;
};

}  // namespace umbel::core
