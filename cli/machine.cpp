// machine.cpp - bodies of machine.hpp.
#include "machine.hpp"

#include <ctime>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <umbel/base/config.hpp>

namespace umbel::cli {

std::string version() {
  return fmt::format("{}.{}.{}", UMBEL_VERSION_MAJOR, UMBEL_VERSION_MINOR, UMBEL_VERSION_PATCH);
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", ::gmtime_r(&now, &parts))};
}

std::string cpu_name() {
  std::ifstream facts("/proc/cpuinfo");
  for (std::string line; std::getline(facts, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != line.npos) return line.substr(colon + 2);
  utsname system{};
  return ::uname(&system) == 0 ? system.machine : "unknown";
}

std::uint64_t memory_bytes() noexcept {
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0
             ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size)
             : 0;
}

json machine() {
  return json::object({{"cpu", cpu_name()},
                       {"cores", std::thread::hardware_concurrency()},
                       {"memory_bytes", memory_bytes()},
                       {"compiler", __VERSION__}});
}

}  // namespace umbel::cli
