// perfect.hpp - a minimal perfect hash in the form its preset asks for.
// Idea       What stands on a perfect hash does not care how it is made: pilots (piloted.hpp) answer in one read and take the
//            fewest bits, levels (leveled.hpp) build in the least memory.
// Layout     The form, then the sections of the engine of that form.
// Threads    Immutable: any number of readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/leveled.hpp>
#include <umbel/core/piloted_build.hpp>
#include <umbel/core/plan.hpp>

namespace umbel::core {

class perfect {
 public:
  using build_options = piloted::build_options;

  [[nodiscard]] static umbel::plan plan(std::uint64_t n, perfect_preset preset, std::uint64_t part_from) {
    return preset == perfect_preset::levels ? leveled::plan(n) : piloted::plan(n, preset, part_from);
  }
  // Repeats are dropped. Throws unsolvable.
  template <class Record>
  [[nodiscard]] static perfect build(const basic_spool<Record>& keys, const build_options& how) {
    perfect out;
    if (how.preset == perfect_preset::levels) {
      out.form_ = levels;
      out.leveled_ = leveled::build(keys, how.memory, how.threads);
    } else {
      out.piloted_ = piloted::build(keys, how);
    }
    return out;
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return form_ == levels ? leveled_.keys() : piloted_.keys(); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return form_ == levels ? leveled_.size_in_bits() : piloted_.size_in_bits();
  }
  // Below keys(), and different for all keys given; 0 when nothing was built.
  [[nodiscard]] std::uint64_t index(digest d) const noexcept {
    return form_ == levels ? leveled_.index(d) : piloted_.index(d);
  }
  // sink(i, note_of(digest), index) for i below `total`, in order.
  template <class DigestAt, class NoteOf, class Sink>
  void indices(std::size_t total, DigestAt&& digest_at, NoteOf&& note_of, Sink&& sink) const noexcept {
    if (form_ == levels)
      leveled_.indices(total, digest_at, note_of, sink);
    else
      piloted_.indices(total, digest_at, note_of, sink);
  }
  [[nodiscard]] const piloted& pilots() const noexcept { return piloted_; }  // empty in another form

  friend bool operator==(const perfect&, const perfect&) noexcept = default;
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("form", self.form_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("perfect", self);
    if (self.form_ == levels)
      leveled::describe(self.leveled_, part);
    else
      piloted::describe(self.piloted_, part);
  }
  void check() {
    if (form_ > levels) throw corrupt(detail::text("form: expected 0 (pilots) or 1 (levels), found ", form_));
    leveled_.check();
    piloted_.check();
  }

 private:
  static constexpr std::uint64_t levels = 1;

  std::uint64_t form_ = 0;
  piloted piloted_;
  leveled leveled_;
};

}  // namespace umbel::core
