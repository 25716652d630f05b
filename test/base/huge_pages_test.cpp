// huge_pages_test.cpp - a large buffer lies on huge pages, as the kernel reports it.
// Idea       /proc/self/smaps says for every mapping how much of it is on huge pages. Where the
//            system forbids them or has none left, the test is skipped and says so.
#include <umbel/base/buffer.hpp>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace umbel::huge_pages_test {
namespace {

// kB of huge pages in the mappings that overlap [from, to).
std::uint64_t huge_kilobytes(std::uintptr_t from, std::uintptr_t to) {
  std::ifstream smaps("/proc/self/smaps");
  std::uint64_t sum = 0;
  bool inside = false;
  for (std::string line; std::getline(smaps, line);) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    const auto dash = first.find('-');
    if (first.back() != ':' && dash != std::string::npos) {
      const auto begin = std::stoull(first.substr(0, dash), nullptr, 16);
      const auto end = std::stoull(first.substr(dash + 1), nullptr, 16);
      inside = begin < to && end > from;
    } else if (inside && first == "AnonHugePages:") {
      std::uint64_t kilobytes = 0;
      words >> kilobytes;
      sum += kilobytes;
    }
  }
  return sum;
}

TEST(HugePages, A64MiBBufferLiesOnThem) {
  std::ifstream setting("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string allowed;
  if (!std::getline(setting, allowed)) GTEST_SKIP() << "this kernel has no transparent huge pages";
  if (allowed.find("[never]") != std::string::npos) GTEST_SKIP() << "switched off: " << allowed;
  if (!std::ifstream("/proc/self/smaps")) GTEST_SKIP() << "no /proc/self/smaps to look at";

  constexpr std::size_t size = std::size_t{64} << 20;
  const buffer b(size);
  const auto from = reinterpret_cast<std::uintptr_t>(b.data());
  const std::uint64_t huge = huge_kilobytes(from, from + size);
  // Allowed in general, but perhaps none are free: try without umbel before failing.
  if (huge == 0) {
    void* const plain = ::mmap(nullptr, 2 * buffer::huge_page, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(plain, MAP_FAILED);
    const auto at = (reinterpret_cast<std::uintptr_t>(plain) + buffer::huge_page - 1) /
                    buffer::huge_page * buffer::huge_page;
    const bool advised =
        ::madvise(reinterpret_cast<void*>(at), buffer::huge_page, MADV_HUGEPAGE) == 0;
    *reinterpret_cast<volatile char*>(at) = 1;
    const std::uint64_t control = advised ? huge_kilobytes(at, at + buffer::huge_page) : 0;
    ::munmap(plain, 2 * buffer::huge_page);
    if (control == 0) GTEST_SKIP() << "the system allows huge pages but gives none";
  }
  // The whole of it, less one page for a system short of contiguous memory.
  EXPECT_GE(huge, (size - buffer::huge_page) >> 10) << allowed;
}

}  // namespace
}  // namespace umbel::huge_pages_test
