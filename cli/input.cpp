// input.cpp - bodies of input.hpp.
#include "input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <umbel/base/error.hpp>

#include "numbers.hpp"
#include "streams.hpp"

namespace umbel::cli {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

[[nodiscard]] std::uint64_t count_in(std::string_view text, char c) noexcept {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), c));
}

}  // namespace

std::uint64_t key_batch::lines_in(std::size_t i) const noexcept {
  return spans_lines ? 1 + count_in(lines[i], separator) : 1;
}

// Counted only when it is needed.
std::uint64_t key_batch::line_number(std::size_t i) const noexcept {
  std::uint64_t out = first_line;
  for (std::size_t before = 0; before < i; ++before) out += lines_in(before);
  return out;
}

std::string key_batch::place(std::size_t i) const {
  return fmt::format("{}:{}", file, line_number(i));
}

bool key_batch::oversized() const noexcept { return room_ > key_input::batch_bytes; }

void key_input::take_back(key_batch& batch) noexcept {
  batch.lines.clear();
  spare_.bytes_ = std::move(batch.bytes_);
  spare_.room_ = std::exchange(batch.room_, 0);
}

void key_input::grow(key_batch& batch, std::size_t used) {
  const std::size_t room = std::max(batch_bytes, 2 * batch.room_);
  std::unique_ptr<char[]> before = std::move(batch.bytes_);
  if (room > batch_bytes && spare_.room_ >= room) {
    batch.bytes_ = std::move(spare_.bytes_);
    batch.room_ = std::exchange(spare_.room_, 0);
  } else {
    batch.bytes_ = std::make_unique_for_overwrite<char[]>(room);
    batch.room_ = room;
  }
  if (used != 0) std::memcpy(batch.bytes_.get(), before.get(), used);
}

key_input::key_input(std::vector<std::string> files, const line_options& how)
    : files_(std::move(files)), how_(how) {
  if (files_.empty()) files_.emplace_back("-");
  how_.fields.check();
}

bool key_input::next(key_batch& batch) {
  batch.lines.clear();
  while (!ends_->raised() && (file_.is_open() || open_next())) {
    std::size_t used = rest_.size(), scanned = used;
    while (batch.room_ <= used) grow(batch, 0);
    rest_.copy(batch.bytes_.get(), used);
    rest_.clear();
    start_ = 0;
    for (bool ended = false; !ended;) {
      if (used == batch.room_) grow(batch, used);
      const std::uint64_t taken = file_.bytes_read();  // a file at its end no longer knows it
      // Beside a long line a batch holds as many others as any batch.
      const std::size_t most = std::min(batch_bytes, batch.room_ - used);
      const std::size_t got = file_.read({batch.bytes_.get() + used, most});
      used += got;
      ended = got == 0;
      if (ended && ends_->raised()) return false;
      if (!begun_) {
        if (!begin({batch.bytes_.get(), used}, ended)) continue;
        scanned = start_;
      }
      cut(batch, scanned, used);
      scanned = used;
      if (used - start_ > how_.max_line) refuse_length(lines_ + 1);
      if (ended) {
        before_ += taken;
        if (scanner_.in_quotes())
          throw bad_parameter(fmt::format(
              "{}:{}: a quote is opened in this record and not closed before the end of "
              "the file",
              name_, lines_ + 1));
        if (start_ != used) batch.lines.emplace_back(batch.bytes_.get() + start_, used - start_);
      }
      if (batch.lines.empty()) continue;
      if (!ended) rest_.assign(batch.bytes_.get() + start_, used - start_);
      hand_out(batch, before_ + file_.bytes_read());
      return true;
    }
  }
  return false;
}

// Reads the start of a file: skips a byte order mark, and finds the delimiter from the first line.
// False: more bytes are needed.
bool key_input::begin(std::string_view bytes, bool ended) {
  if (!ended && bytes.size() < byte_order_mark.size() && byte_order_mark.starts_with(bytes))
    return false;
  const std::size_t skipped = bytes.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  delimiter_ = how_.delimiter;
  if (how_.fields.used()) {
    const std::string_view text = bytes.substr(skipped);
    const std::size_t stop = text.find(how_.separator);
    if (stop == text.npos && !ended && text.size() <= how_.max_line) return false;
    delimiter_ = delimiter_of(how_.fields, text.substr(0, stop));
  }
  scanner_ = record_scanner(how_.separator, delimiter_);
  start_ = skipped;
  begun_ = true;
  return true;
}

// Views of the lines that end in bytes [from, to) of the batch.
void key_input::cut(key_batch& batch, std::size_t from, std::size_t to) {
  const char* const bytes = batch.bytes_.get();
  const char* at = bytes + from;
  const char* const end = bytes + to;
  while (const char* const stop = scanner_.next(at, end)) {
    const auto size = static_cast<std::size_t>(stop - bytes) - start_;
    batch.lines.emplace_back(bytes + start_, size);
    if (size > how_.max_line) {
      batch.first_line = lines_ + 1;
      batch.separator = how_.separator;
      batch.spans_lines = scanner_.spans_lines();
      refuse_length(batch.line_number(batch.lines.size() - 1));
    }
    start_ += size + 1;
    at = stop + 1;
  }
}

void key_input::refuse_length(std::uint64_t line) const {
  throw bad_parameter(
      fmt::format("{}:{}: the line is longer than {}{}; --max-line SIZE allows longer ones", name_,
                  line, show_bytes(how_.max_line),
                  scanner_.in_quotes() ? ": perhaps a quote in it is not closed" : ""));
}

void key_input::hand_out(key_batch& batch, std::uint64_t bytes_read) {
  batch.file = name_;
  batch.source = opened_ - 1;
  batch.first_line = lines_ + 1;
  batch.bytes_read = bytes_read;
  batch.has_header = false;
  batch.separator = how_.separator;
  batch.drops_cr = how_.separator == '\n' && !how_.keep_cr;
  batch.spans_lines = scanner_.spans_lines();
  for (std::size_t i = 0; i < batch.lines.size(); ++i) lines_ += batch.lines_in(i);
  if (batch.first_line == 1 && how_.fields.used()) {
    fields_ = places_of_fields(how_.fields, batch.text(0), delimiter_, name_);
    if (how_.fields.has_header()) take_header(batch);
  }
  batch.fields = fields_;
}

void key_input::take_header(key_batch& batch) {
  batch.header = batch.lines[0];
  batch.has_header = true;
  batch.first_line = batch.line_number(1);
  batch.lines.erase(batch.lines.begin());
}

std::uint64_t key_input::bytes_in_all() const noexcept {
  std::uint64_t out = 0;
  for (const std::string& path : files_) {
    struct stat facts {};
    if ((path == "-" ? ::fstat(STDIN_FILENO, &facts) : ::stat(path.c_str(), &facts)) != 0 ||
        !S_ISREG(facts.st_mode))
      return 0;
    out += static_cast<std::uint64_t>(facts.st_size);
  }
  return out;
}

bool key_input::open_next() {
  if (opened_ == files_.size()) return false;
  const std::string& path = files_[opened_++];
  lines_ = 0;
  begun_ = false;
  file_ = byte_source(path, ends_.get());
  name_ = file_.name();
  if (path == "-" && ::isatty(STDIN_FILENO) == 1 && notes_are_read())
    note("reading keys from the terminal, one per line; Ctrl-D ends them");
  return true;
}

}  // namespace umbel::cli
