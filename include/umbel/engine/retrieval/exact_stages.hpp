// exact_stages.hpp - clubcard [Sch25]: exact membership on a declared universe in two retrieval
// stages, within half a bit per member of the information-theoretic bound.
//
// The first stage is a retrieval engine of `rank` fingerprint bits. It accepts all members, and by
// chance about as many of the others. The second stage stores one bit for every accepted key:
// whether it is a member. If some parts of the universe have fewer members than others, keys are
// given in blocks. Each block gets the rank for its own share of members, and the whole is smaller
// than any set built from the total numbers.
//
// Stages     Bumped ribbons (ribbon/ribbon.hpp). A set without blocks has square systems
//            (matrix/square_systems.hpp) instead if the fixed costs of ribbons would exceed the
//            bound by more than 0.6 bits per member: up to 33,478 members of 10^6 keys. Several
//            first stages are then solved, and for each part the one that accepts the fewest keys
//            of the majority is kept.
// Layout     A small set: `head`, a few bytes (see head()), then the cells of both stages. Other
//            sets: the numbers of the blocks, and a byte for each (`ways`): which first stage its
//            keys use, and the answer for a key that the stage rejects. All blocks of one rank
//            share a first stage. All blocks share the second stage. The stages are a list of
//            ribbons, in order of width, the second stage last. If most keys of a block are
//            members, its first stage stores the others. A block with only members or only others
//            needs no stage. A set without blocks has one block, number 0.
// Invariant  Every key of the universe gets the right answer. Other keys get either answer; keys of
//            a block that was not declared get no.
// Limits     Static. With g others per member log2(g) + 1.9 to 2.0 bits per member; the bound is
//            1.44 + log2(g); see sizing/exact_set.hpp. From 0.1 % to 99.9 % of 10^6 keys the total
//            size is within 0.6 bits per member of the minority of log2 C(universe, members). A
//            build keeps one or two words per block in memory. A block costs 9 bytes, so there
//            should be few blocks per member.
// Threads    Immutable: any number of readers.
// Source     [Sch25]. Differs: stages are bumped ribbons, which never fail, and one ribbon serves
//            all blocks of a rank; the minority of a block is stored; and blocks need no offsets.
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
    bool members_in_universe = false;  // throw incomplete_universe if one is missing
    std::pmr::memory_resource* memory = nullptr;
    unsigned threads = 1;
    std::uint64_t shard_from = sizing::peel_shard_from;  // a seam for tests
  };

  exact_stages() = default;

  // Members and universe: keys, or keys in blocks (in_block). A key counts once in every block with
  // which it is given.
  template <class Spool>
  [[nodiscard]] static exact_stages build(const Spool& members, const Spool& universe,
                                          const build_options& options);
  // A key of a block. One digest may be in many blocks.
  [[nodiscard]] static valued in_block(digest d, std::uint64_t block) noexcept {
    // shards use the top of `hi`, so it stays; block 0 leaves the digest unchanged
    return {{d.hi, d.lo ^ detail::mix64(block)}, block};
  }
  // For a set of one block.
  [[nodiscard]] static umbel::plan plan(std::uint64_t members, std::uint64_t universe,
                                        std::uint64_t shard_from);

  [[nodiscard]] bool contains(digest d) const noexcept { return answer(d, way_of(0)); }
  void contains(std::size_t total, auto& digest_at, bool* out) const noexcept {
    in_turns(
        total, digest_at, [way = way_of(0)](std::size_t) { return way; }, out);
  }
  // For a set of blocks; false for a block that is not in it.
  [[nodiscard]] bool contains(digest d, std::uint64_t block) const noexcept {
    return answer(in_block(d, block).key, way_of(block));
  }
  void contains(std::size_t total, auto& digest_at, const std::uint64_t* blocks,
                bool* out) const noexcept {
    in_turns(
        total, [&](std::size_t i) { return in_block(digest_at(i), blocks[i]).key; },
        [&](std::size_t i) { return way_of(blocks[i]); }, out);
  }
  // Whether this block was declared with any key. If not, an answer for its keys has no meaning.
  [[nodiscard]] bool covers(std::uint64_t block) const noexcept {
    return place_of(block) != ids_.size();
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return members_; }
  [[nodiscard]] std::uint64_t universe() const noexcept { return universe_; }  // members and others
  [[nodiscard]] std::uint64_t blocks() const noexcept { return ids_.size(); }
  [[nodiscard]] bool inverted(std::uint64_t block) const noexcept {
    return (way_of(block) & inverted_bit) != 0;
  }
  // The number of fingerprint bits of a block's first stage.
  [[nodiscard]] unsigned rank(std::uint64_t block) const noexcept {
    const std::uint8_t stage = way_of(block) & stage_mask;
    return stage == 0 ? 0 : stage_width(stage);
  }
  // The number of keys in the second stage: the minority of every block, and the accepted keys of
  // the majority.
  [[nodiscard]] std::uint64_t passing() const noexcept {
    if (is_small()) return second_.keys();
    return ribbons_.empty() ? 0 : ribbons_.back().keys();
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept;
  // For keys outside the universe, which have no guarantee: the share answered yes, averaged over
  // all blocks.
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

  // The entry of a block: the number of its first stage, from 1, or 0 if all keys reach the second
  // stage; whether a rejected key is a member; and whether all keys of the block are alike, so that
  // no stage is used.
  static constexpr std::uint8_t stage_mask = 0x3F, inverted_bit = 0x40, settled_bit = 0x80;
  // an undeclared block: no key is a member
  static constexpr std::uint8_t unknown = settled_bit;
  static constexpr std::size_t turn = 512;  // keys of a batch processed together
  // Limit for a small set, twice what a build expects at most. Beyond it ribbons are used.
  static constexpr std::uint64_t max_passing = 2 * sizing::exact_square_most;

  // The size of fields, ids and ways of a set that is not small.
  [[nodiscard]] static std::uint64_t own_bits(std::uint64_t blocks) noexcept {
    return blocks == 0 ? 0 : 2 * 64 + blocks * (64 + 8);
  }
  [[nodiscard]] static ribbon::build_options how_of(std::uint64_t keys, unsigned width,
                                                    const build_options& options);

  [[nodiscard]] bool is_small() const noexcept { return head_.size() != 0; }
  // The data of a small set besides its cells. Numbers are stored with 7 bits per byte, the lowest
  // first, with the top bit set if more bytes follow: 2 * universe + inverted; the number of keys
  // in the minority; and, if there is a first stage, the number of keys of the majority that it
  // accepts. Then the entries of both stages. The rank is computed from these.
  [[nodiscard]] std::vector<std::uint8_t> head() const;
  void read_head();
  // Sets the only block of a small set; it is not stored.
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

  // Hashed keys pass through the stages 512 at a time, each stage as a batch.
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
  // Finds which of at most `turn` keys their first stages accept. Writes their positions to
  // `passed` and returns their number.
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
