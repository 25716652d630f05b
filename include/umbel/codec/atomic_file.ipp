// atomic_file.ipp - bodies of atomic_file.hpp.
#pragma once

#include <cstdlib>

#include <sys/stat.h>

#include <umbel/codec/atomic_file.hpp>

namespace umbel::codec {

UMBEL_INLINE atomic_file::atomic_file(const std::string& target) : target_(target), path_(target + ".umbel-XXXXXX") {
  struct stat facts {};
  if (::stat(target.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode))
    throw io_error(umbel::detail::text("cannot replace ", target, ": not a regular file"));
  file_ = umbel::detail::descriptor(::mkstemp(path_.data()));
  if (file_.get() < 0) umbel::detail::throw_io("cannot create", path_, errno);
  const mode_t mask = ::umask(0);  // mkstemp is stricter than what a user expects of a new file
  ::umask(mask);
  (void)::fchmod(file_.get(), 0666 & ~mask);
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
  if (::rename(path_.c_str(), target_.c_str()) != 0) umbel::detail::throw_io("cannot rename to", target_, errno);
  path_.clear();
  const auto slash = target_.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : target_.substr(0, slash);
  const umbel::detail::descriptor held(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (held.get() >= 0) (void)::fsync(held.get());  // some file systems have no such thing; the rename stands
}

}  // namespace umbel::codec
