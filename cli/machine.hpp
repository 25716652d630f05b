// machine.hpp - where, when and with which version a measurement was made.
#pragma once

#include <cstdint>
#include <string>

#include "json.hpp"

namespace umbel::cli {

[[nodiscard]] std::string version();                  // 0.1.0
[[nodiscard]] std::string utc_now();                  // 2026-01-31T12:00:00Z
[[nodiscard]] std::string cpu_name();                 // as the system calls it
[[nodiscard]] std::uint64_t memory_bytes() noexcept;  // of the machine
[[nodiscard]] json machine();

}  // namespace umbel::cli
