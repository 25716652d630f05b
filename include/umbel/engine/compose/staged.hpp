// staged.hpp - scalable Bloom filter [ABPH07]: a growing list of filters. Keys are inserted into
// the newest; a query asks all.
//
// A filter cannot be enlarged without its keys, but a larger one can be appended. Each stage has
// room for a number of keys. When the newest stage is full and a key comes that no stage accepts, a
// larger stage is appended for it. A `Series` holds the requested size and rate. It gives the index
// and the room of stage i, and the false positive rate of a stage at its present fill.
//
// Invariant  A key is in the stage that was the newest when it was inserted, unless some stage
//            accepted it already. So it is accepted for ever, and repeated inserts take no room.
//            The rates of any number of stages add up to at most the requested rate; in a union, to
//            that rate times the number of filters merged. Stage numbers rise by one, or stay equal
//            where lists were merged; of several stages with one number below the newest's, one is
//            full.
// Limits     All stages use the same digest. A series gives each stage its own salt, or says why
//            that is not needed.
// Threads    Many readers or one writer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/engine/compose/any_of.hpp>
#include <umbel/engine/compose/contents.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

template <class Series>
class staged {
 public:
  using filter = typename Series::engine;  // a `probes` or a `blocked`
  struct stage {
    staged::filter filter;
    std::uint64_t number = 0;  // in its series
    std::uint64_t keys = 0;    // that were new when inserted
    std::uint64_t room = 0;    // follows from the series

    template <class Self, class Field>
    static void fields(Self& self, Field&& field) {
      field("number", self.number);
      field("keys", self.keys);
    }
    static void describe(auto& self, auto& part) {
      part.fields("stage", self);
      part.fields("index", self.filter.index());
      part.array("cells", contents(self.filter));
    }
    void check() { filter.check(); }
    friend bool operator==(const stage& a, const stage& b) noexcept {
      return a.number == b.number && a.keys == b.keys && a.filter.index() == b.filter.index() &&
             contents(a.filter) == contents(b.filter);
    }
  };

  staged() : stages_{{filter(), 0, 0, 1}} {}
  staged(const Series& series, filter first) : series_(series) {
    stages_.push_back({std::move(first), 0, 0, series_.room(0)});
  }

  [[nodiscard]] const Series& series() const noexcept { return series_; }
  [[nodiscard]] const std::vector<stage>& stages() const noexcept { return stages_; }
  // Keys that were new when inserted: the distinct keys, less those that were false positives. For
  // a union, the sum of both.
  [[nodiscard]] std::uint64_t keys() const noexcept {
    std::uint64_t sum = 0;
    for (const stage& s : stages_) sum += s.keys;
    return sum;
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    std::uint64_t sum = 0;
    for (const stage& s : stages_) sum += s.filter.size_in_bits();
    return sum;
  }
  // The false positive rate at the present fill.
  [[nodiscard]] double expected_fpr() const noexcept {
    double passed_by_none = 1;
    for (const stage& s : stages_) passed_by_none *= 1 - Series::rate(s.filter);
    return 1 - passed_by_none;
  }

  [[nodiscard]] bool may_contain(digest d) const noexcept {
    return query_any(stages_.size(), newest_first(), d);
  }
  void may_contain(std::size_t total, auto&& digest_at, bool* out) const noexcept {
    query_any(stages_.size(), newest_first(), total, digest_at, out);
  }
  [[nodiscard]] std::size_t batch_from() const noexcept {
    return core::batch_from(stages_[0].filter);
  }
  [[nodiscard, gnu::always_inline]] bool may_contain_near(digest d) const noexcept {
    return query_any_near(stages_.size(), newest_first(), d);
  }

  // True if the key was new.
  bool insert(digest d) {
    const auto accepts = newest_first();
    const bool room = room_left() > 0;
    for (std::size_t j = room ? 1 : 0; j < stages_.size(); ++j)
      if (accepts(j).may_contain(d)) return false;
    if (!room) grow();
    stage& last = stages_.back();
    const bool changed = last.filter.insert(d);
    last.keys += changed;
    return changed;
  }
  // A batch, with the same result.
  void insert(std::size_t total, auto&& digest_at) {
    asked_keys fresh;
    const auto ignore = [](std::uint32_t, bool) {};
    for (std::size_t first = 0; first < total; first += asked_keys::most) {
      fresh.take(std::min(asked_keys::most, total - first), first, digest_at);
      // While the newest stage has room for the whole group it is not queried: its insert reports
      // whether a key was new.
      const bool roomy = room_left() >= fresh.size;
      for (std::size_t j = roomy ? 1 : 0; j < stages_.size() && fresh.size > 0; ++j)
        fresh.drop_accepted(newest_first()(j), 0, ignore);
      for (std::size_t done = 0; done < fresh.size;) {
        if (room_left() == 0) grow();
        stage& last = stages_.back();
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(room_left(), fresh.size - done));
        last.keys += last.filter.insert_counting(count, detail::digest_list{fresh.key + done});
        done += count;
        // The remaining keys were queried before these were inserted: query them again.
        if (done < fresh.size && room_left() == 0) fresh.drop_accepted(last.filter, done, ignore);
      }
    }
  }
  void clear() {
    stages_.erase(stages_.begin() + 1, stages_.end());
    stages_[0].keys = 0;
    contents(stages_[0].filter).clear();
  }
  // Merges the stages of both; both must have begun with the same series. The result accepts
  // exactly what either accepts, unless two stages were joined into one. A stage of `other` that is
  // contained in a stage of its number is dropped; one that fits into the room of such a stage is
  // joined to it. Later keys go to the newest stage, and the next stage follows in the series.
  void merge(const staged& other) {
    if (series_ != other.series_)
      throw incompatible("these filters began with different sizes, rates or growth");
    std::vector<stage> both(stages_);
    for (const stage& theirs : other.stages_) {
      const auto [first, last] =
          std::equal_range(both.begin(), both.end(), theirs,
                           [](const stage& a, const stage& b) { return a.number < b.number; });
      if (first != last && first->filter.index() != theirs.filter.index())
        throw incompatible(
            detail::text("these filters differ in the shape of stage ", theirs.number));
      if (std::any_of(first, last, [&](const stage& s) { return is_within(theirs, s); })) continue;
      const auto roomy =
          std::find_if(first, last, [&](const stage& s) { return theirs.keys <= s.room - s.keys; });
      if (roomy == last) {
        both.insert(last, theirs);
      } else {
        contents(roomy->filter) |= contents(theirs.filter);
        roomy->keys += theirs.keys;
      }
    }
    stages_ = std::move(both);
  }

  friend bool operator==(const staged&, const staged&) = default;
  static void describe(auto& self, auto& part) {
    part.fields("series", self.series_);
    part.list("stages", self.stages_);
  }
  void check() {
    series_.check();
    if (stages_.empty()) throw bad_parameter("stages: expected at least one");
    const stage* before = nullptr;
    bool one_is_full = true;  // of the stages with the previous one's number
    for (stage& s : stages_) {
      const std::uint64_t next = before == nullptr ? 0 : before->number + 1;
      const bool beside = before != nullptr && s.number == before->number;
      if (!beside && s.number != next)
        throw bad_parameter(
            detail::text("number: expected ", next, " or the one before it, found ", s.number));
      if (!beside && !one_is_full)
        throw bad_parameter(
            detail::text("keys: a stage ", next, " comes when one of those before it is full"));
      if (beside && s.filter.index() != before->filter.index())
        throw bad_parameter(detail::text("number: two stages ", s.number, " differ in shape"));
      s.room = series_.room(static_cast<unsigned>(s.number));
      if (s.keys > s.room)
        throw bad_parameter(
            detail::text("keys: stage ", s.number, " has room for ", s.room, ", found ", s.keys));
      one_is_full = s.keys == s.room || (beside && one_is_full);
      before = &s;
    }
    for (const stage& s : stages_) Series::check_stage(s.filter, s.number);
  }

 private:
  void grow() {
    const auto next = static_cast<unsigned>(stages_.back().number + 1);
    auto* const memory = contents(stages_.back().filter).bytes().memory();
    stages_.push_back({filter(series_.stage(next), memory), next, 0, series_.room(next)});
  }
  [[nodiscard]] static bool is_within(const stage& part, const stage& whole) noexcept {
    const auto some = contents(part.filter).span(), all = contents(whole.filter).span();
    return std::equal(some.begin(), some.end(), all.begin(), all.end(),
                      [](auto a, auto b) { return (a & ~b) == 0; });
  }
  [[nodiscard]] std::uint64_t room_left() const noexcept {
    return stages_.back().room - stages_.back().keys;
  }
  [[nodiscard]] auto newest_first() const noexcept {
    return
        [this](std::size_t j) -> const filter& { return stages_[stages_.size() - 1 - j].filter; };
  }

  Series series_;
  std::vector<stage> stages_;
};

}  // namespace umbel::core
