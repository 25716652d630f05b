// vector_quotient.hpp - vector quotient filter [PCDBFJ21]: the engine of vector_quotient_filter.
//
// Each key has a bucket, a tag and two cache lines, and its tag is stored in either line. An insert
// takes the first line until that is three quarters full, then the emptier of the two (power of two
// choices), so lines fill evenly. A line is a small quotient filter that a few vector operations
// search and shift (cells/kernel/tag_block.hpp).
//
// Layout     An even number of lines; tags of 8 or 16 bits. The alternate line is h - line modulo
//            the number of lines, for an odd h that follows from bucket and tag: it is never the
//            same line.
// Invariant  For every copy of a key, one of its lines holds its tag in its bucket.
// Limits     Where both lines are full, one tag of theirs is moved to its alternate line. If none
//            can move, there is no room. At most two lines' worth of copies of one key fit.
// Threads    Many readers or one writer.
// Differs    [PCDBFJ21] cannot compute the alternate line from the first, and moves no tags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>

#include <umbel/base/config.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/cells/kernel/tag_block.hpp>
#include <umbel/cells/words.hpp>
#include <umbel/core/can.hpp>
#include <umbel/core/occupancy.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/vector_quotient.hpp>

namespace umbel::core {

class vector_quotient {
  // work(ops, given...) with the operations of this tag width and of the best kernels available.
  template <class Work, class... Given>
  auto with_ops(Work&& work, Given... given) const noexcept {
    return tag_bits_ == 8 ? cells::kernel::with_tags<8>(work, given...)
                          : cells::kernel::with_tags<16>(work, given...);
  }

 public:
  vector_quotient() : vector_quotient(2, 8) {}
  vector_quotient(std::uint64_t lines, unsigned tag_bits,
                  std::pmr::memory_resource* memory = nullptr)
      : lines_(lines), tag_bits_(tag_bits), cells_(lines * 8, memory) {
    clear();
  }

  [[nodiscard]] std::uint64_t lines() const noexcept { return lines_; }
  [[nodiscard]] unsigned tag_bits() const noexcept { return static_cast<unsigned>(tag_bits_); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return cells_.size() * 64; }
  [[nodiscard]] std::uint64_t copies() const noexcept;  // tags that are in
  // The share of all (pair of cache lines, bucket, tag) combinations that are stored. Exact.
  [[nodiscard]] double expected_fpr() const noexcept;
  [[nodiscard]] occupancy occupied() const noexcept {
    return {copies(), lines_ * with_ops([](auto ops) { return decltype(ops)::tags; })};
  }
  void clear() noexcept;

  [[nodiscard]] bool may_contain(digest d) const noexcept {
    return with_ops(
        [](auto ops, const vector_quotient* self, digest given) {
      const spot key = self->locate(ops, given);
      detail::prefetch_next(self->line_at(key.other));
      return self->holds(ops, key);
        },
        this, d);
  }
  template <class DigestAt>
  void may_contain(std::size_t total, DigestAt& digest_at, bool* out) const noexcept {
    with_ops([&](auto ops) {
      detail::ring<spot>(
          total,
          [&](std::size_t i, spot& key) {
        key = locate(ops, digest_at(i));
        detail::prefetch_read(line_at(key.line));
        detail::prefetch_read(line_at(key.other));
          },
          [&](std::size_t i, const spot& key) { out[i] = holds(ops, key); });
    });
  }

  // Nothing if there is no room, else true: a copy was added.
  [[nodiscard]] std::optional<bool> try_insert(digest d) noexcept {
    const bool taken = with_ops(
        [](auto ops, vector_quotient* self, digest given) {
      const spot key = self->locate(ops, given);
      detail::prefetch_next(self->line_at(key.other));
      return self->add(ops, key);
        },
        this, d);
    return taken ? std::optional(true) : std::nullopt;
  }
  template <class DigestAt>
  [[nodiscard]] std::size_t try_insert(std::size_t total, DigestAt& digest_at) noexcept {
    std::size_t taken = 0;
    changing(total, digest_at, [&](auto ops, std::size_t i, const spot& key) {
      if (taken == i && add(ops, key)) ++taken;  // none after the first without room
    });
    return taken;
  }
  erasure erase(digest d) noexcept {
    const bool done =
        with_ops([](auto ops, vector_quotient* self,
                    digest given) { return self->take_out(ops, self->locate(ops, given)); },
                 this, d);
    return done ? erasure::done : erasure::absent;
  }
  template <class DigestAt>
  std::size_t erase(std::size_t total, DigestAt& digest_at) noexcept {
    std::size_t done = 0;
    changing(total, digest_at,
             [&](auto ops, std::size_t, const spot& key) { done += take_out(ops, key); });
    return done;
  }

  friend bool operator==(const vector_quotient& a, const vector_quotient& b) noexcept {
    return a.tag_bits_ == b.tag_bits_ && a.cells_ == b.cells_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("lines", self.lines_);
    field("tag_bits", self.tag_bits_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("vectors", self);
    part.array("cells", self.cells_);
  }
  void check();

 private:
  struct spot {
    std::uint64_t line, other;
    std::uint32_t bucket, tag;
  };
  // By multiplication: neither millions of lines nor 80 buckets are a power of two. Bucket and tag
  // are one number, as is the part of the fingerprint that both lines can compute.
  [[nodiscard]] static std::uint64_t other_line(std::uint64_t line, std::uint64_t value,
                                                std::uint64_t lines) noexcept {
    // odd, and below the even number
    const std::uint64_t sum = detail::fastrange(value * detail::golden, lines) | 1;
    // tested by its sign: a comparison takes an instruction more
    const std::uint64_t rest = sum - line;
    return rest + (static_cast<std::int64_t>(rest) < 0 ? lines : 0);
  }
  template <class Ops>
  static constexpr unsigned bits_of_tag = 8 * sizeof(typename Ops::tag);
  template <class Ops>
  [[nodiscard]] spot locate(Ops, digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::vectors)};
    const detail::remixed word = words(d);
    const std::uint64_t line = detail::fastrange(word.first(), lines_);
    const std::uint64_t value =
        detail::fastrange(word.second(), std::uint64_t{Ops::buckets} << bits_of_tag<Ops>);
    return {line, other_line(line, value, lines_),
            static_cast<std::uint32_t>(value >> bits_of_tag<Ops>),
            static_cast<std::uint32_t>(static_cast<typename Ops::tag>(value))};
  }
  template <class Ops>
  [[nodiscard]] static std::uint64_t value_of(Ops, unsigned bucket,
                                              typename Ops::tag tag) noexcept {
    return std::uint64_t{bucket} << bits_of_tag<Ops> | tag;
  }
  [[nodiscard]] const unsigned char* line_at(std::uint64_t line) const noexcept {
    return reinterpret_cast<const unsigned char*>(cells_.data() + line * 8);
  }
  [[nodiscard]] unsigned char* line_at(std::uint64_t line) noexcept {
    return reinterpret_cast<unsigned char*>(cells_.data() + line * 8);
  }
  template <class Ops>
  [[nodiscard]] bool holds(Ops, const spot& key) const noexcept {
    const auto tag = static_cast<typename Ops::tag>(key.tag);
    return Ops::find(line_at(key.line), key.bucket, tag) != Ops::none ||
           Ops::find(line_at(key.other), key.bucket, tag) != Ops::none;
  }
  template <class Ops>
  bool add(Ops ops, const spot& key) noexcept {
    const auto tag = static_cast<typename Ops::tag>(key.tag);
    unsigned char* to = line_at(key.line);
    if (const unsigned used = Ops::used(to); used >= Ops::tags * 3 / 4) {
      unsigned char* const other = line_at(key.other);
      if (Ops::used(other) < used) to = other;
    }
    return Ops::add(to, key.bucket, tag) ||
           (send_on(ops, key.line) && Ops::add(line_at(key.line), key.bucket, tag)) ||
           (send_on(ops, key.other) && Ops::add(line_at(key.other), key.bucket, tag));
  }
  // Moves the first tag of a full line whose alternate line has room; false if there is none.
  template <class Ops>
  [[gnu::noinline]] bool send_on(Ops, std::uint64_t from) noexcept;
  template <class Ops>
  bool take_out(Ops, const spot& key) noexcept {
    const auto tag = static_cast<typename Ops::tag>(key.tag);
    for (const std::uint64_t line : {key.line, key.other})
      if (const unsigned at = Ops::find(line_at(line), key.bucket, tag); at != Ops::none) {
        Ops::remove(line_at(line), key.bucket, at);
        return true;
      }
    return false;
  }
  template <class Work>
  void changing(std::size_t total, auto& digest_at, Work&& work) noexcept {
    with_ops([&](auto ops) {
      detail::ring<spot>(
          total,
          [&](std::size_t i, spot& key) {
        key = locate(ops, digest_at(i));
        detail::prefetch_write(line_at(key.line));
        detail::prefetch_write(line_at(key.other));
          },
          [&](std::size_t i, const spot& key) { work(ops, i, key); });
    });
  }
  // visit(bucket, tag, position) for all tags of a line, until it returns true. Returns whether it
  // did.
  template <class Ops, class Visit>
  bool each_tag(Ops, std::uint64_t line, Visit&& visit) const noexcept;

  std::uint64_t lines_;
  std::uint64_t tag_bits_;
  cells::words<> cells_;
};

template <class Ops, class Visit>
bool vector_quotient::each_tag(Ops, std::uint64_t line, Visit&& visit) const noexcept {
  const auto row = Ops::row_of(line_at(line));
  for (unsigned bucket = 0, at = 0, bit = 0;
       bucket < Ops::buckets && bit < Ops::row_bits && at < Ops::tags; ++bit) {
    if ((row >> bit & 1) != 0) {
      ++bucket;
    } else {
      if (visit(bucket, Ops::tag_at(line_at(line), at), at)) return true;
      ++at;
    }
  }
  return false;
}

template <class Ops>
bool vector_quotient::send_on(Ops ops, std::uint64_t from) noexcept {
  return each_tag(ops, from, [&](unsigned bucket, typename Ops::tag tag, unsigned at) {
    if (!Ops::add(line_at(other_line(from, value_of(ops, bucket, tag), lines_)), bucket, tag))
      return false;
    Ops::remove(line_at(from), bucket, at);
    return true;
  });
}

}  // namespace umbel::core

#if UMBEL_WITH_BODIES
#include <umbel/engine/table/vector_quotient.ipp>
#endif
