// system.hpp - POSIX system calls that complete or throw io_error.
#pragma once

#include <cerrno>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>

namespace umbel::detail {

[[noreturn]] inline void throw_io(std::string_view deed, std::string_view path, int code) {
  throw io_error(text(deed, " ", path, ": ", std::strerror(code)));
}

// Transfers all of `size` bytes, over short counts and interruptions. Returns false at the end of a
// file.
template <class Move>
[[nodiscard]] bool move_all(std::size_t size, std::string_view deed, std::string_view path,
                            Move&& move) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t moved = move(done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) throw_io(deed, path, errno);
    if (moved == 0) return false;
    done += static_cast<std::size_t>(moved);
  }
  return true;
}

// A file descriptor that closes itself.
class descriptor {
 public:
  explicit descriptor(int fd = -1) noexcept : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(other.release()) {}
  descriptor& operator=(descriptor&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~descriptor() { reset(-1); }
  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] int release() noexcept {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  void reset(int fd) noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }
  int fd_;
};

}  // namespace umbel::detail
