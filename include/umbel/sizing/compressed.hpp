// sizing/compressed.hpp - Bloom filters that are sent: how few bits go over the wire, and which
// shape makes them fewest.
// Words      c = m/n bits per key in memory, k probes, z = c H(e^(-k/c)) bits per key once coded, H
//            the entropy of a bit.
// Idea       A filter half full cannot be coded smaller. One that is larger and emptier, with fewer
//            probes, can: for the same z it errs less, or sends less at the same rate. A plain
//            filter errs 0.6185^z; the limit is e 2^-z, with one probe and all the memory there is
//            (less than one probe would reach 2^-z).
// Limits     Unbounded memory has no best shape: the receiver's bits per key, `most`, must be said.
// Source     [Mit02], [BM04] sec. 2.6.
#pragma once

#include <cstdint>

#include <umbel/base/config.hpp>

namespace umbel::sizing {

struct compressed_plan {
  double bits_per_key;  // in memory
  unsigned probes;
  double sent_per_key;  // bits, coded
  double fpr;
};

// H(p), in bits.
[[nodiscard]] double bit_entropy(double p);
// Bits per key once coded, of a filter with c bits per key and k probes.
[[nodiscard]] double compressed_bits(double c, unsigned k);
// The lowest rate for z bits per key on the wire and at most `most` in memory; and the fewest bits
// for a rate. Without a shape that small in memory: bits_per_key 0.
[[nodiscard]] compressed_plan plan_compressed_for_bits(double z, double most);
[[nodiscard]] compressed_plan plan_compressed_for_rate(double eps, double most);

// Bits per key of the change, coded, after a share of the keys was replaced: a bit differs where
// one of the two sets alone has it, with chance 2 e^(-k/c) (1 - e^(-k share/c)).
[[nodiscard]] double compressed_change_bits(double c, unsigned k, double share);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/compressed.ipp>
#endif
