// file_lock.hpp - lets one process at a time read, change and write back a file.
//
// `save` replaces a file whole, so readers need no lock. Two processes that both load, insert and
// save do: otherwise the second to save discards what the first one inserted.
//
//   const umbel::codec::file_lock lock("seen.umbel");        // waits for its turn
//   auto seen = umbel::load<umbel::bloom_filter>("seen.umbel");
//   seen.insert("alice");
//   umbel::save(seen, "seen.umbel");
//
// Idea       flock(2) on the file <target>.umbel-lock beside the target. Symbolic links are
//            followed first, so that all names of a file share one lock. The system releases it
//            when the holder dies.
// Protocol   1. Open the lock file, or create it, and lock it.
//            2. If the path no longer names the file that was locked, start again. The holder
//               removes the lock file before it releases the lock, so those who waited for it wake
//               up with a file that nobody else will ever find.
//            3. Lock the target itself too; if its path names another file by then (`save` replaced
//               it), lock that one. This keeps two processes apart even where somebody removed the
//               lock file of a living holder.
//            4. Write process id, host and command into the lock file, for the message of `busy`.
// Limits     A crash leaves the lock file behind. It is unlocked; the next holder takes it over and
//            removes it. A thread that locks a file twice waits for itself. Over NFS the lock
//            excludes other hosts only if server and mount support locks. Programs that replace the
//            file without this lock are not held up by it. Step 3 protects a holder up to its first
//            `save`, which puts a file in place that it has not locked: where others may remove
//            lock files, take a new lock for every change.
// Rights     The lock file has owner, group and mode of the target: who may read one may lock the
//            other. A link, or a file with several names, in place of the lock file is refused.
// Threads    Two locks of one process exclude each other as those of two processes do.
#pragma once

#include <string>

#include <sys/types.h>

#include <umbel/base/config.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/system.hpp>
#include <umbel/codec/write_target.hpp>

namespace umbel::codec {

struct busy : io_error {
  using io_error::io_error;
};  // another process is changing the file; the message says which
struct no_locks : io_error {
  using io_error::io_error;
};  // the file system has none

class file_lock {
 public:
  enum class when_busy { wait, fail };

  // A target that does not exist can be locked too; it must be a regular file if it does.
  explicit file_lock(const std::string& target, when_busy then = when_busy::wait);
  file_lock(file_lock&& other) noexcept;
  file_lock& operator=(file_lock&& other) = delete;
  ~file_lock() { release(); }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }  // of the lock file

 private:
  void lock_beside(const write_target& target, when_busy then);
  void lock_target(const write_target& target, when_busy then);
  void take(int file, const std::string& name, when_busy then) const;
  [[nodiscard]] bool names(int file, const std::string& path) const noexcept;
  void sign() const noexcept;
  void release() noexcept;

  std::string path_;
  detail::descriptor file_, target_;  // the lock file and the target, each locked
  pid_t holder_;                      // a forked child must not release it
};

}  // namespace umbel::codec

#if UMBEL_WITH_BODIES
#include <umbel/codec/file_lock.ipp>
#endif
