// pairs.cpp - bodies of pairs.hpp.
#include "pairs.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <umbel/base/error.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/core/spool.ipp>  // lines of pairs are records of our own

#include "input.hpp"
#include "numbers.hpp"
#include "progress.hpp"

namespace umbel::cli {

namespace {

// The integer with exactly these decimal digits: 007, +7 and 7.0 are texts.
[[nodiscard]] std::optional<std::uint64_t> plain_integer(std::string_view text) {
  std::uint64_t out = 0;
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  const auto [at, wrong] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (wrong != std::errc() || at != text.data() + text.size()) return std::nullopt;
  return out;
}

[[nodiscard]] std::optional<value_type> parse_value_type(std::string_view option,
                                                         std::string_view text) {
  if (text == "string") return value_type::string;
  if (text == "u64") return value_type::u64;
  throw bad_parameter(fmt::format("{}: expected string or u64, found {}", option, quoted(text)));
}

[[nodiscard]] std::optional<unsigned> parse_value_bits(std::string_view option,
                                                       std::string_view text) {
  const std::uint64_t bits = parse_count(option, text);
  if (bits < 1 || bits > 64)
    throw bad_parameter(fmt::format("{}: expected 1 to 64, found {}", option, text));
  return static_cast<unsigned>(bits);
}

// The position in a regular file, to read it again from there; -1 for a pipe.
[[nodiscard]] std::int64_t place_in(const std::string& path) {
  struct stat facts {};
  const bool standard = path == "-";
  if ((standard ? ::fstat(STDIN_FILENO, &facts) : ::stat(path.c_str(), &facts)) != 0 ||
      !S_ISREG(facts.st_mode))
    return -1;
  return standard ? ::lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
}

struct key_and_value {
  std::string_view key, value;
};

// Views of the line, or of `unquoted`. An unquoted value is everything after the key.
template <class Where>
[[nodiscard]] key_and_value cut(std::string_view line, char between,
                                std::deque<std::string>& unquoted, Where&& where) {
  record fields(line, between);
  std::string scratch;
  const auto next_field = [&] {
    const auto field = fields.next(scratch);
    if (!field) detail::refuse_quote(where(), line);
    return field->data() == scratch.data() ? unquoted.emplace_back(*field) : *field;
  };
  const std::string_view key = next_field();
  if (!fields.has_more())
    throw bad_parameter(
        fmt::format("{}: expected a key, {} and a value, found {}; choose another with --delimiter",
                    where(), between == '\t' ? "a tab" : quoted({&between, 1}), quoted(line)));
  const char* const begin = fields.rest().data();
  if (between == '\t' || !fields.rest().starts_with('"'))
    return {key, {begin, static_cast<std::size_t>(line.data() + line.size() - begin)}};
  const std::string_view value = next_field();
  if (fields.has_more())
    throw bad_parameter(fmt::format("{}: expected a key and a value, found more behind {}", where(),
                                    quoted(value)));
  return {key, value};
}

}  // namespace

void add_pair_options(option_list& takes, pair_options& into) {
  takes.parsed("--value-bits", into.value_bits, parse_value_bits, "BITS",
               "bits for each value (default: as many as the largest value needs)");
  takes.parsed("--value-type", into.type, parse_value_type, "TYPE",
               "u64 or string; each different string is stored once\n(default: u64 if all values "
               "are integers)");
}

void pair_list::read(const std::vector<std::string>& files, bool quiet) {
  const std::vector<std::string> paths = files.empty() ? std::vector<std::string>{"-"} : files;
  std::vector<std::int64_t> places;
  for (const std::string& path : paths) places.push_back(place_in(path));
  digester digests(hash_, recipe_, keys_.trim);
  key_input input(paths, keys_.pair_lines(recipe_));
  progress shown(!quiet, input.bytes_in_all());
  for (key_batch batch; input.next(batch);) {
    if (batch.first_line == 1)
      stretches_.push_back({paths[batch.source], batch.file, next_line_, places[batch.source]});
    add(batch, digests);
    shown.at(lines_.size(), batch.bytes_read);
  }
}

void pair_list::add(key_batch& batch, digester& digests) {
  const char between = keys_.fields.between();
  texts_of_keys_.clear();
  values_.clear();
  numbers_.clear();
  unquoted_.clear();
  for (std::size_t i = 0; i < batch.lines.size(); ++i) {
    const auto [key, value] =
        cut(batch.text(i), between, unquoted_, [&] { return batch.place(i); });
    texts_of_keys_.push_back(key);
    values_.push_back(value);
    numbers_.push_back(next_line_);
    next_line_ += batch.lines_in(i);
  }
  const auto keys = digests(batch, texts_of_keys_);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    // First, because it may change all records so far from integers to texts.
    const std::uint64_t value = value_of(values_[i], numbers_[i]);
    lines_.add(pair_line{keys[i], numbers_[i], value});
  }
}

std::uint64_t pair_list::value_of(std::string_view text, std::uint64_t line) {
  if (!texts_) {
    const auto number = how_.type == value_type::string ? std::nullopt : plain_integer(text);
    if (number) {
      if (*number > widest_) {
        widest_ = *number;
        widest_line_ = line;
      }
      return *number;
    }
    if (how_.type == value_type::u64)
      throw bad_parameter(fmt::format("{}: expected an integer below 2^64 as value, found {}",
                                      place_of(line), quoted(text)));
    turn_to_texts();
  }
  return names_.number(text);
}

void pair_list::turn_to_texts() {
  texts_ = true;
  spool again(room_);
  lines_.for_each(0, spool::bins, [&](std::span<const pair_line> block) {
    for (const pair_line& p : block)
      again.add(pair_line{p.key, p.line, names_.number(std::to_string(p.value))});
  });
  lines_ = std::move(again);
}

unsigned pair_list::width_for(std::uint64_t widest) const {
  const unsigned needed = std::max(1U, static_cast<unsigned>(std::bit_width(widest)));
  if (!how_.value_bits || needed <= *how_.value_bits) return how_.value_bits.value_or(needed);
  throw bad_parameter(texts_
                          ? fmt::format("--value-bits: {} different values take {} bits, found {}",
                                        grouped(names_.size()), needed, *how_.value_bits)
                          : fmt::format("{}: value {} takes {} bits, and --value-bits says {}",
                                        place_of(widest_line_), widest_, needed, *how_.value_bits));
}

pair_list::settled pair_list::settle(unsigned threads) {
  pair_spool once = distinct(threads);
  lines_ = spool();
  if (!texts_) {
    const unsigned bits = width_for(widest_);
    return {std::move(once), {}, bits};
  }
  naming::order order = names_.settle();
  const unsigned bits = width_for(names_.size() - 1);
  pair_spool numbered(room_);
  once.for_each(0, pair_spool::bins, [&](std::span<const core::valued> block) {
    for (const core::valued& v : block)
      numbered.add(core::valued{v.key, order.final_number[v.value]});
  });
  return {std::move(numbered), std::move(order.table), bits};
}

// Also counts the keys of every text.
pair_spool pair_list::distinct(unsigned threads) {
  pair_spool out(room_);
  std::optional<clash> first;
  const std::size_t step = std::max(1U, threads);
  // a few at a time: memory stays bounded
  for (std::size_t bin = 0; bin < spool::bins; bin += step) {
    std::vector<std::vector<pair_line>> sorted(std::min(step, spool::bins - bin));
    umbel::detail::parallel_for(sorted.size(), threads, [&](std::size_t i) {
      sorted[i].reserve(lines_.count(bin + i, bin + i + 1));
      lines_.for_each(bin + i, bin + i + 1, [&](std::span<const pair_line> block) {
        sorted[i].insert(sorted[i].end(), block.begin(), block.end());
      });
      std::sort(sorted[i].begin(), sorted[i].end());
    });
    for (const auto& records : sorted) {
      const pair_line* known = nullptr;  // the first line of the key
      for (const pair_line& p : records) {
        if (known == nullptr || known->key != p.key) {
          known = &p;
          out.add(core::valued{p.key, p.value});
          if (texts_) names_.count(p.value);
        } else if (known->value != p.value && (!first || p.line < first->after.line)) {
          first = clash{*known, p};
        }
      }
    }
  }
  if (first) refuse(*first);
  return out;
}

const pair_list::stretch& pair_list::stretch_of(std::uint64_t line) const {
  const auto after =
      std::upper_bound(stretches_.begin(), stretches_.end(), line,
                       [](std::uint64_t l, const stretch& s) { return l < s.first; });
  return after[-1];
}

std::string pair_list::place_of(std::uint64_t line) const {
  const stretch& in = stretch_of(line);
  return fmt::format("{}:{}", in.name, line - in.first + 1);
}

std::string pair_list::shown(std::uint64_t value) const {
  return texts_ ? quoted(names_[value]) : fmt::format("{}", value);
}

// Reads the line again. Nothing if the input is gone or has changed.
std::optional<std::string> pair_list::key_at(const pair_line& wanted) const {
  const stretch& in = stretch_of(wanted.line);
  if (in.offset < 0) return std::nullopt;
  if (in.path == "-" && ::lseek(STDIN_FILENO, in.offset, SEEK_SET) != in.offset)
    return std::nullopt;
  try {
    key_input input({in.path}, keys_.pair_lines(recipe_));
    digester digests(hash_, recipe_, keys_.trim);
    std::uint64_t line = in.first;
    for (key_batch batch; line <= wanted.line && input.next(batch);)
      for (std::size_t i = 0; i < batch.lines.size(); line += batch.lines_in(i++)) {
        if (line != wanted.line) continue;
        std::deque<std::string> unquoted;
        key_batch alone;
        alone.lines = {cut(batch.text(i), keys_.fields.between(), unquoted, [&] {
                         return batch.place(i);
                       }).key};
        if (digests(alone)[0] != wanted.key) return std::nullopt;
        return std::string(alone.lines[0]);
      }
  } catch (const error&) {
  }
  return std::nullopt;
}

void pair_list::refuse(const clash& found) const {
  auto key = key_at(found.after);
  if (!key) key = key_at(found.before);
  throw conflict(fmt::format(
      "{}: {} has the value {} here, but {} at {}; keep one of the two lines",
      place_of(found.after.line), key ? "key " + quoted(*key) : "this line's key",
      shown(found.after.value), shown(found.before.value), place_of(found.before.line)));
}

}  // namespace umbel::cli
