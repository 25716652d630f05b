// dynamic_bloom_filter.hpp - a Bloom filter that grows by equal rows, and from which keys go again.
// Idea       A row is a counting filter with room for so many keys. The first row with room takes a key, any row that accepts it
//            answers. An erase looks for the row: if just one accepts the key, it is there and its counters go down.
//            Rows that have become half empty are added up.
// Layout     Rows of 4-bit counters under one index: a key has the same places in every row.
// Invariant  A key that is in is accepted by its own row. So where a single row accepts it, that is the one, and no erase of a key
//            that is in makes another one forgotten; nor does adding up rows, which is refused where a counter would stick.
// Limits     The rate grows with the rows, 1 - (1 - f)^rows, and so does the time of a query. An erase is refused where two rows
//            accept the key. Erasing a stranger that is taken for a member takes counts of members with it.
// Threads    Many readers or one writer.
// Source     [GWCL06], [TRL12] sec. III-O.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/counters.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/face.hpp>
#include <umbel/engine/probe/fit_bits.hpp>
#include <umbel/core/ordered_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/compose/rows.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/engine/probe/k_probes.hpp>

namespace umbel {

struct dynamic_options {
  std::optional<std::uint64_t> keys{};  // of one row. Of keys, fpr and bits exactly two
  std::optional<double> fpr{};          // the same
  std::optional<std::uint64_t> bits{};  // the same
  unsigned probes = 0;                  // 0: the best number
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // for sorting in a build
};

class dynamic_bloom_filter : public core::set_queries<dynamic_bloom_filter>,
                             public core::set_inserts<dynamic_bloom_filter>,
                             public core::set_erases<dynamic_bloom_filter>,
                             public core::ordered_build<dynamic_bloom_filter> {
 public:
  using options = dynamic_options;
  static constexpr std::string_view kind = "dynamic-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .counts = true, .erases = true, .order_dependent = true};

  dynamic_bloom_filter() : rows_(core::k_probes(1, 1, salt), 1, nullptr) {}
  explicit dynamic_bloom_filter(const options& wish) : dynamic_bloom_filter(fitted(wish), wish) {}

  // Of the first row.
  [[nodiscard]] static umbel::plan plan(const options& wish) {
    const auto made = fitted(wish);
    return {.keys = made.keys,
            .cells = made.at.cells(),
            .probes = made.at.probes(),
            .bits = detail::ceil_div(made.at.cells(), cells::counters::per_word) * 64,
            .fpr = made.at.rate(made.keys)};
  }

  using core::ordered_build<dynamic_bloom_filter>::build;

  // Copies of a key that are in; more where others have its counters up, fewer only where a counter stuck at 15.
  template <key K>
  [[nodiscard]] std::uint64_t count(const K& k) const noexcept {
    return rows_.count(hash_(k));
  }

  void clear() { rows_.clear(); }
  [[nodiscard]] std::size_t rows() const noexcept { return rows_.all().size(); }
  [[nodiscard]] std::uint64_t keys() const noexcept { return rows_.keys(); }  // copies included
  // Erases that were refused since it was made or loaded, because more than one row accepted the key.
  [[nodiscard]] std::uint64_t ambiguous() const noexcept { return rows_.ambiguous(); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return rows() * rows_.all()[0].filter.cells().storage().size() * 64;
  }
  // The rate at the present fill of all rows.
  [[nodiscard]] double expected_fpr() const noexcept {
    double none = 1;
    for (const auto& row : rows_.all()) {
      const auto& cells = row.filter.cells();
      none *=
          1 - std::pow(static_cast<double>(cells.used()) / static_cast<double>(cells.size()), row.filter.index().probes());
    }
    return 1 - none;
  }

  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  friend bool operator==(const dynamic_bloom_filter& a, const dynamic_bloom_filter& b) noexcept {
    return a.hash_ == b.hash_ && a.rows_ == b.rows_;
  }

  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    core::rows<cells::counters>::describe(self.rows_, part);
  }
  void check() {
    rows_.check();
    if (rows_.index().salt() != salt)
      throw bad_parameter(detail::text("salt: expected ", salt, ", found ", rows_.index().salt()));
  }

 private:
  friend core::set_queries<dynamic_bloom_filter>;
  friend core::set_inserts<dynamic_bloom_filter>;
  friend core::set_erases<dynamic_bloom_filter>;

  static constexpr std::uint64_t salt = 0x20000;  // other places than a Bloom filter's of that size

  [[nodiscard]] static core::bit_fit<core::k_probes> fitted(const options& wish) {
    core::budget counted{wish.keys, wish.fpr, wish.bits};
    core::check(counted);
    if (wish.bits) counted.bits = std::max<std::uint64_t>(1, *wish.bits / 64) * cells::counters::per_word;
    auto out = core::fit_bits<core::k_probes>(counted, wish.probes, {});
    out.at = core::k_probes(out.at.cells(), out.at.probes(), salt);
    return out;
  }
  dynamic_bloom_filter(const core::bit_fit<core::k_probes>& made, const options& wish)
      : hash_(wish.hash), rows_(made.at, std::max<std::uint64_t>(made.keys, 1), wish.memory) {}

  [[nodiscard]] bool may_contain_digest(digest d) const noexcept { return rows_.may_contain(d); }
  void may_contain_digests(std::size_t total, auto& digest_at, bool* out) const noexcept {
    rows_.may_contain(total, digest_at, out);
  }
  bool insert_digest(digest d) { return rows_.insert(d); }
  void insert_digests(std::size_t total, auto& digest_at) { rows_.insert(total, digest_at); }
  core::erasure erase_digest(digest d) { return rows_.erase(d); }
  std::size_t erase_digests(std::size_t total, auto& digest_at) { return rows_.erase(total, digest_at); }

  hasher hash_;
  core::rows<cells::counters> rows_;
};

}  // namespace umbel
