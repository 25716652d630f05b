// write_target.hpp - the file that a path to be written leads to, and its rights.
//
// A file that is replaced by rename gets a new inode. Without care a symbolic link would become a
// regular file, and a file of mode 600 would get the mode of any new file.
//
// Idea       Symbolic links at the end of the path are followed, also one that leads to nothing
//            yet, so that the rename happens where the file is. The new file gets the owner,
//            group, access control list (on Linux) and mode of the old one.
// Limits     Only root can give a file to somebody else. Where the group or the list cannot be
//            kept, the group gets no right that others did not have. Hard links are not kept: the
//            other names go on with the old contents.
// Details    The kernel walks the path first, because it may refuse to follow links that somebody
//            else left in a folder open to all (fs.protected_symlinks).
#pragma once

#include <string>

#include <sys/types.h>

#include <umbel/base/config.hpp>

namespace umbel::codec {

class write_target {
 public:
  // Throws io_error where the path leads to something that is not a regular file.
  explicit write_target(const std::string& path);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }  // not a link
  // The folder that it is in, such as "." or "/tmp/".
  [[nodiscard]] std::string folder() const;
  [[nodiscard]] bool exists() const noexcept { return exists_; }

  // Gives an open file, which only its owner can read so far, the rights of the target; where there
  // is none, those of a new file.
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
