// record.hpp - splits a record of a table into fields, and finds where records end.
//
// Layout     Fields are separated by delimiters. A field may be in double quotes, with a quote
//            inside it doubled, as spreadsheets write them [Sha05]; such a field may contain
//            delimiters and line ends. If the delimiter is a tab, quotes are ordinary bytes. A
//            carriage return before the line end is not part of the last field.
// Invariant  A record has at least one field, which may be empty. `record_scanner` and `record`
//            agree on where a quoted field ends: at a quote followed by a delimiter or by the end
//            of the line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
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
  // The next field, stored in `unquoted` if it had quotes. Nothing if a quote is not closed, and in
  // all later calls.
  [[nodiscard]] std::optional<std::string_view> next(std::string& unquoted) {
    if (delimiter_ != '\t' && rest_.starts_with('"')) return next_quoted(unquoted);
    const std::string_view field = rest_.substr(0, std::min(rest_.find(delimiter_), rest_.size()));
    cut_at(field.size());
    return field;
  }
  // The unchanged text after the fields taken so far.
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }

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
      // a doubled quote; or a single one in the middle, which is kept as it stands
      unquoted += '"';
      if (rest_[at] == '"') ++at;
    }
  }

  std::string_view rest_;
  char delimiter_;
  bool ended_ = false;
};

// Finds the ends of records in bytes that arrive in pieces. Keeps its state from piece to piece.
class record_scanner {
 public:
  // Records end at every separator; or, if a delimiter is given, at every separator outside quotes.
  explicit record_scanner(char separator, char delimiter = 0) noexcept
      : separator_(separator),
        delimiter_(delimiter),
        quotes_(delimiter != 0 && delimiter != '\t') {}

  // The separator that ends the current record, in [at, end); null if the record goes on beyond
  // `end`.
  [[nodiscard]] const char* next(const char* at, const char* end) noexcept {
    return quotes_ ? next_quoting(at, end) : find(at, end, separator_);
  }
  [[nodiscard]] bool in_quotes() const noexcept { return state_ == state::quoted; }
  // A separator stood inside quotes: records are not lines.
  [[nodiscard]] bool spans_lines() const noexcept { return spans_lines_; }

 private:
  enum class state { field_start, field, quoted, quote, quote_cr };

  [[nodiscard]] static const char* find(const char* at, const char* end, char c) noexcept {
    return static_cast<const char*>(std::memchr(at, c, static_cast<std::size_t>(end - at)));
  }
  [[nodiscard]] const char* next_quoting(const char* at, const char* end) noexcept {
    while (at != end) {
      switch (state_) {
        case state::field_start:
          if (*at == '"') {
            state_ = state::quoted;
            ++at;
            break;
          }
          [[fallthrough]];
        case state::field: {
          // Up to the next quote nothing but delimiters and the separator matters; most lines have
          // no quote.
          const char* const stop = find(at, end, separator_);
          const char* const quote = find(at, stop != nullptr ? stop : end, '"');
          if (quote == nullptr) {
            state_ = stop != nullptr || end[-1] == delimiter_ ? state::field_start : state::field;
            return stop;
          }
          state_ = quote != at && quote[-1] == delimiter_ ? state::field_start : state::field;
          at = state_ == state::field_start ? quote : quote + 1;
          break;
        }
        case state::quoted: {
          const char* const quote = find(at, end, '"');
          const char* const stop = quote != nullptr ? quote : end;
          spans_lines_ = spans_lines_ || find(at, stop, separator_) != nullptr;
          if (quote != nullptr) state_ = state::quote;
          at = quote != nullptr ? quote + 1 : end;
          break;
        }
        case state::quote:
        case state::quote_cr:
          if (*at == separator_) {
            state_ = state::field_start;
            return at;
          }
          if (state_ == state::quote && *at == delimiter_)
            state_ = state::field_start;
          else if (state_ == state::quote && *at == '\r')
            state_ = state::quote_cr;
          else if (state_ == state::quote_cr && *at == '"')
            state_ = state::quote;
          else
            state_ = state::quoted;  // a doubled quote, or one in the middle
          ++at;
          break;
      }
    }
    return nullptr;
  }

  char separator_, delimiter_;
  bool quotes_, spans_lines_ = false;
  state state_ = state::field_start;
};

}  // namespace umbel::cli
