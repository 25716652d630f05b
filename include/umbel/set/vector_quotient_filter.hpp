// vector_quotient_filter.hpp - growing set that erases, and whose inserts are as fast when it is nearly full: 11.5 bits per key at
// 0.44 %, 19.7 at 0.002 %, two cache lines per query.
// Idea       A key has a bucket, a tag and two cache lines, and lies in either. An insert takes the first line, or, once that is
//            three quarters full, the emptier of both; a line is a tiny quotient filter that a few vector operations search and
//            shift (cells/kernel/tag_block.hpp). Lines fill evenly, so no insert is slower than another.
// Layout     An even number of lines. Tags of 8 or 16 bits, chosen by the rate. The other line of a key follows from the one it lies in,
//            its bucket and its tag: h - line, modulo the lines, for an odd h drawn from bucket and tag. So it is never the
//            same, and where both lines are full a tag of theirs can be sent to its own other line.
// Invariant  A key's bucket in one of its lines holds its tag, once for each copy. Two keys are alike only if pair of lines, bucket and
//            tag are: the rate is known exactly.
// Limits     Rates above 1.2e-5 only. `full` when neither line has room and no tag of theirs can move; the keys that were
//            planned fit. Two lines' worth of copies of one key at most. The order of inserts shows in the bytes. No union.
// Threads    Many readers or one writer.
// Source     [PCDBFJ21]; differs in the second line, which is reversible, and in sending tags on.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>

#include <umbel/base/config.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/cells/kernel/tag_block.hpp>
#include <umbel/cells/words.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/face.hpp>
#include <umbel/core/ordered_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/vector_quotient.hpp>

namespace umbel {

struct vector_quotient_options {
  std::optional<std::uint64_t> keys{};  // of keys, fpr and bits exactly two
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // inserts run on the caller's thread; builds sort on as many
};

class vector_quotient_filter : public core::set_queries<vector_quotient_filter>,
                               public core::bounded_inserts<vector_quotient_filter>,
                               public core::set_erases<vector_quotient_filter> {
 public:
  using options = vector_quotient_options;
  static constexpr std::string_view kind = "vector-quotient-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .erases = true, .may_fill = true, .order_dependent = true};

  vector_quotient_filter() : vector_quotient_filter(2, 8, {}) {}
  explicit vector_quotient_filter(const options& wish) : vector_quotient_filter(sized(wish), wish) {}
  [[nodiscard]] static umbel::plan plan(const options& wish);

  using core::bounded_inserts<vector_quotient_filter>::build;
  // Each key once, the same bytes in any order of them.
  template <class Spool = digest_spool>  // a template, so that only programs that build compile the sorting
  [[nodiscard]] static vector_quotient_filter build(const std::type_identity_t<Spool>& keys, const options& wish) {
    return core::build_in_order<vector_quotient_filter>(keys, wish);
  }

  void clear() noexcept;
  [[nodiscard]] std::uint64_t lines() const noexcept { return lines_; }
  [[nodiscard]] unsigned tag_bits() const noexcept { return static_cast<unsigned>(tag_bits_); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return cells_.size() * 64; }
  [[nodiscard]] std::uint64_t copies() const noexcept;  // tags that are in
  // Of all pairs of lines, buckets and tags, the share that is in. Exact.
  [[nodiscard]] double expected_fpr() const noexcept;

  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  friend bool operator==(const vector_quotient_filter& a, const vector_quotient_filter& b) noexcept {
    return a.hash_ == b.hash_ && a.tag_bits_ == b.tag_bits_ && a.cells_ == b.cells_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("lines", self.lines_);
    field("tag_bits", self.tag_bits_);
  }
  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    part.fields("vectors", self);
    part.array("cells", self.cells_);
  }
  void check();

 private:
  friend core::set_queries<vector_quotient_filter>;
  friend core::bounded_inserts<vector_quotient_filter>;
  friend core::set_erases<vector_quotient_filter>;

  vector_quotient_filter(std::uint64_t lines, unsigned tag_bits, const options& wish)
      : hash_(wish.hash), lines_(lines), tag_bits_(tag_bits), cells_(lines * 8, wish.memory) {
    clear();
  }
  vector_quotient_filter(const sizing::vector_plan& made, const options& wish)
      : vector_quotient_filter(made.lines, made.tag_bits, wish) {}
  [[nodiscard]] static sizing::vector_plan sized(const options& wish);

  struct spot {
    std::uint64_t line, other;
    std::uint32_t bucket, tag;
  };
  // By one product each: neither tables of millions of lines nor 80 buckets are a power of two.
  [[nodiscard]] static std::uint64_t other_line(std::uint64_t line, unsigned bucket, unsigned tag,
                                                std::uint64_t lines) noexcept {
    const std::uint64_t word = ((std::uint64_t{bucket} << 16 | tag) + 1) * detail::golden;
    const std::uint64_t sum = detail::fastrange(word ^ word >> 29, lines / 2) * 2 + 1;
    return sum >= line ? sum - line : sum + lines - line;
  }
  template <class Ops>
  [[nodiscard]] spot locate(Ops, digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::vectors)};
    const detail::remixed word = words(d);
    const std::uint64_t second = word.second(), line = detail::fastrange(word.first(), lines_);
    const auto bucket = static_cast<std::uint32_t>((second >> 32) * Ops::buckets >> 32);
    const auto tag = static_cast<std::uint32_t>(static_cast<typename Ops::tag>(second));
    return {line, other_line(line, bucket, tag, lines_), bucket, tag};
  }
  [[nodiscard]] const unsigned char* line_at(std::uint64_t line) const noexcept {
    return reinterpret_cast<const unsigned char*>(cells_.data() + line * 8);
  }
  [[nodiscard]] unsigned char* line_at(std::uint64_t line) noexcept {
    return reinterpret_cast<unsigned char*>(cells_.data() + line * 8);
  }
  // work(ops, given...) for the width that is used and the kernels that are.
  template <class Work, class... Given>
  auto with_ops(Work&& work, Given... given) const noexcept {
    return tag_bits_ == 8 ? cells::kernel::with_tags<8>(work, given...) : cells::kernel::with_tags<16>(work, given...);
  }

  template <class Ops>
  [[nodiscard]] bool holds(Ops, const spot& key) const noexcept {
    const auto tag = static_cast<typename Ops::tag>(key.tag);
    return Ops::find(line_at(key.line), key.bucket, tag) != Ops::none ||
           Ops::find(line_at(key.other), key.bucket, tag) != Ops::none;
  }
  [[nodiscard]] bool may_contain_digest(digest d) const noexcept {
    return with_ops(
        [](auto ops, const vector_quotient_filter* self, digest given) {
          const spot key = self->locate(ops, given);
          detail::prefetch_next(self->line_at(key.other));
          return self->holds(ops, key);
        },
        this, d);
  }
  void may_contain_digests(std::size_t total, auto& digest_at, bool* out) const noexcept {
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

  template <class Ops>
  bool add(Ops ops, const spot& key) noexcept {
    const auto tag = static_cast<typename Ops::tag>(key.tag);
    unsigned char* to = line_at(key.line);
    if (const unsigned used = Ops::used(to); used >= Ops::tags * 3 / 4) {
      unsigned char* const other = line_at(key.other);
      if (Ops::used(other) < used) to = other;
    }
    return Ops::add(to, key.bucket, tag) || (send_on(ops, key.line) && Ops::add(line_at(key.line), key.bucket, tag)) ||
           (send_on(ops, key.other) && Ops::add(line_at(key.other), key.bucket, tag));
  }
  // Moves the first tag of a full line for which there is room in its other line; false if there is none.
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

  // Nothing: there is no room. Else true: a copy was added.
  std::optional<bool> try_insert_digest(digest d) noexcept {
    const bool taken = with_ops(
        [](auto ops, vector_quotient_filter* self, digest given) {
          const spot key = self->locate(ops, given);
          detail::prefetch_next(self->line_at(key.other));
          return self->add(ops, key);
        },
        this, d);
    return taken ? std::optional(true) : std::nullopt;
  }
  [[nodiscard]] std::size_t insert_digests(std::size_t total, auto& digest_at) noexcept {
    std::size_t taken = 0;
    changing(total, digest_at, [&](auto ops, std::size_t i, const spot& key) {
      if (taken == i && add(ops, key)) ++taken;  // none after the first without room
    });
    return taken;
  }
  core::erasure erase_digest(digest d) noexcept {
    const bool done = with_ops([](auto ops, vector_quotient_filter* self,
                                  digest given) { return self->take_out(ops, self->locate(ops, given)); },
                               this, d);
    return done ? core::erasure::done : core::erasure::absent;
  }
  std::size_t erase_digests(std::size_t total, auto& digest_at) noexcept {
    std::size_t done = 0;
    changing(total, digest_at, [&](auto ops, std::size_t, const spot& key) { done += take_out(ops, key); });
    return done;
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
  // visit(line, bucket, tag, place) for all tags of a line, until it says true; whether it did.
  template <class Ops, class Visit>
  bool each_tag(Ops, std::uint64_t line, Visit&& visit) const noexcept;

  hasher hash_;
  std::uint64_t lines_;
  std::uint64_t tag_bits_;
  cells::words<> cells_;
};

template <class Ops, class Visit>
bool vector_quotient_filter::each_tag(Ops, std::uint64_t line, Visit&& visit) const noexcept {
  const auto row = Ops::row_of(line_at(line));
  for (unsigned bucket = 0, at = 0, bit = 0; bucket < Ops::buckets && bit < Ops::row_bits && at < Ops::tags; ++bit) {
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
bool vector_quotient_filter::send_on(Ops ops, std::uint64_t from) noexcept {
  return each_tag(ops, from, [&](unsigned bucket, typename Ops::tag tag, unsigned at) {
    if (!Ops::add(line_at(other_line(from, bucket, tag, lines_)), bucket, tag)) return false;
    Ops::remove(line_at(from), bucket, at);
    return true;
  });
}

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/vector_quotient_filter.ipp>
#endif
