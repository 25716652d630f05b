// threshold_probes.hpp - index of variable Bloom filters [LPB05]: k cells per key, of which an
// insert sets the first t and a query requires q.
//
// Idea       The walk of `k_probes`; `marks` and `spare` (engine/probe/index.hpp) define how
//            much of it counts.
// Invariant  With t = q = k it is `k_probes`.
// Source     [LPB05].
#pragma once

#include <cstdint>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/engine/probe/index.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

class threshold_probes {
 public:
  // The same over a walk whose steps are inlined.
  template <class One>
  class over : public One {
   public:
    over(const One& one, unsigned marks, unsigned spare) noexcept
        : One(one), marks_(marks), spare_(spare) {}
    [[nodiscard]] unsigned marks() const noexcept { return marks_; }
    [[nodiscard]] unsigned spare() const noexcept { return spare_; }

   private:
    unsigned marks_, spare_;
  };

  threshold_probes() = default;
  threshold_probes(std::uint64_t cells, unsigned probes, unsigned marks, unsigned needed)
      : all_(cells, probes), marks_(marks), needed_(needed) {
    check();
  }

  [[nodiscard]] std::uint64_t cells() const noexcept { return all_.cells(); }
  [[nodiscard]] unsigned probes() const noexcept { return all_.probes(); }
  [[nodiscard]] unsigned marks() const noexcept { return static_cast<unsigned>(marks_); }
  [[nodiscard]] unsigned needed() const noexcept { return static_cast<unsigned>(needed_); }
  [[nodiscard]] unsigned spare() const noexcept { return probes() - needed(); }
  [[nodiscard]] walk start(digest d) const noexcept { return all_.start(d); }
  [[nodiscard]] std::uint64_t next(walk& w) const noexcept { return all_.next(w); }
  template <class Work>
  decltype(auto) with_fixed(Work&& work) const {
    return all_.with_fixed([&](const auto& one) { return work(over(one, marks(), spare())); });
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    k_probes::fields(self.all_, field);
    field("marks", self.marks_);
    field("needed", self.needed_);
  }
  void check() {
    all_.check();
    all_.require_usual();
    const auto require = [&](const char* name, std::uint64_t value) {
      if (value == 0 || value > probes())
        throw bad_parameter(detail::text(name, ": expected 1 to ", probes(),
                                         ", as many as there are probes, found ", value));
    };
    require("marks", marks_);
    require("needed", needed_);
  }
  friend bool operator==(const threshold_probes& a, const threshold_probes& b) noexcept {
    return a.marks_ == b.marks_ && a.needed_ == b.needed_ && a.all_ == b.all_;
  }

 private:
  k_probes all_;
  std::uint64_t marks_ = 1, needed_ = 1;
};

}  // namespace umbel::core
