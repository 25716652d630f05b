// map.cpp - the shelf, one of 16, of every book: a map that stores values and checks, but no keys.
#include <umbel/map/binary_fuse_map.hpp>

#include <cassert>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

int main() {
  constexpr unsigned books = 100'000;
  std::vector<std::pair<std::string, unsigned>> catalogue;
  for (unsigned i = 0; i < books; ++i)
    catalogue.emplace_back("book " + std::to_string(i), i * i % 16);
  const auto shelf = umbel::binary_fuse_map::build(catalogue, {.value_bits = 4, .fpr = 0.001});

  // Members always get their value; non-members get nothing, except about one in a thousand.
  for (const auto& [title, number] : catalogue)
    assert(shelf.find(title) == number && shelf.value(title) == number);
  unsigned believed = 0;
  for (unsigned i = books; i < 2 * books; ++i)
    believed += shelf.find("book " + std::to_string(i)).has_value();
  std::cout << static_cast<double>(shelf.size_in_bits()) / books << " bits per book; " << believed
            << " of " << books << " non-members got a shelf\n";
  assert(believed < 200);  // 2^-10 of them are expected: 98

  // A batch of queries.
  const std::vector<std::string> asked = {"book 3", "book 5", "no such book"};
  std::vector<std::optional<std::uint64_t>> found(asked.size());
  shelf.find_batch(asked, found);
  assert(found[0] == 9 && found[1] == 9);

  // One key with two values is an error in the input; the error names the key.
  catalogue.emplace_back("book 3", 10);
  try {
    (void)umbel::binary_fuse_map::build(catalogue, {.value_bits = 4});
    assert(false);
  } catch (const umbel::conflict& clash) {
    std::cout << "refused: " << clash.what() << '\n';
  }
}
