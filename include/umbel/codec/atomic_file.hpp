// atomic_file.hpp - a file that is replaced whole or not at all (rights, links: write_target.hpp).
// Idea       Write beside, sync, rename, sync the folder. Whoever is killed, whenever, leaves the
//            old file or the new.
// Limits     What a killed process leaves is a file named <target>.umbel-XXXXXX: never read, safe
//            to remove.
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
  ~atomic_file();  // not committed: the target is as it was and nothing is left beside it

  void write(std::span<const std::byte> bytes);
  void commit();

 private:
  std::string target_;
  std::string path_;  // where it is being written; empty once committed
  umbel::detail::descriptor file_;
};

}  // namespace umbel::codec

#if UMBEL_WITH_BODIES
#include <umbel/codec/atomic_file.ipp>
#endif
