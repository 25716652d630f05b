// saved.hpp - opens the files that commands read; every error names the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>
#include <umbel/codec/envelope.hpp>
#include <umbel/codec/source.hpp>

namespace umbel::cli {

// The name of a file in messages; "-" is standard input.
[[nodiscard]] inline std::string shown_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

// Runs `work` and puts the name of the file in front of errors about its contents. `work` must not
// name the file itself: the text of a message does not tell whether it begins with a name.
template <class Work>
auto naming(const std::string& path, Work&& work) {
  const auto named = [&](const error& e) { return shown_name(path) + ": " + e.what(); };
  try {
    return work();
  } catch (const io_error&) {
    throw;  // its message names the file already
  } catch (const incompatible& e) {
    throw incompatible(named(e));
  } catch (const error& e) {
    throw corrupt(named(e));
  }
}

// Decides by the first bytes, which are the same in all files of umbel, so an endless stream of
// something else is not read to its end.
[[nodiscard]] bool looks_like_umbel(std::span<const std::byte> bytes);

// The front of a file. Throws incompatible for a compressed message, and says what to do with it.
[[nodiscard]] codec::envelope front_of(const codec::source& from);

// Whether this is a device, or a pipe that a shell made for <(...). It is read to its end, not
// mapped.
[[nodiscard]] bool is_stream(const std::string& path);

// A file or stream of which the header was read. "-" is standard input.
class saved_file {
 public:
  // Whether a message of `umbel compress` is refused, or restored in memory and read as a file.
  enum class messages { refused, restored };
  explicit saved_file(std::string path, messages how = messages::refused);
  [[nodiscard]] const codec::envelope& front() const noexcept { return front_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept {  // as it is stored
    return message_bytes_ != 0 ? message_bytes_ : front_.file_bytes;
  }
  [[nodiscard]] bool compressed() const noexcept { return message_bytes_ != 0; }
  [[nodiscard]] bool keyed() const noexcept { return front_.hash == hash_kind::siphash; }

  // Verifies the checksums of all sections, which needs neither the secret key nor a known kind.
  // Throws corrupt.
  void check_sums() const;
  // A copy in memory, every byte verified.
  [[nodiscard]] std::unique_ptr<any::structure> load(const std::optional<secret_key>& secret) const;
  // Maps the file: no cell is read or verified before it is used. A stream is loaded instead.
  [[nodiscard]] std::unique_ptr<any::structure> open(const std::optional<secret_key>& secret) const;

 private:
  [[nodiscard]] const any::kind& kind() const;
  [[nodiscard]] load_options how(const std::optional<secret_key>& secret) const;

  [[nodiscard]] std::unique_ptr<codec::source> source() const;
  void restore();

  std::string path_;
  bool in_memory_ = false;
  std::vector<std::byte> bytes_;     // of a stream, or restored
  std::uint64_t message_bytes_ = 0;  // 0: it was no message
  codec::envelope front_;
};

}  // namespace umbel::cli
