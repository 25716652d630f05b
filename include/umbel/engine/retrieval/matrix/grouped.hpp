// grouped.hpp - retrieval in r + 0.2 bits per key [Por09]: a small dense linear system over GF(2)
// for each group of about 64 keys.
//
// A group of keys has as many unknowns of r bits as keys. A key's row is a string of random bits,
// one for each unknown of its group; its value is the XOR of the unknowns whose bit is set. If the
// rows have no solution, they are drawn again with the next seed: three or four times on average.
// So no unknown is left over.
//
// Layout     Two levels. Buckets of about 16384 keys, fastrange(hi, buckets). The directory has a
//            word for each, first key << 9 | bad << 8 | division, and one more after the last. A
//            bucket is divided into groups by fastrange of words salted with its division number.
//            An entry of 12 bits per group: the distance of the group's first key from its position
//            if all groups were equal, plus 128, and the seed << 8. Seed 15 means that the seed is
//            in the list `seeds`, words of group << 16 | seed. Cells of r bits, packed, group after
//            group without gaps, `spare` more per group than keys. Keys of bad buckets are listed,
//            sorted, with their values. With one level, buckets have the size of a group and one
//            group each. Groups of 3 keys, solved by table, use the same layout, but rows of at
//            most 5 bits are looked up.
// Invariant  After build, value(x) is exact for every key of the build. The bytes depend only on
//            the set of (key, value).
// Limits     A bucket is bad if it has twice the expected keys, which is likely only for crafted
//            digests. If the list of their keys becomes long, all digests are remixed, up to eight
//            times; then `unsolvable`.
// Threads    Immutable: any number of readers.
// Source     [Por09] sections 4 to 6.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <string_view>

#include <umbel/base/config.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/kernel/chosen.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/cells/words.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/retrieval/matrix/pairwise.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/matrix.hpp>
#include <umbel/solve/dense_rows.hpp>

namespace umbel::core {

template <class Source>
class grouped_builder;

class grouped {
 public:
  struct build_options {
    unsigned width = 8;  // bits per value, 1 to 64
    // keys of a group on average: 64, 128, 256; 3 for those solved by table
    std::uint64_t group = 64;
    std::uint64_t spare = 0;  // unknowns of a group beyond its keys: fewer seeds to try, more bits
    std::uint64_t levels = 2;
    matrix_source source = matrix_source::hashed;
    std::uint64_t draw = 0;  // seed of the functions that matrix_source::pairwise draws
    std::pmr::memory_resource* memory = nullptr;
    unsigned threads = 1;
  };

  grouped() = default;

  // The size for n keys of this width. `tag_bits` of the width distinguish members from
  // non-members.
  [[nodiscard]] static umbel::plan plan(std::uint64_t n, unsigned tag_bits,
                                        const build_options& options) {
    check_keys(n);
    check_options(options);
    if (n == 0) return {};
    const sizing::matrix_shape shape = sizing::shape_matrix(n, options.group, options.levels);
    const std::uint64_t groups = shape.buckets * shape.groups, cells = n + options.spare * groups;
    const auto listed = static_cast<std::uint64_t>(
        options.spare == 0 ? static_cast<double>(groups) * sizing::matrix_listed(options.width)
                           : 0);
    return {.keys = n,
            .cells = cells,
            .probes = 1,
            .bits = (cells::packed::words_for(cells, options.width) +
                     cells::packed::words_for(groups + 1, sizing::matrix_entry_bits) +
                     shape.buckets + 1 + listed) *
                    64,
            .fpr = std::exp2(-static_cast<double>(tag_bits))};
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] unsigned width() const noexcept { return static_cast<unsigned>(width_); }
  [[nodiscard]] std::uint64_t groups() const noexcept { return shape_.buckets * shape_.groups; }
  // of bad buckets
  [[nodiscard]] std::uint64_t listed_keys() const noexcept { return side_.size() / 3; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return keys_ == 0 ? 0
                      : (cells_.storage().size() + entries_.storage().size() + directory_.size() +
                         seeds_.size() + side_.size()) *
                            64;
  }
  // The seed of a group, for statistics.
  [[nodiscard]] std::uint64_t seed_of(std::uint64_t group) const noexcept {
    const std::uint64_t seed = entries_.get(group) >> sizing::matrix_stray_bits;
    return seed == sizing::matrix_listed_seed ? listed_seed(group) : seed;
  }

  // Exact for keys of the build, arbitrary for others; 0 if there are no keys.
  [[nodiscard]] std::uint64_t value(digest d) const noexcept {
    if (keys_ == 0) return 0;
    const spot at = finder(*this)(d);
    if (at.unknowns == 0) return listed_value(at.key);
    std::array<std::uint64_t, max_words> row;
#if defined(__x86_64__)
    if (cells::kernel::in_use() >= cells::kernel::level::avx2) return value_avx2(at, row.data());
#endif
    return cells::kernel::portable::chosen(cells_, at.first, row.data(), draw(at, row.data()));
  }
  // sink(i, note, value) for i below `total`, in order. The note is note_of(digest), computed when
  // the key is located.
  template <class DigestAt, class NoteOf, class Sink>
  void values(std::size_t total, DigestAt&& digest_at, NoteOf&& note_of,
              Sink&& sink) const noexcept {
    if (keys_ == 0) {
      for (std::size_t i = 0; i < total; ++i) sink(i, note_of(digest_at(i)), std::uint64_t{0});
      return;
    }
#if defined(__x86_64__)
    if (cells::kernel::in_use() >= cells::kernel::level::avx2)
      return values_avx2(total, digest_at, note_of, sink);
#endif
    values_portable(total, digest_at, note_of, sink);
  }

  friend bool operator==(const grouped& a, const grouped& b) noexcept {
    return a.keys_ == b.keys_ && a.width_ == b.width_ && a.group_ == b.group_ &&
           a.spare_ == b.spare_ && a.levels_ == b.levels_ && a.source_ == b.source_ &&
           a.draw_ == b.draw_ && a.redraw_ == b.redraw_ && a.directory_ == b.directory_ &&
           a.entries_ == b.entries_ && a.seeds_ == b.seeds_ && a.side_ == b.side_ &&
           a.cells_ == b.cells_;
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("keys", self.keys_);
    field("width", self.width_);
    field("group", self.group_);
    field("spare", self.spare_);
    field("levels", self.levels_);
    field("source", self.source_, matrix_source_names);
    field("draw", self.draw_);
    field("redraw", self.redraw_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("grouped", self);
    part.array("directory", self.directory_);
    part.array("entries", self.entries_.storage());
    part.array("seeds", self.seeds_);
    part.array("side", self.side_);
    part.array("cells", self.cells_.storage());
  }
  // `tabulated`: whether the form is the one with groups of three.
  void check(bool tabulated) {
    const auto require = [](bool holds, std::string_view field, std::uint64_t found) {
      if (!holds)
        throw corrupt(detail::text("grouped: field ", field, " has the impossible value ", found));
    };
    require(width_ >= 1 && width_ <= 64, "width", width_);
    require(keys_ <= max_keys, "keys", keys_);
    require(tabulated ? is_tabulated() : possible_group(group_), "group", group_);
    require(spare_ <= (is_tabulated() ? 0 : sizing::matrix_max_spare), "spare", spare_);
    require(levels_ == 2 || (levels_ == 1 && !is_tabulated()), "levels", levels_);
    require(source_ == 0 || (source_ == 1 && group_ == pairwise_group), "source", source_);
    require(draw_ == 0 || source_ == 1, "draw", draw_);
    require(redraw_ < (keys_ == 0 ? 1 : sizing::matrix_redraws), "redraw", redraw_);
    draw_shape();
    directory_.require(keys_ == 0 ? 0 : shape_.buckets + 1);
    seeds_.require(keys_ == 0 ? 0 : seeds_.size());
    side_.require(keys_ == 0 ? 0 : side_.size() / 3 * 3);
    if (keys_ == 0) {
      entries_.storage().require(0);
      return cells_.storage().require(0);
    }
    // Small, and queries follow them without a look: own them.
    for (cells::words<>* const part : {&directory_, &seeds_, &side_}) part->own();
    require(directory_[0] >> first_shift == 0, "first", directory_[0] >> first_shift);
    for (std::size_t i = 1; i < directory_.size(); ++i) {
      const std::uint64_t first = directory_[i - 1] >> first_shift,
                          end = directory_[i] >> first_shift;
      require(end >= first && end - first <= sizing::matrix_bucket_most, "first", end);
      require((directory_[i - 1] & detail::low_mask(8)) <= division_mask, "division",
              directory_[i - 1] & detail::low_mask(8));
      require(
          !is_bad(directory_[i - 1]) || (end == first && (directory_[i - 1] & division_mask) == 0),
          "bad", i - 1);
    }
    const std::uint64_t last = directory_[directory_.size() - 1], keys = last >> first_shift;
    require((last & detail::low_mask(first_shift)) == 0, "division",
            last & detail::low_mask(first_shift));
    require(keys + listed_keys() == keys_, "keys", keys_);  // no overflow: a first has 55 bits
    for (std::size_t i = 0; i < seeds_.size(); ++i) {
      require(seeds_[i] >> seed_shift < groups() &&
                  (seeds_[i] & seed_mask) >= sizing::matrix_listed_seed &&
                  (i == 0 || seeds_[i - 1] >> seed_shift < seeds_[i] >> seed_shift),
              "seed", seeds_[i]);
    }
    for (std::size_t i = 0; i < listed_keys(); ++i) {
      require(i == 0 || listed_key(i - 1) < listed_key(i), "side", i);
      require((side_[3 * i + 2] & ~detail::low_mask(width())) == 0, "side", side_[3 * i + 2]);
    }
    entries_.reshape(groups() + 1, sizing::matrix_entry_bits);
    const std::uint64_t cells = keys + spare_ * groups();
    require(cells <= sizing::max_bits / width_, "first", cells);  // or sizes would wrap
    cells_.reshape(cells, width());
  }

  // Throws bad_parameter. Called by the builder, by plans and where a form is selected.
  static void check_options(const build_options& options) {
    const bool tabulated = options.group == sizing::matrix_tabulated_group;
    if (!tabulated && !possible_group(options.group))
      throw bad_parameter(
          detail::text("group: expected 64, 128 or 256 keys, found ", options.group));
    if (options.spare > (tabulated ? 0 : sizing::matrix_max_spare))
      throw bad_parameter(detail::text("spare: expected at most ",
                                       tabulated ? 0 : sizing::matrix_max_spare,
                                       " unknowns, found ", options.spare));
    if (options.levels != 2 && (options.levels != 1 || tabulated))
      throw bad_parameter(
          detail::text("levels: expected ", tabulated ? "" : "1 or ", "2, found ", options.levels));
    if (options.source != matrix_source::hashed &&
        (options.source != matrix_source::pairwise || options.group != pairwise_group))
      throw bad_parameter("source: expected hashed, or pairwise with groups of 64 keys");
    if (options.draw != 0 && options.source != matrix_source::pairwise)
      throw bad_parameter("draw: only the source pairwise draws functions; leave it 0");
  }

 private:
  template <class Source>
  friend class grouped_builder;

  static constexpr unsigned first_shift = 9, seed_shift = 16;
  static constexpr std::uint64_t division_mask = 0x3F, bad_flag = 0x100, seed_mask = 0xFFFF;
  static constexpr std::uint64_t pairwise_group = 64;
  static constexpr std::uint64_t no_stray = std::uint64_t{1} << (sizing::matrix_stray_bits - 1);
  static constexpr std::uint64_t redraw_number = 0x100;  // beside the divisions
  static constexpr std::uint64_t max_unknowns =
      sizing::matrix_group_most(256) + sizing::matrix_max_spare;
  static constexpr std::size_t max_words = detail::ceil_div(max_unknowns, 128) * 2;

  [[nodiscard]] static constexpr bool possible_group(std::uint64_t group) noexcept {
    return group == 64 || group == 128 || group == 256;
  }
  [[nodiscard]] bool is_tabulated() const noexcept {
    return group_ == sizing::matrix_tabulated_group;
  }
  [[nodiscard]] static bool is_bad(std::uint64_t bucket) noexcept {
    return (bucket & bad_flag) != 0;
  }
  [[nodiscard]] digest listed_key(std::size_t i) const noexcept {
    return {side_[3 * i], side_[3 * i + 1]};
  }

  void draw_shape() noexcept {
    shape_ = sizing::shape_matrix(keys_, group_, levels_);
    scale_ = shape_.groups == 0 ? 0 : (std::uint64_t{1} << 32) / shape_.groups;
    most_ = sizing::matrix_group_most(group_) + spare_;
    loads_ = cells::kernel::load_shape(width());
    plain_ = source_ == 0 && !is_tabulated();
    redrawing_ = detail::remixer(detail::salt_of(detail::stage::groups, redraw_number + redraw_));
    pairs_ = core::pairwise_source(sizing::pairwise_candidate_bits(keys_),
                                   sizing::pairwise_entry_bits(group_), draw_, redraw_);
  }

  // ---- queries ----

  static constexpr auto divisions = [] {
    std::array<detail::remixer, division_mask + 1> out;
    for (std::uint64_t i = 0; i < out.size(); ++i)
      out[i] = detail::remixer(detail::salt_of(detail::stage::groups, i));
    return out;
  }();

  // A key's group: its unknowns (0 if the key is listed instead), and the inputs of its row.
  struct spot {
    std::uint64_t first;
    digest key;
    std::uint32_t unknowns, seed;
  };

  // The position of the first key of a bucket's group j if all groups were equal.
  [[nodiscard]] static std::uint64_t even(std::uint64_t j, std::uint64_t keys,
                                          std::uint64_t scale) noexcept {
    return (j * keys * scale + (std::uint64_t{1} << 31)) >> 32;
  }
  [[nodiscard]] [[gnu::noinline]] std::uint64_t listed_seed(std::uint64_t group) const noexcept {
    std::size_t low = 0, high = seeds_.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      (seeds_[middle] >> seed_shift < group ? low : high) =
          middle + (seeds_[middle] >> seed_shift < group);
    }
    return low < seeds_.size() ? seeds_[low] & seed_mask : sizing::matrix_listed_seed;
  }
  // The digest that is divided: remixed if redraw_ is not 0.
  [[nodiscard]] digest drawn(digest d) const noexcept {
    if (redraw_ == 0) [[likely]]
      return d;
    const detail::remixed words = redrawing_(d);
    return {words.first(), words.second()};
  }
  // What locating a key needs, copied by value: a loop then keeps it in registers.
  struct finder {
    const std::uint64_t* directory;
    const unsigned char* entries;
    std::uint64_t buckets, groups, scale, spare, most, cells;
    const grouped* all;

    explicit finder(const grouped& from) noexcept
        : directory(from.directory_.data()),
          entries(reinterpret_cast<const unsigned char*>(from.entries_.storage().data())),
          buckets(from.shape_.buckets),
          groups(from.shape_.groups),
          scale(from.scale_),
          spare(from.spare_),
          most(from.most_),
          cells(from.cells_.size()),
          all(&from) {}

    [[nodiscard]] [[gnu::always_inline]] spot operator()(digest given) const noexcept {
      const digest d = all->drawn(given);
      const std::uint64_t bucket = detail::fastrange(d.hi, buckets);
      const std::uint64_t word = directory[bucket], first = word >> first_shift;
      if (is_bad(word)) [[unlikely]]
        return {0, d, 0, 0};
      const std::uint64_t keys = (directory[bucket + 1] >> first_shift) - first;
      const std::uint64_t j = detail::fastrange(divisions[word & division_mask](d).first(), groups);
      const std::uint64_t group = bucket * groups + j, bit = group * sizing::matrix_entry_bits;
      // The entries of this group and of the next, in one load.
      const std::uint64_t two = detail::load_le<std::uint64_t>(entries + bit / 8) >> bit % 8;
      constexpr std::uint64_t stray_mask = detail::low_mask(sizing::matrix_stray_bits);
      const std::uint64_t begin = even(j, keys, scale) + (two & stray_mask);
      const std::uint64_t end =
          even(j + 1, keys, scale) + (two >> sizing::matrix_entry_bits & stray_mask);
      const std::uint64_t unknowns = end - begin + spare;
      const std::uint64_t at = first + begin - no_stray + spare * group;
      // Entries are not checked when a file is loaded, so they are checked here.
      if (unknowns > most || at > cells || unknowns > cells - at) [[unlikely]]
        return {0, d, 0, 0};
      std::uint64_t seed = two >> sizing::matrix_stray_bits & 0xF;
      if (seed == sizing::matrix_listed_seed) [[unlikely]]
        seed = all->listed_seed(group);
      return {at, d, static_cast<std::uint32_t>(unknowns), static_cast<std::uint32_t>(seed)};
    }
  };
  // Draws the row of a spot that has unknowns. Returns the number of its words, at least two.
  [[gnu::always_inline]] unsigned draw(const spot& at, std::uint64_t* row) const noexcept {
    if (!solve::dense_rows::draw_short(at.key, at.seed, at.unknowns, row) || !plain_) [[unlikely]]
      return draw_otherwise(at, row);
    return 2;
  }
  [[gnu::noinline]] unsigned draw_otherwise(const spot& at, std::uint64_t* row) const noexcept {
    if (source_ != 0) {
      pairs_.draw(at.key, at.seed, at.unknowns, row);
    } else if (is_tabulated() && at.unknowns <= solve::dense_rows::max_tabled) {
      row[0] = solve::dense_rows::vector(solve::dense_rows::id(at.key, at.seed), at.unknowns);
      row[1] = 0;
    } else {
      solve::dense_rows::draw(at.key, at.seed, at.unknowns, row);
    }
    return (at.unknowns + 127) / 128 * 2;
  }
  // The value of a key in a bad bucket; 0 for others.
  [[nodiscard]] [[gnu::noinline]] std::uint64_t listed_value(digest d) const noexcept {
    std::size_t low = 0, high = listed_keys();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      (listed_key(middle) < d ? low : high) = middle + (listed_key(middle) < d);
    }
    return low < listed_keys() && listed_key(low) == d ? side_[3 * low + 2] : 0;
  }

  struct waiting {
    std::uint64_t note;
    spot at;
  };
  template <class DigestAt, class NoteOf>
  [[nodiscard]] auto prepare(DigestAt& digest_at, NoteOf& note_of) const noexcept {
    const auto* const cells = reinterpret_cast<const std::byte*>(cells_.storage().data());
    // the least number of cells that is read, even if the group has fewer
    const std::uint64_t least = width_ == 8 ? cells::kernel::min_bytes : 0;
    return [&digest_at, &note_of, cells, least, width = width_, find = finder(*this)](std::size_t i,
                                                                                      waiting& w) {
      const digest d = digest_at(i);
      w.note = note_of(d);
      w.at = find(d);
      const std::byte* const at = cells + w.at.first * width / 8;
      const std::uint64_t bytes = std::max<std::uint64_t>(w.at.unknowns, least) * width / 8;
      // these three are nearly always enough; a branch on their number would be unpredictable
      detail::prefetch_read(at);
      detail::prefetch_read(at + bytes / 2);
      detail::prefetch_read(at + bytes);
      if (bytes > 128) [[unlikely]]
        for (std::uint64_t line = 64; line < bytes; line += 64) detail::prefetch_read(at + line);
    };
  }
  template <class DigestAt, class NoteOf, class Sink>
  [[UMBEL_FLAT]] void values_portable(std::size_t total, DigestAt& digest_at, NoteOf& note_of,
                                      Sink& sink) const noexcept {
    detail::ring<waiting>(total, prepare(digest_at, note_of), [&](std::size_t i, const waiting& w) {
      std::array<std::uint64_t, max_words> row;
      sink(i, w.note,
           w.at.unknowns == 0 ? listed_value(w.at.key)
                              : cells::kernel::portable::chosen(cells_, w.at.first, row.data(),
                                                                draw(w.at, row.data())));
    });
  }
#if defined(__x86_64__)
  [[nodiscard]] [[gnu::target("avx2,bmi2,popcnt")]] std::uint64_t value_avx2(
      const spot& at, std::uint64_t* row) const noexcept {
    (void)draw(at, row);
    return cells::kernel::avx2::chosen(cells_, {cells_, loads_}, at.first, at.unknowns, row);
  }
  template <class Sink>
  // not a lambda: lambdas are compiled for the base instruction set, so the kernel would not be
  // inlined
  struct finish_avx2 {
    const grouped* from;
    const cells::kernel::chosen_from cells;
    Sink& sink;
    [[gnu::target("avx2,bmi2,popcnt")]] void operator()(std::size_t i,
                                                        const waiting& w) const noexcept {
      std::array<std::uint64_t, max_words> row;
      if (w.at.unknowns == 0) [[unlikely]]
        return sink(i, w.note, from->listed_value(w.at.key));
      (void)from->draw(w.at, row.data());
      sink(i, w.note,
           cells::kernel::avx2::chosen(from->cells_, cells, w.at.first, w.at.unknowns, row.data()));
    }
  };
  template <class DigestAt, class NoteOf, class Sink>
  [[gnu::target("avx2,bmi2,popcnt"), UMBEL_FLAT]] void values_avx2(std::size_t total,
                                                                   DigestAt& digest_at,
                                                                   NoteOf& note_of,
                                                                   Sink& sink) const noexcept {
    detail::ring<waiting>(total, prepare(digest_at, note_of),
                          finish_avx2<Sink>{this, {cells_, loads_}, sink});
  }
#endif

  std::uint64_t keys_ = 0;
  std::uint64_t width_ = 1;
  std::uint64_t group_ = 64;
  std::uint64_t spare_ = 0;
  std::uint64_t levels_ = 2;
  std::uint64_t source_ = 0;
  std::uint64_t draw_ = 0;
  std::uint64_t redraw_ = 0;
  cells::words<> directory_;  // of every bucket; then the number of keys in all
  cells::packed entries_;
  cells::words<> seeds_;  // of groups whose seed no entry holds
  cells::words<> side_;   // keys of bad buckets: hi, lo, value
  cells::packed cells_;
  // These follow from the fields above:
  sizing::matrix_shape shape_;
  std::uint64_t scale_ = 0;  // 2^32 / groups of a bucket
  std::uint64_t most_ = 0;   // unknowns of a group
  bool plain_ = true;        // short rows come from the digest alone
  detail::remixer redrawing_;
  core::pairwise_source pairs_;
  cells::kernel::load_shape loads_;
};

}  // namespace umbel::core
