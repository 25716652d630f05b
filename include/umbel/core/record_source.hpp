// record_source.hpp - what a static build reads: records, as digests, that can be read again and
// again.
// Idea       A build that reads all records once, and seldom again, needs no copy of them: keys are
//            hashed where they lie (spooled.hpp). One that works on a part at a time, or has no
//            room, reads them from a spool (spool.hpp). A call per block tells the two apart, so a
//            solver is compiled once.
// Limits     Bins are ranges of digests' top 8 bits. A part of them may cost as much as all.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <umbel/hash/digest.hpp>

namespace umbel::core {

// A key and its value, on the way into a map.
struct valued {
  digest key;
  std::uint64_t value = 0;
  friend auto operator<=>(const valued&, const valued&) = default;
};
[[nodiscard]] inline digest key_of(const digest& d) noexcept { return d; }
[[nodiscard]] inline digest key_of(const valued& v) noexcept { return v.key; }
[[nodiscard]] inline std::uint64_t value_of(const digest&) noexcept { return 0; }
[[nodiscard]] inline std::uint64_t value_of(const valued& v) noexcept { return v.value; }

template <class Record>
class basic_spool;

template <class Record>
class record_source {
 public:
  // Records come in bins by these top bits of their digests' `hi`.
  static constexpr unsigned bin_bits = 8;
  // the number of bins
  static constexpr std::size_t bins = std::size_t{1} << bin_bits;

  virtual ~record_source() = default;
  // The number of records, repeats included.
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;
  // Records of bins [first, last).
  [[nodiscard]] virtual std::uint64_t count(std::size_t first, std::size_t last) const = 0;
  // The same records without repeats, in order; throws digest_conflict when one key has two values.
  [[nodiscard]] virtual basic_spool<Record> distinct(unsigned threads = 1) const = 0;

  // work(span of records) for every block of bins [first, last).
  template <class Work>
  void for_each(std::size_t first, std::size_t last, Work&& work) const {
    visit(
        first, last,
        [](void* context, std::span<const Record> block) {
      (*static_cast<std::remove_reference_t<Work>*>(context))(block);
        },
        const_cast<void*>(static_cast<const void*>(&work)));
  }

 protected:
  record_source() = default;
  record_source(const record_source&) = default;
  record_source& operator=(const record_source&) = default;

  using visitor = void (*)(void* context, std::span<const Record> block);
  virtual void visit(std::size_t first, std::size_t last, visitor work, void* context) const = 0;
};

}  // namespace umbel::core
