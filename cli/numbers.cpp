// numbers.cpp - bodies of numbers.hpp.
#include "numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <thread>

#include <fmt/format.h>

#include <umbel/base/error.hpp>
#include <umbel/core/budget.hpp>

namespace umbel::cli {

namespace {

[[nodiscard]] std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

[[noreturn]] void refuse(std::string_view option, std::string_view wanted, std::string_view found) {
  throw bad_parameter(fmt::format("{}: expected {}, found \"{}\"", option, wanted, found));
}

// The whole text as a number, in any locale. With `rest`, more text may follow, which it receives.
[[nodiscard]] std::optional<double> number(std::string_view text,
                                           std::string_view* rest = nullptr) {
  text = trimmed(text);
  double value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view after = text.substr(static_cast<std::size_t>(end - text.data()));
  if (wrong != std::errc() || (rest == nullptr && !after.empty())) return std::nullopt;
  if (rest != nullptr) *rest = trimmed(after);
  return value;
}

struct unit {
  std::string_view name;
  double size;
};
constexpr double ki = 1024;
constexpr unit count_units[] = {
    {"", 1},     {"k", 1e3}, {"K", 1e3},     {"M", 1e6},         {"G", 1e9},
    {"T", 1e12}, {"Ki", ki}, {"Mi", ki* ki}, {"Gi", ki* ki* ki}, {"Ti", ki* ki* ki* ki}};
constexpr unit byte_units[] = {{"", 1},
                               {"B", 1},
                               {"k", ki},
                               {"K", ki},
                               {"M", ki* ki},
                               {"G", ki* ki* ki},
                               {"T", ki* ki* ki* ki},
                               {"KiB", ki},
                               {"MiB", ki* ki},
                               {"GiB", ki* ki* ki},
                               {"TiB", ki* ki* ki* ki},
                               {"kB", 1e3},
                               {"KB", 1e3},
                               {"MB", 1e6},
                               {"GB", 1e9},
                               {"TB", 1e12}};

[[nodiscard]] std::uint64_t scaled(std::string_view option, std::string_view text,
                                   std::span<const unit> units, std::string_view wanted) {
  std::uint64_t whole = 0;  // plain digits are exact; a double is not, beyond 2^53
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (wrong == std::errc() && end == text.data() + text.size()) return whole;
  std::string_view name;
  const auto value = number(text, &name);
  const auto u =
      std::find_if(units.begin(), units.end(), [&](const unit& each) { return each.name == name; });
  if (!value || u == units.end()) refuse(option, wanted, text);
  const double product = *value * u->size;
  if (!(product >= 0 && product < 0x1p64) || product != std::floor(product))
    refuse(option, wanted, text);
  return static_cast<std::uint64_t>(product);
}

}  // namespace

double parse_rate(std::string_view option, std::string_view text) {
  const auto rate = [&]() -> std::optional<double> {
    for (const std::string_view between : {" in ", "/", "^"}) {
      const auto at = text.find(between);
      if (at == text.npos) continue;
      const auto left = number(text.substr(0, at)),
                 right = number(text.substr(at + between.size()));
      if (!left || !right) return std::nullopt;
      return between == "^" ? std::pow(*left, *right) : *left / *right;
    }
    if (!text.empty() && text.back() == '%') {
      const auto percent = number(text.substr(0, text.size() - 1));
      return percent ? std::optional(*percent / 100) : std::nullopt;
    }
    return number(text);
  }();
  if (!rate) refuse(option, "a rate such as 0.01, 1%, 1e-3, 2^-8 or \"1 in 1000\"", text);
  if (!(*rate > 0 && *rate < 1))
    refuse(option, "a rate between 0 and 1 (both excluded), such as 0.01", text);
  if (*rate < core::smallest_fpr)
    throw bad_parameter(fmt::format(
        "{}: rates below 2^-64 ask for an exact structure, found \"{}\"", option, text));
  return *rate;
}

std::uint64_t parse_count(std::string_view option, std::string_view text) {
  return scaled(option, text, count_units, "a whole number such as 250000, 1e6 or 10M");
}

std::uint64_t parse_bytes(std::string_view option, std::string_view text) {
  return scaled(option, text, byte_units, "a size such as 500M, 2G or 2GB");
}

double parse_positive(std::string_view option, std::string_view text) {
  const auto value = number(text);
  if (!value || !(*value > 0) || !std::isfinite(*value))
    refuse(option, "a number above 0, such as 12", text);
  return *value;
}

unsigned parse_threads(std::string_view option, std::string_view text) {
  const std::uint64_t threads = parse_count(option, text);
  if (threads < 1 || threads > 1024) refuse(option, "1 to 1024 threads", text);
  return static_cast<unsigned>(threads);
}

unsigned all_threads() noexcept { return std::max(1U, std::thread::hardware_concurrency()); }

std::string grouped(std::uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string show_bytes(std::uint64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} byte{}", grouped(bytes), bytes == 1 ? "" : "s");
  auto size = static_cast<double>(bytes) / 1024;
  for (const char* const name : {"KiB", "MiB", "GiB"}) {
    if (size < 1000) return fmt::format("{:.1f} {}", size, name);
    size /= 1024;
  }
  return fmt::format("{:.1f} TiB", size);
}

std::string show_percent(double rate) { return fmt::format("{:.4g}%", 100 * rate); }

std::string show_rate(double rate) {
  if (!(rate > 0)) return "none";
  return fmt::format("{} (1 in {})", show_percent(rate),
                     1 / rate < 1e15 ? grouped(static_cast<std::uint64_t>(std::llround(1 / rate)))
                                     : fmt::format("{:.3g}", 1 / rate));
}

}  // namespace umbel::cli
