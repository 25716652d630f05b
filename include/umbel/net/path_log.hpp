// path_log.hpp - IP traceback by Bloom filters (SPIE) [Sno01]: which packets passed a router, and
// when.
//
// A router keeps one filter of packets per time slot, for the last few slots. Each router has its
// own probes. A trace begins at the victim and continues to every neighbour that may have seen the
// packet.
//
// Layout     A ring of bit arrays. Slot numbers rise, and a new slot replaces the oldest.
// Invariant  A packet is found in its slot as long as the slot is kept. A trace finds the whole
//            path, and false branches beside it.
// Limits     A slot that is no longer kept is answered with "maybe". If routers change a packet,
//            its key must consist of the unchanged parts.
// Threads    Many readers or one writer.
// Source     [Sno01], [BM04] sec. 8.2, [TRL12] sec. IV-D.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/net/signature.hpp>

namespace umbel::net {

class path_log {
 public:
  // One filter with these options per slot. Routers with different numbers have independent errors.
  path_log(const bloom_options& per_slot, unsigned slots, std::uint32_t router)
      : signature_(per_slot, router) {
    if (slots < 1) throw bad_parameter("slots: expected at least 1, found 0");
    ring_.assign(slots, signature_.nothing());
  }

  // Starts this slot. Slot numbers only rise; skipped slots are empty.
  void advance(std::uint64_t slot) {
    if (slot < newest_)
      throw bad_parameter(detail::text("slot: expected at least ", newest_, ", found ", slot));
    for (std::uint64_t steps = std::min<std::uint64_t>(slot - newest_, ring_.size()); steps > 0;
         --steps) {
      head_ = head_ + 1 == ring_.size() ? 0 : head_ + 1;
      ring_[head_].storage().clear();
    }
    newest_ = slot;
  }
  template <key K>
  bool insert(const K& packet) {
    return signature_.mark(ring_[head_], packet);
  }
  [[nodiscard]] bool keeps(std::uint64_t slot) const noexcept {
    return slot <= newest_ && newest_ - slot < ring_.size();
  }
  // False: the packet certainly did not pass in that slot.
  template <key K>
  [[nodiscard]] bool may_have_seen(const K& packet, std::uint64_t slot) const noexcept {
    if (slot > newest_) return false;
    if (!keeps(slot)) return true;
    return signature_.accepts(ring_[place(slot)], packet);
  }
  [[nodiscard]] double expected_fpr(std::uint64_t slot) const noexcept {
    return keeps(slot)      ? std::pow(fill(ring_[place(slot)]), signature_.probes())
           : slot > newest_ ? 0
                            : 1;
  }
  [[nodiscard]] std::uint64_t newest() const noexcept { return newest_; }

 private:
  [[nodiscard]] std::size_t place(std::uint64_t slot) const noexcept {
    const auto age = static_cast<std::size_t>(newest_ - slot);
    return head_ >= age ? head_ - age : head_ + ring_.size() - age;
  }
  signature signature_;
  std::vector<cells::bits> ring_;
  std::size_t head_ = 0;  // index of the newest slot
  std::uint64_t newest_ = 0;
};

// A router the packet may have passed, and the router towards the victim from which it was reached.
struct trace_step {
  std::size_t router, towards;
  friend bool operator==(const trace_step&, const trace_step&) = default;
};
// All routers reachable from the victim through routers that report the packet; the victim first,
// then by distance. neighbours(router) is a range of routers; saw(router) is the answer of its log.
template <class Neighbours, class Saw>
[[nodiscard]] std::vector<trace_step> trace(std::size_t victim, Neighbours&& neighbours,
                                            Saw&& saw) {
  std::vector<trace_step> out{{victim, victim}};
  std::vector<std::size_t> asked{victim};
  for (std::size_t i = 0; i < out.size(); ++i)
    for (const auto next : neighbours(out[i].router)) {
      const auto at = std::lower_bound(asked.begin(), asked.end(), static_cast<std::size_t>(next));
      if (at != asked.end() && *at == static_cast<std::size_t>(next)) continue;
      asked.insert(at, static_cast<std::size_t>(next));
      if (saw(static_cast<std::size_t>(next)))
        out.push_back({static_cast<std::size_t>(next), out[i].router});
    }
  return out;
}

}  // namespace umbel::net
