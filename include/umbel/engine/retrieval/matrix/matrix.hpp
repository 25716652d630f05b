// matrix.hpp - retrieval by a random linear system over GF(2) [Por09], in one of four forms.
//
// Forms      `grouped` and `tabulated` (grouped.hpp): a small system for each group of keys, for
//            any number of keys. `exact` and `dense` (single_system.hpp): one system, with exactly
//            keys * width bits of cells.
// Layout     The form, then the sections of that form's engine.
// Threads    Immutable: any number of readers.
// Source     [Por09].
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/retrieval/matrix/grouped.hpp>
#include <umbel/engine/retrieval/matrix/single_system.hpp>

namespace umbel::core {

template <class Record>
class basic_spool;
class matrix_builder;

class matrix {
 public:
  struct build_options {
    unsigned width = 8;  // bits per value, 1 to 64
    matrix_form form = matrix_form::grouped;
    std::uint64_t group = 64, spare = 0, levels = 2;
    matrix_source source = matrix_source::hashed;
    std::uint64_t draw = 0;
    std::pmr::memory_resource* memory = nullptr;
    unsigned threads = 1;

    // From the options of a map or a filter, for cells of this width.
    template <class Options>
    [[nodiscard]] static build_options of(const Options& options, unsigned width) {
      return {.width = width,
              .form = options.form,
              .group = options.group,
              .spare = options.spare,
              .levels = options.levels,
              .source = options.source,
              .draw = options.draw,
              .memory = options.memory,
              .threads = options.threads};
    }
    [[nodiscard]] grouped::build_options for_groups() const noexcept {
      return {.width = width,
              .group = form == matrix_form::tabulated ? sizing::matrix_tabulated_group : group,
              .spare = spare,
              .levels = levels,
              .source = source,
              .draw = draw,
              .memory = memory,
              .threads = threads};
    }
    [[nodiscard]] single_system::build_options for_one() const noexcept {
      return {
          .width = width, .sparse = form == matrix_form::exact, .spare = spare, .memory = memory};
    }
  };

  matrix() = default;

  // The size for n keys of this width. `tag_bits` of the width distinguish members from
  // non-members.
  [[nodiscard]] static umbel::plan plan(std::uint64_t n, unsigned tag_bits,
                                        const build_options& options) {
    check_options(options);
    umbel::plan out = in_groups(options.form) ? grouped::plan(n, tag_bits, options.for_groups())
                                              : single_system::plan(n, tag_bits, options.for_one());
    if (options.form != matrix_form::grouped) out.form = name_of(options.form);
    return out;
  }
  // value_of(record) is the value to store for the record's key, below 2^width. Throws
  // bad_parameter, conflict and unsolvable.
  template <class Record, class ValueOf, class Builder = matrix_builder>
  [[nodiscard]] static matrix build(const basic_spool<Record>& keys, const build_options& options,
                                    ValueOf&& value_of) {
    return Builder::build(keys, options, value_of);  // engine/retrieval/matrix/build.hpp
  }

  [[nodiscard]] matrix_form form() const noexcept { return static_cast<matrix_form>(form_); }
  // empty if the form is another
  [[nodiscard]] const grouped& groups() const noexcept { return grouped_; }
  [[nodiscard]] const single_system& one() const noexcept { return single_; }
  [[nodiscard]] std::uint64_t keys() const noexcept {
    return in_groups() ? grouped_.keys() : single_.keys();
  }
  [[nodiscard]] unsigned width() const noexcept {
    return in_groups() ? grouped_.width() : single_.width();
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return in_groups() ? grouped_.size_in_bits() : single_.size_in_bits();
  }
  // Exact for keys of the build, arbitrary for others; 0 if there are no keys.
  [[nodiscard]] std::uint64_t value(digest d) const noexcept {
    return in_groups() ? grouped_.value(d) : single_.value(d);
  }
  // sink(i, note, value) for i below `total`, in order. The note is note_of(digest), computed when
  // the key is located.
  template <class DigestAt, class NoteOf, class Sink>
  void values(std::size_t total, DigestAt&& digest_at, NoteOf&& note_of,
              Sink&& sink) const noexcept {
    if (in_groups())
      grouped_.values(total, digest_at, note_of, sink);
    else
      single_.values(total, digest_at, note_of, sink);
  }

  friend bool operator==(const matrix&, const matrix&) noexcept = default;
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("form", self.form_, matrix_form_names);
  }
  static void describe(auto& self, auto& part) {
    part.fields("matrix", self);
    if (self.in_groups())
      grouped::describe(self.grouped_, part);
    else
      single_system::describe(self.single_, part);
  }
  void check() {
    if (form_ > static_cast<std::uint64_t>(matrix_form::dense))
      throw corrupt(detail::text("form: expected 0 to 3, found ", form_));
    if (!in_groups()) return single_.check(form() == matrix_form::exact);
    grouped_.check(form() == matrix_form::tabulated);
  }

 private:
  friend matrix_builder;

  static void check_options(const build_options& options) {
    if (options.form > matrix_form::dense)
      throw bad_parameter(
          detail::text("form: expected grouped, tabulated, exact or dense, found number ",
                       static_cast<std::uint64_t>(options.form)));
    const bool plain = options.group == 64 && options.levels == 2 &&
                       options.source == matrix_source::hashed && options.draw == 0;
    if (options.form != matrix_form::grouped && !plain)
      throw bad_parameter(detail::text(
          "form: group, levels, source and draw are choices of the form grouped, not of ",
          name_of(options.form)));
    if (options.form == matrix_form::grouped && options.group == sizing::matrix_tabulated_group)
      throw bad_parameter(
          detail::text("group: expected 64, 128 or 256 keys, found ", options.group));
  }
  [[nodiscard]] static constexpr bool in_groups(matrix_form form) noexcept {
    return form == matrix_form::grouped || form == matrix_form::tabulated;
  }
  [[nodiscard]] bool in_groups() const noexcept {
    return form_ <= static_cast<std::uint64_t>(matrix_form::tabulated);
  }

  std::uint64_t form_ = 0;
  grouped grouped_;
  single_system single_;
};

}  // namespace umbel::core
