// bank_filter.hpp - bank of Bloom filters [CLF04], coded or not [LPB05]: tells which of several
// classes a key belongs to.
//
// A plain bank has one filter per class. A coded bank has about log2(classes) filters: each class
// has a code word, a key is inserted into the filters where its class's code has a one, and the
// answers of all filters are read as a code word. sizing/bank.hpp lists the codes.
//
// Layout     engine/compose/bank.hpp: the filters have one shape and are bit-sliced, so k reads
//            answer for all of them. Each is as long as the fullest one needs. Codes are assigned
//            so that the filters are about equally full.
// Invariant  where() includes the true class of every key inserted, and sometimes others.
// Limits     At most 4096 classes. In a coded bank a key inserted under two classes has the ones of
//            both codes, and may be read as a third class. With `dense`, every non-member is read
//            as the class whose code is 0. A bank has no file format; meta_map has one.
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

// A policy decides answers that are not one class: several filters of a plain bank accept, or the
// word read from a coded bank is no code word. It is called with the possible classes and returns
// one of them, or nullopt.
namespace bank_policy {
// Such an answer stays unclear.
inline constexpr auto none = [](const owners&) noexcept -> std::optional<unsigned> {
  return std::nullopt;
};
// Takes the possible class with the smallest number.
inline constexpr auto first = [](const owners& possible) noexcept -> std::optional<unsigned> {
  std::optional<unsigned> least;
  possible.for_each([&](unsigned number) {
    if (!least) least = number;
  });
  return least;
};
}  // namespace bank_policy

// Maps keys to classes 0 to classes() - 1. Inherited from core/keyed.hpp: merge, clear.
class bank_filter : public core::keyed<core::bank> {
  using base = core::keyed<core::bank>;

 public:
  using code = sizing::bank_code;  // plain, binary, dense or constant_weight
  // Options of bank_filter.
  struct options_type {
    // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
    std::optional<std::uint64_t> keys{};  // keys of all classes together
    std::optional<double> fpr{};          // false positive rate of one member filter
    std::optional<std::uint64_t> bits{};  // size of all member filters together
    unsigned classes = 2;                 // number of classes, 1 to 4096; they are numbered from 0
    // which filters a class uses: see sizing/bank.hpp
    bank_filter::code code = bank_filter::code::plain;
    // each class's share of the keys, in any unit; empty: equal shares
    std::vector<double> shares{};
    unsigned probes = 0;                          // probes per filter; 0: the best number
    hasher hash{};                                // hash function, and its seed or secret key
    std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
    unsigned threads = 1;                         // no effect: inserts run on the caller's thread
  };
  // absent: no class. found: one class. unclear: several classes are possible, or the code word
  // read belongs to no class.
  enum class verdict { absent, found, unclear };
  // The result of find().
  struct answer {
    verdict what = verdict::absent;  // whether `number` is a class
    unsigned number = 0;             // the class, if found; else 0
    friend bool operator==(const answer&, const answer&) = default;
  };

  bank_filter() : bank_filter(options_type{.keys = 0, .fpr = 0.5}) {}
  // An empty bank. Throws bad_parameter if no bank can have these options.
  explicit bank_filter(const options_type& options) : bank_filter(fitted(options), options) {}

  // A bank of pairs (key, class). Sizes and codes follow from the number of keys in each class.
  // Throws bad_parameter for a class out of range.
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
  // Size of the bank, and the false positive rate of its fullest filter. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const fit made = fitted(options);
    return {.keys = made.keys,
            .cells = made.at.cells(),
            .probes = made.at.probes(),
            .bits = made.at.cells() * made.width,
            .fpr = made.at.rate(made.fullest)};
  }

  // Adds the key to class `number`. True if any bit changed. Throws bad_parameter if there is no
  // such class.
  template <key K>
  bool insert(const K& k, unsigned number) {
    check_class(number, classes());
    return engine_.insert(hash_(k), number);
  }

  // All classes the key may belong to; the true class is always among them. Plain: the classes
  // whose filters accept the key. Coded: the classes whose code has ones only where the answer has
  // ones.
  template <key K>
  [[nodiscard]] owners where(const K& k) const noexcept {
    return possible(read(k).data());
  }
  // The class of the key if the answer is one class, else what the policy decides.
  template <key K, class Policy = decltype(bank_policy::none)>
  [[nodiscard]] answer find(const K& k, Policy&& policy = {}) const
      noexcept(std::is_nothrow_invocable_v<Policy, const owners&>) {
    return decide(read(k).data(), policy);
  }
  // answers[i] = find(keys[i]), faster than single calls. `answers` is at least as long as `keys`.
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

  // number of classes
  [[nodiscard]] unsigned classes() const noexcept { return engine_.classes(); }
  // number of member filters
  [[nodiscard]] unsigned filters() const noexcept { return engine_.filters(); }
  // size of one member filter
  [[nodiscard]] std::uint64_t bits_per_filter() const noexcept { return engine_.index().cells(); }
  // The code word of a class; bit j stands for filter j. For coded banks only.
  [[nodiscard]] std::uint32_t code_of(unsigned number) const noexcept {
    return engine_.code_of(number);
  }
  // The false positive rate of every member filter, from its present fill.
  [[nodiscard]] std::vector<double> member_rates() const { return engine_.member_rates(); }
  // The share of non-members that at least one member filter accepts. For a coded bank this is an
  // upper bound, since the errors of its filters are correlated.
  [[nodiscard]] double expected_fpr() const {
    double none = 1;
    for (const double rate : member_rates()) none *= 1 - rate;
    return 1 - none;
  }

 private:
  struct fit {
    core::k_probes at;
    unsigned width;
    std::uint64_t keys, fullest;  // keys of all classes; keys of the fullest member filter
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
