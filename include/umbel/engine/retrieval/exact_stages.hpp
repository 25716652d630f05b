// exact_stages.hpp - exact membership on a declared universe in two retrieval stages [Sch25]: half
// a bit per member above the bound.
//
// The first stage, a retrieval engine of `rank` fingerprint bits, lets the members pass, and by
// chance about as many of the others. The second holds one bit for every key that passes: member or
// not. Where members are rarer in some parts of the universe than in others, keys come in blocks:
// every block gets the rank that suits its own share, and the whole is smaller than any set that
// knows only the sum.
//
// Stages     Bumped ribbons (ribbon/ribbon.hpp). A set without blocks has square systems
//            (matrix/square_systems.hpp) instead if the fixed costs of ribbons would put it more
//            than 0.6 bits per member above the bound: up to 33,478 members of 10^6 keys. Of
//            several first stages it keeps, part by part, those that let the fewest keys of the
//            majority pass.
// Layout     Of a small set: `head`, a few bytes (see head()), then the cells of both stages. Of
//            others: blocks, by number, each with a byte: which first stage its keys go through,
//            and what a key that does not pass is. All blocks of one rank share a first stage, all
//            that pass share the second: a list of ribbons, narrow ones first, the second stage
//            last. Where members are the majority of a block, the others are what its first stage
//            stores. A block of one side only needs no stage. A set without blocks has one, number
//            0.
// Invariant  Every key of the universe is answered as it was declared. Other keys get either
//            answer, but those of a block that holds nobody get no.
// Limits     Static. At g others for a member log2(g) + 1.9 to 2.0 bits per member, of 1.44 +
//            log2(g); see sizing. From 0.1 % to 99.9 % of 10^6 keys everything that is stored is
//            within 0.6 bits per member of the minority of log2 C(universe, members). While it is
//            built, one word or two for each block are in memory; so few blocks per member that 9
//            bytes each are no matter.
// Threads    Immutable: any number of readers.
// Source     [Sch25]. Differs in that stages are bumped ribbons, which never fail, one for all
//            blocks of a rank; that the minority of a block is stored; and that blocks need no
//            offsets.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <type_traits>
#include <vector>

#include <umbel/base/config.hpp>
#include <umbel/cells/words.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/engine/retrieval/matrix/square_systems.hpp>
#include <umbel/engine/retrieval/ribbon/ribbon.hpp>
#include <umbel/engine/retrieval/tagged.hpp>

namespace umbel::core {

class exact_stages {
 public:
  struct build_options {
    bool members_in_universe = false;  // refuse a universe that misses one: incomplete_universe
    std::pmr::memory_resource* memory = nullptr;
    unsigned threads = 1;
    std::uint64_t shard_from = sizing::peel_shard_from;  // a seam for tests
  };

  exact_stages() = default;

  // Members and universe, of keys or of keys in blocks (in_block). A key counts once in every block
  // it is given with.
  template <class Spool>
  [[nodiscard]] static exact_stages build(const Spool& members, const Spool& universe,
                                          const build_options& options);
  // A key of a block: one digest may be in many.
  [[nodiscard]] static valued in_block(digest d, std::uint64_t block) noexcept {
    // the top of `hi` stays the shards'; block 0 changes nothing
    return {{d.hi, d.lo ^ detail::mix64(block)}, block};
  }
  // Of one block.
  [[nodiscard]] static umbel::plan plan(std::uint64_t members, std::uint64_t universe,
                                        std::uint64_t shard_from);

  [[nodiscard]] bool contains(digest d) const noexcept { return answer(d, way_of(0)); }
  void contains(std::size_t total, auto& digest_at, bool* out) const noexcept {
    in_turns(
        total, digest_at, [way = way_of(0)](std::size_t) { return way; }, out);
  }
  // In a set of blocks; false in one that it does not cover.
  [[nodiscard]] bool contains(digest d, std::uint64_t block) const noexcept {
    return answer(in_block(d, block).key, way_of(block));
  }
  void contains(std::size_t total, auto& digest_at, const std::uint64_t* blocks,
                bool* out) const noexcept {
    in_turns(
        total, [&](std::size_t i) { return in_block(digest_at(i), blocks[i]).key; },
        [&](std::size_t i) { return way_of(blocks[i]); }, out);
  }
  // Whether any key of this block was declared. Without that, no answer about its keys means
  // anything.
  [[nodiscard]] bool covers(std::uint64_t block) const noexcept {
    return place_of(block) != ids_.size();
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return members_; }
  [[nodiscard]] std::uint64_t universe() const noexcept { return universe_; }  // members and others
  [[nodiscard]] std::uint64_t blocks() const noexcept { return ids_.size(); }
  [[nodiscard]] bool inverted(std::uint64_t block) const noexcept {
    return (way_of(block) & inverted_bit) != 0;
  }
  // Fingerprint bits of a block's keys.
  [[nodiscard]] unsigned rank(std::uint64_t block) const noexcept {
    const std::uint8_t stage = way_of(block) & stage_mask;
    return stage == 0 ? 0 : stage_width(stage);
  }
  // Keys that the second stage holds a bit for: the minority of every block, and those of the
  // majority that pass.
  [[nodiscard]] std::uint64_t passing() const noexcept {
    if (is_small()) return second_.keys();
    return ribbons_.empty() ? 0 : ribbons_.back().keys();
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept;
  // Of keys outside the universe, to which nothing is promised: the share that is answered yes,
  // over all blocks alike.
  [[nodiscard]] double expected_fpr() const noexcept;

  friend bool operator==(const exact_stages& a, const exact_stages& b) noexcept {
    return a.members_ == b.members_ && a.universe_ == b.universe_ && a.ids_ == b.ids_ &&
           a.ways_ == b.ways_ && a.ribbons_ == b.ribbons_ && a.head_ == b.head_ &&
           a.first_ == b.first_ && a.second_ == b.second_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("members", self.members_);
    field("universe", self.universe_);
  }
  static void describe(auto& self, auto& part) {
    part.array("head", self.head_);
    if (self.is_small()) {
      part.array("first", self.first_.cells().storage());
      part.array("second", self.second_.cells().storage());
      return;
    }
    part.fields("exact", self);
    part.array("ids", self.ids_);
    part.array("ways", self.ways_);
    part.list("ribbons", self.ribbons_);
  }
  void check();

 private:
  template <class Spool>
  class builder;

  // What becomes of the keys of a block: the number of their first stage, from 1, or 0 if all pass;
  // whether a key that does not pass is a member; and whether none of that matters, because all
  // keys of the block are as this one.
  static constexpr std::uint8_t stage_mask = 0x3F, inverted_bit = 0x40, settled_bit = 0x80;
  // a block that is not there: nobody is a member
  static constexpr std::uint8_t unknown = settled_bit;
  static constexpr std::size_t turn = 512;  // keys of a batch that are in work together
  // Of a small set. A build expects half as many at most, and no chance goes so far above it.
  static constexpr std::uint64_t max_passing = 2 * sizing::exact_square_most;

  // Fields, ids and ways of a set that is not small.
  [[nodiscard]] static std::uint64_t own_bits(std::uint64_t blocks) noexcept {
    return blocks == 0 ? 0 : 2 * 64 + blocks * (64 + 8);
  }
  [[nodiscard]] static ribbon::build_options how_of(std::uint64_t keys, unsigned width,
                                                    const build_options& options);

  [[nodiscard]] bool is_small() const noexcept { return head_.size() != 0; }
  // What a small set says besides its cells. Numbers of 7 bits to a byte, the lowest first, the top
  // bit of a byte set if more follow: 2 * universe + inverted, the keys of the minority, and if
  // there is a first stage the keys of the majority that pass it. Then the entries of both stages.
  // The rank follows.
  [[nodiscard]] std::vector<std::uint8_t> head() const;
  void read_head();
  // The one block of a small set; it is not stored.
  void set_small(std::uint64_t members, std::uint64_t universe);
  [[nodiscard]] static bool takes_squares(std::uint64_t stored, std::uint64_t others,
                                          const build_options& options);
  [[nodiscard]] unsigned stage_width(unsigned stage) const noexcept {
    return is_small() ? first_.width() : ribbons_[stage - 1].width();
  }
  // work(the engine of a first stage, or of the second)
  template <class Work>
  auto with_first(unsigned stage, Work&& work) const noexcept {
    return is_small() ? work(first_) : work(ribbons_[stage - 1]);
  }
  template <class Work>
  auto with_second(Work&& work) const noexcept {
    return is_small() ? work(second_) : work(ribbons_.back());
  }

  [[nodiscard]] std::size_t place_of(std::uint64_t block) const noexcept {
    const auto all = ids_.span();
    const auto at = std::lower_bound(all.begin(), all.end(), block);
    return at != all.end() && *at == block ? static_cast<std::size_t>(at - all.begin())
                                           : all.size();
  }
  [[nodiscard]] std::uint8_t way_of(std::uint64_t block) const noexcept {
    const std::size_t place = place_of(block);
    return place == ids_.size() ? unknown : ways_[place];
  }

  [[nodiscard]] bool answer(digest d, std::uint8_t way) const noexcept {
    const bool inverted = (way & inverted_bit) != 0;
    if ((way & settled_bit) != 0 || !passes(d, way & stage_mask)) return inverted;
    return with_second([d](const auto& second) { return second.value(d) != 0; });
  }
  [[nodiscard]] bool passes(digest d, unsigned stage) const noexcept {
    if (stage == 0) return true;
    return with_first(
        stage, [d](const auto& first) { return first.value(d) == tag_of(d, first.width()); });
  }

  // Hashed keys go through the stages some hundred at a time, each stage as a batch.
  template <class DigestAt, class WayAt>
  void in_turns(std::size_t total, DigestAt&& digest_at, WayAt&& way_at, bool* out) const noexcept {
    std::array<digest, turn> keys;
    std::array<std::uint8_t, turn> ways;
    for (std::size_t first = 0; first < total; first += turn) {
      const std::size_t count = std::min(turn, total - first);
      for (std::size_t i = 0; i < count; ++i) {
        keys[i] = digest_at(first + i);
        ways[i] = way_at(first + i);
      }
      answer({keys.data(), count}, ways.data(), out + first);
    }
  }
  void answer(std::span<const digest> keys, const std::uint8_t* ways, bool* out) const noexcept;
  // Which of at most `turn` keys pass their first stages: their places go to `passed`; how many
  // there are.
  std::size_t pass(std::span<const digest> keys, const std::uint8_t* ways,
                   std::uint16_t* passed) const noexcept;

  std::uint64_t members_ = 0;
  std::uint64_t universe_ = 0;
  cells::words<> ids_;               // of the blocks, rising
  cells::words<std::uint8_t> ways_;  // of the blocks
  std::vector<ribbon> ribbons_;
  cells::words<std::uint8_t> head_;  // none: the set is not small
  square_systems first_, second_;
};

}  // namespace umbel::core

#if UMBEL_WITH_BODIES
#include <umbel/engine/retrieval/exact_stages.ipp>
#endif
