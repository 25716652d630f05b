// naming.hpp - texts on their way into a named map: numbered as they come, renumbered when all are
// known.
// Idea       While keys are read a text needs some number at once. In the end number 0 is the text
//            of the most keys, and of two with equally many the first by bytes: so the table
//            depends on the pairs, not on their order, and small numbers are the frequent ones.
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

class naming {
 public:
  naming() = default;
  // known_ looks into texts_, which moves with its memory but does not copy
  naming(const naming&) = delete;
  naming& operator=(const naming&) = delete;

  [[nodiscard]] std::uint64_t size() const noexcept { return texts_.size(); }
  [[nodiscard]] std::string_view operator[](std::uint64_t number) const noexcept {
    return texts_[number];
  }

  // The number of this text for now: new ones are counted from 0.
  [[nodiscard]] std::uint64_t number(std::string_view text) {
    if (const auto known = known_.find(text); known != known_.end()) return known->second;
    const std::string& kept = texts_.emplace_back(text);
    keys_.push_back(0);
    return known_.emplace(kept, texts_.size() - 1).first->second;
  }
  // One more key has it.
  void count(std::uint64_t number) noexcept { ++keys_[number]; }

  struct order {
    cells::texts table;
    std::vector<std::uint64_t> final_number;  // by the number for now
  };
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
  std::deque<std::string> texts_;  // a deque: strings stay where they are
  std::vector<std::uint64_t> keys_;
  std::unordered_map<std::string_view, std::uint64_t> known_;
};

}  // namespace umbel
