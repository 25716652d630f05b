// coded_map.hpp - static map whose frequent values cost fewer bits than rare ones: near the
// entropy, not the width.
// Idea       A prefix code gives frequent values short codes. A ribbon holds some positions of the
//            codes of all keys whose codes are that long, the next ribbon the next positions of
//            those that go on, and so on: no key pays for more than its own code. A value too rare
//            for a code is kept literally, behind the code of an escape. Where one value has nearly
//            all keys, a filter of the others comes first and most keys take no bits at all. Which
//            of these forms is the smallest follows from how many keys have each value
//            (sizing/coded.hpp), and so is chosen by itself.
// Layout     Ribbons, in one bundle: the check, where it is not joined to the first of the others;
//            the filter; the chunks of code positions; literal values. In the form `coded` a
//            staggered graph holds the code instead of chunks.
// Invariant  Every key given answers its value, always. A non-member gets none, or some value with
//            probability fpr; without fpr always some value.
// Limits     Static. Values of 1 to 64 bits together with the check's; at most 2^20 of them have
//            codes. Building takes a copy of all records, and what the largest ribbon needs;
//            `coded` a record for every bit of every code.
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

struct coded_map_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  unsigned value_bits = 8;
  std::optional<double> fpr{};  // none: no check, non-members always get some value
  // for plans: keys of each value, by value; none: as if all were alike
  std::span<const std::uint64_t> counts{};
  std::optional<coded_form> form{};  // none: the smallest
  ribbon_preset preset = ribbon_preset::fast;
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
  std::uint64_t shard_from = sizing::peel_shard_from;  // a seam for tests
};

namespace core {

// Of digests.
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
  // keys of a batch that go from ribbon to ribbon together
  static constexpr std::size_t group = 512;
  static constexpr std::uint8_t nowhere = 0xFF;

  // Where the parts are, and which bits of a code each has; follows from code and parts.
  struct layout {
    std::uint8_t check = nowhere, filter = nowhere, literal = nowhere;  // numbers of ribbons
    std::uint8_t first = 0;                                             // chunk
    std::uint8_t chunks = 0;
    std::array<std::uint8_t, sizing::max_code_bits> width{};  // of each
  };

  // What a ribbon says of a key, the check taken off where it is joined to it; nothing if it is
  // wrong.
  [[nodiscard]] bool is_joined(std::size_t part) const noexcept {
    return check_bits_ != 0 && layout_.check == nowhere && part == 0;
  }
  [[nodiscard]] std::optional<std::uint64_t> unchecked(std::size_t part, std::uint64_t word,
                                                       digest d, bool checked) const noexcept;
  [[nodiscard]] std::optional<std::uint64_t> answer(digest d, bool checked) const noexcept;
  struct group_answers {
    std::array<std::uint64_t, group> value;
    std::array<bool, group> found;
  };
  template <class Answers>  // these: only programs that ask in batches compile it
  void answer_group(std::span<const digest> keys, bool checked, Answers& out) const noexcept;
  [[nodiscard]] coded_form form_of() const noexcept;
  [[nodiscard]] layout laid_out() const;  // or throws corrupt

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
  std::uint64_t dominant_ = 0;  // the value of whoever does not pass the filter
  prefix_code code_;
  bundle<ribbon> parts_;
  graph graph_;
  layout layout_;
};

}  // namespace core

class coded_map : public core::keyed<core::coded_values> {
 public:
  using options_type = coded_map_options;
  static constexpr std::string_view kind = "coded-map";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::map, .answers = output::value, .is_static = true, .lines = 4};

  coded_map() = default;

  // A form that makes no sense for these values, such as `dominant` of one value, gives way to the
  // smallest that does.
  template <core::pair_range Pairs>
  [[nodiscard]] static coded_map build(const Pairs& pairs, const options_type& options) {
    return core::map_of<coded_map>(pairs, options);
  }
  // a template, so that only programs that build compile the solver
  template <class Spool = pair_spool>
  [[nodiscard]] static coded_map build(const std::type_identity_t<Spool>& pairs,
                                       const options_type& options) {
    return {options.hash, core::coded_values::build(pairs, options)};
  }
  template <class Options = options_type>
  [[nodiscard]] static umbel::plan plan(const std::type_identity_t<Options>& options);

  [[nodiscard]] coded_form form() const noexcept { return engine_.form(); }
  [[nodiscard]] const core::prefix_code& code() const noexcept { return engine_.code(); }

 private:
  using keyed::keyed;
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/map/coded_map.ipp>
#endif
