// scratch_file.hpp - a temporary file without a name: gone when it is closed, whatever happens to
// the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <umbel/base/config.hpp>
#include <umbel/base/system.hpp>

namespace umbel::detail {

class scratch_file {
 public:
  // In `directory`, or TMPDIR, or /tmp. Throws io_error.
  explicit scratch_file(const std::string& directory);

  // Writes at the end; the offset it was written at.
  std::uint64_t append(const void* bytes, std::size_t size);
  void read(void* bytes, std::size_t size, std::uint64_t offset) const;

 private:
  std::string path_;  // as it was before it lost its name, for messages
  descriptor file_;
  std::uint64_t end_ = 0;
};

}  // namespace umbel::detail

#if UMBEL_WITH_BODIES
#include <umbel/base/scratch_file.ipp>
#endif
