// main.cpp - runs a fuzz target over the files of one folder, without libFuzzer, so that every seed
// and every past crash is an ordinary regression test. The input that is running is named on stderr
// if the process dies.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::uint8_t> bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !std::filesystem::is_directory(argv[1])) {
    std::fprintf(stderr, "usage: %s FOLDER, where FOLDER holds at least one seed\n", argv[0]);
    return 2;
  }
  std::vector<std::filesystem::path> seeds;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    if (entry.is_regular_file()) seeds.push_back(entry.path());
  }
  std::sort(seeds.begin(), seeds.end());
  if (seeds.empty()) {
    // A replay of nothing would pass whatever the target does.
    std::fprintf(stderr, "no seeds in %s\n", argv[1]);
    return 1;
  }
  // No seed is empty, and libFuzzer gives its empty input an address: here it has none.
  std::fprintf(stderr, "the empty input\n");
  LLVMFuzzerTestOneInput(nullptr, 0);
  for (const auto& seed : seeds) {
    std::fprintf(stderr, "%s\n", seed.filename().c_str());
    const auto bytes = bytes_of(seed);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
}
