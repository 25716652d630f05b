// measure.cpp - benchmark harness: bodies of measure.hpp.
#include <umbel/any/measure.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <umbel/any/any.hpp>
#include <umbel/base/buffer.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/sizing/perfect.hpp>
#include <umbel/sizing/subset.hpp>

namespace umbel::bench {

namespace {

// Members are even numbers and non-members odd ones, passed through a bijection: they are disjoint.
[[nodiscard]] std::uint64_t even(std::uint64_t i) noexcept { return 2 * i; }
[[nodiscard]] std::uint64_t odd(std::uint64_t i) noexcept { return 2 * i + 1; }
[[nodiscard]] std::uint64_t member(std::uint64_t i) noexcept { return detail::mix64(even(i)); }
[[nodiscard]] std::uint64_t non_member(std::uint64_t i) noexcept { return detail::mix64(odd(i)); }

template <class Work>
[[nodiscard]] double nanoseconds_per(std::size_t count, Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  return took.count() / static_cast<double>(count);
}

[[nodiscard]] double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times.empty() ? 0 : times[times.size() / 2];
}

// The same options as in subject_of::build, which is for integers.
[[nodiscard]] any::options options_for(const umbel::traits& traits, const workload& work) {
  any::options out{.threads = work.threads};
  if (traits.answers == output::value) out.value_bits = value_bits(traits);
  if (!traits.rated()) return out;
  if (traits.is_static) {
    out.fpr = work.fpr.value_or(1.0 / 256);
  } else {
    out.keys = work.keys;
    out.fpr = work.fpr;
    if (!work.fpr)
      out.bits = static_cast<std::uint64_t>(work.bits_per_key.value_or(12) *
                                            static_cast<double>(work.keys));
  }
  return out;
}
[[nodiscard]] std::unique_ptr<any::structure> built_of_texts(
    const any::kind& kind, std::span<const std::string_view> members,
    std::span<const std::string_view> others, const workload& work) {
  const any::options options = options_for(kind.traits(), work);
  const hasher hash = kind.hash();  // as the build has it: a foreign format fixes its own
  const auto spooled = [&](std::span<const std::string_view> keys) {
    digest_spool out;
    for (const std::string_view k : keys) out.add(hash(k));
    return out;
  };
  if (kind.traits().exact) return kind.build(spooled(members), spooled(others), options);
  if (kind.traits().of != family::map) return kind.build(spooled(members), options);
  pair_spool pairs;
  for (std::uint64_t i = 0; i < members.size(); ++i)
    pairs.add(core::valued{hash(members[i]), i & detail::low_mask(value_bits(kind.traits()))});
  return kind.build(pairs, options);
}

void keep(std::uint64_t value) noexcept { asm volatile("" : : "r"(value) : "memory"); }

// Random cache line reads of an array, prefetched as batches do: what memory can deliver at this
// size and with these pages.
void read_lines(const buffer& array, std::span<const std::uint64_t> keys) noexcept {
  const std::uint64_t lines = std::max<std::uint64_t>(1, array.size() / buffer::line);
  const std::byte* const base = array.data();
  std::uint64_t sum = 0;
  detail::ring<const std::byte*, detail::line_ring_depth>(
      keys.size(),
      [&](std::size_t i, const std::byte*& at) {
    detail::prefetch_read(at = base + detail::fastrange(keys[i], lines) * buffer::line);
      },
      [&](std::size_t, const std::byte* at) { sum += static_cast<std::uint64_t>(*at); });
  keep(sum);
}

}  // namespace

// In a named namespace, because side_by_side::harness has them as members.
namespace parts {

// Texts of one length, made from different numbers below 2^48: the eight digits of a number,
// scattered and repeated. Texts of eight bytes and more are therefore distinct.
class texts {
 public:
  template <class NumberOf>
  texts(std::size_t count, unsigned length, NumberOf&& number_of) : bytes_(count * length, '.') {
    static constexpr char digits[] =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t number = scattered(number_of(i));
      for (unsigned at = 0; at < length; ++at)
        bytes_[i * length + at] = digits[number >> (6 * (at % 8)) & 63];
      views_.emplace_back(bytes_.data() + i * length, length);
    }
  }
  [[nodiscard]] std::span<const std::string_view> all() const noexcept { return views_; }

 private:
  // A bijection of the numbers below 2^48.
  [[nodiscard]] static std::uint64_t scattered(std::uint64_t number) noexcept {
    for (int round = 0; round < 2; ++round) {
      number = number * 0x9e3779b97f4a7c15 & detail::low_mask(48);
      number ^= number >> 24;
    }
    return number;
  }

  std::vector<char> bytes_;  // stays where it is when this is moved
  std::vector<std::string_view> views_;
};

// Times the first build of a process. A helper process is forked before the harness allocates
// memory; it forks a child per kind, which builds once. Returns nothing if the build failed.
class cold_builds {
 public:
  explicit cold_builds(std::uint64_t keys) {
    int to_helper[2], from_helper[2];
    if (::pipe(to_helper) != 0) return;
    if (::pipe(from_helper) != 0) {
      ::close(to_helper[0]), ::close(to_helper[1]);
      return;
    }
    helper_ = ::fork();
    if (helper_ == 0) {
      ::close(to_helper[1]), ::close(from_helper[0]);
      serve(keys, to_helper[0], from_helper[1]);
    }
    ::close(to_helper[0]), ::close(from_helper[1]);
    ask_ = to_helper[1], answer_ = from_helper[0];
  }
  cold_builds(const cold_builds&) = delete;
  cold_builds& operator=(const cold_builds&) = delete;
  ~cold_builds() {
    if (ask_ >= 0) ::close(ask_), ::close(answer_);
    if (helper_ > 0) ::waitpid(helper_, nullptr, 0);
  }

  [[nodiscard]] std::optional<double> nanoseconds(std::string_view kind,
                                                  const workload& work) const {
    if (helper_ <= 0) return std::nullopt;
    std::size_t number = 0;
    while (any::kinds()[number]->name() != kind) ++number;
    const request asked{number, work};
    double took = -1;
    if (::write(ask_, &asked, sizeof asked) != sizeof asked) return std::nullopt;
    if (::read(answer_, &took, sizeof took) != sizeof took || took < 0) return std::nullopt;
    return took;
  }

 private:
  struct request {
    std::size_t kind;
    workload work;
  };
  static_assert(std::is_trivially_copyable_v<request>);

  [[noreturn]] static void serve(std::uint64_t keys, int asks, int answers) {
    request asked{};
    while (::read(asks, &asked, sizeof asked) == sizeof asked) {
      const pid_t child = ::fork();
      if (child == 0) {
        const double took = timed_build(keys, asked);
        ::_exit(::write(answers, &took, sizeof took) == sizeof took ? 0 : 1);
      }
      int status = 0;
      if (child < 0 || ::waitpid(child, &status, 0) < 0 || status != 0) {
        const double none = -1;
        if (::write(answers, &none, sizeof none) != sizeof none) break;
      }
    }
    ::_exit(0);
  }
  [[nodiscard]] static double timed_build(std::uint64_t keys, const request& asked) noexcept {
    try {
      std::vector<std::uint64_t> members(keys), others(100'000);
      for (std::uint64_t i = 0; i < keys; ++i) members[i] = member(i);
      for (std::uint64_t i = 0; i < others.size(); ++i) others[i] = non_member(i);
      const auto kind = any::kinds()[asked.kind]->subject();
      return nanoseconds_per(keys, [&] { kind->build(members, others, asked.work); });
    } catch (...) {
      return -1;
    }
  }

  pid_t helper_ = -1;
  int ask_ = -1, answer_ = -1;
};

}  // namespace parts

class side_by_side::harness {
 public:
  explicit harness(std::uint64_t keys)
      : cold_(keys),
        keys_(keys),
        queries_(std::min<std::uint64_t>(1'000'000, std::max<std::uint64_t>(keys, 100'000))) {
    members_.resize(keys);
    for (std::uint64_t i = 0; i < keys; ++i) members_[i] = member(i);
    hits_.resize(queries_);
    misses_.resize(queries_);
    for (std::uint64_t i = 0; i < queries_; ++i) {
      hits_[i] = member(nth_hit(i));
      misses_[i] = non_member(i);
    }
    answers_ = std::make_unique<bool[]>(queries_);
  }

  void add(std::unique_ptr<subject> kind, const workload& work) {
    entry made{.kind = std::move(kind),
               .work = work,
               .out = {.kind = {}, .keys = keys_, .key_length = work.key_length}};
    subject& built = *made.kind;
    row& out = made.out;
    out.kind = built.kind();
    if (work.key_length != 0) {
      add_texts(made);
      return hold(std::move(made));
    }
    out.build_cold_ns = cold_.nanoseconds(built.kind(), work);
    std::vector<double> builds;
    double spent = 0;  // a build of more than 15 seconds is measured once
    do {
      built.drop();
      builds.push_back(nanoseconds_per(keys_, [&] { built.build(members_, misses_, work); }));
      spent += builds.back() * static_cast<double>(keys_);
    } while (builds.size() < 3 && keys_ <= 20'000'000 && spent < 15e9);
    out.build_ns = median(builds);
    if (!built.traits().may_forget) require_members(built);
    out.bits_per_key = static_cast<double>(built.size_in_bits()) / static_cast<double>(keys_);
    out.fpr =
        built.traits().exact ? rate_on_universe(built) : non_member_rate(built, work.non_members);
    out.overhead = overhead(out, built.traits());
    hold(std::move(made));
  }

  [[nodiscard]] std::vector<row> take_rows() {
    time_entries();
    return std::exchange(done_, {});
  }

 private:
  static constexpr std::uint64_t max_held = std::uint64_t{4} << 30;

  struct times {
    std::vector<double> hit, miss, batch_hit, batch_miss, insert, lines;
  };
  struct asked_texts {
    parts::texts hits, misses;
  };
  struct entry {
    std::unique_ptr<subject> kind;
    workload work;
    row out;
    buffer array{};  // as large as the structure, for plain reads
    times took{};
  };

  // Which member the i-th hit asks for.
  [[nodiscard]] std::uint64_t nth_hit(std::uint64_t i) const noexcept {
    return detail::fastrange(detail::mix64(i), keys_);
  }
  void hold(entry made) {
    made.array = buffer(std::max<std::uint64_t>(64, made.kind->size_in_bits() / 8));
    held_ += 2 * made.array.size();
    entries_.push_back(std::move(made));
    if (held_ > max_held) time_entries();
  }
  // Text keys: the structure holds only texts, and the rate is measured with the query texts alone.
  void add_texts(entry& made) {
    const unsigned length = made.work.key_length;
    subject& built = *made.kind;
    const parts::texts members(keys_, length, even);
    const asked_texts& asked = texts_of(length);
    const any::kind& kind = any::kind_named(built.kind());
    std::unique_ptr<any::structure> all;
    made.out.build_ns = nanoseconds_per(
        keys_, [&] { all = built_of_texts(kind, members.all(), asked.misses.all(), made.work); });
    built.hold(std::move(all));
    built.ask_batch(asked.hits.all(), {answers_.get(), queries_});
    if (!built.traits().may_forget &&
        std::count(answers_.get(), answers_.get() + queries_, false) != 0)
      throw std::logic_error(std::string(built.kind()) + " forgot a member: no row");
    built.ask_batch(asked.misses.all(), {answers_.get(), queries_});
    made.out.fpr =
        static_cast<double>(std::count(answers_.get(), answers_.get() + queries_, true)) /
        static_cast<double>(queries_);
    made.out.bits_per_key = static_cast<double>(built.size_in_bits()) / static_cast<double>(keys_);
    made.out.overhead = overhead(made.out, built.traits());
  }

  [[nodiscard]] const asked_texts& texts_of(unsigned length) {
    const auto found = texts_.find(length);
    if (found != texts_.end()) return found->second;
    parts::texts hits(queries_, length, [&](std::uint64_t i) { return even(nth_hit(i)); });
    parts::texts misses(queries_, length, odd);
    return texts_.emplace(length, asked_texts{std::move(hits), std::move(misses)}).first->second;
  }

  void ask_batch(subject& kind, std::span<const std::uint64_t> keys) {
    kind.ask_batch(keys, {answers_.get(), keys.size()});
  }
  void require_members(subject& kind) {
    for (std::uint64_t first = 0; first < keys_; first += queries_) {
      const std::uint64_t count = std::min(queries_, keys_ - first);
      ask_batch(kind, {members_.data() + first, static_cast<std::size_t>(count)});
      for (std::uint64_t i = 0; i < count; ++i)
        if (!answers_[i])
          throw std::logic_error(std::string(kind.kind()) + " forgot a member: no row");
    }
  }
  [[nodiscard]] double overhead(const row& of, const umbel::traits& traits) const {
    const auto members = static_cast<double>(keys_);
    if (traits.exact)
      return of.bits_per_key * members /
             sizing::subset_bits(members + static_cast<double>(queries_), members);
    if (traits.answers == output::index) return of.bits_per_key / sizing::perfect_bound;
    // a map must store the values as well
    const double values = traits.of == family::map ? value_bits(traits) : 0;
    return of.fpr > 0 && of.fpr < 1 ? of.bits_per_key / (values - std::log2(of.fpr)) : 0;
  }
  [[nodiscard]] double rate_on_universe(subject& kind) {
    ask_batch(kind, misses_);
    return static_cast<double>(std::count(answers_.get(), answers_.get() + queries_, true)) /
           static_cast<double>(queries_);
  }
  [[nodiscard]] double non_member_rate(subject& kind, std::uint64_t non_members) {
    std::uint64_t passed = 0;
    std::vector<std::uint64_t> keys(queries_);
    std::uint64_t asked = 0;
    // Fast kinds get more non-members: as many as one second allows, at most ten times the number.
    const auto start = std::chrono::steady_clock::now();
    const auto early = [&] {
      return std::chrono::steady_clock::now() - start < std::chrono::seconds(1);
    };
    for (; asked < non_members || (asked < 10 * non_members && early()); asked += queries_) {
      for (std::uint64_t i = 0; i < queries_; ++i) keys[i] = non_member(queries_ + asked + i);
      ask_batch(kind, keys);
      for (std::uint64_t i = 0; i < queries_; ++i) passed += answers_[i];
    }
    return static_cast<double>(passed) / static_cast<double>(asked);
  }

  // Whether inserting a present key again leaves a structure of this kind unchanged.
  [[nodiscard]] static bool takes_more(const umbel::traits& traits) noexcept {
    return !traits.is_static && !traits.may_fill && !traits.expands && !traits.may_forget;
  }
  void time_round(entry& of) {
    subject& kind = *of.kind;
    times& took = of.took;
    const auto timed = [&](std::vector<double>& out, auto&& work) {
      out.push_back(nanoseconds_per(queries_, work));
    };
    if (of.work.key_length != 0) {
      const asked_texts& asked = texts_of(of.work.key_length);
      const auto hits = asked.hits.all(), misses = asked.misses.all();
      const auto ask = [&](std::span<const std::string_view> keys) {
        kind.ask_batch(keys, {answers_.get(), queries_});
      };
      if (entries_.size() > 1) ask(misses);
      timed(took.lines, [&] { read_lines(of.array, misses_); });
      timed(took.batch_miss, [&] { ask(misses); });
      timed(took.batch_hit, [&] { ask(hits); });
      timed(took.miss, [&] { keep(kind.ask_each(misses)); });
      timed(took.hit, [&] { keep(kind.ask_each(hits)); });
      return;
    }
    if (entries_.size() > 1) ask_batch(kind, misses_);  // the other kinds have used the cache since
    timed(took.lines, [&] { read_lines(of.array, misses_); });
    timed(took.batch_miss, [&] { ask_batch(kind, misses_); });
    timed(took.batch_hit, [&] { ask_batch(kind, hits_); });
    if (takes_more(kind.traits())) timed(took.insert, [&] { kind.insert_batch(hits_); });
    timed(took.miss, [&] { keep(kind.ask_each(misses_)); });
    timed(took.hit, [&] { keep(kind.ask_each(hits_)); });
  }
  void time_entries() {
    unsigned rounds = 0;
    for (const entry& of : entries_) rounds = std::max(rounds, of.work.rounds);
    for (unsigned i = 0; i < rounds; ++i)
      for (entry& of : entries_)
        if (i < of.work.rounds) time_round(of);
    for (entry& of : entries_) {
      of.out.hit_ns = median(of.took.hit);
      of.out.miss_ns = median(of.took.miss);
      of.out.batch_hit_ns = median(of.took.batch_hit);
      of.out.batch_miss_ns = median(of.took.batch_miss);
      of.out.line_read_ns = median(of.took.lines);
      if (!of.took.insert.empty()) of.out.batch_insert_ns = median(of.took.insert);
      done_.push_back(std::move(of.out));
    }
    entries_.clear();
    held_ = 0;
  }

  parts::cold_builds cold_;  // first: its helper must be forked before memory is allocated
  std::uint64_t keys_, queries_;
  std::vector<std::uint64_t> members_, hits_, misses_;
  std::map<unsigned, asked_texts> texts_;  // by length, made when first needed
  std::unique_ptr<bool[]> answers_;
  std::vector<entry> entries_;
  std::uint64_t held_ = 0;
  std::vector<row> done_;
};

side_by_side::side_by_side(std::uint64_t keys) : harness_(std::make_unique<harness>(keys)) {}
side_by_side::~side_by_side() = default;
void side_by_side::add(std::unique_ptr<subject> kind, const workload& work) {
  harness_->add(std::move(kind), work);
}
std::vector<row> side_by_side::take_rows() { return harness_->take_rows(); }

}  // namespace umbel::bench
