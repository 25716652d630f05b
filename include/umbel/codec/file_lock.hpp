// file_lock.hpp - lets one process at a time read, change and write back a file.
//
// `save` replaces a file atomically, so readers need no lock. Two processes that both load, insert
// and save need one: otherwise the second save discards what the first process inserted.
//
//   const umbel::codec::file_lock lock("seen.umbel");        // waits until it is free
//   auto seen = umbel::load<umbel::bloom_filter>("seen.umbel");
//   seen.insert("alice");
//   umbel::save(seen, "seen.umbel");
//
// Idea       flock(2) on the file <target>.umbel-lock beside the target. Symbolic links are
//            followed first, so all names of a file share one lock. The system releases it when the
//            holder dies.
// Protocol   1. Open the lock file, or create it, and lock it.
//            2. If the path no longer names the locked file, start again. The holder removes the
//            lock file before it releases the lock, so waiting processes wake up with a file that
//            no other process can find.
//            3. Lock the target itself too. If its path names another file by then (`save` replaced
//            it), lock that one. This keeps two processes apart even if somebody removed the lock
//            file of a living holder.
//            4. Write process id, host and command into the lock file, for the message of `busy`.
// Limits     A crash leaves the lock file behind. It is unlocked; the next holder takes it over and
//            removes it. A thread that locks a file twice waits for itself. Over NFS the lock
//            excludes other hosts only if server and mount support locks. Programs that replace the
//            file without this lock are not stopped by it. Step 3 protects a holder up to its first
//            `save`, which installs a file that it has not locked. If others may remove lock files,
//            take a new lock for every change.
// Rights     The lock file has owner, group and mode of the target: users who may read the target
//            may lock it. A symbolic link, or a file with several names, in place of the lock file
//            is rejected.
// Threads    Two locks in one process exclude each other like those of two processes.
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
};  // another process is changing the file; the message names it
struct no_locks : io_error {
  using io_error::io_error;
};  // the file system has no locks

class file_lock {
 public:
  enum class when_busy { wait, fail };

  // The target need not exist. If it does, it must be a regular file.
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
  pid_t holder_;                      // a forked child must not release the lock
};

}  // namespace umbel::codec

#if UMBEL_WITH_BODIES
#include <umbel/codec/file_lock.ipp>
#endif
