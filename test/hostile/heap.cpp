// heap.cpp - operators new and delete of this test program: they count bytes, and fail on demand
// (support/heap.hpp).
#include "support/heap.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace umbel::test::heap {
namespace {

// Stored before every block: the bytes asked for, and the distance from what malloc returned.
struct note {
  std::size_t bytes;
  std::size_t distance;
};

void* take(std::size_t bytes, std::size_t alignment) {
  if (until_fail > 0 && --until_fail == 0) throw std::bad_alloc();
  const std::size_t distance = alignment < sizeof(note) ? sizeof(note) : alignment;
  if (bytes > (std::size_t{1} << 46)) throw std::bad_alloc();  // sanitizers end the program instead
  // Not std::aligned_alloc, which rounds the size up: a sanitizer must see the true end of the
  // block.
  void* start = nullptr;
  if (::posix_memalign(&start, distance, bytes + distance) != 0) throw std::bad_alloc();
  auto* const block = static_cast<std::byte*>(start) + distance;
  reinterpret_cast<note*>(block)[-1] = {bytes, distance};
  const std::int64_t now = in_use += static_cast<std::int64_t>(bytes);
  for (std::int64_t before = most; before < now && !most.compare_exchange_weak(before, now);) {
  }
  return block;
}

void give_back(void* block) noexcept {
  if (block == nullptr) return;
  const note n = static_cast<note*>(block)[-1];
  in_use -= static_cast<std::int64_t>(n.bytes);
  std::free(static_cast<std::byte*>(block) - n.distance);
}

}  // namespace
}  // namespace umbel::test::heap

using umbel::test::heap::give_back;
using umbel::test::heap::take;

// The array forms and the nothrow forms of the standard library call these.
void* operator new(std::size_t bytes) { return take(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return take(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept { give_back(block); }
void operator delete(void* block, std::size_t) noexcept { give_back(block); }
void operator delete(void* block, std::align_val_t) noexcept { give_back(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { give_back(block); }
