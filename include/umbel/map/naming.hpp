// naming.hpp - builder of the dictionary of a named_map: numbers texts as they come, and renumbers
// them by frequency when all are known.
//
// While keys are read, a text needs a number at once. In the end number 0 is the text of the most
// keys, and of two texts with equally many keys the one with the smaller bytes comes first. So the
// table depends on the pairs, not on their order, and frequent texts have small numbers.
//
// Limits     All distinct texts are in memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <umbel/cells/texts.hpp>

namespace umbel {

// The dictionary under construction. For every pair call number(text) and count() once; at the end
// settle().
class naming {
 public:
  naming() = default;
  // known_ refers to the strings in texts_: they survive a move, not a copy
  naming(const naming&) = delete;
  naming& operator=(const naming&) = delete;

  // number of distinct texts
  [[nodiscard]] std::uint64_t size() const noexcept { return texts_.size(); }
  // The text of a temporary number.
  [[nodiscard]] std::string_view operator[](std::uint64_t number) const noexcept {
    return texts_[number];
  }

  // The temporary number of this text. A new text gets the next number, starting at 0.
  [[nodiscard]] std::uint64_t number(std::string_view text) {
    if (const auto known = known_.find(text); known != known_.end()) return known->second;
    const std::string& kept = texts_.emplace_back(text);
    keys_.push_back(0);
    return known_.emplace(kept, texts_.size() - 1).first->second;
  }
  // Counts one more key with this text.
  void count(std::uint64_t number) noexcept { ++keys_[number]; }

  // The result of settle().
  struct order {
    cells::texts table;                       // texts by final number
    std::vector<std::uint64_t> final_number;  // final numbers by temporary number
  };
  // Sorts the texts by number of keys and numbers them anew.
  [[nodiscard]] order settle(std::pmr::memory_resource* memory = nullptr) const {
    std::vector<std::uint64_t> by_rank(size());
    for (std::uint64_t i = 0; i < size(); ++i) by_rank[i] = i;
    std::sort(by_rank.begin(), by_rank.end(), [&](std::uint64_t a, std::uint64_t b) {
      return keys_[a] != keys_[b] ? keys_[a] > keys_[b] : texts_[a] < texts_[b];
    });
    order out;
    out.final_number.resize(size());
    std::vector<std::string_view> sorted;
    for (const std::uint64_t i : by_rank) {
      out.final_number[i] = sorted.size();
      sorted.push_back(texts_[i]);
    }
    out.table = cells::texts(sorted, memory);
    return out;
  }

 private:
  std::deque<std::string> texts_;  // a deque, since its strings never move
  std::vector<std::uint64_t> keys_;
  std::unordered_map<std::string_view, std::uint64_t> known_;
};

}  // namespace umbel
