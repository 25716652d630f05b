// own_key_type.cpp - a user-defined type as a key: one function beside it says which bytes it is.
#include <umbel/set/bloom_filter.hpp>

#include <array>
#include <cassert>
#include <cstdint>
#include <iostream>

namespace net {

struct flow {
  std::uint32_t from, to;
  std::uint16_t port;
};

// Found by argument-dependent lookup. Every field in a fixed order and byte order, without padding:
// equal flows must give equal bytes on every machine that will read the filter. The hasher adds
// seed or secret key.
umbel::digest umbel_digest(const umbel::hasher& hash, const flow& f) noexcept {
  std::array<unsigned char, 10> bytes;
  for (unsigned i = 0; i < 4; ++i) {
    bytes[i] = static_cast<unsigned char>(f.from >> (8 * i));
    bytes[4 + i] = static_cast<unsigned char>(f.to >> (8 * i));
  }
  bytes[8] = static_cast<unsigned char>(f.port & 0xff);
  bytes[9] = static_cast<unsigned char>(f.port >> 8);
  return hash(bytes);
}

}  // namespace net

int main() {
  static_assert(umbel::key<net::flow>);
  umbel::bloom_filter seen({.keys = 10'000, .fpr = 0.001});
  const net::flow first{0x0a000001, 0x0a000002, 443}, other{0x0a000001, 0x0a000002, 80};
  // true: a bit changed, so the flow was certainly new.
  const bool was_new = seen.insert(first);
  const bool changed_again = seen.insert(first);  // false: nothing changed
  assert(was_new && !changed_again && seen.may_contain(first));

  // A digest is a key too: hash once, query many structures built under the same hash.
  const umbel::digest d = seen.hash()(first);
  assert(seen.may_contain(d));
  std::cout << "first flow " << seen.may_contain(first) << ", other flow "
            << seen.may_contain(other) << '\n';
}
