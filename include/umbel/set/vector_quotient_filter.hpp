// vector_quotient_filter.hpp - vector quotient filter [PCDBFJ21]: growing set with erase, whose
// inserts stay fast until it is full.
//
// 11.5 bits per key at a rate of 0.44 %, 19.7 at 0.002 %; two cache lines per query.
//
// Layout     The table of engine/table/vector_quotient.hpp; tags of 8 or 16 bits, as the rate
//            needs.
// Invariant  No false negatives. The planned number of keys fits.
// Limits     Rates above 1.2e-5 only. insert throws `full` if both cache lines of a key are full
//            and no tag in them can be moved. The bytes depend on the order of inserts. No merge: a
//            tag does not determine its key.
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

// Options of vector_quotient_filter.
struct vector_quotient_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  std::optional<std::uint64_t> keys{};  // distinct keys it is planned for
  std::optional<double> fpr{};          // false positive rate once `keys` keys are in; above 1.2e-5
  std::optional<std::uint64_t> bits{};  // size of the filter in bits
  hasher hash{};                        // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  // threads that sort in a build from digests; inserts run on the caller's thread
  unsigned threads = 1;
};

// The filter. Inherited from core/keyed.hpp: may_contain, may_contain_batch, insert, try_insert,
// insert_batch, erase, try_erase, erase_batch, clear.
class vector_quotient_filter : public core::keyed<core::vector_quotient, vector_quotient_filter> {
  using base = core::keyed<core::vector_quotient, vector_quotient_filter>;

 public:
  using options_type = vector_quotient_options;
  static constexpr std::string_view kind = "vector-quotient-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .erases = true, .may_fill = true, .order_dependent = true};

  vector_quotient_filter() = default;
  // An empty filter. Throws bad_parameter if no filter can have these options.
  explicit vector_quotient_filter(const options_type& options)
      : vector_quotient_filter(sized(options), options) {}
  // Size, probes and predicted false positive rate of a filter with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  // A filter of these keys in the order given; every copy of a key takes a slot. Throws `full` if
  // they do not fit.
  template <core::key_range Keys>
  [[nodiscard]] static vector_quotient_filter build(const Keys& keys, const options_type& options) {
    return core::grown<vector_quotient_filter>(keys, options);
  }
  // A filter of a spool of digests, each once, in the order of digests: equal sets give equal
  // bytes. A template, so that only programs that call it compile the sorting.
  template <class Spool = digest_spool>
  [[nodiscard]] static vector_quotient_filter build(const std::type_identity_t<Spool>& keys,
                                                    const options_type& options) {
    return core::build_in_order<vector_quotient_filter>(keys, options);
  }

  // cache lines of the table
  [[nodiscard]] std::uint64_t lines() const noexcept { return engine_.lines(); }
  [[nodiscard]] unsigned tag_bits() const noexcept { return engine_.tag_bits(); }  // bits of a tag
  // Copies of keys stored: tags in the table.
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
