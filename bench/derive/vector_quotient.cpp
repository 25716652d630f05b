// vector_quotient.cpp - load of vector quotient filters [PCDBFJ21] at the first refused key: the
// loads of sizing/vector_quotient.hpp and of doc/theory/quotient.md.
// Idea       Fill tables with random keys until one does not fit; print the share of tables that
//            stop early, by size and width of tags.
// Limits     Not a benchmark: run it as build/derive/vector_quotient after `make build`. It takes a
//            minute.
#include <umbel/set/vector_quotient_filter.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

namespace {

void fill(unsigned tag_bits, std::uint64_t lines, std::size_t tables) {
  const auto form = umbel::sizing::vector_form_of(tag_bits);
  const std::uint64_t room = umbel::sizing::vector_room(lines, tag_bits);
  umbel::vector_quotient_filter filter(
      {.keys = room, .bits = lines * umbel::sizing::vector_line_bits});
  std::mt19937_64 random(lines + tag_bits);
  std::vector<double> loads;
  for (std::size_t i = 0; i < tables; ++i) {
    filter.clear();
    std::uint64_t keys = 0;
    while (filter.try_insert(random())) ++keys;
    loads.push_back(static_cast<double>(keys) / static_cast<double>(lines * form.tags));
  }
  std::sort(loads.begin(), loads.end());
  std::printf("%2u %6llu  planned %.4f  least %.4f", filter.tag_bits(),
              static_cast<unsigned long long>(lines),
              static_cast<double>(room) / static_cast<double>(lines * form.tags), loads[0]);
  for (const std::size_t one_in : {10'000U, 1000U, 100U})
    if (tables >= one_in) std::printf("  1/%zu %.4f", one_in, loads[tables / one_in]);
  std::printf("  median %.4f\n", loads[tables / 2]);
}

}  // namespace

int main() {
  std::puts(
      "tag bits, lines; load that is planned, least of all tables, and of one table in so many");
  for (const unsigned tag_bits : {8U, 16U}) {
    for (const std::uint64_t lines : {2U, 4U, 6U, 8U, 10U, 16U, 24U}) fill(tag_bits, lines, 50'000);
    for (const std::uint64_t lines : {128U, 1024U}) fill(tag_bits, lines, 400'000 / lines);
    fill(tag_bits, 65'536, 5);
  }
}
