// unpack.hpp - the bytes of a file as they were before they were packed: gzip and zstd are known by their first bytes.
// Idea       Names say nothing about a pipe, so nothing is asked of names. What is not packed is read straight into the
//            caller's room: an uncompressed list costs one comparison per file.
// Limits     Several packed pieces one after another are one file, as gzip and zstd have it; zeros behind the last piece
//            are padding. A piece that is damaged or cut off is `corrupt`, and names the file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <umbel/base/system.hpp>

namespace umbel::cli {

// Lets threads that wait for a slow producer go: once raised, every source that was given it is at its end.
class interruption {
 public:
  interruption();
  void raise() noexcept;
  [[nodiscard]] bool raised() const noexcept { return raised_; }
  // Waits until there is something to read; false: raised.
  [[nodiscard]] bool wait_for(int file) const;

 private:
  umbel::detail::descriptor event_;
  std::atomic<bool> raised_ = false;
};

class unpacker;

class byte_source {
 public:
  byte_source() noexcept;                                                             // at its end
  explicit byte_source(const std::string& path, const interruption* ends = nullptr);  // "-" is standard input
  byte_source(byte_source&&) noexcept;
  byte_source& operator=(byte_source&&) noexcept;
  ~byte_source();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }  // as messages have it
  [[nodiscard]] bool is_open() const noexcept { return file_.get() >= 0; }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return taken_; }  // of the file, packed or not
  // Some bytes, as soon as there are any; 0 at the end, after which it is closed.
  [[nodiscard]] std::size_t read(std::span<char> to);

 private:
  [[nodiscard]] std::size_t read_packed(std::span<char> to);
  [[nodiscard]] std::size_t begin(std::span<char> to);

  [[nodiscard]] std::size_t read_some(std::span<char> to);

  umbel::detail::descriptor file_;
  std::string name_;
  const interruption* ends_ = nullptr;
  std::uint64_t taken_ = 0;
  bool begun_ = false;
  bool held_back_ = false;            // unpacked bytes wait for room
  std::unique_ptr<unpacker> packed_;  // null: it is not
};

// The whole of a file, unpacked; "-" is standard input.
[[nodiscard]] std::vector<std::byte> read_whole(const std::string& path);

}  // namespace umbel::cli
