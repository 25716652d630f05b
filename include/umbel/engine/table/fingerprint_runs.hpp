// fingerprint_runs.hpp - queries and erases of the quotient filter engines: quotient.hpp [PBJP17]
// and expandable.hpp [DBRT23].
//
// A `Rule` maps a digest to a home and says which stored values match it; the quotient table finds
// the values of a home. A quotient filter and an expandable one differ in the rule and in how an
// insert makes room. The loops over a batch are here.
//
//     spot locate(const quotient_table&, digest) const;
//     bool holds(bits, const quotient_table&, spot) const;  // the home has a value that matches
//     bool take_out(bits, quotient_table&, spot) const;     // removes one match; false if none
//
// Threads    Many readers or one writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <umbel/cells/kernel/word_bits.hpp>
#include <umbel/core/can.hpp>
#include <umbel/engine/table/quotient_table.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

template <class Rule>
class fingerprint_runs {
 public:
  using spot = quotient_table::spot;

  [[nodiscard]] const quotient_table& table() const noexcept { return table_; }
  [[nodiscard]] const Rule& rule() const noexcept { return rule_; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return table_.size_in_bits(); }

  // The lambdas capture nothing: a kernel's copy of the function gets everything as an argument.
  [[nodiscard]] bool may_contain(digest d) const noexcept {
    return cells::kernel::with_word_bits(
        [](auto bits, const fingerprint_runs* of, const spot key) { return of->holds(bits, key); },
        this, locate(d));
  }
  template <class DigestAt>
  void may_contain(std::size_t total, DigestAt& digest_at, bool* out) const noexcept {
    table_.each_read(total, located(digest_at),
                     [&](auto bits, std::size_t i, const spot& key) { out[i] = holds(bits, key); });
  }
  erasure erase(digest d) noexcept {
    const bool done = cells::kernel::with_word_bits(
        [](auto bits, fingerprint_runs* of, const spot key) { return of->take_out(bits, key); },
        this, locate(d));
    return done ? erasure::done : erasure::absent;
  }
  template <class DigestAt>
  std::size_t erase(std::size_t total, DigestAt& digest_at) noexcept {
    std::size_t done = 0;
    table_.each_written(total, located(digest_at), [&](auto bits, std::size_t, const spot& key) {
      done += take_out(bits, key);
    });
    return done;
  }

 protected:
  fingerprint_runs() = default;
  fingerprint_runs(Rule rule, quotient_table table) : rule_(rule), table_(std::move(table)) {}

  [[nodiscard]] spot locate(digest d) const noexcept { return rule_.locate(table_, d); }
  // The spot of every key of a batch.
  [[nodiscard]] auto located(auto& digest_at) const noexcept {
    return [this, &digest_at](std::size_t i) { return locate(digest_at(i)); };
  }
  template <class Bits>
  [[nodiscard]] bool holds(Bits bits, const spot& key) const noexcept {
    return rule_.holds(bits, table_, key);
  }
  template <class Bits>
  bool take_out(Bits bits, const spot& key) noexcept {
    return rule_.take_out(bits, table_, key);
  }

  [[no_unique_address]] Rule rule_;
  quotient_table table_;
};

}  // namespace umbel::core
