// dcso.ipp - bodies of dcso.hpp.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include <umbel/base/endian.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/codec/foreign/dcso.hpp>
#include <umbel/codec/foreign/parts.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::codec {

namespace dcso {

inline constexpr std::size_t front_bytes = 48;
inline constexpr std::uint64_t version = 1;

}  // namespace dcso

UMBEL_INLINE dcso_file read_dcso(std::span<const std::byte> bytes) {
  const auto refuse = [](const auto&... why) {
    throw corrupt(detail::text("not a DCSO Bloom filter: ", why...));
  };
  if (bytes.size() < dcso::front_bytes)
    refuse("expected at least ", dcso::front_bytes, " bytes, found ", bytes.size());
  const auto word = [&](std::size_t i) {
    return detail::load_le<std::uint64_t>(bytes.data() + 8 * i);
  };
  if (word(0) != dcso::version) refuse("expected version ", dcso::version, ", found ", word(0));
  const std::uint64_t probes = word(3), bits = word(4);
  if (probes == 0 || probes > sizing::bloom_max_probes)
    refuse("expected 1 to ", sizing::bloom_max_probes, " probes, found ", probes);
  if (bits == 0 || bits > sizing::max_bits) refuse("expected 1 to 2^56 bits, found ", bits);
  const std::span<const std::byte> rest = bytes.subspan(dcso::front_bytes);
  const std::uint64_t words = (bits - 1) / 64 + 1;
  if (words > rest.size() / 8)
    refuse("expected ", 8 * words, " bytes of bits, found ", rest.size());
  cells::words<> all(words);
  std::memcpy(all.data(), rest.data(), 8 * words);
  const std::span<const std::byte> attached = rest.subspan(8 * words);
  return {
      .filter = assembled<bloom_filter>(
          hasher::fnv(), core::k_probes(bits, static_cast<unsigned>(probes), 0, core::scheme::dcso),
          std::move(all)),
      .capacity = word(1),
      .fpr = std::bit_cast<double>(word(2)),
      .keys = word(5),
      .attached = {attached.begin(), attached.end()}};
}

UMBEL_INLINE std::vector<std::byte> write_dcso(const dcso_file& file) {
  const auto parts = parts_of<core::k_probes, std::uint64_t>(file.filter);
  if (parts.at->scheme() != core::scheme::dcso)
    throw incompatible(
        detail::text("a DCSO file holds a bloom-filter under scheme dcso, and this one is under ",
                     name_of(parts.at->scheme()), ": its keys must be added to another filter"));
  std::vector<std::byte> out(dcso::front_bytes + parts.all->bytes().size() + file.attached.size());
  const std::uint64_t front[] = {
      dcso::version,      file.capacity,     std::bit_cast<std::uint64_t>(file.fpr),
      parts.at->probes(), parts.at->cells(), file.keys};
  static_assert(sizeof front == dcso::front_bytes);
  std::memcpy(out.data(), front, sizeof front);
  std::memcpy(out.data() + sizeof front, parts.all->data(), parts.all->bytes().size());
  if (!file.attached.empty())
    std::memcpy(out.data() + out.size() - file.attached.size(), file.attached.data(),
                file.attached.size());
  return out;
}

UMBEL_INLINE dcso_file dcso_of(bloom_filter filter) {
  const double half_full =
      static_cast<double>(filter.size_in_bits()) * std::log(2.0) / filter.probes();
  const double rate = std::pow(0.5, filter.probes());
  const auto keys = static_cast<std::uint64_t>(std::llround(filter.cardinality().value));
  return {.filter = std::move(filter),
          .capacity = static_cast<std::uint64_t>(std::ceil(half_full)),
          .fpr = rate,
          .keys = keys};
}

}  // namespace umbel::codec
