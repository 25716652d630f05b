// compress.ipp - bodies of compress.hpp.
#pragma once

#include <array>
#include <cmath>
#include <cstring>

#include <umbel/base/endian.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/coded_bits.hpp>
#include <umbel/codec/compress.hpp>
#include <umbel/codec/envelope.hpp>
#include <umbel/sizing/compressed.hpp>

namespace umbel {

namespace codec::messages {

using umbel::detail::load_le;
using umbel::detail::store_le;
using umbel::detail::text;

inline constexpr std::array<unsigned char, 8> magic = {0x89, 'u', 'm', 'b', 'z', '1', '\r', '\n'};
inline constexpr std::size_t own_bytes = 16, array_bytes = 24;
inline constexpr double worth_coding = 0.99;  // larger ratios of entropy to bits are sent raw
enum class coding : std::uint64_t { raw = 0, range = 1, rice = 2, all_alike = 3 };

// Identifies a whole file: its front contains the checksums of all sections.
[[nodiscard]] inline std::uint64_t name_of_file(std::span<const std::byte> file,
                                                std::size_t front) {
  const std::uint64_t sum = umbel::detail::checksum(file.data(), front);
  return sum != 0 ? sum : 1;  // 0 means: not a change
}

// A file whose sections match their checksums.
struct checked_file {
  explicit checked_file(std::span<const std::byte> all)
      : bytes(all),
        front(check_header(all, all.size()).bytes),
        says(decode_front(all.first(front), all.size())) {
    for (const section& s : says.sections) require_whole(s, of(s));
  }
  [[nodiscard]] std::span<const std::byte> of(const section& s) const {
    return bytes.subspan(s.offset, s.length);
  }
  static void require_whole(const section& s, std::span<const std::byte> payload) {
    if (s.type != section_type::list &&
        umbel::detail::checksum(payload.data(), payload.size()) != s.checksum)
      throw corrupt(text("section ", s.name, ": checksum does not match"));
  }

  std::span<const std::byte> bytes;
  std::size_t front;
  envelope says;
};

inline void append(std::vector<std::byte>& out, std::span<const std::byte> more) {
  out.insert(out.end(), more.begin(), more.end());
}
inline void append(std::vector<std::byte>& out, std::uint64_t word) {
  out.resize(out.size() + 8);
  store_le(out.data() + out.size() - 8, word);
}

inline void append_coded(std::vector<std::byte>& out, std::span<const std::byte> bits,
                         bit_code code) {
  const std::uint64_t size = bits.size() * 8, ones = cells::ones_in(bits);
  const double share = size == 0 ? 0 : static_cast<double>(ones) / static_cast<double>(size);
  const auto put = [&](coding as, std::span<const std::byte> coded) {
    append(out, static_cast<std::uint64_t>(as));
    append(out, ones);
    append(out, coded.size());
    append(out, coded);
  };
  if (ones == 0 || ones == size) return put(coding::all_alike, {});
  if (sizing::bit_entropy(share) > worth_coding) return put(coding::raw, bits);
  if (code == bit_code::rice) return put(coding::rice, cells::rice_encode(bits, ones));
  put(coding::range, cells::range_encode(bits, ones));
}

// Reads a message from front to back. Missing or extra bytes are an error.
class unpacker {
 public:
  explicit unpacker(std::span<const std::byte> message) : left_(message) {
    const auto own = take(own_bytes);
    if (!is_compressed(own))
      throw corrupt("not a compressed umbel file: it does not start with their magic");
    made_from = load_le<std::uint64_t>(own.data() + 8);
    if (left_.size() < header_bytes) throw corrupt("message: cut short");
    // The header gives the length of its file, which is trusted once its checksum was verified.
    file_bytes = load_le<std::uint64_t>(left_.data() + 72);
    front = take(check_header(left_.first(header_bytes), file_bytes).bytes);
    says = decode_front(front, file_bytes);
  }

  [[nodiscard]] std::span<const std::byte> take(std::uint64_t count) {
    if (count > left_.size()) throw corrupt("message: cut short");
    const auto out = left_.first(count);
    left_ = left_.subspan(count);
    return out;
  }
  // Requires `bits` to be zeros.
  void take_coded(const section& s, std::span<std::byte> bits) {
    const auto front_of_array = take(array_bytes);
    const auto word = [&](std::size_t i) {
      return load_le<std::uint64_t>(front_of_array.data() + 8 * i);
    };
    const std::uint64_t ones = word(1), size = bits.size() * 8;
    const auto code = take(word(2));
    const auto refuse_unless = [&](bool holds) {
      if (!holds) throw corrupt(text("section ", s.name, ": not coded as it says"));
    };
    const bool mixed = ones != 0 && ones < size;
    switch (static_cast<coding>(word(0))) {
      case coding::all_alike:
        refuse_unless(code.empty() && (ones == 0 || ones == size));
        if (ones != 0) std::memset(bits.data(), 0xFF, bits.size());
        return;
      case coding::raw:
        refuse_unless(mixed && code.size() == bits.size());
        std::memcpy(bits.data(), code.data(), bits.size());
        return refuse_unless(cells::ones_in(bits) == ones);
      case coding::range: refuse_unless(mixed); return cells::range_decode(code, ones, bits);
      case coding::rice: refuse_unless(mixed); return cells::rice_decode(code, ones, bits);
    }
    refuse_unless(false);
  }
  void require_end() const {
    if (!left_.empty()) throw corrupt(text("message: ", left_.size(), " bytes follow the end"));
  }

  std::uint64_t made_from = 0, file_bytes = 0;
  std::span<const std::byte> front;
  envelope says;

 private:
  std::span<const std::byte> left_;
};

inline void require_one_shape(const envelope& a, const envelope& b) {
  bool alike = a.kind == b.kind && a.kind_version == b.kind_version && a.hash == b.hash &&
               a.seed == b.seed && a.key_check == b.key_check &&
               a.sections.size() == b.sections.size();
  for (std::size_t i = 0; alike && i < a.sections.size(); ++i) {
    const section &s = a.sections[i], &t = b.sections[i];
    alike = s.name == t.name && s.type == t.type && s.count == t.count && s.length == t.length;
  }
  if (!alike)
    throw incompatible(
        "these files differ in kind, hash or shape: there is no change from one to the other");
}

inline void add_to(std::span<std::byte> bits, std::span<const std::byte> others) {
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] ^= others[i];
}

// `before` is the base of the change, or null.
[[nodiscard]] inline std::vector<std::byte> pack(std::span<const std::byte> file,
                                                 const checked_file* before, bit_code code) {
  const checked_file from(file);
  if (before != nullptr) require_one_shape(before->says, from.says);
  std::vector<std::byte> out;
  for (const unsigned char c : magic) out.push_back(std::byte{c});
  append(out, before == nullptr ? 0 : name_of_file(before->bytes, before->front));
  append(out, from.bytes.first(from.front));
  for (const section& s : from.says.sections) {
    const auto payload = from.of(s);
    if (s.type == section_type::fields) append(out, payload);
    if (s.type != section_type::array) continue;
    std::vector<std::byte> bits(payload.begin(), payload.end());
    if (before != nullptr) add_to(bits, before->of(s));
    append_coded(out, bits, code);
  }
  return out;
}

[[nodiscard]] inline std::vector<std::byte> unpack(unpacker& message, const checked_file* before) {
  std::vector<std::byte> file(message.file_bytes);
  std::memcpy(file.data(), message.front.data(), message.front.size());
  for (const section& s : message.says.sections) {
    const auto payload = std::span(file).subspan(s.offset, s.length);
    if (s.type == section_type::list) continue;
    if (s.type == section_type::fields) {
      const auto bytes = message.take(s.length);
      if (!bytes.empty()) std::memcpy(payload.data(), bytes.data(), bytes.size());
    } else {
      message.take_coded(s, payload);
      if (before != nullptr) add_to(payload, before->of(s));
    }
    checked_file::require_whole(s, payload);
  }
  message.require_end();
  return file;
}

}  // namespace codec::messages

UMBEL_INLINE bool is_compressed(std::span<const std::byte> bytes) noexcept {
  const auto& magic = codec::messages::magic;
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

UMBEL_INLINE std::vector<std::byte> compress(std::span<const std::byte> file, bit_code code) {
  return codec::messages::pack(file, nullptr, code);
}

UMBEL_INLINE std::vector<std::byte> decompress(std::span<const std::byte> message,
                                               std::uint64_t max_bytes) {
  codec::messages::unpacker from(message);
  if (from.made_from != 0)
    throw incompatible("this message is a change: apply it to the file it was made from");
  if (from.file_bytes > max_bytes)
    throw bad_parameter(detail::text("message: its file has ", from.file_bytes, " bytes, at most ",
                                     max_bytes, " were allowed"));
  return codec::messages::unpack(from, nullptr);
}

UMBEL_INLINE std::vector<std::byte> compress_change(std::span<const std::byte> before,
                                                    std::span<const std::byte> after,
                                                    bit_code code) {
  const codec::messages::checked_file base(before);
  return codec::messages::pack(after, &base, code);
}

UMBEL_INLINE std::vector<std::byte> apply_change(std::span<const std::byte> before,
                                                 std::span<const std::byte> message) {
  const codec::messages::checked_file base(before);
  codec::messages::unpacker from(message);
  if (from.made_from != codec::messages::name_of_file(base.bytes, base.front))
    throw incompatible("this change was made from another file");
  codec::messages::require_one_shape(base.says, from.says);
  return codec::messages::unpack(from, &base);
}

}  // namespace umbel
