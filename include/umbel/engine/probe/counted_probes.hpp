// counted_probes.hpp - index of weighted Bloom filters [BGJ06], [ZLS08]: the number of probes of a
// key comes from a table.
//
// Idea       The walk of `k_probes` has no end. When a key's walk starts, the table is asked once
//            for its number of cells.
// Invariant  A key that is not in the table has the number of `k_probes`; with an empty table this
//            is `k_probes`.
// Limits     `Table` returns probes(digest), at most 63, or nothing. It must always return the same
//            number for a key, otherwise there are false negatives.
// Source     [BGJ06], [ZLS08].
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string>
#include <utility>

#include <umbel/base/text.hpp>
#include <umbel/engine/probe/index.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

template <class Table>
class counted_probes {
 public:
  // The same over a walk whose steps are inlined.
  template <class One>
  class over {
   public:
    struct walk {
      walk_of<One> steps;
      unsigned count;
    };
    over(const One& one, const Table& table) noexcept : one_(one), table_(&table) {}
    [[nodiscard]] std::uint64_t cells() const noexcept { return one_.cells(); }
    [[nodiscard]] unsigned probes() const noexcept { return one_.probes(); }
    [[nodiscard]] unsigned probes(const walk& w) const noexcept { return w.count; }
    [[nodiscard]] walk start(digest d) const noexcept {
      return {one_.start(d), table_->probes(d).value_or(one_.probes())};
    }
    [[nodiscard]] std::uint64_t next(walk& w) const noexcept { return one_.next(w.steps); }

   private:
    One one_;
    const Table* table_;
  };
  using walk = typename over<k_probes>::walk;

  counted_probes() = default;
  counted_probes(const k_probes& usual, Table table) : usual_(usual), table_(std::move(table)) {
    usual_.require_usual();
  }

  [[nodiscard]] std::uint64_t cells() const noexcept { return usual_.cells(); }
  [[nodiscard]] unsigned probes() const noexcept { return usual_.probes(); }
  [[nodiscard]] unsigned probes(const walk& w) const noexcept { return w.count; }
  [[nodiscard]] walk start(digest d) const noexcept { return all(usual_).start(d); }
  [[nodiscard]] std::uint64_t next(walk& w) const noexcept { return usual_.next(w.steps); }
  template <class Work>
  decltype(auto) with_fixed(Work&& work) const {
    return usual_.with_fixed([&](const auto& one) { return work(all(one)); });
  }
  [[nodiscard]] const Table& table() const noexcept { return table_; }
  [[nodiscard]] Table& table() noexcept { return table_; }

  [[nodiscard]] counted_probes halved() const { return {usual_.halved(), table_}; }
  [[nodiscard]] bool folds_onto_itself() const noexcept { return usual_.folds_onto_itself(); }
  [[nodiscard]] std::string in_words() const {
    return detail::text(usual_.in_words(), ", a table of ", table_.keys(), " keys");
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    k_probes::fields(self.usual_, field);
  }
  void check() {
    usual_.check();
    usual_.require_usual();
    table_.check();
  }
  friend bool operator==(const counted_probes& a, const counted_probes& b) noexcept {
    return a.usual_ == b.usual_ && a.table_ == b.table_;
  }

 private:
  template <class One>
  [[nodiscard]] over<One> all(const One& one) const noexcept {
    return {one, table_};
  }

  k_probes usual_;
  Table table_;
};

}  // namespace umbel::core
