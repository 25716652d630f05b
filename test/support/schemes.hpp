// schemes.hpp - every scheme of core::k_probes, and for each a shape near given numbers of cells
// and probes.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include <umbel/engine/probe/index.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::support {

using core::k_probes;
using core::scheme;

[[nodiscard]] inline std::vector<scheme> every_scheme() {
  std::vector<scheme> out;
  for (std::size_t i = 0; i < core::scheme_names.size(); ++i) out.push_back(static_cast<scheme>(i));
  return out;
}
[[nodiscard]] constexpr unsigned probes_under(scheme how, unsigned wanted) noexcept {
  return how == scheme::chunks ? 4 : wanted;
}
// The largest number of cells that the scheme allows and that is not above `wanted`, or the
// smallest allowed.
[[nodiscard]] constexpr std::uint64_t cells_under(scheme how, std::uint64_t wanted,
                                                  unsigned probes) noexcept {
  const auto most = [&](unsigned bits) {
    return wanted < std::uint64_t{1} << bits ? wanted : std::uint64_t{1} << bits;
  };
  switch (how) {
    case scheme::partitioned: return wanted < probes ? probes : wanted / probes * probes;
    case scheme::h3: return std::bit_floor(wanted);
    case scheme::chunks: return most(32);
    case scheme::pairwise: return most(48);
    case scheme::crc: return most(31) < 2 ? 2 : most(31);
    default: return core::steps_modulo(how) && wanted < 2 ? 2 : wanted;
  }
}
[[nodiscard]] inline k_probes shape_of(scheme how, std::uint64_t cells, unsigned probes,
                                       std::uint64_t salt = 0) {
  const unsigned k = probes_under(how, probes);
  return {cells_under(how, cells, k), k, salt, how};
}

template <class Index>
[[nodiscard]] std::vector<std::uint64_t> cells_of(const Index& at, digest d) {
  std::vector<std::uint64_t> out;
  (void)core::all_of(at, d, [&](std::uint64_t i) {
    out.push_back(i);
    return true;
  });
  return out;
}

}  // namespace umbel::support
