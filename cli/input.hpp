// input.hpp - keys from files or standard input, packed or not, in batches.
// Idea       One read makes one batch: the bytes that came, up to the last whole key, and a view of every key in them.
//            So a large file is read in large pieces, and what a slow producer has written is answered at once.
// Layout     A key ends at the separator; the last key of a file may lack it. Empty keys are keys. The unfinished rest
//            of a read waits for the next batch.
// Limits     A key longer than a batch makes the batch grow to hold it.
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

class key_batch {
 public:
  std::vector<std::string_view> keys;
  std::string file;              // where they stand: for messages
  std::size_t source = 0;        // which of the files that is
  std::uint64_t first_line = 0;  // the number of keys[0] in its file, from 1
  field_place field;             // of every line
  std::string header;            // the line before keys[0], if it is no record
  bool has_header = false;

 private:
  friend class key_input;
  void grow(std::size_t used);  // to twice the room, keeping the bytes used so far
  std::unique_ptr<char[]> bytes_;
  std::size_t room_ = 0;
};

class key_input {
 public:
  static constexpr std::size_t batch_bytes = std::size_t{256}
                                             << 10;  // keys and digests of a batch stay in the L2 cache

  // Files one after another; "-", or no file at all, is standard input. `fields` say what a line holds beside its key.
  key_input(std::vector<std::string> files, char separator, const field_options& fields = {});
  // False when all files are at their end. Waits only when not even one whole key has arrived. Throws io_error.
  [[nodiscard]] bool next(key_batch& batch);
  // From any thread: whoever waits in `next` is told that all files are at their end.
  void interrupt() noexcept { ends_->raise(); }

 private:
  [[nodiscard]] bool open_next();
  void split(key_batch& batch, std::size_t size);
  void look_at_first_line(key_batch& batch);

  std::unique_ptr<interruption> ends_ = std::make_unique<interruption>();
  std::vector<std::string> files_;
  char separator_;
  field_options fields_;
  field_place field_;
  std::size_t opened_ = 0;  // files_ opened so far
  std::string name_;        // of the one being read
  byte_source file_;
  std::uint64_t lines_ = 0;  // keys of this file handed out
  std::string rest_;         // the beginning of a key whose end has not been read
};

}  // namespace umbel::cli
