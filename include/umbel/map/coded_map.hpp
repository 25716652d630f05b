// coded_map.hpp - compressed static function [HKP09], [GV18]: static map whose frequent values cost
// fewer bits than rare ones, near the entropy of the values.
//
// A prefix code gives frequent values short codes. The first ribbon stores the first few code bits
// of all keys; each further ribbon stores the next bits of the keys whose codes are longer. So no
// key takes more bits than its own code. A value too rare for a code is stored literally, and the
// key's code is an escape. If nearly all keys have one value, a filter of the other keys comes
// first, and most keys take no bits at all. The build takes the smallest of these forms, which
// depends on the number of keys of each value (sizing/coded.hpp).
//
// Layout     Ribbons, in one bundle: the check bits, unless they are joined to the first of the
//            other ribbons; the filter; the chunks of code bits; literal values. In the form
//            `coded` a staggered graph stores the codes instead of chunks.
// Invariant  Every key of the build gets its value. A non-member gets none, or some value with
//            probability fpr; without fpr always some value.
// Limits     Static. Value bits and check bits together are 1 to 64; at most 2^20 values have
//            codes. A build takes a copy of all records, and what the largest ribbon needs; the
//            form `coded` takes one record for every bit of every code.
// Threads    Immutable: any number of readers.
// Source     [HKP09], [GV18] for codes in static functions, [DHSW22] for the ribbons, [CTLLS23] for
//            the filter.
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
#include <string_view>
#include <type_traits>

#include <umbel/base/config.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/compose/bundle.hpp>
#include <umbel/engine/retrieval/peeled.hpp>
#include <umbel/engine/retrieval/prefix_code.hpp>
#include <umbel/engine/retrieval/ribbon/ribbon.hpp>
#include <umbel/engine/retrieval/staggered.hpp>
#include <umbel/sizing/coded.hpp>

namespace umbel {

// Options of coded_map.
struct coded_map_options {
  std::optional<std::uint64_t> keys{};  // keys, for plan(); a build counts them itself
  unsigned value_bits = 8;              // bits of a value; with the check bits at most 64
  // rate at which a non-member gets a value; absent: no check, each gets one
  std::optional<double> fpr{};
  // for plan(): number of keys of each value, by value; empty: all values equally frequent
  std::span<const std::uint64_t> counts{};
  std::optional<coded_form> form{};  // see sizing/coded.hpp; absent: the smallest
  // speed against size of the ribbons; any but homogeneous
  ribbon_preset preset = ribbon_preset::fast;
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads of a build
  // least number of keys that is split into shards; for tests
  std::uint64_t shard_from = sizing::peel_shard_from;
};

namespace core {

// The compressed static function, for digests.
class coded_values {
  using graph = peeled<staggered>;

 public:
  coded_values() = default;
  template <class Spool>
  [[nodiscard]] static coded_values build(const Spool& pairs, const coded_map_options& options);

  [[nodiscard]] std::optional<std::uint64_t> find(digest d) const noexcept {
    return answer(d, true);
  }
  [[nodiscard]] std::uint64_t value(digest d) const noexcept {
    return answer(d, false).value_or(0);
  }
  template <class DigestAt>
  void find(std::size_t total, DigestAt& digest_at,
            std::optional<std::uint64_t>* out) const noexcept {
    in_groups(total, digest_at, true, out);
  }
  template <class DigestAt>
  void value(std::size_t total, DigestAt& digest_at, std::uint64_t* out) const noexcept {
    in_groups(total, digest_at, false, out);
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] unsigned value_bits() const noexcept { return static_cast<unsigned>(value_bits_); }
  [[nodiscard]] coded_form form() const noexcept { return static_cast<coded_form>(form_); }
  [[nodiscard]] const prefix_code& code() const noexcept { return code_; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    if (keys_ == 0) return 0;
    return 64 * sizing::coded_field_words + code_.size_in_bits() + parts_.size_in_bits() +
           graph_.size_in_bits();
  }
  // The share of non-members that get a value.
  [[nodiscard]] double expected_fpr() const noexcept {
    return keys_ == 0 ? 0 : std::exp2(-static_cast<double>(check_bits_));
  }

  friend bool operator==(const coded_values& a, const coded_values& b) noexcept {
    return a.keys_ == b.keys_ && a.value_bits_ == b.value_bits_ && a.form_ == b.form_ &&
           a.check_bits_ == b.check_bits_ && a.filter_bits_ == b.filter_bits_ &&
           a.dominant_ == b.dominant_ && a.code_ == b.code_ && a.parts_ == b.parts_ &&
           a.graph_ == b.graph_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("keys", self.keys_);
    field("value_bits", self.value_bits_);
    field("form", self.form_, coded_form_names);
    field("check_bits", self.check_bits_);
    field("filter_bits", self.filter_bits_);
    field("dominant", self.dominant_);
    prefix_code::fields(self.code_, field);
  }
  static void describe(auto& self, auto& part) {
    part.fields("coded", self);
    prefix_code::describe(self.code_, part);
    bundle<ribbon>::describe(self.parts_, part);
    if (self.form() == coded_form::coded) graph::describe(self.graph_, part);
  }
  void check();

 private:
  template <class Spool>
  class builder;
  // keys of a batch that are processed ribbon by ribbon together
  static constexpr std::size_t group = 512;
  static constexpr std::uint8_t nowhere = 0xFF;

  // Which ribbon is what, and which bits of a code each has. Follows from the code and the ribbons.
  struct layout {
    // numbers of ribbons, or nowhere
    std::uint8_t check = nowhere, filter = nowhere, literal = nowhere;
    std::uint8_t first = 0;                                   // ribbon of the first chunk
    std::uint8_t chunks = 0;                                  // number of chunks
    std::array<std::uint8_t, sizing::max_code_bits> width{};  // code bits of each chunk
  };

  // Whether the check bits are joined to this ribbon.
  [[nodiscard]] bool is_joined(std::size_t part) const noexcept {
    return check_bits_ != 0 && layout_.check == nowhere && part == 0;
  }
  // The word of a ribbon without the check bits joined to it; nullopt if `checked` and they are
  // wrong.
  [[nodiscard]] std::optional<std::uint64_t> unchecked(std::size_t part, std::uint64_t word,
                                                       digest d, bool checked) const noexcept;
  [[nodiscard]] std::optional<std::uint64_t> answer(digest d, bool checked) const noexcept;
  struct group_answers {
    std::array<std::uint64_t, group> value;
    std::array<bool, group> found;
  };
  template <class Answers>  // a template, so that only programs that query batches compile it
  void answer_group(std::span<const digest> keys, bool checked, Answers& out) const noexcept;
  [[nodiscard]] coded_form form_of() const noexcept;
  [[nodiscard]] layout laid_out() const;  // throws corrupt if there is none

  template <class DigestAt, class Answer>
  void in_groups(std::size_t total, DigestAt& digest_at, bool checked, Answer* out) const noexcept {
    std::array<digest, group> digests;
    group_answers answers;
    for (std::size_t first = 0; first < total; first += group) {
      const std::size_t count = std::min(group, total - first);
      for (std::size_t i = 0; i < count; ++i) digests[i] = digest_at(first + i);
      answer_group(std::span<const digest>(digests).first(count), checked, answers);
      Answer* const to = out + first;
      for (std::size_t i = 0; i < count; ++i) {
        if constexpr (std::is_same_v<Answer, std::uint64_t>)
          to[i] = answers.value[i];
        else
          to[i] = answers.found[i] ? Answer(answers.value[i]) : Answer();
      }
    }
  }

  std::uint64_t keys_ = 0;
  std::uint64_t value_bits_ = 1;
  std::uint64_t form_ = 0;
  std::uint64_t check_bits_ = 0;
  std::uint64_t filter_bits_ = 0;
  std::uint64_t dominant_ = 0;  // the value of keys that do not pass the filter
  prefix_code code_;
  bundle<ribbon> parts_;
  graph graph_;
  layout layout_;
};

}  // namespace core

// The map. Inherited from core/keyed.hpp: find, find_batch, value, value_batch, keys, value_bits.
class coded_map : public core::keyed<core::coded_values> {
 public:
  using options_type = coded_map_options;
  static constexpr std::string_view kind = "coded-map";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::map, .answers = output::value, .is_static = true, .lines = 4};

  coded_map() = default;

  // A map of these pairs (key, value). Throws bad_parameter for a value that does not fit and
  // conflict for a key with two values; both messages name the key. If options.form is impossible
  // for these values, such as `dominant` for a single value, the smallest possible form is built.
  template <core::pair_range Pairs>
  [[nodiscard]] static coded_map build(const Pairs& pairs, const options_type& options) {
    return core::map_of<coded_map>(pairs, options);
  }
  // The same from a spool of digests with values. A template, so that only programs that call it
  // compile the solver.
  template <class Spool = pair_spool>
  [[nodiscard]] static coded_map build(const std::type_identity_t<Spool>& pairs,
                                       const options_type& options) {
    return {options.hash, core::coded_values::build(pairs, options)};
  }
  // Size, rate and form for the value counts in `options`. Builds nothing.
  template <class Options = options_type>
  [[nodiscard]] static umbel::plan plan(const std::type_identity_t<Options>& options);

  // The form that was built.
  [[nodiscard]] coded_form form() const noexcept { return engine_.form(); }
  // The prefix code.
  [[nodiscard]] const core::prefix_code& code() const noexcept { return engine_.code(); }

 private:
  using keyed::keyed;
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/map/coded_map.ipp>
#endif
