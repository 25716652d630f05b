// file_lock.ipp - bodies of file_lock.hpp.
#pragma once

#include <cerrno>
#include <string_view>
#include <utility>

#include <sys/file.h>
#include <sys/stat.h>

#include <umbel/base/text.hpp>
#include <umbel/codec/file_lock.hpp>

namespace umbel::detail {

// Up to `room` bytes from the start of a file; nothing if it cannot be read.
[[nodiscard]] inline std::string beginning_of(const std::string& path, std::size_t room) {
  constexpr int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const detail::descriptor file(::open(path.c_str(), flags));
  std::string out(room, '\0');
  const ssize_t size = file.get() < 0 ? -1 : ::pread(file.get(), out.data(), room, 0);
  out.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return out;
}

[[nodiscard]] inline std::string this_host() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

// The command line of this process, on one line.
[[nodiscard]] inline std::string this_command() {
  constexpr std::size_t max_bytes = 200;
  std::string out = beginning_of("/proc/self/cmdline", max_bytes + 1);
  const bool cut = out.size() > max_bytes;
  if (!out.empty()) out.resize(out.size() - 1);  // the last argument ends in NUL, too
  for (char& c : out)
    if (c == '\0' || c == '\n') c = ' ';
  return cut ? out + "..." : out;
}

// What the holder wrote: its process id, host and command, one per line.
[[nodiscard]] inline std::string holder_named_in(const std::string& path) {
  std::string rest = beginning_of(path, 1024);
  const auto line = [&] {
    const auto end = rest.find('\n');
    std::string out = rest.substr(0, end);
    rest.erase(0, end == std::string::npos ? end : end + 1);
    // Other users may have written it, and it is printed to a terminal.
    for (char& c : out)
      if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
    return out;
  };
  const std::string process = line(), host = line(), command = line();
  if (process.empty()) return "another process";  // it has not written yet, or may not
  std::string out = text("process ", process);
  if (host != this_host()) append(out, text(" on ", host));
  if (!command.empty()) append(out, text(" (", command, ")"));
  return out;
}

}  // namespace umbel::detail

namespace umbel::codec {

UMBEL_INLINE file_lock::file_lock(const std::string& target, when_busy then) : holder_(::getpid()) {
  for (;;) {
    const write_target at(target);
    path_ = at.path() + ".umbel-lock";
    lock_beside(at, then);
    try {
      lock_target(at, then);
      // otherwise a link was changed meanwhile
      if (write_target(target).path() == at.path()) break;
    } catch (...) {
      release();
      throw;
    }
    release();
  }
  sign();
}

UMBEL_INLINE file_lock::file_lock(file_lock&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::move(other.file_)),
      target_(std::move(other.target_)),
      holder_(other.holder_) {}

UMBEL_INLINE void file_lock::lock_beside(const write_target& target, when_busy then) {
  constexpr int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  for (;;) {
    bool may_write = true, created = false;
    file_ = detail::descriptor(::open(path_.c_str(), O_RDWR | flags));
    // it belongs to another user, who left it or holds it
    if (file_.get() < 0 && errno == EACCES) {
      may_write = false;
      file_ = detail::descriptor(::open(path_.c_str(), O_RDONLY | flags));
    }
    if (file_.get() < 0 && errno == ENOENT) {
      // Not combined with the first open: in a world-writable folder, Linux may refuse to open
      // another user's file with O_CREAT (fs.protected_regular).
      file_ = detail::descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | flags, 0600));
      if (file_.get() < 0 && errno == EEXIST) continue;
      created = file_.get() >= 0;
    }
    if (file_.get() < 0) detail::throw_io("cannot open the lock file", path_, errno);
    if (created) target.share_rights(file_.get());
    struct stat facts {};
    if (::fstat(file_.get(), &facts) != 0) detail::throw_io("cannot look at", path_, errno);
    if (!S_ISREG(facts.st_mode) || facts.st_nlink > 1)
      throw io_error(detail::text("cannot use ", path_, ": not a lock file"));
    try {
      take(file_.get(), target.path(), then);
    } catch (const no_locks&) {  // so no process can hold it
      if (created) ::unlink(path_.c_str());
      throw;
    }
    if (!names(file_.get(), path_)) continue;
    // A lock file left by another user cannot be written: replace it by one of our own, if
    // possible.
    if (may_write || ::unlink(path_.c_str()) != 0) return;
  }
}

UMBEL_INLINE void file_lock::lock_target(const write_target& target, when_busy then) {
  // Opened for reading, so that programs watching the file for changes are not notified by a lock.
  int access = O_RDONLY;
  for (;;) {
    const int flags = access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    target_ = detail::descriptor(::open(target.path().c_str(), flags));
    // there is nothing to lock
    if (target_.get() < 0 && (errno == ENOENT || errno == EACCES)) return;
    if (target_.get() < 0) detail::throw_io("cannot open", target.path(), errno);
    try {
      take(target_.get(), target.path(), then);
    } catch (const no_locks&) {
      if (access == O_RDWR) throw;
      access = O_RDWR;  // NFS needs write access
      continue;
    }
    if (names(target_.get(), target.path())) return;
  }
}

UMBEL_INLINE void file_lock::take(int file, const std::string& name, when_busy then) const {
  const int mode = LOCK_EX | (then == when_busy::fail ? LOCK_NB : 0);
  while (::flock(file, mode) != 0) {
    const int code = errno;
    if (code == EINTR) continue;
    const std::string holder = code == EWOULDBLOCK ? detail::holder_named_in(path_) : "";
    if (code == EWOULDBLOCK) throw busy(detail::text(name, " is being changed by ", holder));
    throw no_locks(detail::text("cannot lock ", name, ": ", std::strerror(code)));
  }
}

UMBEL_INLINE bool file_lock::names(int file, const std::string& path) const noexcept {
  struct stat held {};
  struct stat named {};
  if (::fstat(file, &held) != 0 || ::lstat(path.c_str(), &named) != 0) return false;
  return held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

// A lock is valid even if this fails, for instance because the disk is full.
UMBEL_INLINE void file_lock::sign() const noexcept {
  try {
    const std::string host = detail::this_host(), command = detail::this_command();
    const std::string text = detail::text(holder_, "\n", host, "\n", command, "\n");
    if (::ftruncate(file_.get(), 0) != 0) return;
    [[maybe_unused]] const auto written = ::pwrite(file_.get(), text.data(), text.size(), 0);
  } catch (const std::exception&) {
  }
}

UMBEL_INLINE void file_lock::release() noexcept {
  if (file_.get() < 0 || holder_ != ::getpid()) return;
  if (names(file_.get(), path_)) ::unlink(path_.c_str());
  // An explicit unlock: a child forked meanwhile has the files open too, so close() alone does not
  // release the lock.
  if (target_.get() >= 0) (void)::flock(target_.get(), LOCK_UN);
  (void)::flock(file_.get(), LOCK_UN);
  target_ = detail::descriptor();
  file_ = detail::descriptor();
}

}  // namespace umbel::codec
