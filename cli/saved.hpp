// saved.hpp - structures in files, as the tool reads them: every error names the file.
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

// As messages name a file; "-" is standard input.
[[nodiscard]] inline std::string shown_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

// Runs `work`; what it throws about the contents of a file gets the file's name in front. So `work`
// must not name the file itself: whether a message begins with a name cannot be seen from its text.
template <class Work>
auto naming(const std::string& path, Work&& work) {
  const auto named = [&](const error& e) { return shown_name(path) + ": " + e.what(); };
  try {
    return work();
  } catch (const io_error&) {
    throw;  // names it already
  } catch (const incompatible& e) {
    throw incompatible(named(e));
  } catch (const error& e) {
    throw corrupt(named(e));
  }
}

// By the first bytes, where there are any. Every front starts alike, so an endless stream of
// something else need not be read to its end.
[[nodiscard]] bool looks_like_umbel(std::span<const std::byte> bytes);

// The front of a file. Throws incompatible for a compressed message, and says what to do with it.
[[nodiscard]] codec::envelope front_of(const codec::source& from);

// A device, or a pipe that a shell made for <(...). It is read to its end, not mapped.
[[nodiscard]] bool is_stream(const std::string& path);

// A file or stream that was read far enough to know what it holds. "-" is standard input.
class saved_file {
 public:
  // A message that `umbel compress` made may be restored in memory; then it is as any file.
  enum class messages { refused, restored };
  explicit saved_file(std::string path, messages how = messages::refused);
  [[nodiscard]] const codec::envelope& front() const noexcept { return front_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept {  // as it is stored
    return message_bytes_ != 0 ? message_bytes_ : front_.file_bytes;
  }
  [[nodiscard]] bool compressed() const noexcept { return message_bytes_ != 0; }
  [[nodiscard]] bool keyed() const noexcept { return front_.hash == hash_kind::siphash; }

  // Checksums of all sections, which need neither the secret key nor a kind that this program
  // knows. Throws corrupt.
  void check_sums() const;
  // A copy in memory, every byte verified.
  [[nodiscard]] std::unique_ptr<any::structure> load(const std::optional<secret_key>& secret) const;
  // Mapped: there at once, however large; cells are believed unseen. A stream is loaded instead.
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
