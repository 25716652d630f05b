// numbers.hpp - parses and prints numbers: rates, counts, sizes.
//
// A parser takes the name of an option and its text. A text that it cannot read is a bad_parameter
// that names both and gives an example of what is valid.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace umbel::cli {

// A rate between 0 and 1: 0.01, 1%, 1e-3, 2^-8, 1/1000, "1 in 1000".
[[nodiscard]] double parse_rate(std::string_view option, std::string_view text);
// A whole number: 1000000, 1e6, 10M, 1.5k; k, M, G, T are powers of 1000, Ki, Mi, Gi, Ti of 1024.
[[nodiscard]] std::uint64_t parse_count(std::string_view option, std::string_view text);
// A number of bytes, as coreutils read it: K, M, G, T and KiB, ... are powers of 1024; KB, MB, GB,
// TB of 1000.
[[nodiscard]] std::uint64_t parse_bytes(std::string_view option, std::string_view text);
// Any number above zero, such as bits per key.
[[nodiscard]] double parse_positive(std::string_view option, std::string_view text);
// 1 to 1024. The default is all_threads(), one for each core.
[[nodiscard]] unsigned parse_threads(std::string_view option, std::string_view text);
[[nodiscard]] unsigned all_threads() noexcept;

[[nodiscard]] std::string grouped(std::uint64_t number);    // 104,334
[[nodiscard]] std::string show_bytes(std::uint64_t bytes);  // 126.1 KiB
[[nodiscard]] std::string show_percent(double rate);        // 0.3906%
[[nodiscard]] std::string show_rate(double rate);           // 0.3906% (1 in 256)

}  // namespace umbel::cli
