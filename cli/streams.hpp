// streams.hpp - standard output for answers, and standard error for notes to a person.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace umbel::cli {

// Writes everything or throws io_error. If the reader has gone, SIGPIPE ends the process, as with
// grep.
void write_out(std::string_view text);
void write_out(std::span<const std::byte> bytes);

[[nodiscard]] bool out_is_terminal() noexcept;
[[nodiscard]] bool notes_are_read() noexcept;  // standard error is a terminal

// `umbel: text` and a line end on standard error.
void note(std::string_view text);

// Gathers lines into large writes. The caller calls flush(): a destructor could not report a full
// disk.
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
