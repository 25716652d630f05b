// perfect.hpp - a minimal perfect hash, by one of seven algorithms; the preset selects which.
//
// Forms      PTHash (pthash.hpp) with byte pilots answers in one read; with coded pilots it is
//            smaller. RecSplit (recsplit.hpp) is the smallest. BBHash (bbhash.hpp) builds in the
//            least memory. BDZ (bdz.hpp), elimination over GF(3) (solved.hpp) and a Blooming tree
//            (blooming_tree.hpp) are the others.
// Layout     The form, then the sections of that form's engine.
// Threads    Immutable: any number of readers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include <umbel/base/config.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/perfect/bbhash.hpp>
#include <umbel/engine/perfect/bdz.hpp>
#include <umbel/engine/perfect/blooming_tree.hpp>
#include <umbel/engine/perfect/pthash_build.hpp>
#include <umbel/engine/perfect/recsplit.hpp>
#include <umbel/engine/perfect/solved.hpp>

namespace umbel::core {

class perfect {
  struct form {
    static constexpr std::uint64_t pilots = 0, levels = 1, divisions = 2, coded_pilots = 3,
                                   cells = 4, tree = 5, solved = 6, count = 7;
    static constexpr std::array<std::string_view, count> names{
        "pilots", "levels", "divisions", "coded pilots", "cells", "tree", "solved"};
  };
  // work(the engine in use).
  template <class Self, class Work>
  static auto engine(Self& self, Work&& work) {
    switch (self.form_) {
      case form::levels: return work(self.leveled_);
      case form::divisions: return work(self.divided_);
      case form::coded_pilots: return work(self.coded_);
      case form::cells: return work(self.peeled_);
      case form::tree: return work(self.tree_);
      case form::solved: return work(self.solved_);
      default: return work(self.piloted_);
    }
  }

 public:
  using build_options = perfect_build_options;

  [[nodiscard]] static umbel::plan plan(std::uint64_t n, perfect_preset preset,
                                        std::uint64_t part_from) {
    switch (preset) {
      case perfect_preset::levels: return bbhash::plan(n);
      case perfect_preset::smallest: return recsplit::plan(n, part_from);
      case perfect_preset::peeled: return bdz::plan(n, part_from);
      case perfect_preset::tree: return blooming_tree::plan(n);
      case perfect_preset::solved: return solved_hash::plan(n);
      default: return pthash::plan(n, preset, part_from);
    }
  }
  // Duplicate keys are dropped. Throws conflict if one key has two values, and unsolvable.
  template <class Record>
  [[nodiscard]] static perfect build(const basic_spool<Record>& keys,
                                     const build_options& options) {
    perfect out;
    if (has_byte_pilots(options.preset)) {
      out.piloted_ = pthash::build(keys, options);
      out.choose_way();
    } else if constexpr (std::is_same_v<Record, digest>) {
      out.build_from(keys, options);
    } else {  // the other forms are compiled once, for spools of digests
      digest_spool alone(keys.options());
      keys.for_each(0, basic_spool<Record>::bins, [&](std::span<const Record> block) {
        for (const Record& record : block) alone.add(key_of(record));
      });
      out.build_from(alone, options);
      // throws if a key has two values
      if (out.keys() != keys.size()) (void)keys.distinct(options.threads);
    }
    return out;
  }

  [[nodiscard]] std::uint64_t keys() const noexcept {
    return engine(*this, [](const auto& of) { return of.keys(); });
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return engine(*this, [](const auto& of) { return of.size_in_bits(); });
  }
  // Below keys(), and different for all keys of the build; 0 if there is none. One key, and a
  // batch.
  [[nodiscard, gnu::always_inline]] std::uint64_t index(digest d) const noexcept {
    if (is_short_) [[likely]]
      return piloted_.index_of_built(d);
    return index_apart(d.hi, d.lo);
  }
  void index(std::size_t total, auto&& digest_at, std::uint64_t* out) const noexcept {
    struct nothing {};
    indices(
        total, digest_at, [](digest) { return nothing{}; },
        [out](std::size_t i, nothing, std::uint64_t found) { out[i] = found; });
  }
  // The index, or nothing if the key is certainly not one of the build. BBHash and Blooming trees
  // recognise some non-members.
  [[nodiscard]] std::optional<std::uint64_t> try_index(digest d) const noexcept {
    if (keys() == 0) return std::nullopt;
    return engine(*this, [d](const auto& of) -> std::optional<std::uint64_t> {
      if constexpr (requires { of.seek(d); }) {
        const std::uint64_t found = of.seek(d);
        return found == of.nobody ? std::nullopt : std::optional(found);
      } else {
        return of.index(d);
      }
    });
  }
  // sink(i, note_of(digest), index) for i below `total`, in order. Only the loop for byte pilots is
  // fast enough to be worth compiling into every caller.
  template <class DigestAt, class NoteOf, class Sink>
  void indices(std::size_t total, DigestAt&& digest_at, NoteOf&& note_of,
               Sink&& sink) const noexcept {
    if (form_ == form::pilots) return piloted_.indices(total, digest_at, note_of, sink);
    constexpr std::size_t piece = 256;
    digest some[piece];
    std::uint64_t at[piece];
    for (std::size_t first = 0; first < total; first += piece) {
      const std::size_t count = std::min(piece, total - first);
      for (std::size_t i = 0; i < count; ++i) some[i] = digest_at(first + i);
      indices(some, count, at);
      for (std::size_t i = 0; i < count; ++i) sink(first + i, note_of(some[i]), at[i]);
    }
  }
  // A template, like the build below, so that only programs that use it compile it.
  template <class Digest>
  void indices(const Digest* keys, std::size_t total, std::uint64_t* out) const noexcept;
  [[nodiscard]] const pthash& pilots() const noexcept { return piloted_; }  // empty in another form

  // The share of non-members that get an index: all of them, unless there are no keys.
  [[nodiscard]] double expected_fpr() const noexcept { return keys() == 0 ? 0 : 1; }

  friend bool operator==(const perfect&, const perfect&) noexcept = default;
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("form", self.form_, form::names);
  }
  static void describe(auto& self, auto& part) {
    part.fields("perfect", self);
    engine(self, [&](auto& of) { of.describe(of, part); });
  }
  void check() {
    if (form_ >= form::count)
      throw corrupt(detail::text("form: expected 0 to ", form::count - 1, ", found ", form_));
    engine(*this, [](auto& of) { of.check(); });
    choose_way();
  }

 private:
  void choose_way() noexcept { is_short_ = form_ == form::pilots && piloted_.keys() != 0; }
  // Not inlined, and given the digest as two words: otherwise it would take the registers of the
  // fast path for byte pilots.
  [[nodiscard, gnu::noinline]] std::uint64_t index_apart(std::uint64_t hi,
                                                         std::uint64_t lo) const noexcept {
    return engine(*this, [d = digest{hi, lo}](const auto& of) { return of.index(d); });
  }

  [[nodiscard]] static constexpr bool has_byte_pilots(perfect_preset preset) noexcept {
    return preset == perfect_preset::fast || preset == perfect_preset::balanced ||
           preset == perfect_preset::compact;
  }
  template <class Spool>
  void build_from(const Spool& keys, const build_options& options);

  std::uint64_t form_ = form::pilots;
  // byte pilots and at least one key; follows from the form and the keys
  bool is_short_ = false;
  pthash piloted_;
  bbhash leveled_;
  recsplit divided_;
  coded coded_;
  bdz peeled_;
  blooming_tree tree_;
  solved_hash solved_;
};

}  // namespace umbel::core

#if UMBEL_WITH_BODIES
#include <umbel/engine/perfect/perfect.ipp>
#endif
