// scratch_file.hpp - an unnamed temporary file: it is deleted when it is closed or the process
// ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <umbel/base/config.hpp>
#include <umbel/base/system.hpp>

namespace umbel::detail {

class scratch_file {
 public:
  // Created in `directory`, or in TMPDIR, or in /tmp. Throws io_error.
  explicit scratch_file(const std::string& directory);

  // Writes at the end and returns the offset.
  std::uint64_t append(const void* bytes, std::size_t size);
  void read(void* bytes, std::size_t size, std::uint64_t offset) const;

 private:
  std::string path_;  // the path before it was unlinked, for messages
  descriptor file_;
  std::uint64_t end_ = 0;
};

}  // namespace umbel::detail

#if UMBEL_WITH_BODIES
#include <umbel/base/scratch_file.ipp>
#endif
