// atomic_file.hpp - atomic replacement of a file (access rights and links: write_target.hpp).
//
// Writes a file beside the target, syncs it, renames it and syncs the folder. A process that is
// killed at any time leaves the old file or the new one.
//
// Limits     A killed process leaves a file named <target>.umbel-XXXXXX behind. It is never read
//            and safe to remove.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <umbel/base/config.hpp>
#include <umbel/base/system.hpp>

namespace umbel::codec {

class atomic_file {
 public:
  explicit atomic_file(const std::string& target);
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;
  ~atomic_file();  // if not committed, leaves the target unchanged and removes the new file

  void write(std::span<const std::byte> bytes);
  void commit();

 private:
  std::string target_;
  std::string path_;  // the file being written; empty once committed
  umbel::detail::descriptor file_;
};

}  // namespace umbel::codec

#if UMBEL_WITH_BODIES
#include <umbel/codec/atomic_file.ipp>
#endif
