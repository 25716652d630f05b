// saved.hpp - structures in files, as the tool meets them: every error names the file, Ctrl-C leaves no half of one.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <umbel/any/any.hpp>
#include <umbel/codec/envelope.hpp>

namespace umbel::cli {

// A file that was opened far enough to know what it holds. The path "-" is standard input, read to its end.
class saved_file {
 public:
  explicit saved_file(std::string path);
  [[nodiscard]] const codec::envelope& front() const noexcept { return front_; }
  [[nodiscard]] bool keyed() const noexcept { return front_.hash == hash_kind::siphash; }

  // A copy in memory, every byte verified.
  [[nodiscard]] std::unique_ptr<any::structure> load(const std::optional<secret_key>& secret) const;
  // Mapped: there at once, however large; cells are believed unseen. Standard input is loaded instead.
  [[nodiscard]] std::unique_ptr<any::structure> open(const std::optional<secret_key>& secret) const;

 private:
  [[nodiscard]] bool standard() const noexcept { return path_ == "-"; }
  [[nodiscard]] const any::kind& kind() const;
  [[nodiscard]] load_options how(const std::optional<secret_key>& secret) const;

  std::string path_;
  std::vector<std::byte> bytes_;  // of standard input
  codec::envelope front_;
};

// Throws io_error where save would, before hours are spent on what cannot be saved.
void require_writable(const std::string& path);
// Under that name, whole or not at all: signals that would end the process wait until nothing is left half done.
void save(const any::structure& structure, const std::string& path);
// A text file, in the same way.
void save(std::string_view text, const std::string& path);

}  // namespace umbel::cli
