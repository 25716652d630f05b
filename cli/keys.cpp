// keys.cpp - bodies of keys.hpp.
#include "keys.hpp"

#include <cctype>
#include <charconv>

#include <fcntl.h>
#include <fmt/format.h>

#include <umbel/base/error.hpp>
#include <umbel/base/system.hpp>

namespace umbel::cli {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text.substr(0, 40))
    out += std::isprint(static_cast<unsigned char>(c)) != 0 ? std::string(1, c)
                                                            : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return out + (text.size() > 40 ? "...\"" : "\"");
}

namespace {

// Decimal digits, perhaps after a minus: -1 is the key that the integer -1 is in a program.
[[nodiscard]] bool read_number(std::string_view text, std::uint64_t& out) {
  const char* const end = text.data() + text.size();
  if (!text.starts_with('-')) {
    const auto [at, wrong] = std::from_chars(text.data(), end, out);
    return wrong == std::errc() && at == end;
  }
  std::int64_t negative = 0;
  const auto [at, wrong] = std::from_chars(text.data(), end, negative);
  out = static_cast<std::uint64_t>(negative);
  return wrong == std::errc() && at == end;
}

[[nodiscard]] key_type parse_key_type(std::string_view option, std::string_view text) {
  if (text == "string") return key_type::string;
  if (text == "u64") return key_type::u64;
  throw bad_parameter(fmt::format("{}: expected string or u64, found {}", option, quoted(text)));
}

}  // namespace

void add_key_file_option(option_list& takes, key_options& into) {
  takes.text("--key-file", into.secret_file, "FILE", "secret key for untrusted input: 16 bytes, or 32 hex digits");
}

void add_key_options(option_list& takes, key_options& into) {
  takes.flag("-0,--null", into.nul, "keys end at a NUL byte, not at a line end");
  add_field_options(takes, into.fields);
  takes.parsed("--key-type", into.type, parse_key_type, "TYPE",
               "string (default: the bytes of the line) or u64 (an integer)");
  add_key_file_option(takes, into);
}

std::optional<secret_key> key_options::secret() const {
  if (secret_file.empty()) return std::nullopt;
  const umbel::detail::descriptor file(::open(secret_file.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) umbel::detail::throw_io("cannot open", secret_file, errno);
  char text[64];
  std::size_t size = 0;
  // A pipe may hand it out in pieces; a file that fills the room is too long anyway.
  (void)umbel::detail::move_all(sizeof text, "cannot read", secret_file, [&](std::size_t done) {
    const ssize_t got = ::read(file.get(), text + done, sizeof text - done);
    size = done + static_cast<std::size_t>(got > 0 ? got : 0);
    return got;
  });
  secret_key key{};
  if (size == key.size()) {
    std::copy_n(text, size, key.begin());
    return key;
  }
  while (size > 32 && (text[size - 1] == '\n' || text[size - 1] == '\r')) --size;
  bool whole = size == 32;
  for (std::size_t i = 0; whole && i < key.size(); ++i)
    whole = std::from_chars(text + 2 * i, text + 2 * i + 2, key[i], 16).ptr == text + 2 * i + 2;
  if (!whole)
    throw bad_parameter(fmt::format("{}: expected a secret key of 16 bytes or 32 hexadecimal digits", secret_file));
  return key;
}

template <class KeyAt>
void digester::hash_all(const key_batch& batch, KeyAt&& key_at) {
  for (std::size_t i = 0; i < batch.keys.size(); ++i) {
    const std::string_view text = key_at(i);
    if (type_ == key_type::string) {
      digests_[i] = hash_(text);
      continue;
    }
    std::uint64_t number = 0;
    if (!read_number(text, number))
      throw bad_parameter(fmt::format("{}:{}: expected an integer of 64 bits, found {}", batch.file,
                                      batch.first_line + i, quoted(text)));
    digests_[i] = hash_(number);
  }
}

std::span<const digest> digester::operator()(const key_batch& batch) {
  const std::size_t count = batch.keys.size();
  if (digests_.size() < count) digests_.resize(count);
  if (batch.field.column == 0)
    hash_all(batch, [&](std::size_t i) { return batch.keys[i]; });
  else
    hash_all(batch, [&](std::size_t i) {
      return field_of(batch.keys[i], batch.field, unquoted_,
                      [&] { return fmt::format("{}:{}", batch.file, batch.first_line + i); });
    });
  return {digests_.data(), count};
}

}  // namespace umbel::cli
