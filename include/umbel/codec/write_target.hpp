// write_target.hpp - resolves the path of a file to be replaced, and copies its access rights.
//
// A file that is replaced by rename gets a new inode. Without care a symbolic link would become a
// regular file, and a file of mode 600 would get the mode of any new file.
//
// Idea       Symbolic links at the end of the path are followed, including one that leads to
//            nothing yet, so that the rename happens in the folder of the file. The new file gets
//            the owner, group, access control list (on Linux) and mode of the old one.
// Limits     Only root can give a file to another user. If the group or the list cannot be kept,
//            the group gets no right that others do not have. Hard links are not kept: the other
//            names keep the old contents.
// Details    The kernel resolves the path first, because it may refuse to follow links that another
//            user left in a world-writable folder (fs.protected_symlinks).
#pragma once

#include <string>

#include <sys/types.h>

#include <umbel/base/config.hpp>

namespace umbel::codec {

class write_target {
 public:
  // Throws io_error if the path leads to something other than a regular file.
  explicit write_target(const std::string& path);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }  // never a link
  // The folder of the file, such as "." or "/tmp/".
  [[nodiscard]] std::string folder() const;
  [[nodiscard]] bool exists() const noexcept { return exists_; }

  // Gives an open file, which only its owner can read so far, the rights of the target; if there is
  // no target, those of a new file.
  void share_rights(int file) const noexcept;

 private:
  [[nodiscard]] bool look(const std::string& path);

  std::string path_;
  bool exists_ = false;
  mode_t mode_ = 0;
  uid_t owner_ = 0;
  gid_t group_ = 0;
};

}  // namespace umbel::codec

#if UMBEL_WITH_BODIES
#include <umbel/codec/write_target.ipp>
#endif
