// scratch_file.ipp - bodies of scratch_file.hpp.
#pragma once

#include <cstdlib>

#include <umbel/base/scratch_file.hpp>

namespace umbel::detail {

UMBEL_INLINE scratch_file::scratch_file(const std::string& directory) : path_(directory) {
  if (path_.empty()) {
    const char* const options = std::getenv("TMPDIR");
    path_ = options != nullptr && *options != '\0' ? options : "/tmp";
  }
  path_ += "/umbel-XXXXXX";
  file_ = descriptor(::mkstemp(path_.data()));
  if (file_.get() < 0) throw_io("cannot create a temporary file", path_, errno);
  ::unlink(path_.c_str());
}

UMBEL_INLINE std::uint64_t scratch_file::append(const void* bytes, std::size_t size) {
  const std::uint64_t at = end_;
  (void)move_all(size, "cannot write temporary file", path_, [&](std::size_t done) {
    return ::pwrite(file_.get(), static_cast<const char*>(bytes) + done, size - done,
                    static_cast<off_t>(at + done));
  });
  end_ += size;
  return at;
}

UMBEL_INLINE void scratch_file::read(void* bytes, std::size_t size, std::uint64_t offset) const {
  const bool whole = move_all(size, "cannot read temporary file", path_, [&](std::size_t done) {
    return ::pread(file_.get(), static_cast<char*>(bytes) + done, size - done,
                   static_cast<off_t>(offset + done));
  });
  if (!whole) throw io_error(text("temporary file ", path_, " ended early"));
}

}  // namespace umbel::detail
