// progress.cpp - bodies of progress.hpp.
#include "progress.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "numbers.hpp"
#include "streams.hpp"

namespace umbel::cli {

namespace {

// Overwrites the current line. A failed write is ignored.
void show(std::string_view text) noexcept {
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

[[nodiscard]] std::string duration(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::min(seconds, 1e9) + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

progress::progress(bool wanted, std::uint64_t bytes)
    : wanted_(wanted && notes_are_read()), all_(bytes) {}

void progress::at(std::uint64_t keys, std::uint64_t bytes) {
  if (!wanted_) return;
  const auto now = clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(250);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::string text = fmt::format("\r{} keys, {:.1f} million per second", grouped(keys),
                                 static_cast<double>(keys) / seconds / 1e6);
  if (all_ != 0 && bytes != 0 && bytes <= all_) {
    const double share = static_cast<double>(bytes) / static_cast<double>(all_);
    text += fmt::format(", {:.0f}%, {} left", 100 * share, duration(seconds * (1 - share) / share));
  }
  show(text + "\x1b[K");  // erases the rest of the previous text
  shown_ = true;
}

void progress::wipe() noexcept {
  if (shown_) show("\r\x1b[K");
  shown_ = false;
}

}  // namespace umbel::cli
