// write_target.ipp - bodies of write_target.hpp.
#pragma once

#include <cerrno>
#include <climits>

#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/xattr.h>
#endif

#include <umbel/base/system.hpp>
#include <umbel/codec/write_target.hpp>

namespace umbel::detail {

[[nodiscard]] inline std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// The path with symbolic links at its end resolved.
[[nodiscard]] inline std::string followed(const std::string& path) {
  constexpr int max_links = 40;  // the limit of Linux
  std::string at = path;
  for (int links = 0; links <= max_links; ++links) {
    char text[PATH_MAX];
    const ssize_t size = ::readlink(at.c_str(), text, sizeof text);
    if (size < 0) return at;  // not a link, or it does not exist
    const std::string_view next(text, static_cast<std::size_t>(size));
    if (next.size() == sizeof text) throw_io("cannot follow", path, ENAMETOOLONG);
    if (next.starts_with('/'))
      at = next;
    else if (const auto slash = at.rfind('/'); slash != std::string::npos)
      at.replace(slash + 1, std::string::npos, next);
    else
      at = next;
  }
  throw_io("cannot follow", path, ELOOP);
}

// Copies the access control list of a file, or its absence: a default list of the folder may have
// given the new file entries that the old one does not have.
[[nodiscard]] inline bool copy_access_list(const char* from, int to) noexcept {
#if defined(__linux__)
  constexpr const char* name = "system.posix_acl_access";
  char list[8192];  // room for a thousand entries
  const ssize_t size = ::getxattr(from, name, list, sizeof list);
  if (size >= 0) return ::fsetxattr(to, name, list, static_cast<std::size_t>(size), 0) == 0;
  if (errno != ENODATA && errno != ENOTSUP) return false;
  return ::fremovexattr(to, name) == 0 || errno == ENODATA || errno == ENOTSUP;
#else
  (void)from, (void)to;
  return true;
#endif
}

}  // namespace umbel::detail

namespace umbel::codec {

UMBEL_INLINE write_target::write_target(const std::string& path) {
  // Other processes may replace the file between two calls, so look again. A link whose text does
  // not name its target, as in /proc/self/fd, fails every time.
  constexpr int max_looks = 100;
  for (int looks = 0; looks < max_looks; ++looks)
    if (look(path)) return;
  throw io_error(detail::text("cannot replace ", path, ": its link does not name a file"));
}

// Returns false if the kernel's result and the resolved links disagree.
UMBEL_INLINE bool write_target::look(const std::string& path) {
  struct stat facts {};
  exists_ = ::stat(path.c_str(), &facts) == 0;
  if (!exists_ && errno != ENOENT) detail::throw_io("cannot look at", path, errno);
  const bool replaceable = !exists_ || S_ISREG(facts.st_mode);
  if (!replaceable) throw io_error(detail::text("cannot replace ", path, ": not a regular file"));
  path_ = detail::followed(path);
  mode_ = facts.st_mode;
  owner_ = facts.st_uid;
  group_ = facts.st_gid;
  if (path_ == path) return true;
  struct stat end {};
  const bool ends = ::lstat(path_.c_str(), &end) == 0;
  return ends == exists_ && (!ends || (end.st_dev == facts.st_dev && end.st_ino == facts.st_ino));
}

UMBEL_INLINE std::string write_target::folder() const { return detail::folder_of(path_); }

UMBEL_INLINE void write_target::share_rights(int file) const noexcept {
  if (!exists_) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    (void)::fchmod(file, 0666 & ~mask);
    return;
  }
  const uid_t unchanged = static_cast<uid_t>(-1);
  const bool owner_kept = ::fchown(file, owner_, group_) == 0;
  const bool group_kept = owner_kept || ::fchown(file, unchanged, group_) == 0;
  // In the mode of a file with a list, the group's bits are the mask of the whole list.
  const bool list_kept = detail::copy_access_list(path_.c_str(), file);
  const mode_t group_bits = 070, others_bits = 007;
  mode_t mode = mode_ & 0777;  // like a write, this clears set-user-ID and set-group-ID
  if (!group_kept || !list_kept) mode &= ~group_bits | (mode & others_bits) << 3;
  (void)::fchmod(file, mode);  // if it fails, only the owner can read the file
}

}  // namespace umbel::codec
