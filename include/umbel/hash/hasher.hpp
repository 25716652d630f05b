// hasher.hpp - hashes a key to a 128-bit digest: the only file that depends on key types.
//
// A hasher is a small run-time value: which hash, which seed, or which secret key. Everything below
// it takes digests, so key types never multiply the number of structures.
//
// Keys       Strings and byte spans are hashed as their bytes. Integers are sign-extended to 64
//            bits and mixed, so 42 and "42" are different keys. A std::pair or std::tuple of keys
//            is one key of several columns. For your own type, overload `digest umbel_digest(const
//            hasher&, const T&)` in its namespace. doc/keys.md has the details.
// Limits     A seed is not a secret: use `keyed` against crafted keys. `parquet` hashes
//            plain-encoded values as that format prescribes (an int32 has 4 bytes, an int64 has 8).
//            `md5`, `crc` and `fnv` are for filters of other programs.
// Source     XXH3-128 and XXH64 [Col19], SipHash [AB12], MD5 [Riv92], FNV-1 [FNV19].
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <umbel/base/config.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/hash/crc.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/hash/fnv.hpp>
#include <umbel/hash/md5.hpp>
#include <umbel/hash/siphash.hpp>

namespace umbel {

enum class hash_kind : std::uint32_t {
  xxh3 = 1,
  siphash = 2,
  parquet = 3,
  md5 = 4,
  crc = 5,
  fnv = 6
};
inline constexpr std::uint32_t last_hash_kind = 6;

class hasher;

namespace detail {

template <class T>
concept string_key =
    std::convertible_to<const T&, std::string_view> && !std::same_as<T, std::nullptr_t>;
template <class T>
concept bytes_key =
    !string_key<T> && (std::convertible_to<const T&, std::span<const std::byte>> ||
                       std::convertible_to<const T&, std::span<const unsigned char>>);
template <class T>
// long double has padding
concept number_key = std::integral<T> || std::same_as<T, float> || std::same_as<T, double>;
template <class T>
concept own_key = requires(const hasher& h, const T& key) {
  { umbel_digest(h, key) } -> std::same_as<digest>;
};

template <class T>
concept plain_key =
    std::same_as<T, digest> || own_key<T> || string_key<T> || bytes_key<T> || number_key<T>;
template <class T>
inline constexpr bool is_tuple = false;
template <plain_key First, plain_key Second>
inline constexpr bool is_tuple<std::pair<First, Second>> = true;
template <plain_key... Columns>
inline constexpr bool is_tuple<std::tuple<Columns...>> = sizeof...(Columns) >= 2;
template <class T>
concept tuple_key = is_tuple<T> && !own_key<T>;

[[nodiscard]] digest xxh3_digest(const void* bytes, std::size_t size, std::uint64_t seed) noexcept;
// Batches: the loop is compiled together with the hash, which then needs no call per key.
void xxh3_digests(std::span<const std::string_view> texts, std::uint64_t seed,
                  digest* out) noexcept;
void xxh3_digests(std::span<const std::string> texts, std::uint64_t seed, digest* out) noexcept;
[[nodiscard]] digest parquet_digest(const void* bytes, std::size_t size) noexcept;
// XXH3-64 with seed 0
[[nodiscard]] std::uint64_t checksum(const void* bytes, std::size_t size) noexcept;

[[nodiscard]] constexpr std::uint64_t integer_mask(std::uint64_t seed) noexcept {
  return (seed + 1) * golden;
}
inline constexpr std::uint64_t integer_factor = 0xA0761D6478BD642F;
// One multiplication. `lo` is a bijection of x, so distinct integers never collide; `hi` folds both
// halves. One round distributes integers evenly over shards. The second round, which makes them
// look random, is the remixer of every index.
[[nodiscard]] constexpr digest integer_digest(std::uint64_t x, std::uint64_t mask) noexcept {
  const auto [high, low] = multiply(x ^ mask, integer_factor);
  return {.hi = high ^ low, .lo = low};
}

template <std::integral K>
[[nodiscard]] constexpr std::uint64_t widen(K k) noexcept {
  if constexpr (std::signed_integral<K>)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(k));
  return static_cast<std::uint64_t>(k);
}
// Digests of integers, computed on demand.
template <std::integral K>
struct integer_digests {
  const K* keys;
  std::uint64_t mask;
  [[nodiscard]] digest operator()(std::size_t i) const noexcept {
    return integer_digest(widen(keys[i]), mask);
  }
};

}  // namespace detail

// What can be a key: text, bytes, integers, a digest, a type with its own `umbel_digest`, or a pair
// or tuple of these.
template <class T>
concept key = detail::plain_key<T> || detail::tuple_key<T>;

class hasher {
 public:
  constexpr hasher() noexcept = default;
  [[nodiscard]] static constexpr hasher seeded(std::uint64_t seed) noexcept {
    hasher out;
    out.seed_ = seed;
    out.mask_ = detail::integer_mask(seed);
    return out;
  }
  [[nodiscard]] static constexpr hasher keyed(const secret_key& secret) noexcept {
    hasher out;
    out.kind_ = hash_kind::siphash;
    out.key_ = secret;
    return out;
  }
  [[nodiscard]] static constexpr hasher parquet() noexcept { return foreign(hash_kind::parquet); }
  [[nodiscard]] static constexpr hasher md5() noexcept { return foreign(hash_kind::md5); }
  [[nodiscard]] static constexpr hasher crc() noexcept { return foreign(hash_kind::crc); }
  [[nodiscard]] static constexpr hasher fnv() noexcept { return foreign(hash_kind::fnv); }
  // A hash without seed and key.
  [[nodiscard]] static constexpr hasher foreign(hash_kind kind) noexcept {
    hasher out;
    out.kind_ = kind;
    return out;
  }

  [[nodiscard]] constexpr hash_kind kind() const noexcept { return kind_; }
  [[nodiscard]] constexpr std::uint64_t seed() const noexcept { return seed_; }
  [[nodiscard]] constexpr bool is_keyed() const noexcept { return kind_ == hash_kind::siphash; }

  // 64 bits by which a file recognises the right secret key; 0 for unkeyed hashes. It is SipHash of
  // a fixed text under the key, which reveals nothing useful about it.
  [[nodiscard]] std::uint64_t key_check() const noexcept {
    static constexpr std::string_view probe = "umbel key check";
    return is_keyed() ? detail::siphash128(probe.data(), probe.size(), key_).hi : 0;
  }

  template <key K>
  [[nodiscard]] digest operator()(const K& k) const noexcept {
    if constexpr (std::same_as<K, digest>) {
      return k;
    } else if constexpr (detail::own_key<K>) {
      return umbel_digest(*this, k);
    } else if constexpr (detail::tuple_key<K>) {
      return std::apply(
          [&](const auto&... columns) {
        const digest each[] = {(*this)(columns)...};
        return tuple(each);
          },
          k);
    } else if constexpr (detail::string_key<K>) {
      const std::string_view text = k;
      return bytes(text.data(), text.size());
    } else if constexpr (detail::number_key<K>) {
      return number(k);
    } else if constexpr (std::convertible_to<const K&, std::span<const std::byte>>) {
      const std::span<const std::byte> raw = k;
      return bytes(raw.data(), raw.size());
    } else {
      const std::span<const unsigned char> raw = k;
      return bytes(raw.data(), raw.size());
    }
  }

  // The digest of a key of several columns: the hash of the columns' digests, concatenated.
  // Requires at least two columns; a key of one column has the digest of that column.
  [[nodiscard]] digest tuple(std::span<const digest> columns) const noexcept {
    return bytes(columns.data(), columns.size_bytes());
  }

  // Calls work(digest of k) for a single key. The integer hash and `work` are inlined into the
  // caller's loop. Other hashes of integers are kept out of line, because they would take the
  // registers that `work` needs.
  template <key K, class Work>
  [[gnu::always_inline]] decltype(auto) with_digest(const K& k, Work work) const
      noexcept(noexcept(work(digest{}))) {
    if constexpr (std::integral<K>) {
      if (kind_ == hash_kind::xxh3) [[likely]]
        return work(detail::integer_digest(detail::widen(k), mask_));
      return apart(k, work);
    } else {
      return work((*this)(k));
    }
  }

  // Calls work(first, count, digest_at) for consecutive ranges of keys; digest_at(i) is the digest
  // of keys[first + i], requested in order. An integer's hash is inlined into the loops of `work`.
  // Other keys are hashed ahead in a separate loop. Their hash is so long that a processor would
  // overlap only one hash and its lookup; and `work` is then compiled once, for a list of digests,
  // for all key types.
  template <key K, class Work>
  void with_digests(std::span<const K> keys, Work&& work) const {
    if constexpr (std::same_as<K, digest>) {
      work(std::size_t{0}, keys.size(), detail::digest_list{keys.data()});
    } else {
      if constexpr (std::integral<K>)
        if (kind_ == hash_kind::xxh3)
          return work(std::size_t{0}, keys.size(), detail::integer_digests<K>{keys.data(), mask_});
      digest ready[ahead];
      for (std::size_t first = 0; first < keys.size(); first += ahead) {
        const std::size_t count = keys.size() - first < ahead ? keys.size() - first : ahead;
        digests(keys.subspan(first, count), ready);
        work(first, count, detail::digest_list{ready});
      }
    }
  }

  friend constexpr bool operator==(const hasher&, const hasher&) = default;

 private:
  static constexpr std::size_t ahead = 1024;  // keys hashed ahead, for keys with a long hash

  template <std::integral K, class Work>
  [[gnu::noinline]] decltype(auto) apart(K k, Work work) const noexcept(noexcept(work(digest{}))) {
    return work((*this)(k));
  }
  // Digests of at most `ahead` keys.
  template <key K>
  [[gnu::noinline]] void digests(std::span<const K> keys, digest* out) const noexcept {
    if constexpr (std::same_as<K, std::string> || std::same_as<K, std::string_view>)
      if (kind_ == hash_kind::xxh3) return detail::xxh3_digests(keys, seed_, out);
    for (const K& k : keys) *out++ = (*this)(k);
  }

  [[nodiscard]] digest bytes(const void* data, std::size_t size) const noexcept {
    switch (kind_) {
      case hash_kind::siphash: return detail::siphash128(data, size, key_);
      case hash_kind::parquet: return detail::parquet_digest(data, size);
      case hash_kind::md5: return detail::md5_digest(data, size);
      case hash_kind::crc: return detail::crc_digest(data, size);
      case hash_kind::fnv: return detail::fnv_digest(data, size);
      case hash_kind::xxh3: break;
    }
    return detail::xxh3_digest(data, size, seed_);
  }

  template <detail::number_key K>
  [[nodiscard]] digest number(K k) const noexcept {
    if constexpr (std::floating_point<K>) {
      return bytes(&k, sizeof k);
    } else {
      const std::uint64_t word = detail::widen(k);
      if (kind_ == hash_kind::xxh3) return detail::integer_digest(word, mask_);
      // Parquet's plain encoding has 4-byte and 8-byte integers; narrower ones are stored in 4
      // bytes.
      const std::size_t size = kind_ == hash_kind::parquet && sizeof k <= 4 ? 4 : 8;
      return bytes(&word, size);
    }
  }

  hash_kind kind_ = hash_kind::xxh3;
  std::uint64_t seed_ = 0, mask_ = detail::integer_mask(0);
  secret_key key_{};
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/hash/hasher.ipp>
#endif
