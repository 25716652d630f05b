// input.hpp - lines from files or standard input, compressed or not, in batches.
//
// One read makes one batch: the bytes that arrived, up to the last whole line, and a view of every
// line in them. A large file is read in large pieces, and the lines of a slow producer are answered
// as soon as they arrive.
//
// Layout     A line ends at the separator; the last line of a file may lack it. Empty lines are
//            lines. In a table whose fields may be quoted, a line is a record, and may contain
//            separators inside quotes. A byte order mark at the start of a file is skipped. The
//            unfinished rest of a read is kept for the next batch.
// Limits     A line longer than `max_line` bytes is an error that names it. A line longer than a
//            batch makes the batch grow, to at most twice `max_line`.
// Threads    A batch owns its bytes and may be handed to another thread while the next one is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fields.hpp"
#include "unpack.hpp"

namespace umbel::cli {

struct line_options {
  char separator = '\n';
  bool keep_cr = false;  // a carriage return before '\n' is part of the line
  std::uint64_t max_line = std::uint64_t{16} << 20;
  char delimiter = 0;      // of records that are kept whole; 0: lines are not records
  field_options fields{};  // which fields of a line are the key
};

class key_batch {
 public:
  std::vector<std::string_view> lines;  // unchanged, carriage returns included
  std::string file;                     // the file they are in, for messages
  std::size_t source = 0;               // index of that file
  std::uint64_t first_line = 0;         // the number of lines[0] in its file, from 1
  std::uint64_t bytes_read = 0;         // of all files, up to here
  field_places fields;                  // of every line
  std::string header;                   // the line before lines[0], if it is not a record
  bool has_header = false;
  char separator = '\n';
  bool drops_cr = false;
  bool spans_lines = false;  // some record contains a separator

  // A line without the carriage return of its line end.
  [[nodiscard]] std::string_view text(std::size_t i) const noexcept {
    const std::string_view line = lines[i];
    return drops_cr && line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
  }
  // The number of lines that record i takes in its file: a record may contain separators.
  [[nodiscard]] std::uint64_t lines_in(std::size_t i) const noexcept;
  [[nodiscard]] std::uint64_t line_number(std::size_t i) const noexcept;
  [[nodiscard]] std::string place(std::size_t i) const;  // "file:7"
  // Whether the batch grew because a line was longer than a batch.
  [[nodiscard]] bool oversized() const noexcept;

 private:
  friend class key_input;
  std::unique_ptr<char[]> bytes_;
  std::size_t room_ = 0;
};

class key_input {
 public:
  // Keys and digests of a batch stay in the L2 cache.
  static constexpr std::size_t batch_bytes = std::size_t{256} << 10;

  // Reads files one after another; "-", or an empty list, is standard input.
  explicit key_input(std::vector<std::string> files, const line_options& how = {});
  // False when all files are at their end. Blocks only while no whole line has arrived.
  // Throws io_error, and bad_parameter for a line that is too long or a quote that is never closed.
  [[nodiscard]] bool next(key_batch& batch);
  // Takes back the buffer of an oversized batch; its lines are then invalid. A caller that works on
  // several batches at once gives an oversized batch back before it calls `next` again, so that
  // only one such buffer exists.
  void take_back(key_batch& batch) noexcept;
  // Size of all files on disk; 0 if one of them has no size.
  [[nodiscard]] std::uint64_t bytes_in_all() const noexcept;

  // From any thread: a call that waits in `next` returns as if all files were at their end.
  void interrupt() noexcept { ends_->raise(); }

 private:
  [[nodiscard]] bool open_next();
  // Twice the room, keeping the bytes used so far.
  void grow(key_batch& batch, std::size_t used);
  [[nodiscard]] bool begin(std::string_view bytes, bool ended);
  void cut(key_batch& batch, std::size_t from, std::size_t to);
  void hand_out(key_batch& batch, std::uint64_t bytes_read);
  void take_header(key_batch& batch);
  [[noreturn]] void refuse_length(std::uint64_t line) const;

  std::unique_ptr<interruption> ends_ = std::make_unique<interruption>();
  std::vector<std::string> files_;
  line_options how_;
  std::size_t opened_ = 0;  // files_ opened so far
  std::string name_;        // of the file being read
  byte_source file_;
  bool begun_ = false;  // its first bytes were looked at
  record_scanner scanner_{'\n'};
  char delimiter_ = 0;
  field_places fields_;
  std::size_t start_ = 0;     // of the unfinished line, in the batch being filled
  std::uint64_t lines_ = 0;   // lines of this file handed out
  std::uint64_t before_ = 0;  // bytes of the files before it
  key_batch spare_;           // its bytes were those of an oversized batch
  std::string rest_;          // the beginning of a line whose end has not been read
};

}  // namespace umbel::cli
