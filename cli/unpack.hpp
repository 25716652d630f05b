// unpack.hpp - reads files that may be compressed: gzip and zstd are recognised by their first
// bytes.
//
// File names are not used, because a pipe has none. The first bytes are read into a buffer of the
// source before the caller's buffer is touched. Data that is not compressed is then read directly
// into the caller's buffer; compressed data is read by the decompressor into its own.
//
// Limits     Several members one after another are one file, as in gzip and zstd; zeros after the
//            last member are padding. A damaged or truncated member is `corrupt`, and the error
//            names the file. So is a zstd frame whose window is over 128 MiB, the limit of the zstd
//            tool itself.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <umbel/base/system.hpp>

namespace umbel::cli {

// Ends all sources that wait for a slow producer: once raised, every source that holds a pointer to
// it reports its end.
class interruption {
 public:
  interruption();
  void raise() noexcept;
  [[nodiscard]] bool raised() const noexcept { return raised_; }
  // Waits until the file can be read; false: raised.
  [[nodiscard]] bool wait_for(int file) const;

 private:
  umbel::detail::descriptor event_;
  std::atomic<bool> raised_ = false;
};

class unpacker;

class byte_source {
 public:
  byte_source() noexcept;  // at its end
  explicit byte_source(const std::string& path,
                       const interruption* ends = nullptr);  // "-" is standard input
  byte_source(byte_source&&) noexcept;
  byte_source& operator=(byte_source&&) noexcept;
  ~byte_source();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }  // for messages
  [[nodiscard]] bool is_open() const noexcept { return file_.get() >= 0; }
  // bytes of the file, before decompression
  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return taken_; }
  // Reads some bytes as soon as there are any. Returns 0 at the end and then closes the file. For
  // an empty `to` it returns 0 and closes nothing.
  [[nodiscard]] std::size_t read(std::span<char> to);

 private:
  void recognise();
  [[nodiscard]] std::size_t read_packed(std::span<char> to);
  // Bytes before decompression: first the peeked ones, then those of the file; 0 at the end.
  [[nodiscard]] std::size_t read_raw(std::span<char> to);
  [[nodiscard]] std::size_t read_file(std::span<char> to);
  [[nodiscard]] std::string_view peeked() const noexcept { return {first_.data(), first_size_}; }

  umbel::detail::descriptor file_;
  std::string name_;
  const interruption* ends_ = nullptr;
  std::uint64_t taken_ = 0;
  bool recognised_ = false;
  // the unpacker filled the last buffer it was given, so it may hold more
  bool has_output_ = false;
  std::array<char, 4> first_{};       // as long as the longest magic number
  std::size_t first_size_ = 0;        // peeked and not yet handed out
  std::unique_ptr<unpacker> packed_;  // null: the file is not compressed
};

// Reads a whole file and decompresses it; "-" is standard input. More than `max_bytes` after
// decompression are an error that names the file. If the first eight bytes do not satisfy `fits`,
// nothing more is read; parsing the result then reports the error.
[[nodiscard]] std::vector<std::byte> read_whole(
    const std::string& path, std::uint64_t max_bytes = std::numeric_limits<std::uint64_t>::max(),
    bool (*fits)(std::span<const std::byte>) = nullptr);

}  // namespace umbel::cli
