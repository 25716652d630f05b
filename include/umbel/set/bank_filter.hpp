// bank_filter.hpp - which of several classes does a key belong to? Filters of one shape, asked all
// at once.
//
// A plain bank has a filter per class. A coded bank has about log2 of that: a key goes into the
// filters where its class's code has a one, and an answer is read as a code. Which codes there are:
// sizing/bank.hpp.
//
// Layout     engine/compose/bank.hpp: k reads answer for all classes. All members are as long as
//            the fullest needs; codes are given so that they are about equally full.
// Invariant  `where` names the true class of every key given, and others now and then.
// Limits     4096 classes. In a coded bank a key of two classes has the ones of both codes, and may
//            be read as a third class; under `dense` every non-member is taken for the class whose
//            code is 0. A bank in a file: meta_map.
// Threads    Many readers or one writer.
// Source     [CLF04], [LPB05], [TRL12] sec. III-M.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/compose/bank.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/map/owners.hpp>
#include <umbel/sizing/bank.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel {

// What to do with an answer that is no single class: several filters of a plain bank accept, or
// what a coded one reads is nobody's code. A policy sees the classes it may be and names one, or
// none.
namespace bank_policy {
inline constexpr auto none = [](const owners&) noexcept -> std::optional<unsigned> {
  return std::nullopt;
};
inline constexpr auto first = [](const owners& possible) noexcept -> std::optional<unsigned> {
  std::optional<unsigned> least;
  possible.for_each([&](unsigned number) {
    if (!least) least = number;
  });
  return least;
};
}  // namespace bank_policy

class bank_filter : public core::keyed<core::bank> {
  using base = core::keyed<core::bank>;

 public:
  using code = sizing::bank_code;
  struct options_type {
    // of all classes together; of keys, fpr and bits exactly two
    std::optional<std::uint64_t> keys{};
    std::optional<double> fpr{};          // of one member filter
    std::optional<std::uint64_t> bits{};  // of all members together
    unsigned classes = 2;                 // numbered from 0
    bank_filter::code code = bank_filter::code::plain;
    std::vector<double> shares{};  // of the classes in the keys, in any unit; empty: even
    unsigned probes = 0;           // 0: the best number
    hasher hash{};
    std::pmr::memory_resource* memory = nullptr;
    unsigned threads = 1;  // inserts run on the caller's thread: here for uniformity
  };
  enum class verdict { absent, found, unclear };
  struct answer {
    verdict what = verdict::absent;
    unsigned number = 0;  // of the class, where one was found
    friend bool operator==(const answer&, const answer&) = default;
  };

  bank_filter() : bank_filter(options_type{.keys = 0, .fpr = 0.5}) {}
  explicit bank_filter(const options_type& options) : bank_filter(fitted(options), options) {}

  // From pairs (key, class): members are sized, and codes given, by what there is of each class.
  template <class Pairs>
  [[nodiscard]] static bank_filter build(const Pairs& pairs, options_type options) {
    check_classes(options);
    std::vector<double> keys_of(options.classes);
    double total = 0;
    for (const auto& [k, number] : pairs) {
      check_class(number, options.classes);
      ++keys_of[number], ++total;
    }
    if (!options.keys && !(options.fpr && options.bits))
      options.keys = static_cast<std::uint64_t>(total);
    if (options.shares.empty() && total != 0) options.shares = std::move(keys_of);
    bank_filter out(options);
    for (const auto& [k, number] : pairs) out.insert(k, static_cast<unsigned>(number));
    return out;
  }
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const fit made = fitted(options);
    return {.keys = made.keys,
            .cells = made.at.cells(),
            .probes = made.at.probes(),
            .bits = made.at.cells() * made.width,
            .fpr = made.at.rate(made.fullest)};
  }

  // True if anything changed.
  template <key K>
  bool insert(const K& k, unsigned number) {
    check_class(number, classes());
    return engine_.insert(hash_(k), number);
  }

  // Every class the key may belong to, its own among them: those whose filters accept it, or whose
  // code has no one where the answer has a zero.
  template <key K>
  [[nodiscard]] owners where(const K& k) const noexcept {
    return possible(read(k).data());
  }
  // One class, if that is the answer; else what the policy makes of it.
  template <key K, class Policy = decltype(bank_policy::none)>
  [[nodiscard]] answer find(const K& k, Policy&& policy = {}) const
      noexcept(std::is_nothrow_invocable_v<Policy, const owners&>) {
    return decide(read(k).data(), policy);
  }
  // The fast way.
  template <core::key_span Keys, class Policy = decltype(bank_policy::none)>
  void find_batch(const Keys& keys, std::span<answer> answers, Policy&& policy = {}) const
      noexcept(std::is_nothrow_invocable_v<Policy, const owners&>) {
    assert(answers.size() >= std::size(keys));
    std::array<std::uint64_t, sizing::meta_max_databases> room;
    const std::size_t width = engine_.words_per_answer(), step = room.size() / width;
    const auto all = core::as_span(keys);
    for (std::size_t from = 0; from < all.size(); from += step) {
      const auto part = all.subspan(from, std::min(step, all.size() - from));
      hash_.with_digests(part, [&](std::size_t first, std::size_t count, auto digest_at) {
        engine_.query(count, digest_at, room.data() + first * width);
      });
      for (std::size_t i = 0; i < part.size(); ++i)
        answers[from + i] = decide(room.data() + i * width, policy);
    }
  }

  [[nodiscard]] unsigned classes() const noexcept { return engine_.classes(); }
  [[nodiscard]] unsigned filters() const noexcept { return engine_.filters(); }
  [[nodiscard]] std::uint64_t bits_per_filter() const noexcept { return engine_.index().cells(); }
  // Not of a plain bank.
  [[nodiscard]] std::uint32_t code_of(unsigned number) const noexcept {
    return engine_.code_of(number);
  }
  // The rate of every member filter, from its fill.
  [[nodiscard]] std::vector<double> member_rates() const { return engine_.member_rates(); }
  // The share of non-members that any member accepts: of a coded bank at most, since its members
  // err together.
  [[nodiscard]] double expected_fpr() const {
    double none = 1;
    for (const double rate : member_rates()) none *= 1 - rate;
    return 1 - none;
  }

 private:
  struct fit {
    core::k_probes at;
    unsigned width;
    std::uint64_t keys, fullest;  // of the fullest member
    std::vector<std::uint32_t> codes;
  };
  static void check_class(std::uint64_t number, unsigned classes) {
    if (number >= classes)
      throw bad_parameter(detail::text("class: expected below ", classes, ", found ", number));
  }
  static void check_classes(const options_type& options) {
    if (options.classes < 1 || options.classes > sizing::meta_max_databases)
      throw bad_parameter(detail::text("classes: expected 1 to ", sizing::meta_max_databases,
                                       ", found ", options.classes));
    if (options.code > code::constant_weight) throw bad_parameter("code: there is no such one");
  }
  [[nodiscard]] static fit fitted(const options_type& options) {
    core::check({options.keys, options.fpr, options.bits});
    check_classes(options);
    if (options.probes > sizing::bloom_max_probes)
      throw bad_parameter(detail::text("probes: expected at most ", sizing::bloom_max_probes,
                                       ", found ", options.probes));
    if (!options.shares.empty() && options.shares.size() != options.classes)
      throw bad_parameter(
          detail::text("shares: expected ", options.classes, ", found ", options.shares.size()));
    std::vector<double> shares = options.shares;
    if (shares.empty()) shares.assign(options.classes, 1);
    double total = 0;
    for (const double share : shares) {
      if (!(share >= 0 && std::isfinite(share)))
        throw bad_parameter(detail::text("shares: found ", share));
      total += share;
    }
    if (!(total > 0 && std::isfinite(total)))
      throw bad_parameter("shares: expected at least one above 0");
    for (double& share : shares) share /= total;

    fit out{.at = {},
            .width = sizing::bank_width(options.code, options.classes),
            .keys = 0,
            .fullest = 0,
            .codes = {}};
    if (options.code != code::plain) {
      out.codes = sizing::bank_codes(options.code, shares);
      shares = sizing::bank_loads(out.codes, out.width, shares);
    }
    const double fullest = *std::max_element(shares.begin(), shares.end());
    const auto of_fullest = [&](std::uint64_t keys) {
      return static_cast<std::uint64_t>(std::ceil(static_cast<double>(keys) * fullest - 1e-6));
    };
    sizing::bloom_plan made;
    if (!options.bits) {
      made = sizing::plan_bloom_for_rate(of_fullest(*options.keys), *options.fpr, options.probes);
      if (made.bits > sizing::max_bits / out.width)
        throw bad_parameter("keys: no machine holds a bank of so many");
    } else {
      if (*options.bits < out.width)
        throw bad_parameter(detail::text("bits: expected at least one for each of ", out.width,
                                         " filters, found ", *options.bits));
      const std::uint64_t each = *options.bits / out.width;
      if (options.fpr) {
        const auto room = sizing::bloom_room_for(each, *options.fpr, options.probes);
        out.keys = static_cast<std::uint64_t>(
            std::min(static_cast<double>(core::max_keys),
                     static_cast<double>(room.keys) / std::max(fullest, 1e-9)));
        made = sizing::plan_bloom_for_bits(room.keys, each, room.probes);
      } else {
        made = sizing::plan_bloom_for_bits(of_fullest(*options.keys), each, options.probes);
      }
    }
    if (options.keys) out.keys = *options.keys;
    out.fullest = of_fullest(out.keys);
    out.at = core::k_probes(made.bits, made.probes);
    return out;
  }
  bank_filter(fit&& made, const options_type& options)
      : base(options.hash, engine_type(made.at, made.width, options.classes, options.code,
                                       std::move(made.codes), options.memory)) {}

  template <key K>
  [[nodiscard]] core::bank::answer read(const K& k) const noexcept {
    core::bank::answer out;  // only the words of a row are written, and read
    engine_.query(hash_(k), out.data());
    return out;
  }
  [[nodiscard]] owners possible(const std::uint64_t* accepting) const noexcept {
    owners out(classes());
    if (engine_.is_plain()) {
      std::copy_n(accepting, engine_.words_per_answer(), out.words().begin());
    } else {
      for (unsigned i = 0; i < classes(); ++i)
        if (engine_.may_be(accepting, i)) out.words()[i / 64] |= std::uint64_t{1} << (i % 64);
    }
    return out;
  }
  template <class Policy>
  [[nodiscard]] answer decide(const std::uint64_t* accepting, Policy& policy) const
      noexcept(std::is_nothrow_invocable_v<Policy, const owners&>) {
    if (const auto number = engine_.class_with(accepting)) return {verdict::found, *number};
    if (engine_.accepted_by_none(accepting)) return {};
    const std::optional<unsigned> chosen = policy(possible(accepting));
    return chosen ? answer{verdict::found, *chosen} : answer{verdict::unclear, 0};
  }
};

}  // namespace umbel
