// keys.cpp - bodies of keys.hpp.
#include "keys.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include <fcntl.h>
#include <fmt/format.h>

#include <umbel/base/error.hpp>
#include <umbel/base/system.hpp>
#include <umbel/hash/key_text.hpp>

#include "numbers.hpp"

namespace umbel::cli {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text.substr(0, 40))
    out += std::isprint(static_cast<unsigned char>(c)) != 0
               ? std::string(1, c)
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

[[nodiscard]] key_type parse_one_type(std::string_view option, std::string_view text) {
  if (text == "string") return key_type::string;
  if (text == "u64") return key_type::integer;
  throw bad_parameter(fmt::format("{}: expected string or u64, found {}", option, quoted(text)));
}

[[nodiscard]] std::vector<key_type> parse_key_types(std::string_view option,
                                                    std::string_view text) {
  std::vector<key_type> out;
  for (;;) {
    const std::size_t comma = text.find(',');
    out.push_back(parse_one_type(option, text.substr(0, comma)));
    if (comma == text.npos) return out;
    text.remove_prefix(comma + 1);
  }
}

[[nodiscard]] std::uint64_t parse_max_line(std::string_view option, std::string_view text) {
  const std::uint64_t bytes = parse_bytes(option, text);
  if (bytes == 0)
    throw bad_parameter(fmt::format("{}: expected at least 1 byte, found {}", option, text));
  return bytes;
}

// The option that makes such keys.
[[nodiscard]] std::string option_for(const key_recipe& recipe) {
  const auto word = [](key_type type) { return type == key_type::integer ? "u64" : "string"; };
  if (recipe.type != key_type::tuple) return word(recipe.type);
  std::string out;
  for (std::size_t i = 0; i < recipe.columns; ++i)
    out += fmt::format("{}{}", i == 0 ? "" : ",", word(recipe.column_types[i]));
  return out;
}

// Whether a key, or a column of it, may be text. White space around an integer is not part of it.
[[nodiscard]] bool has_text(const key_recipe& recipe) {
  const auto end = recipe.column_types.begin() + recipe.columns;
  if (recipe.columns == 0) return recipe.type != key_type::integer;
  return std::any_of(recipe.column_types.begin(), end,
                     [](key_type column) { return column != key_type::integer; });
}

// The type of each of so many columns: a single type, or none, applies to all.
[[nodiscard]] std::vector<key_type> types_of_columns(const std::vector<key_type>& said,
                                                     std::size_t columns) {
  if (said.size() > 1 && said.size() != columns)
    throw bad_parameter(
        fmt::format("--key-type: found {} types for {} field{}; give one, or one for each",
                    said.size(), columns, columns == 1 ? "" : "s"));
  return said.size() > 1
             ? said
             : std::vector<key_type>(columns, said.empty() ? key_type::string : said[0]);
}

}  // namespace

void add_key_file_option(option_list& takes, key_options& into) {
  takes.text("--key-file", into.secret_file, "FILE",
             "file with the secret key, for untrusted input: 16 bytes, or 32 hex digits");
}

void add_key_options(option_list& takes, key_options& into) {
  takes.flag("-0,--null", into.nul, "keys end at a NUL byte, not at a line end");
  takes.flag("--keep-cr", into.keep_cr, "a carriage return before the line end belongs to the key");
  takes.flag("--trim", into.trim, "remove white space at both ends of every key");
  takes.flag("--ignore-case", into.ignore_case,
             "fold upper and lower case, by Unicode's simple case folding");
  takes.parsed("--max-line", into.max_line, parse_max_line, "SIZE",
               "refuse a longer line (default: 16MiB)");
  add_field_options(takes, into.fields);
  takes.parsed("--key-type", into.types, parse_key_types, "TYPE",
               "string (the bytes of the key) or u64 (an integer); one for each\nfield, with "
               "commas between, or one for "
               "all (default: as FILTER\nsays, or string)");
  add_key_file_option(takes, into);
}

key_recipe key_options::recipe() const {
  const std::size_t columns = std::max<std::size_t>(1, fields.fields.size());
  const std::vector<key_type> each = types_of_columns(types, columns);
  const bool integers = std::find(each.begin(), each.end(), key_type::string) == each.end();
  if (ignore_case && integers)
    throw bad_parameter("--ignore-case: integers have no case; leave it out");
  if (keep_cr && !fields.fields.empty())
    throw bad_parameter("--keep-cr: the line ends of a table are no part of a field; leave it out");
  if (keep_cr && integers)
    throw bad_parameter("--keep-cr: integers have no line ends; leave it out");
  key_recipe out;
  out.type = columns == 1 ? each[0] : key_type::tuple;
  out.keeps_cr = keep_cr;
  out.trimmed = trim && !integers;
  out.case_folded = ignore_case;
  if (out.type == key_type::tuple) {
    out.columns = static_cast<std::uint8_t>(columns);
    std::copy(each.begin(), each.end(), out.column_types.begin());
  }
  out.check();
  return out;
}

key_recipe key_options::following(const key_recipe& built, const std::string& file) const {
  if (!built.known()) return recipe();
  const std::size_t columns = std::max<std::size_t>(1, built.columns);
  if (!fields.fields.empty() && fields.fields.size() != columns)
    throw incompatible(fmt::format("{}: its keys have {} column{}, and --field names {}", file,
                                   columns, columns == 1 ? "" : "s", fields.fields.size()));
  const auto refuse = [&](std::string_view option, std::string_view how, std::string_view remedy) {
    throw incompatible(fmt::format("{}: {}: its keys were made {}; {}", file, option, how, remedy));
  };
  if (!types.empty() && built.type != key_type::mixed) {
    const std::vector<key_type> asked = types_of_columns(types, columns);
    for (std::size_t i = 0; i < columns; ++i) {
      const key_type was = built.columns == 0 ? built.type : built.column_types[i];
      if (was != key_type::mixed && was != asked[i])
        refuse("--key-type", fmt::format("by --key-type {}", option_for(built)),
               "leave the option out");
    }
  }
  if (trim && !built.trimmed && has_text(built))
    refuse("--trim", "without it", "leave it out, or build with --trim");
  if (ignore_case && !built.case_folded)
    refuse("--ignore-case", "without it", "leave it out, or build with --ignore-case");
  if (keep_cr && !built.keeps_cr)
    refuse("--keep-cr", "without it", "leave it out, or build with --keep-cr");
  key_recipe out = built;
  if (built.type == key_type::mixed) {
    out.type = types.empty() ? key_type::string : types_of_columns(types, 1)[0];
    if (out.type == key_type::integer) out = {.type = key_type::integer};
  }
  for (std::size_t i = 0; i < built.columns; ++i)
    if (out.column_types[i] == key_type::mixed)
      out.column_types[i] = types_of_columns(types, columns)[i];
  return out;
}

line_options key_options::pair_lines(const key_recipe& recipe) const {
  return {.separator = nul ? '\0' : '\n',
          .keep_cr = recipe.keeps_cr,
          .max_line = max_line,
          .delimiter = fields.between()};
}

line_options key_options::lines(const key_recipe& recipe) const {
  line_options out = pair_lines(recipe);
  out.delimiter = 0;
  out.fields = fields;
  // A filter of columns is asked with lines that have these columns and no others.
  if (fields.fields.empty()) out.fields.all = recipe.columns;
  return out;
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
  const bool fits = size < sizeof text;  // else there may be more of it than was read
  while (size > 32 && (text[size - 1] == '\n' || text[size - 1] == '\r')) --size;
  bool whole = fits && size == 32;
  for (std::size_t i = 0; whole && i < key.size(); ++i)
    whole = std::from_chars(text + 2 * i, text + 2 * i + 2, key[i], 16).ptr == text + 2 * i + 2;
  if (!whole)
    throw bad_parameter(
        fmt::format("{}: expected a secret key of 16 bytes or 32 hexadecimal digits", secret_file));
  return key;
}

template <class Where>
digest digester::hash_one(std::string_view text, key_type type, Where&& where) {
  if (type != key_type::integer) return hash_(prepared(text, recipe_, prepared_));
  std::uint64_t number = 0;
  if (!read_number(trim_integers_ ? trimmed(text) : text, number))
    throw bad_parameter(
        fmt::format("{}: expected an integer of 64 bits, found {}", where(), quoted(text)));
  return hash_(number);
}

template <class KeyAt>
std::span<const digest> digester::hash_all(const key_batch& batch, KeyAt&& key_at) {
  const std::size_t count = batch.lines.size();
  if (digests_.size() < count) digests_.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    digests_[i] = hash_one(key_at(i), recipe_.type, [&] { return batch.place(i); });
  return {digests_.data(), count};
}

std::span<const digest> digester::operator()(const key_batch& batch) {
  const field_places& places = batch.fields;
  if (places.columns.empty()) return hash_all(batch, [&](std::size_t i) { return batch.text(i); });
  const auto fields_of = [&](std::size_t i) -> const std::vector<std::string_view>& {
    return pick_(batch.lines[i], places, [&] { return batch.place(i); });
  };
  if (places.columns.size() == 1)
    return hash_all(batch, [&](std::size_t i) { return fields_of(i)[0]; });
  const std::size_t count = batch.lines.size();
  if (digests_.size() < count) digests_.resize(count);
  std::array<digest, key_recipe::max_columns> each;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& fields = fields_of(i);
    for (std::size_t c = 0; c < fields.size(); ++c)
      each[c] = hash_one(fields[c], recipe_.column_types[c], [&] { return batch.place(i); });
    digests_[i] = hash_.tuple(std::span(each).first(fields.size()));
  }
  return {digests_.data(), count};
}

std::span<const digest> digester::operator()(const key_batch& batch,
                                             std::span<const std::string_view> keys) {
  return hash_all(batch, [&](std::size_t i) { return keys[i]; });
}

}  // namespace umbel::cli
