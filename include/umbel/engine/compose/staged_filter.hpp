// staged_filter.hpp - the approximate sets that grow by stages: one class over every series of them.
// Idea       A `Series` holds what was asked for and says what stage i is like (its index and its room) and how much a stage
//            errs at its present fill. Inserts, queries, plans and files follow.
// Invariant  No key is forgotten. The rates of all stages add up to what was asked for, however many there will be; of a union,
//            to as many times that as filters went into it.
// Threads    Many readers or one writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string_view>
#include <utility>

#include <umbel/base/error.hpp>
#include <umbel/engine/compose/contents.hpp>
#include <umbel/core/face.hpp>
#include <umbel/core/ordered_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/compose/stages.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/hash/hasher.hpp>

namespace umbel::core {

template <class Series>
class staged_filter : public set_queries<staged_filter<Series>>,
                      public set_inserts<staged_filter<Series>>,
                      public ordered_build<staged_filter<Series>> {
  using engine = typename Series::engine;

 public:
  using options = typename Series::options;
  static constexpr std::string_view kind = Series::kind;
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{
      .of = family::set, .mergeable = true, .expands = true, .order_dependent = true, .lines = Series::lines};

  staged_filter() { staged_.append(engine(), 0, 1); }
  explicit staged_filter(const options& wish) : hash_(wish.hash) {
    const auto made = Series::fitted(wish);
    series_ = made.series;
    staged_.append(engine(made.first, wish.memory), 0, series_.room(0));
  }

  // Of the first stage, which has room for the keys that were expected.
  [[nodiscard]] static umbel::plan plan(const options& wish) { return Series::fitted(wish).made; }

  using ordered_build<staged_filter>::build;

  void clear() { staged_.clear(); }
  // The stages of both, which must have begun alike. Accepts what either accepts, and no more unless two stages became one; later
  // keys go to the newest stage, and the one after it follows in the series.
  void merge(const staged_filter& other) {
    if (hash_ != other.hash_) throw incompatible("these filters were built with different hashes, seeds or keys");
    if (series_ != other.series_) throw incompatible("these filters began with different sizes, rates or growth");
    staged_.merge(other.staged_);
  }
  [[nodiscard]] std::size_t stages() const noexcept { return staged_.stages().size(); }
  [[nodiscard]] double wished_fpr() const noexcept { return series_.fpr(); }
  // Keys that were new when they came: all distinct ones, but for those taken for another; of a union, the sum of both.
  [[nodiscard]] std::uint64_t keys() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& s : staged_.stages()) sum += s.keys;
    return sum;
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& s : staged_.stages()) sum += Series::bits(s.filter);
    return sum;
  }
  // The rate at the present fill.
  [[nodiscard]] double expected_fpr() const noexcept {
    double passed_by_none = 1;
    for (const auto& s : staged_.stages()) passed_by_none *= 1 - Series::rate(s.filter);
    return 1 - passed_by_none;
  }

  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  friend bool operator==(const staged_filter& a, const staged_filter& b) noexcept {
    return a.hash_ == b.hash_ && a.series_ == b.series_ && a.staged_ == b.staged_;
  }

  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    part.fields("series", self.series_);
    part.list("stages", self.staged_.stages());
  }
  void check() {
    series_.check();
    staged_.check([&](unsigned number) { return series_.room(number); });
    for (const auto& s : staged_.stages()) Series::check_stage(s.filter, s.number);
  }

 private:
  friend set_queries<staged_filter>;
  friend set_inserts<staged_filter>;

  [[nodiscard]] bool may_contain_digest(digest d) const noexcept { return staged_.may_contain(d); }
  void may_contain_digests(std::size_t total, auto& digest_at, bool* out) const noexcept {
    staged_.may_contain(total, digest_at, out);
  }
  bool insert_digest(digest d) {
    return staged_.insert(d, [&] { grow(); });
  }
  void insert_digests(std::size_t total, auto& digest_at) {
    staged_.insert(total, digest_at, [&] { grow(); });
  }
  void grow() {
    const auto next = static_cast<unsigned>(staged_.newest().number + 1);
    auto* const memory = contents(staged_.newest().filter).bytes().memory();
    staged_.append(engine(series_.stage(next), memory), next, series_.room(next));
  }

  hasher hash_;
  Series series_;
  staged<engine> staged_;
};

}  // namespace umbel::core
