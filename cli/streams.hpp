// streams.hpp - the tool's two ways out: standard output for answers, standard error for notes to a
// person.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace umbel::cli {

// All of it, or io_error. A reader that went away ends the process by SIGPIPE, as it ends grep.
void write_out(std::string_view text);
void write_out(std::span<const std::byte> bytes);

[[nodiscard]] bool out_is_terminal() noexcept;
[[nodiscard]] bool notes_are_read() noexcept;  // standard error is a terminal

// `umbel: text` and a line end on standard error.
void note(std::string_view text);

// Lines gathered into large writes. Nothing is written before flush(), which is the caller's to
// call: a destructor could not report a full disk.
class line_output {
 public:
  explicit line_output(char separator) : separator_(separator) {}
  void line(std::string_view text) {
    pending_.append(text);
    pending_.push_back(separator_);
  }
  void line(std::string_view key, char between, std::string_view value) {
    pending_.append(key);
    pending_.push_back(between);
    line(value);
  }
  void flush() {
    write_out(pending_);
    pending_.clear();
  }

 private:
  std::string pending_;
  char separator_;
};

}  // namespace umbel::cli
