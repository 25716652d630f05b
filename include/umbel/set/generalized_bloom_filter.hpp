// generalized_bloom_filter.hpp - generalized Bloom filter [LVC05]: keys set bits and clear others,
// so that no content of the bits lets many non-members pass. May forget old keys.
//
// A key may be in if the bits it sets are set and the bits it clears are clear. However the bits
// came to hold what they hold, all set by an attacker or all clear, a non-member passes with a
// probability of about 2^-(k0 + k1) at most. The price: keys overwrite each other, so old ones are
// forgotten.
//
// Layout     One array of m bits and an index that names k1 to set and k0 to clear per key.
// Invariant  The key inserted last is found. The false positive rate is at most `largest_fpr`,
//            whatever the bits hold, because every probe is an independent draw
//            (engine/probe/literal_probes.hpp). Without bits to clear it is a bloom_filter, bit for
//            bit: it forgets nothing, and has no such bound.
// Limits     Not a set: the order of inserts matters, and a union would mean nothing. For a few
//            keys in the header of a packet, where the first content is not to be trusted; as a set
//            it takes ten times the bits of any other filter.
// Threads    Many readers or one writer.
// Source     [LVC05], [TRL12] sec. III-R; a bit that is both set and cleared by one key is clear.
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

struct generalized_options {
  std::optional<std::uint64_t> keys{};  // of keys, fpr and bits exactly two
  std::optional<double> fpr{};          // at most, whatever the bits were before; if clears != 0
  std::optional<std::uint64_t> bits{};
  // bits a key sets; 0: what fpr needs, or as many as `forgets` allows
  unsigned probes = 0;
  std::optional<unsigned> clears{};  // bits a key clears; none: as many as it sets
  double forgets = 0.25;             // at most this share of keys that `keys` others followed
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // for hashing and sorting in a build
};

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
  explicit generalized_bloom_filter(const options_type& options)
      : generalized_bloom_filter(shaped(options), options) {}

  // In the order of digests: equal sets give equal bytes.
  template <core::key_range Keys>
  [[nodiscard]] static generalized_bloom_filter build(const Keys& keys,
                                                      const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  // a template, so that only programs that build so compile the sorting
  template <class Spool = digest_spool>
  [[nodiscard]] static generalized_bloom_filter build(const std::type_identity_t<Spool>& keys,
                                                      const options_type& options) {
    return core::build_in_order<generalized_bloom_filter>(keys, options);
  }

  // The rate is the largest that any content of the bits has; without bits to clear, that after
  // `keys` keys.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    return shaped(options).planned;
  }

  [[nodiscard]] unsigned sets() const noexcept { return engine_.index().sets(); }
  [[nodiscard]] unsigned clears() const noexcept { return engine_.index().clears(); }
  // The rate of the bits as they are; and the largest it can be, however they were before.
  [[nodiscard]] double expected_fpr() const noexcept { return model().fpr(1 - fill()); }
  [[nodiscard]] double largest_fpr() const noexcept { return model().bound(); }
  // How many clear bits have that largest rate, wherever they are.
  [[nodiscard]] std::uint64_t worst_clear() const noexcept {
    return static_cast<std::uint64_t>(model().worst_clear());
  }
  // The chance that a key is forgotten after so many others.
  [[nodiscard]] double expected_fnr(std::uint64_t later) const noexcept {
    return model().fnr(static_cast<double>(later));
  }

  // Goes on with these bits, whoever set them: a filter that came in a packet. Bits past the last
  // are not looked at.
  void adopt(std::span<const std::uint64_t> words) {
    auto& own = engine_.cells().storage();
    if (words.size() != own.size())
      throw bad_parameter(detail::text("words: expected ", own.size(), " for ", size_in_bits(),
                                       " bits, found ", words.size()));
    std::copy(words.begin(), words.end(), own.data());
    if (size_in_bits() % 64 != 0)
      own[own.size() - 1] &= detail::low_mask(static_cast<unsigned>(size_in_bits() % 64));
  }
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
  if (options.clears == 0U) {  // a plain filter: nothing is forgotten, so the rate alone decides
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
  // A refused plan has the bits that forgetting needs. More of them would have a lower rate, down
  // to the limit, so the rate of these is not the best there is.
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
