// atomic_file.ipp - bodies of atomic_file.hpp.
#pragma once

#include <cstdlib>

#include <umbel/codec/atomic_file.hpp>
#include <umbel/codec/write_target.hpp>

namespace umbel::codec {

UMBEL_INLINE atomic_file::atomic_file(const std::string& target) {
  const write_target at(target);
  target_ = at.path();
  path_ = target_ + ".umbel-XXXXXX";
  file_ = umbel::detail::descriptor(::mkstemp(path_.data()));
  if (file_.get() < 0) umbel::detail::throw_io("cannot create", path_, errno);
  at.share_rights(file_.get());  // before any byte is written
}

UMBEL_INLINE atomic_file::~atomic_file() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

UMBEL_INLINE void atomic_file::write(std::span<const std::byte> bytes) {
  (void)umbel::detail::move_all(bytes.size(), "cannot write", path_, [&](std::size_t done) {
    return ::write(file_.get(), bytes.data() + done, bytes.size() - done);
  });
}

UMBEL_INLINE void atomic_file::commit() {
  if (::fsync(file_.get()) != 0) umbel::detail::throw_io("cannot sync", path_, errno);
  if (::close(file_.release()) != 0) umbel::detail::throw_io("cannot close", path_, errno);
  if (::rename(path_.c_str(), target_.c_str()) != 0)
    umbel::detail::throw_io("cannot rename to", target_, errno);
  path_.clear();
  const std::string folder = umbel::detail::folder_of(target_);
  const umbel::detail::descriptor held(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // some file systems do not support this; the rename is still valid
  if (held.get() >= 0) (void)::fsync(held.get());
}

}  // namespace umbel::codec
