// faults.cpp - system calls that fail on demand (support/faults.hpp). A program's own definitions
// take precedence over those of the C library; each except fsync passes the call on unless a fault
// is ordered.
#include "support/faults.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstddef>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace umbel::test {
namespace {

thread_local int until = 0;  // counts down to the call that goes wrong; 0: no order
thread_local fault::kind options{};
thread_local int options_code = 0;
thread_local const char* culprit = nullptr;

// True for the call that is to fail.
bool goes_wrong(const char* call) {
  if (until == 0 || --until != 0) return false;
  culprit = call;
  return true;
}

// The C library's own function behind ours.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// What a call without data answers instead; false if the call goes on.
bool fails(const char* call) {
  if (!goes_wrong(call) || options != fault::kind::error) return false;
  errno = options_code;
  return true;
}

// A call that moves bytes: `real` moves up to the given number.
template <class Real>
ssize_t moves(const char* call, bool reads, std::size_t size, Real&& real) {
  if (!goes_wrong(call)) return real(size);
  switch (options) {
    case fault::kind::error: errno = options_code; return -1;
    case fault::kind::interruption: errno = EINTR; return -1;
    case fault::kind::short_count: return real(size == 0 ? 0 : 1);
    case fault::kind::end_of_file: return reads ? 0 : real(size);
  }
  return -1;
}

}  // namespace

fault::fault(int nth, kind how, int code) {
  until = nth;
  options = how;
  options_code = code;
  culprit = nullptr;
}
fault::~fault() { until = 0; }
bool fault::happened() const { return culprit != nullptr; }
std::string fault::call() const { return culprit == nullptr ? "none" : culprit; }

}  // namespace umbel::test

using umbel::test::fails;
using umbel::test::moves;
using umbel::test::next;

extern "C" {

int mkstemp(char* name) {
  static const auto real = next<int(char*)>("mkstemp");
  return fails("mkstemp") ? -1 : real(name);
}
int open(const char* path, int flags, ...) {
  static const auto real = next<int(const char*, int, ...)>("open");
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list more;
    va_start(more, flags);
    mode = va_arg(more, mode_t);
    va_end(more);
  }
  return fails("open") ? -1 : real(path, flags, mode);
}
int fstat(int fd, struct stat* facts) noexcept {
  static const auto real = next<int(int, struct stat*)>("fstat");
  return fails("fstat") ? -1 : real(fd, facts);
}
ssize_t pread(int fd, void* bytes, std::size_t size, off_t offset) {
  static const auto real = next<ssize_t(int, void*, std::size_t, off_t)>("pread");
  return moves("pread", true, size,
               [&](std::size_t some) { return real(fd, bytes, some, offset); });
}
ssize_t pwrite(int fd, const void* bytes, std::size_t size, off_t offset) {
  static const auto real = next<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
  return moves("pwrite", false, size,
               [&](std::size_t some) { return real(fd, bytes, some, offset); });
}
ssize_t write(int fd, const void* bytes, std::size_t size) {
  static const auto real = next<ssize_t(int, const void*, std::size_t)>("write");
  return moves("write", false, size, [&](std::size_t some) { return real(fd, bytes, some); });
}
int fsync(int) { return fails("fsync") ? -1 : 0; }  // no power fails here, and disks are slow
int close(int fd) {
  static const auto real = next<int(int)>("close");
  const bool failing = fails("close");
  const int code = errno;
  const int result = real(fd);  // a close that fails has closed all the same
  if (!failing) return result;
  errno = code;
  return -1;
}
int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int(const char*, const char*)>("rename");
  return fails("rename") ? -1 : real(from, to);
}

}  // extern "C"
