// golden_cases.hpp - the files under test/golden/, made again in memory: their bytes and their
// answers.
// Idea       A golden file fixes the format: a change of its bytes is a change of format and must
//            be declared. The answers are stored as JSON, for readers in other languages that share
//            no code with the library.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace golden {

struct file {
  std::string name;
  std::string kind;
  std::vector<std::byte> bytes;
  std::string answers;  // one JSON object
};

// Families with a file of their own.
void add_variants(std::vector<file>& out);
void add_growing(std::vector<file>& out);
void add_quotients(std::vector<file>& out);
void add_cuckoo(std::vector<file>& out);
void add_beside_stores(std::vector<file>& out);

[[nodiscard]] std::vector<file> files();
// The text of answers.json.
[[nodiscard]] std::string answers(const std::vector<file>& all);

}  // namespace golden
