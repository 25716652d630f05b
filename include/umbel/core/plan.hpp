// plan.hpp - the size and the false positive rate that a structure will have, after rounding,
// before it is built.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <umbel/base/text.hpp>

namespace umbel {

struct plan {
  std::uint64_t keys = 0;
  std::uint64_t cells = 0;
  unsigned probes = 0;
  std::uint64_t bits = 0;
  double fpr = 0;           // predicted false positive rate with `keys` keys
  std::string_view form{};  // of kinds that have several

  [[nodiscard]] double bits_per_key() const noexcept {
    return keys == 0 ? 0 : static_cast<double>(bits) / static_cast<double>(keys);
  }
  friend std::string to_string(const plan& p) {
    return detail::text(p.keys, " keys, ", p.cells, " cells, ", p.probes, " probes, ", p.bits,
                        " bits (", p.bits_per_key(), " per key), false positive rate ", p.fpr,
                        p.form.empty() ? "" : ", form ", p.form);
  }
  // only for real streams: test frameworks that print every type have their own <<
  template <class Stream>
  requires requires { typename Stream::char_type; }
  friend Stream& operator<<(Stream& out, const plan& p) {
    out << to_string(p);
    return out;
  }
};

}  // namespace umbel
