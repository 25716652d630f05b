// buffer_test.cpp - ownership and alignment of buffers, and that all memory is returned.
#include <umbel/base/buffer.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

namespace umbel::buffer_test {
namespace {

using support::as_default_resource;
using support::counting_resource;

bool all_zero(const buffer& b) {
  return std::ranges::all_of(b.bytes(), [](std::byte x) { return x == std::byte{0}; });
}
std::uintptr_t address(const buffer& b) { return reinterpret_cast<std::uintptr_t>(b.data()); }

TEST(Buffer, IsAlignedAndZeroedWhateverTheMemoryHeldBefore) {
  counting_resource dirty;
  for (const std::size_t size : {1U, 63U, 64U, 65U, 4096U, 100'000U}) {
    const buffer b(size, &dirty);
    EXPECT_EQ(address(b) % buffer::line, 0U) << size;
    EXPECT_EQ(b.size(), size);
    EXPECT_TRUE(b.owns());
    EXPECT_TRUE(all_zero(b)) << size;
    EXPECT_EQ(dirty.bytes_held(), size);
  }
  EXPECT_EQ(dirty.bytes_held(), 0U);
}

TEST(Buffer, LargeOnesStartOnAHugePage) {
  counting_resource dirty;
  for (const std::size_t size : {buffer::huge_from - 1, buffer::huge_from, buffer::huge_from + 1,
                                 buffer::huge_from * 3 + 7}) {
    const buffer b(size, &dirty);
    EXPECT_EQ(address(b) % (size >= buffer::huge_from ? buffer::huge_page : buffer::line), 0U)
        << size;
    EXPECT_TRUE(all_zero(b)) << size;
  }
}

TEST(Buffer, EmptyOnesTakeNoMemory) {
  counting_resource memory;
  const buffer none(0, &memory);
  EXPECT_EQ(none.size(), 0U);
  EXPECT_FALSE(none.owns());
  EXPECT_TRUE(none.bytes().empty());
  EXPECT_EQ(none, buffer());
  EXPECT_EQ(memory.allocations(), 0U);
}

TEST(Buffer, WithoutAResourceUsesTheDefaultOne) {
  counting_resource memory;
  const as_default_resource guard(memory);
  const buffer b(100);
  EXPECT_EQ(memory.bytes_held(), 100U);
}

// A buffer returns its memory to the resource it came from, even if the default has changed since.
TEST(Buffer, GivesBackToTheResourceItCameFrom) {
  counting_resource first, second;
  {
    buffer a(100, &first), b(50, &second);
    std::swap(a, b);
    EXPECT_EQ(a.size(), 50U);
    a = buffer(7, &first);
    EXPECT_EQ(second.bytes_held(), 0U);
    EXPECT_EQ(first.bytes_held(), 107U);
  }
  EXPECT_EQ(first.bytes_held(), 0U);
}

TEST(Buffer, CopiesOwnTheirBytesAndKeepTheResource) {
  counting_resource memory;
  buffer a(64, &memory);
  EXPECT_EQ(a.memory(), &memory);
  EXPECT_EQ(buffer().memory(), nullptr);
  a.data()[3] = std::byte{9};
  buffer b = a;
  EXPECT_EQ(a, b);
  EXPECT_NE(std::as_const(a).data(), std::as_const(b).data());
  EXPECT_EQ(memory.bytes_held(), 128U);
  b.data()[3] = std::byte{8};
  EXPECT_NE(a, b);
  EXPECT_EQ(a.data()[3], std::byte{9});
}

TEST(Buffer, ViewsShareAndCopiesOfViewsOwn) {
  alignas(64) const std::array<std::byte, 64> outside{std::byte{1}, std::byte{2}};
  const buffer view = buffer::view(outside);
  EXPECT_FALSE(view.owns());
  EXPECT_EQ(view.data(), outside.data());
  EXPECT_EQ(view.size(), outside.size());
  counting_resource memory;
  const as_default_resource guard(memory);
  buffer copy = view;
  EXPECT_TRUE(copy.owns());
  EXPECT_EQ(copy, view);
  EXPECT_NE(std::as_const(copy).data(), outside.data());
  EXPECT_EQ(memory.bytes_held(), outside.size());
  copy.data()[0] = std::byte{7};
  EXPECT_EQ(outside[0], std::byte{1});
}

TEST(Buffer, MovesLeaveNothingBehind) {
  counting_resource memory;
  buffer a(64, &memory);
  const std::byte* const where = std::as_const(a).data();
  buffer b = std::move(a);
  EXPECT_EQ(std::as_const(b).data(), where);
  EXPECT_EQ(a.size(), 0U);  // NOLINT(bugprone-use-after-move): promised to be empty
  EXPECT_FALSE(a.owns());
  b = std::move(a);
  EXPECT_EQ(b.size(), 0U);
  EXPECT_EQ(memory.bytes_held(), 0U);
}

TEST(Buffer, AssigningToItselfKeepsTheBytes) {
  counting_resource memory;
  buffer a(64, &memory);
  a.data()[5] = std::byte{5};
  const buffer& same = a;
  a = same;
  EXPECT_EQ(std::as_const(a).data()[5], std::byte{5});
  EXPECT_EQ(memory.bytes_held(), 64U);
}

TEST(Buffer, ARefusedAllocationLeavesNothing) {
  counting_resource memory;
  const buffer a(64, &memory);
  memory.refuse_after(0);
  EXPECT_THROW(buffer(64, &memory), std::bad_alloc);
  EXPECT_THROW(buffer{a}, std::bad_alloc);
  EXPECT_EQ(memory.bytes_held(), 64U);
}

TEST(Buffer, EqualityIsAboutContent) {
  buffer a(10), b(10);
  const buffer c(11);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  b.data()[9] = std::byte{1};
  EXPECT_NE(a, b);
}

#if !defined(NDEBUG)
TEST(BufferDeathTest, AViewIsNeverWritten) {
  const std::array<std::byte, 8> outside{};
  buffer view = buffer::view(outside);
  EXPECT_DEATH((void)view.data(), "owns");
}
#endif

}  // namespace
}  // namespace umbel::buffer_test
