// destination.hpp - where a command's result goes: a file, a device or pipe, or standard output.
//
// Idea       A regular file is replaced whole or not at all, under its lock. A device, a named pipe
//            or an open descriptor (/dev/stdout, /dev/fd/63) is written straight through. What
//            cannot be written, or would overwrite an input, is refused before hours are spent.
// Order      Construct; refuse_inputs; lock, if the command reads the file that it replaces; read;
//            deliver, once.
// Limits     Signals that would end the process wait until a file is replaced, and remove the lock
//            file. Only kill -9 leaves something: <file>.umbel-XXXXXX or <file>.umbel-lock.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <umbel/any/any.hpp>
#include <umbel/base/system.hpp>
#include <umbel/codec/file_lock.hpp>

#include "options.hpp"

namespace umbel::cli {

class destination {
 public:
  struct use {
    bool report_is_output = false;  // a report goes to standard output, so nothing else may
    bool text = false;              // fit for a terminal
  };

  // "-" is standard output. Throws io_error where nothing can be written, bad_parameter where a
  // filter would go to a terminal or into a report.
  destination(std::string path, use how);
  destination(const destination&) = delete;
  destination& operator=(const destination&) = delete;
  ~destination() { unlock(); }

  // Throws bad_parameter if this is one of the files that the command reads, under whatever name;
  // "-", or no file at all, is standard input.
  void refuse_inputs(const std::vector<std::string>& files) const;
  void refuse_input(const std::string& file) const;  // "": none

  // Keeps other processes from changing the file until it is delivered. Waits for them, or throws
  // io_error that names one.
  void lock(bool no_wait);

  void deliver(const any::structure& structure);
  void deliver(std::span<const std::byte> bytes);
  void deliver(std::string_view text) { deliver(std::as_bytes(std::span(text))); }

 private:
  [[nodiscard]] bool is_file() const noexcept { return descriptor_ < 0 && !through_; }
  void take_lock(bool no_wait);
  void unlock() noexcept;
  void write_through(std::span<const std::byte> bytes);
  template <class Replace>
  void replace(Replace&& work);

  std::string path_;
  int descriptor_ = -1;   // one that was open already; -1: none
  bool through_ = false;  // a device or a named pipe
  umbel::detail::descriptor device_;
  std::optional<codec::file_lock> lock_;
};

void add_no_wait_option(option_list& takes, bool& into);

}  // namespace umbel::cli
