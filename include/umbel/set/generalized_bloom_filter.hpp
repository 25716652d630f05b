// generalized_bloom_filter.hpp - generalized Bloom filter [LVC05]: keys set bits and clear others,
// which bounds the false positive rate whatever the bits were before. May forget old keys.
//
// A key sets k1 bits and clears k0 others. It may be in the set if those bits still have these
// values. Even if an attacker set or cleared all bits, a non-member passes with probability at most
// about 2^-(k0 + k1). The price: keys overwrite each other's bits, so old keys are forgotten.
//
// Layout     One array of m bits, and an index that names the k1 bits to set and the k0 to clear.
// Invariant  The key inserted last is found. The false positive rate is at most largest_fpr(),
//            whatever the bits are, because every probe is an independent draw
//            (engine/probe/literal_probes.hpp). With k0 = 0 it is a bloom_filter, bit for bit: it
//            forgets nothing, and has no such bound.
// Limits     Not a set: the order of inserts matters, and a union would mean nothing. It is meant
//            for a few keys in a packet header whose first content cannot be trusted. As a set it
//            takes ten times the bits of any other filter.
// Threads    Many readers or one writer.
// Source     [LVC05], [TRL12] sec. III-R; a bit that one key both sets and clears is cleared.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/literals.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/ordered_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/probe/literal_probes.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/generalized.hpp>

namespace umbel {

// Options of generalized_bloom_filter.
struct generalized_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  std::optional<std::uint64_t> keys{};  // distinct keys it is planned for
  // bound on the false positive rate, whatever the bits were before; with clears = 0 the usual rate
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};  // size of the filter in bits
  unsigned probes = 0;  // bits a key sets; 0: as many as fpr needs, or as `forgets` allows
  std::optional<unsigned> clears{};  // bits a key clears; absent: as many as it sets
  // share of keys, between 0 and 1, that may be forgotten once `keys` others followed
  double forgets = 0.25;
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads that hash and sort the keys of a build
};

// The filter. Inherited from core/keyed.hpp: may_contain, may_contain_batch, insert, insert_batch,
// clear.
class generalized_bloom_filter
    : public core::keyed<core::probes<core::literal_probes, cells::literals>> {
  using base = core::keyed<core::probes<core::literal_probes, cells::literals>>;

 public:
  using options_type = generalized_options;
  static constexpr std::string_view kind = "generalized-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .may_forget = true, .order_dependent = true};

  generalized_bloom_filter() = default;
  // An empty filter. Throws bad_parameter if no filter can have these options.
  explicit generalized_bloom_filter(const options_type& options)
      : generalized_bloom_filter(shaped(options), options) {}

  // A filter of these keys, inserted in the order of their digests: equal sets give equal bytes.
  template <core::key_range Keys>
  [[nodiscard]] static generalized_bloom_filter build(const Keys& keys,
                                                      const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  // The same from a spool of digests. A template, so that only programs that call it compile the
  // sorting.
  template <class Spool = digest_spool>
  [[nodiscard]] static generalized_bloom_filter build(const std::type_identity_t<Spool>& keys,
                                                      const options_type& options) {
    return core::build_in_order<generalized_bloom_filter>(keys, options);
  }

  // Size, and the highest false positive rate that any content of the bits has (with clears = 0,
  // the rate after `keys` keys). Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    return shaped(options).planned;
  }

  // bits a key sets
  [[nodiscard]] unsigned sets() const noexcept { return engine_.index().sets(); }
  // bits a key clears
  [[nodiscard]] unsigned clears() const noexcept { return engine_.index().clears(); }
  // The false positive rate of the bits as they are.
  [[nodiscard]] double expected_fpr() const noexcept { return model().fpr(1 - fill()); }
  // The highest false positive rate that any content of the bits has.
  [[nodiscard]] double largest_fpr() const noexcept { return model().bound(); }
  // The number of clear bits at which the rate is largest_fpr().
  [[nodiscard]] std::uint64_t worst_clear() const noexcept {
    return static_cast<std::uint64_t>(model().worst_clear());
  }
  // The probability that a key is forgotten after `later` others were inserted.
  [[nodiscard]] double expected_fnr(std::uint64_t later) const noexcept {
    return model().fnr(static_cast<double>(later));
  }

  // Replaces all bits by `words`, for example those of a filter that came in a packet; they need
  // not be trusted. Bits past the last one are ignored. Throws bad_parameter for a wrong number of
  // words.
  void adopt(std::span<const std::uint64_t> words) {
    auto& own = engine_.cells().storage();
    if (words.size() != own.size())
      throw bad_parameter(detail::text("words: expected ", own.size(), " for ", size_in_bits(),
                                       " bits, found ", words.size()));
    std::copy(words.begin(), words.end(), own.data());
    if (size_in_bits() % 64 != 0)
      own[own.size() - 1] &= detail::low_mask(static_cast<unsigned>(size_in_bits() % 64));
  }
  // The bits, 64 to a word.
  [[nodiscard]] std::span<const std::uint64_t> words() const noexcept {
    return engine_.cells().storage().span();
  }

 private:
  struct shape {
    umbel::plan planned;
    unsigned sets, clears;
  };
  [[nodiscard]] static shape shaped(const options_type& options);
  generalized_bloom_filter(const shape& made, const options_type& options)
      : base(options.hash,
             engine_type({made.planned.bits, made.sets, made.clears}, options.memory)) {}
  [[nodiscard]] sizing::generalized model() const noexcept {
    return {static_cast<double>(size_in_bits()), static_cast<double>(clears()),
            static_cast<double>(sets())};
  }
};

inline generalized_bloom_filter::shape generalized_bloom_filter::shaped(
    const options_type& options) {
  core::check({options.keys, options.fpr, options.bits});
  if (options.probes > sizing::generalized_max_probes ||
      options.clears.value_or(0) > sizing::generalized_max_probes)
    throw bad_parameter(detail::text("probes: expected at most ", sizing::generalized_max_probes,
                                     " bits to set and to clear, found ", options.probes, " and ",
                                     options.clears.value_or(0)));
  if (!(options.forgets > 0 && options.forgets < 1))
    throw bad_parameter(
        detail::text("forgets: expected a share between 0 and 1, found ", options.forgets));
  std::uint64_t keys = options.keys.value_or(0), bits = options.bits.value_or(0);
  unsigned sets = options.probes;
  if (options.clears == 0U) {  // a plain Bloom filter forgets nothing: only the rate matters
    const auto room = options.fpr && options.bits ? sizing::bloom_room_for(bits, *options.fpr, sets)
                                                  : sizing::bloom_room{keys, sets};
    const auto made = options.bits ? sizing::plan_bloom_for_bits(room.keys, bits, room.probes)
                                   : sizing::plan_bloom_for_rate(keys, *options.fpr, sets);
    core::check_kept(options.fpr, made.fpr);
    return {{.keys = room.keys,
             .cells = made.bits,
             .probes = made.probes,
             .bits = made.bits,
             .fpr = made.fpr},
            made.probes,
            0};
  }
  unsigned clears = options.clears.value_or(sets);
  if (options.fpr) {
    const auto made =
        options.bits
            ? sizing::plan_generalized_for_bits(bits, *options.fpr, sets, options.clears)
            : sizing::plan_generalized(keys, *options.fpr, sets, options.clears, options.forgets);
    bits = made.bits, sets = made.sets, clears = made.clears;
    if (!options.keys) keys = sizing::generalized_room(bits, clears, sets, options.forgets);
  } else if (sets == 0) {
    sets = sizing::generalized_probes_that_keep(keys, bits, options.forgets);
    clears = options.clears.value_or(sets);
  }
  const sizing::generalized chosen{static_cast<double>(bits), double(clears), double(sets)};
  const double rate = chosen.bound();
  // A refused plan has only as many bits as `forgets` needs. With more bits the rate would fall to
  // the limit, so the message names the limit, not the rate of this size.
  if (options.fpr && !options.bits && !core::keeps(*options.fpr, rate))
    throw bad_parameter(detail::text(
        "fpr: ", *options.fpr, " is out of this structure's reach: where a key sets ", sets,
        " bits and clears ", clears, ", some content of the bits lets more than ", chosen.limit(),
        " pass, however many bits there are; take more of either"));
  core::check_kept(options.fpr, rate);
  return {{.keys = keys, .cells = bits, .probes = sets + clears, .bits = bits, .fpr = rate},
          sets,
          clears};
}

}  // namespace umbel
