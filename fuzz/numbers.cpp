// numbers.cpp - fuzz target: any text as a number of the command line is refused with
// bad_parameter, or is a number in the promised range; printed numbers are read back.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <umbel/base/error.hpp>

#include "../cli/numbers.hpp"
#include "require.hpp"

namespace {

using namespace umbel::cli;
using umbel::fuzz::require;

template <class Parse, class Check>
void parsed(Parse&& parse, std::string_view text, Check&& check) {
  try {
    check(parse("--option", text));
  } catch (const umbel::bad_parameter& e) {
    require(std::string_view(e.what()).size() < 200 + 4 * text.size(), "an error is short");
  }
}

// As the shell's printf does: the value of plain digits, if 64 bits hold it.
void plain_digits(std::string_view text, std::uint64_t found) {
  if (text.empty() || text.size() > 19 || text.find_first_not_of("0123456789") != text.npos) return;
  std::uint64_t value = 0;
  for (const char c : text) value = value * 10 + static_cast<std::uint64_t>(c - '0');
  require(found == value, "plain digits are exact");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  parsed(parse_rate, text, [](double rate) {
    require(rate > 0 && rate < 1, "a rate is between 0 and 1");
    (void)show_rate(rate);
  });
  parsed(parse_count, text, [&](std::uint64_t count) {
    plain_digits(text, count);
    (void)grouped(count);
  });
  parsed(parse_bytes, text, [&](std::uint64_t bytes) {
    plain_digits(text, bytes);
    (void)show_bytes(bytes);
  });
  parsed(parse_positive, text,
         [](double value) { require(value > 0 && std::isfinite(value), "above zero"); });
  parsed(parse_threads, text,
         [](unsigned threads) { require(threads >= 1 && threads <= 1024, "1 to 1024"); });

  std::uint64_t number = 0;
  // Without input, data may be null.
  std::copy_n(data, std::min(size, sizeof number), reinterpret_cast<std::uint8_t*>(&number));
  require(parse_count("--option", std::to_string(number)) == number,
          "an integer is read as itself");
  require(parse_bytes("--option", std::to_string(number) + (number < 1000 ? "KiB" : "")) ==
              number * (number < 1000 ? 1024 : 1),
          "a size is read as itself");
  const double rate = std::ldexp(static_cast<double>(number | 1), -64);
  if (rate < 1)
    require(parse_rate("--option", fmt::format("{}", rate)) == rate, "a rate is read as itself");
  return 0;
}
