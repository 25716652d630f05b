// source.ipp - bodies of source.hpp.
#pragma once

#include <sys/mman.h>
#include <sys/stat.h>

#include <umbel/codec/source.hpp>

namespace umbel::codec {

UMBEL_INLINE file_source::file_source(const std::string& path) : path_(path) {
  // O_NONBLOCK, so that a FIFO is rejected instead of waited for.
  file_ = umbel::detail::descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file_.get() < 0) umbel::detail::throw_io("cannot open", path, errno);
  struct stat facts {};
  if (::fstat(file_.get(), &facts) != 0) umbel::detail::throw_io("cannot look at", path, errno);
  if (!S_ISREG(facts.st_mode))
    throw io_error(umbel::detail::text("cannot read ", path, ": not a regular file"));
  size_ = static_cast<std::uint64_t>(facts.st_size);
}

UMBEL_INLINE buffer file_source::get(std::uint64_t offset, std::uint64_t length,
                                     std::pmr::memory_resource* memory) const {
  buffer out(length, memory);
  const bool whole = umbel::detail::move_all(length, "cannot read", path_, [&](std::size_t done) {
    return ::pread(file_.get(), out.data() + done, length - done,
                   static_cast<off_t>(offset + done));
  });
  if (!whole) throw corrupt("the file became shorter while it was read");
  return out;
}

UMBEL_INLINE mapped_source::mapped_source(const std::string& path) {
  const file_source file(path);
  if (file.size() == 0) return;
  void* const at = ::mmap(nullptr, file.size(), PROT_READ, MAP_SHARED, file.descriptor(), 0);
  if (at == MAP_FAILED) umbel::detail::throw_io("cannot map", path, errno);
  bytes_ = {static_cast<const std::byte*>(at), static_cast<std::size_t>(file.size())};
  // probes are random: readahead would only evict other pages
  (void)::madvise(at, bytes_.size(), MADV_RANDOM);
}

UMBEL_INLINE mapped_source::~mapped_source() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace umbel::codec
