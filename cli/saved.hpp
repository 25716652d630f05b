// saved.hpp - structures in files, as the tool reads them: every error names the file.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>
#include <umbel/codec/envelope.hpp>

namespace umbel::cli {

// Runs `work`; what it throws about the contents of a file gets the file's name in front.
template <class Work>
auto naming(const std::string& path, Work&& work) {
  const auto named = [&](const error& e) {
    const std::string_view message = e.what();
    return message.starts_with(path)
               ? std::string(message)
               : (path == "-" ? "standard input" : path) + ": " + std::string(message);
  };
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

// A device, or a pipe that a shell made for <(...). It is read to its end, not mapped.
[[nodiscard]] bool is_stream(const std::string& path);

// A file or stream that was read far enough to know what it holds. "-" is standard input.
class saved_file {
 public:
  explicit saved_file(std::string path);
  [[nodiscard]] const codec::envelope& front() const noexcept { return front_; }
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

  std::string path_;
  bool streamed_ = false;
  std::vector<std::byte> bytes_;  // of a stream
  codec::envelope front_;
};

// Runs `work`, which puts the structure of a file beside another: what does not fit is said of that
// file.
template <class Work>
auto said_of(const std::string& path, Work&& work) {
  try {
    return work();
  } catch (const incompatible& e) {
    throw incompatible(path + ": " + e.what());
  }
}

}  // namespace umbel::cli
