// unpack.hpp - the bytes of a file, unpacked: gzip and zstd are recognised by their first bytes.
// Idea       A pipe has no name, so names are not looked at. The first bytes are peeked into a
//            buffer of the source's own before the caller's is touched. What is not packed is then
//            read straight into the caller's buffer; what is packed is read by the unpacker into
//            its own.
// Limits     Several packed members one after another are one file, as gzip and zstd have it; zeros
//            behind the last member are padding. A damaged or truncated member is `corrupt`, and
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

// Ends all sources that wait for a slow producer: once raised, every source that was given it is at
// its end.
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
  byte_source() noexcept;  // at its end
  explicit byte_source(const std::string& path,
                       const interruption* ends = nullptr);  // "-" is standard input
  byte_source(byte_source&&) noexcept;
  byte_source& operator=(byte_source&&) noexcept;
  ~byte_source();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }  // as messages have it
  [[nodiscard]] bool is_open() const noexcept { return file_.get() >= 0; }
  // of the file, packed or not
  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return taken_; }
  // Some bytes, as soon as there are any; 0 at the end, after which it is closed. An empty `to`
  // gets 0 and closes nothing.
  [[nodiscard]] std::size_t read(std::span<char> to);

 private:
  void recognise();
  [[nodiscard]] std::size_t read_packed(std::span<char> to);
  // The file's bytes: those that were peeked, then those of the file itself; 0 at the end.
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
  std::unique_ptr<unpacker> packed_;  // null: it is not
};

// The whole of a file, unpacked; "-" is standard input. A few bytes may unpack to any number: more
// than `max_bytes` are an error that names the file, and where the first eight bytes do not fit,
// nothing more is read. The reader of what was returned says what is wrong with it.
[[nodiscard]] std::vector<std::byte> read_whole(
    const std::string& path, std::uint64_t max_bytes = std::numeric_limits<std::uint64_t>::max(),
    bool (*fits)(std::span<const std::byte>) = nullptr);

}  // namespace umbel::cli
