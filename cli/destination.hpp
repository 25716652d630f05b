// destination.hpp - where a command writes its result: a file, a device, a pipe, or standard
// output.
//
// A regular file is replaced whole or not at all, under its lock. A device, a named pipe or an open
// descriptor (/dev/stdout, /dev/fd/63) is written directly. A destination that cannot be written,
// or that would overwrite an input, is refused before the work begins.
//
// Order      Construct; refuse_inputs; lock, if the command reads the file that it replaces; read;
//            deliver, once.
// Limits     Signals that would end the process are held until a file is replaced, and they remove
//            the lock file. Only kill -9 leaves files: <file>.umbel-XXXXXX or <file>.umbel-lock.
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
    bool report_is_output = false;  // standard output is taken by a report
    bool text = false;              // may be written to a terminal
  };

  // "-" is standard output. Throws io_error where nothing can be written, bad_parameter where a
  // filter would go to a terminal or into a report.
  destination(std::string path, use how);
  destination(const destination&) = delete;
  destination& operator=(const destination&) = delete;
  ~destination() { unlock(); }

  // Throws bad_parameter if the destination is one of the files that the command reads, under any
  // name. "-", or an empty list, is standard input.
  void refuse_inputs(const std::vector<std::string>& files) const;
  void refuse_input(const std::string& file) const;  // "": none

  // Keeps other processes from changing the file until it is delivered. Waits while another process
  // holds the lock; with no_wait, throws an io_error that names that process.
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
  int descriptor_ = -1;   // a descriptor that was open already; -1: none
  bool through_ = false;  // a device or a named pipe
  umbel::detail::descriptor device_;
  std::optional<codec::file_lock> lock_;
};

void add_no_wait_option(option_list& takes, bool& into);

}  // namespace umbel::cli
