// input.cpp - bodies of input.hpp.
#include "input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
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
      const std::size_t got = file_.read({fresh, batch.room_ - used});
      used += got;
      if (got == 0) break;
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
  batch.has_header = false;
  if (batch.first_line == 1) look_at_first_line(batch);
  batch.field = field_;
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
  const bool standard = path == "-";
  name_ = standard ? "standard input" : path;
  lines_ = 0;
  umbel::detail::descriptor file(standard ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) umbel::detail::throw_io("cannot open", name_, errno);
  if (standard && ::isatty(STDIN_FILENO) == 1 && notes_are_read())
    note("reading keys from the terminal, one per line; Ctrl-D ends them");
  (void)::posix_fadvise(file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  file_ = byte_source(std::move(file), name_, ends_.get());
  return true;
}

}  // namespace umbel::cli
