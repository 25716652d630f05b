// loop_detector.hpp - loop detection (Icarus) [WW02]: nodes mark a field in the packet and look for
// their own mark.
//
// Every node has a mask of a few random bits, which it adds to a packet's field. If the field
// already contains the mask, the packet may be in a loop.
//
// Invariant  Every second visit is reported.
// Limits     False alarms rise with every hop: sizing::loop_alarm. sizing::loop_presets has
//            recommended numbers of bits and ones. The caller decides what to do on an alarm: drop
//            the packet, or start counting hops.
// Threads    Immutable.
// Source     [WW02], [BM04] sec. 7.1, [TRL12] sec. IV-C.
#pragma once

#include <umbel/hash/hasher.hpp>
#include <umbel/net/packet_mask.hpp>
#include <umbel/sizing/network.hpp>

namespace umbel::net {

template <unsigned Bits = 128>
class loop_detector {
 public:
  using field = packet_mask<Bits>;

  // The detector of the node with this name.
  template <key K>
  explicit loop_detector(const K& node, unsigned ones = sizing::loop_usual_ones(Bits),
                         const hasher& hash = {})
      : mine_(field::drawn(hash(node), field::checked(ones))) {}

  // Call when a packet arrives with this field. Returns true, and leaves the field unchanged, if
  // the packet may have been here before.
  [[nodiscard]] bool arrives(field& carried) const noexcept {
    if (carried.contains(mine_)) return true;
    carried |= mine_;
    return false;
  }
  [[nodiscard]] const field& mine() const noexcept { return mine_; }

 private:
  field mine_;
};

}  // namespace umbel::net
