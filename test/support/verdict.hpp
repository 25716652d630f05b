// verdict.hpp - how a possibly hostile file must be received: refused with an error, or taken and
// safe.
// Idea       Refused: `corrupt` or `incompatible` with a message, using at most the file's length
//            plus 1 MiB of memory. Taken: queries return, batches agree with single calls, and
//            encoding gives the same bytes, because a structure has one encoding.
// Limits     Memory is counted where test/hostile/heap.cpp is linked in.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/heap.hpp"
#include "support/kind_test.hpp"

namespace umbel::test {

enum class verdict { refused, taken };

inline constexpr std::int64_t spare_memory = 1 << 20;

// Calls everything a reader may call. Either it returns or the process dies. The sum keeps the
// optimiser from removing calls.
inline std::uint64_t exercise(const structure& of, std::span<const digest> keys) {
  std::uint64_t sum = of.size_in_bits() + of.keys().value_or(0) + of.fields().size();
  const answers all(of, keys);
  for (std::size_t i = 0; i < keys.size(); i += 7) {
    EXPECT_EQ(all[i], of.may_contain_one(keys[i])) << "batch and single call differ at " << i;
    sum += all[i];
  }
  if (is_map(of.kind())) {
    std::vector<std::optional<std::uint64_t>> found(keys.size());
    of.find(keys, found);
    sum += found.empty() ? 0 : found[0].value_or(0);
    if (const cells::texts* const names = of.names())
      for (const auto& value : found)
        if (value)
          for (const char letter : (*names)[*value]) sum += static_cast<unsigned char>(letter);
  }
  if (is_directory(of.kind())) {
    const auto rows = rows_of(of, keys);
    const std::size_t width = of.words_per_answer();
    for (std::size_t i = 0; i < keys.size(); ++i)
      EXPECT_EQ(all[i], std::any_of(&rows[i * width], &rows[i * width] + width,
                                    [](auto w) { return w != 0; }))
          << i;
  }
  EXPECT_FALSE(std::isnan(of.expected_fpr()));
  if (const auto told = of.cardinality()) sum += told->saturated;
  return sum;
}

// A thousand keys, half of them members of what the tests of files build.
[[nodiscard]] inline const std::vector<digest>& asked_keys() {
  static const auto all = joined(members(500, 7), non_members(500, 7));
  return all;
}

// `read` makes a structure from `size` bytes.
template <class Read>
[[nodiscard]] structure_ptr received(std::uint64_t size, Read&& read) {
  const heap::watch memory;
  try {
    return read();
  } catch (const corrupt& refused) {
    EXPECT_NE(std::string(refused.what()), "");
  } catch (const incompatible& refused) {
    EXPECT_NE(std::string(refused.what()), "");
  } catch (const std::exception& wrong) {
    ADD_FAILURE() << "refused with the wrong type of error: " << wrong.what();
  }
  EXPECT_LE(memory.peak(), static_cast<std::int64_t>(size) + spare_memory)
      << "memory for a refused file";
  return nullptr;
}

// Decodes and judges. `queries`: how many of the thousand keys to ask.
[[nodiscard]] inline verdict decoded(const any::kind& kind, std::span<const std::byte> bytes,
                                     std::size_t queries = 1000) {
  const auto made = received(bytes.size(), [&] { return kind.decode(bytes, {}); });
  if (!made) return verdict::refused;
  exercise(*made, std::span(asked_keys()).subspan((1000 - queries) / 2, queries));
  const auto again = made->encode();
  EXPECT_TRUE(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()))
      << "taken, but not what was written";
  return verdict::taken;
}

// The same by mapping a file, which trusts the arrays.
[[nodiscard]] inline verdict mapped(const any::kind& kind, const std::string& path,
                                    std::uint64_t size, std::size_t queries = 1000) {
  const auto made = received(size, [&] { return kind.open(path, {}); });
  if (!made) return verdict::refused;
  exercise(*made, std::span(asked_keys()).subspan((1000 - queries) / 2, queries));
  return verdict::taken;
}

}  // namespace umbel::test
