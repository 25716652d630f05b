// input.cpp - bodies of input.hpp.
#include "input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "streams.hpp"

namespace umbel::cli {

void key_batch::grow(std::size_t used) {
  const std::size_t room = std::max(key_input::batch_bytes, 2 * room_);
  auto bytes = std::make_unique_for_overwrite<char[]>(room);
  if (used != 0) std::memcpy(bytes.get(), bytes_.get(), used);
  bytes_ = std::move(bytes);
  room_ = room;
}

key_input::key_input(std::vector<std::string> files, char separator, const field_options& fields)
    : files_(std::move(files)), separator_(separator), fields_(fields) {
  if (files_.empty()) files_.emplace_back("-");
  fields_.check();
}

bool key_input::next(key_batch& batch) {
  batch.keys.clear();
  while (!ends_->raised() && (file_.is_open() || open_next())) {
    while (batch.room_ <= rest_.size()) batch.grow(0);
    std::size_t used = rest_.size();
    rest_.copy(batch.bytes_.get(), used);
    rest_.clear();
    for (;;) {
      if (used == batch.room_) batch.grow(used);
      char* const fresh = batch.bytes_.get() + used;
      const std::uint64_t taken = file_.bytes_read();  // which a file at its end forgets
      const std::size_t got = file_.read({fresh, batch.room_ - used});
      used += got;
      if (got == 0) {
        before_ += taken;
        break;
      }
      if (const void* const last = ::memrchr(fresh, separator_, got)) {
        const auto whole = static_cast<std::size_t>(static_cast<const char*>(last) - batch.bytes_.get()) + 1;
        rest_.assign(batch.bytes_.get() + whole, used - whole);
        split(batch, whole);
        return true;
      }
    }
    if (used != 0) {  // the last key of the file, without a separator
      split(batch, used);
      return true;
    }
  }
  return false;
}

void key_input::split(key_batch& batch, std::size_t size) {
  batch.file = name_;
  batch.source = opened_ - 1;
  batch.first_line = lines_ + 1;
  const char* at = batch.bytes_.get();
  const char* const end = at + size;
  while (at != end) {
    const auto* stop = static_cast<const char*>(std::memchr(at, separator_, static_cast<std::size_t>(end - at)));
    const char* const last = stop != nullptr ? stop : end;
    batch.keys.emplace_back(at, static_cast<std::size_t>(last - at));
    at = stop != nullptr ? stop + 1 : end;
  }
  lines_ += batch.keys.size();
  batch.bytes_read = before_ + file_.bytes_read();
  batch.has_header = false;
  if (batch.first_line == 1) look_at_first_line(batch);
  batch.field = field_;
}

std::uint64_t key_input::bytes_in_all() const noexcept {
  std::uint64_t out = 0;
  for (const std::string& path : files_) {
    struct stat facts {};
    if ((path == "-" ? ::fstat(STDIN_FILENO, &facts) : ::stat(path.c_str(), &facts)) != 0 || !S_ISREG(facts.st_mode))
      return 0;
    out += static_cast<std::uint64_t>(facts.st_size);
  }
  return out;
}

void key_input::look_at_first_line(key_batch& batch) {
  field_ = place_of_field(fields_, batch.keys[0], batch.file);
  if (!fields_.has_header()) return;
  batch.header = batch.keys[0];
  batch.has_header = true;
  batch.keys.erase(batch.keys.begin());
  batch.first_line = 2;
}

bool key_input::open_next() {
  if (opened_ == files_.size()) return false;
  const std::string& path = files_[opened_++];
  lines_ = 0;
  file_ = byte_source(path, ends_.get());
  name_ = file_.name();
  if (path == "-" && ::isatty(STDIN_FILENO) == 1 && notes_are_read())
    note("reading keys from the terminal, one per line; Ctrl-D ends them");
  return true;
}

}  // namespace umbel::cli
