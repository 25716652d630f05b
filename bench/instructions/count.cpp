// count.cpp - how many instructions a single query takes, for every kind.
//
//     instructions_count FOLDER     asks the structures that instructions_write put there; to be
//                                   run under callgrind. Prints the compiler that made it.
//
// test/bench/test_instructions.py runs both and holds the counts to bench/instructions.json.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "count.hpp"
#include "keys.hpp"

namespace umbel::instructions {

#define UMBEL_KIND(folder, kind, summary) extern const counter kind##_counter;
#include <umbel/any/variants.hpp>
#undef UMBEL_KIND

namespace {

const counter* const counters[] = {
#define UMBEL_KIND(folder, kind, summary) &kind##_counter,
#include <umbel/any/variants.hpp>
#undef UMBEL_KIND
};

const counter& counter_of(const std::string& kind) {
  for (const counter* each : counters)
    if (each->kind == kind) return *each;
  throw std::runtime_error("no kind is called " + kind);
}

// A line of `rows`: number of the file, rate, kind and label.
void count(const std::string& folder) {
  const auto given = members(asked), rest = others(asked);
  std::ifstream rows(folder + "/rows");
  std::string number, kind, label;
  double fpr = 0;
  std::uint64_t counted = 0;
  for (; rows >> number >> fpr >> kind && std::getline(rows >> std::ws, label); ++counted)
    counter_of(kind).run({label, folder + "/" + number + ".umbel", fpr}, given, rest);
  if (counted == 0) throw std::runtime_error(folder + ": expected the files of instructions_write");
}

}  // namespace
}  // namespace umbel::instructions

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "usage: instructions_count FOLDER\n");
    return 2;
  }
  try {
    umbel::instructions::count(words[1]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "instructions_count: %s\n", e.what());
    return 2;
  }
#if defined(__clang__)
  std::puts("clang++");
#else
  std::puts("g++");
#endif
  return 0;
}
