// streams.cpp - bodies of streams.hpp.
#include "streams.hpp"

#include <unistd.h>

#include <umbel/base/system.hpp>

namespace umbel::cli {

void write_out(std::span<const std::byte> bytes) {
  (void)umbel::detail::move_all(bytes.size(), "cannot write to", "standard output",
                                [&](std::size_t done) {
    return ::write(STDOUT_FILENO, bytes.data() + done, bytes.size() - done);
  });
}
void write_out(std::string_view text) { write_out(std::as_bytes(std::span(text))); }

bool out_is_terminal() noexcept { return ::isatty(STDOUT_FILENO) == 1; }
bool notes_are_read() noexcept { return ::isatty(STDERR_FILENO) == 1; }

void note(std::string_view text) {
  const std::string line = umbel::detail::text("umbel: ", text, "\n");
  // A single write, so that notes of programs that share a terminal do not mix. A failure to write
  // is ignored.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace umbel::cli
