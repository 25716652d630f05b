// loop_detector.hpp - a packet that may have been here before: nodes mark a field in it and look
// for their own mark.
// Idea       Every node has a mask of a few random bits. It adds the mask to a packet's field;
//            where it is in there already, the packet may run in a circle.
// Invariant  Every second visit is reported, whatever lies between.
// Limits     False alarms rise with every hop: sizing::loop_alarm; bits and ones worth having are
//            sizing::loop_presets. What to do on an alarm is the caller's: drop, or start counting
//            hops.
// Threads    Immutable.
// Source     [WW02] (Icarus), [BM04] sec. 7.1, [TRL12] sec. IV-C.
#pragma once

#include <umbel/hash/hasher.hpp>
#include <umbel/net/packet_mask.hpp>
#include <umbel/sizing/network.hpp>

namespace umbel::net {

template <unsigned Bits = 128>
class loop_detector {
 public:
  using field = packet_mask<Bits>;

  // Of this node, by whatever names it.
  template <key K>
  explicit loop_detector(const K& node, unsigned ones = sizing::loop_usual_ones(Bits),
                         const hasher& hash = {})
      : mine_(field::drawn(hash(node), field::checked(ones))) {}

  // A packet arrives with this field. True: it may have been here before, and the field is as it
  // was.
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
