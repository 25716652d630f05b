// cut_files.cpp - truncated files and files with trailing bytes (bad-inputs 27 to 29, 33, 40):
// refused wherever the cut is, even when the header's size and every checksum match it.
#include "support/file_image.hpp"
#include "support/memory_file.hpp"
#include "support/verdict.hpp"

namespace umbel::test {
namespace {

class CutFiles : public kind_test {
 protected:
  const std::vector<std::byte> whole_ = build(members(60, 7))->encode();
  // Every way in refuses.
  void expect_refused(std::span<const std::byte> bytes) const {
    EXPECT_EQ(decoded(kind(), bytes), verdict::refused);
    const memory_file file(bytes);
    EXPECT_EQ(mapped(kind(), file.path(), bytes.size()), verdict::refused);
    EXPECT_THROW((void)kind().load(file.path(), {}), error);
    EXPECT_THROW((void)any::load(file.path()), error);
    EXPECT_THROW((void)any::open(file.path()), error);
  }
};

TEST_P(CutFiles, TheWholeFileIsFine) {
  EXPECT_EQ(decoded(kind(), whole_), verdict::taken);
  const memory_file file(whole_);
  EXPECT_EQ(mapped(kind(), file.path(), whole_.size()), verdict::taken);
}

TEST_P(CutFiles, AtEveryOffset) {
  for (std::size_t size = 0; size < whole_.size(); ++size) {
    const auto part = std::span(whole_).first(size);
    ASSERT_EQ(decoded(kind(), part), verdict::refused) << size;
    if (size <= 5 || size % 13 == 0) expect_refused(part);
  }
}

// The header gives the new size, and all checksums are right.
TEST_P(CutFiles, AtEveryOffsetAndSealed) {
  for (std::size_t size = at::header_end; size < whole_.size(); ++size) {
    file_image cut({whole_.begin(), whole_.begin() + static_cast<std::ptrdiff_t>(size)});
    cut.claim_size().seal();
    ASSERT_EQ(decoded(kind(), cut.bytes()), verdict::refused) << size;
    if (size % 13 == 0) expect_refused(cut.bytes());
  }
}

TEST_P(CutFiles, TrailingBytes) {
  for (const std::size_t more : {1, 2, 8, 63, 64, 65, 128, 4096}) {
    for (const std::byte filler : {std::byte{0}, std::byte{0xFF}}) {
      SCOPED_TRACE(more);
      auto bytes = whole_;
      bytes.resize(bytes.size() + more, filler);
      expect_refused(bytes);
      expect_refused(file_image(bytes).claim_size().seal().bytes());
    }
  }
}

// Two files one after the other are not a file.
TEST_P(CutFiles, TwiceInOneFile) {
  expect_refused(joined(whole_, whole_));
  expect_refused(file_image(joined(whole_, whole_)).claim_size().seal().bytes());
}

TEST_P(CutFiles, AWrongSizeInTheHeader) {
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{1}, whole_.size() - 64, whole_.size() - 1,
        whole_.size() + 1, std::uint64_t{1} << 32, std::uint64_t{1} << 63, ~std::uint64_t{0}})
    expect_refused(file_image(whole_).set(at::file_bytes, size).seal_front().bytes());
}

UMBEL_EVERY_KIND(CutFiles);

}  // namespace
}  // namespace umbel::test
