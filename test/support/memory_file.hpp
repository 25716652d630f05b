// memory_file.hpp - a file in memory that has a path: for code that opens files, many times a
// second.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace umbel::test {

class memory_file {
 public:
  memory_file() : fd_(::memfd_create("umbel-test", MFD_CLOEXEC)) {
    if (fd_ < 0) throw std::runtime_error("memfd_create failed");
  }
  explicit memory_file(std::span<const std::byte> bytes) : memory_file() { assign(bytes); }
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;
  ~memory_file() { ::close(fd_); }

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }
  void assign(std::span<const std::byte> bytes) {
    resize(bytes.size());
    put(0, bytes);
  }
  void resize(std::size_t size) {
    if (::ftruncate(fd_, static_cast<off_t>(size)) != 0)
      throw std::runtime_error("ftruncate failed");
  }
  void put(std::size_t offset, std::span<const std::byte> bytes) {
    if (!bytes.empty() && ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset)) !=
                              static_cast<ssize_t>(bytes.size()))
      throw std::runtime_error("pwrite failed");
  }

 private:
  int fd_;
};

}  // namespace umbel::test
