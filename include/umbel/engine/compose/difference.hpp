// difference.hpp - two Bloom filters of one shape: one of the inserted keys, one of the erased
// keys. The engine of removable Bloom filters.
//
// A key is a member if the first filter accepts it and the second does not.
//
// Invariant  An erased key stays erased: a later insert of it is refused. A member that was never
//            erased is lost only if it is a false positive of the second filter.
// Layout     Both filters have one shape and different salts, so keys that collide in one filter
//            are independent in the other.
// Threads    Many readers or one writer.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/core/can.hpp>
#include <umbel/engine/compose/any_of.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

class difference {
 public:
  difference() : difference(k_probes(), nullptr) {}
  // `at` gives the number of bits and of probes; its salt is not used.
  difference(const k_probes& at, std::pmr::memory_resource* memory)
      : came_(k_probes(at.cells(), at.probes(), salt), memory),
        went_(k_probes(at.cells(), at.probes(), salt + 1), memory) {}

  [[nodiscard]] const k_probes& index() const noexcept { return came_.index(); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return came_.size_in_bits() + went_.size_in_bits();
  }
  // The false positive rate of the pair at the present fill.
  [[nodiscard]] double expected_fpr() const noexcept { return accepts(came_) * (1 - forgotten()); }
  // The share of members that the second filter accepts, as if they were erased.
  [[nodiscard]] double forgotten() const noexcept { return accepts(went_); }

  [[nodiscard]] bool may_contain(digest d) const noexcept {
    return came_.may_contain(d) && !went_.may_contain(d);
  }
  void may_contain(std::size_t total, auto&& digest_at, bool* out) const noexcept {
    query_but(came_, went_, total, digest_at, out);
  }
  [[nodiscard]] std::size_t batch_from() const noexcept { return came_.batch_from(); }
  [[nodiscard, gnu::always_inline]] bool may_contain_near(digest d) const noexcept {
    return came_.may_contain_near(d) && !went_.may_contain(d);  // few have gone: one cell says so
  }
  bool insert(digest d) noexcept { return !went_.may_contain(d) && came_.insert(d); }
  void insert(std::size_t total, auto&& digest_at) noexcept {
    asked_keys some;
    for (std::size_t first = 0; first < total; first += asked_keys::most) {
      some.take(std::min(asked_keys::most, total - first), first, digest_at);
      some.drop_accepted(went_, 0, [](std::uint32_t, bool) {});
      came_.insert(some.size, detail::digest_list{some.key});
    }
  }
  erasure erase(digest d) noexcept {
    if (!may_contain(d)) return erasure::absent;
    went_.insert(d);
    return erasure::done;
  }
  std::size_t erase(std::size_t total, auto&& digest_at) noexcept {
    std::size_t done = 0;
    asked_keys some;
    for (std::size_t first = 0; first < total; first += asked_keys::most) {
      bool said[asked_keys::most];
      some.take(std::min(asked_keys::most, total - first), first, digest_at);
      came_.may_contain(some.size, detail::digest_list{some.key}, said);
      some.keep(said);
      // A key that sets no bit was already erased.
      done += went_.insert_counting(some.size, detail::digest_list{some.key});
    }
    return done;
  }
  void clear() noexcept {
    came_.clear();
    went_.clear();
  }

  friend bool operator==(const difference&, const difference&) noexcept = default;
  static void describe(auto& self, auto& part) {
    part.fields("index", self.came_.index());
    part.array("came", self.came_.cells().storage());
    part.array("went", self.went_.cells().storage());
  }
  void check() {
    came_.check();
    came_.index().require_usual();
    if (index().salt() != salt)
      throw bad_parameter(detail::text("salt: expected ", salt, ", found ", index().salt()));
    went_.index() = k_probes(index().cells(), index().probes(), salt + 1, index().scheme());
    went_.check();
  }

 private:
  using bits = probes<k_probes, cells::bits>;
  // of the filter of inserted keys; the filter of erased keys has the next one
  static constexpr std::uint64_t salt = 0x30000;

  [[nodiscard]] static double accepts(const bits& filter) noexcept {
    return std::pow(filter.fill(), filter.index().probes());
  }

  bits came_, went_;
};

}  // namespace umbel::core
