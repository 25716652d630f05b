// short_reads.hpp - reads that return as many bytes as the fuzzer says, as a pipe may. Included by
// one file of a program: it defines read() for all of it. Each read first writes to both ends of
// the given buffer, so that the address sanitizer detects a buffer that is shorter than its stated
// size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sys/syscall.h>
#include <unistd.h>

namespace umbel::fuzz {

struct read_sizes {
  std::span<const std::uint8_t> sizes;
  std::size_t at = 0;
};

// The sizes of reads, used in turn: the byte b allows b + 1 bytes, 255 any number. Without sizes
// every read may return any number.
class short_reads {
 public:
  explicit short_reads(std::span<const std::uint8_t> sizes) { now = {sizes, 0}; }
  short_reads(const short_reads&) = delete;
  short_reads& operator=(const short_reads&) = delete;
  ~short_reads() { now = {}; }

  [[nodiscard]] static std::size_t next(std::size_t wanted) {
    if (now.sizes.empty()) return wanted;
    const std::size_t size = now.sizes[now.at++ % now.sizes.size()];
    return size == 255 ? wanted : std::min(wanted, size + 1);
  }

 private:
  static inline thread_local read_sizes now;
};

}  // namespace umbel::fuzz

extern "C" ssize_t read(int file, void* to, std::size_t size) {
  auto* const bytes = static_cast<volatile char*>(to);
  for (const std::size_t at : {std::size_t{0}, size - 1})
    if (size != 0) bytes[at] = 0;
  return ::syscall(SYS_read, file, to, umbel::fuzz::short_reads::next(size));
}
