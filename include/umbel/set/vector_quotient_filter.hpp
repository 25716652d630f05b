// vector_quotient_filter.hpp - vector quotient filter [PCDBFJ21]: growing set with erase, whose
// inserts stay fast until it is full.
//
// 11.5 bits per key at a rate of 0.44 %, 19.7 at 0.002 %; two cache lines per query.
//
// Layout     The table of engine/table/vector_quotient.hpp; tags of 8 or 16 bits, chosen by the
//            rate.
// Invariant  No false negatives. The planned number of keys fits.
// Limits     Rates above 1.2e-5 only. `full` when neither line of a key has room and no tag in them
//            can move. The order of inserts shows in the bytes. No merge: a tag does not tell its
//            key.
// Threads    Many readers or one writer.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>

#include <umbel/base/config.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/grown.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/ordered_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/table/vector_quotient.hpp>
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

class vector_quotient_filter : public core::keyed<core::vector_quotient, vector_quotient_filter> {
  using base = core::keyed<core::vector_quotient, vector_quotient_filter>;

 public:
  using options_type = vector_quotient_options;
  static constexpr std::string_view kind = "vector-quotient-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .erases = true, .may_fill = true, .order_dependent = true};

  vector_quotient_filter() = default;
  explicit vector_quotient_filter(const options_type& options)
      : vector_quotient_filter(sized(options), options) {}
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  template <core::key_range Keys>
  [[nodiscard]] static vector_quotient_filter build(const Keys& keys, const options_type& options) {
    return core::grown<vector_quotient_filter>(keys, options);
  }
  // Each key once, the same bytes in any order of them.
  // a template, so that only programs that build compile the sorting
  template <class Spool = digest_spool>
  [[nodiscard]] static vector_quotient_filter build(const std::type_identity_t<Spool>& keys,
                                                    const options_type& options) {
    return core::build_in_order<vector_quotient_filter>(keys, options);
  }

  [[nodiscard]] std::uint64_t lines() const noexcept { return engine_.lines(); }
  [[nodiscard]] unsigned tag_bits() const noexcept { return engine_.tag_bits(); }
  // tags that are in
  [[nodiscard]] std::uint64_t copies() const noexcept { return engine_.copies(); }

 private:
  vector_quotient_filter(const sizing::vector_plan& made, const options_type& options)
      : base(options.hash, {made.lines, made.tag_bits, options.memory}) {}
  [[nodiscard]] static sizing::vector_plan sized(const options_type& options);
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/vector_quotient_filter.ipp>
#endif
