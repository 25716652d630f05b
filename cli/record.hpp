// record.hpp - a line of a table, field by field.
// Layout     Fields stand between delimiters. One may stand in double quotes, a quote inside it doubled, as spreadsheets write
//            them; between tabs, where nobody does that, quotes are bytes like others. A carriage return at the end of the
//            line, of a file from another system, is no part of the last field.
// Invariant  A line has at least one field, perhaps empty; one more than delimiters outside quotes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace umbel::cli {

class record {
 public:
  record(std::string_view line, char delimiter) noexcept : rest_(line), delimiter_(delimiter) {
    if (rest_.ends_with('\r')) rest_.remove_suffix(1);
  }
  [[nodiscard]] bool has_more() const noexcept { return !ended_; }
  // The next field, in `unquoted` if it had quotes; nothing if a quote is not closed, and nothing after that.
  [[nodiscard]] std::optional<std::string_view> next(std::string& unquoted) {
    if (delimiter_ != '\t' && rest_.starts_with('"')) return next_quoted(unquoted);
    const std::string_view field = rest_.substr(0, std::min(rest_.find(delimiter_), rest_.size()));
    cut_at(field.size());
    return field;
  }

 private:
  void cut_at(std::size_t end) noexcept {
    ended_ = end >= rest_.size();
    rest_.remove_prefix(ended_ ? rest_.size() : end + 1);
  }
  [[nodiscard]] std::optional<std::string_view> next_quoted(std::string& unquoted) {
    unquoted.clear();
    for (std::size_t at = 1;;) {
      const std::size_t quote = rest_.find('"', at);
      if (quote == rest_.npos) {
        ended_ = true;
        return std::nullopt;
      }
      unquoted += rest_.substr(at, quote - at);
      at = quote + 1;
      if (at == rest_.size() || rest_[at] == delimiter_) {
        cut_at(at);
        return unquoted;
      }
      unquoted += '"';  // a doubled quote; or a single one in the middle, which is kept as it stands
      if (rest_[at] == '"') ++at;
    }
  }

  std::string_view rest_;
  char delimiter_;
  bool ended_ = false;
};

}  // namespace umbel::cli
