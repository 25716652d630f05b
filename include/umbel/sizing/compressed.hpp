// sizing/compressed.hpp - compressed Bloom filters [Mit02]: the shape that needs the fewest bits in
// transmission.
//
// A half-full filter cannot be compressed. A larger and emptier one with fewer probes can: it has a
// lower false positive rate for the same z, or needs fewer transmitted bits for the same rate. A
// plain filter has rate 0.6185^z. The limit is e 2^-z, with one probe and unlimited memory; fewer
// than one probe would reach 2^-z.
//
// Symbols    c = m/n bits per key in memory; k probes; z = c H(e^(-k/c)) bits per key when coded,
//            where H is the entropy of a bit.
// Limits     With unlimited memory there is no best shape, so the caller gives the receiver's
//            maximal bits per key, `most`.
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
// Coded bits per key of a filter with c bits per key and k probes.
[[nodiscard]] double compressed_bits(double c, unsigned k);
// The lowest rate for z transmitted bits per key and at most `most` bits per key in memory; and the
// fewest transmitted bits for a rate. If no shape fits in memory, bits_per_key is 0.
[[nodiscard]] compressed_plan plan_compressed_for_bits(double z, double most);
[[nodiscard]] compressed_plan plan_compressed_for_rate(double eps, double most);

// Coded bits per key of the difference after a share of the keys was replaced. A bit differs if
// only one of the two sets has it: probability 2 e^(-k/c) (1 - e^(-k share/c)).
[[nodiscard]] double compressed_change_bits(double c, unsigned k, double share);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/compressed.ipp>
#endif
