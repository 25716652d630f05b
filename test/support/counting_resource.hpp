// counting_resource.hpp - a memory resource that tracks allocations, fills them with ones, and can
// be told to fail.
// Idea       Memory must come back with the size and alignment it was allocated with, or the test
//            fails at once. Allocated memory is full of ones, so that no code can rely on fresh
//            pages being zero.
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <memory_resource>
#include <mutex>
#include <new>

#include <gtest/gtest.h>

namespace umbel::support {

class counting_resource final : public std::pmr::memory_resource {
 public:
  counting_resource() = default;
  counting_resource(const counting_resource&) = delete;
  counting_resource& operator=(const counting_resource&) = delete;
  ~counting_resource() override { EXPECT_EQ(held_.size(), 0U) << "memory was not given back"; }

  // Allocations that succeed before one throws std::bad_alloc; negative: all.
  void refuse_after(long allocations) noexcept { left_ = allocations; }

  [[nodiscard]] std::size_t bytes_held() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t max_bytes_held() const noexcept { return most_; }
  [[nodiscard]] std::size_t allocations() const noexcept { return allocations_; }

 private:
  struct grant {
    std::size_t bytes, alignment;
  };

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    const std::lock_guard hold(lock_);
    if (left_ == 0) throw std::bad_alloc();
    if (left_ > 0) --left_;
    void* const at = ::operator new (bytes, std::align_val_t{alignment});
    std::memset(at, 0xff, bytes);
    held_[at] = {bytes, alignment};
    bytes_ += bytes;
    most_ = bytes_ > most_ ? bytes_ : most_;
    ++allocations_;
    return at;
  }
  void do_deallocate(void* at, std::size_t bytes, std::size_t alignment) override {
    const std::lock_guard hold(lock_);
    const auto found = held_.find(at);
    ASSERT_NE(found, held_.end()) << "this was never given out";
    EXPECT_EQ(found->second.bytes, bytes);
    EXPECT_EQ(found->second.alignment, alignment);
    bytes_ -= found->second.bytes;
    ::operator delete (at, std::align_val_t{found->second.alignment});
    held_.erase(found);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::mutex lock_;
  std::map<void*, grant> held_;
  std::size_t bytes_ = 0, most_ = 0, allocations_ = 0;
  long left_ = -1;
};

// Makes a resource the default one for its lifetime.
class as_default_resource {
 public:
  explicit as_default_resource(std::pmr::memory_resource& resource) noexcept
      : before_(std::pmr::set_default_resource(&resource)) {}
  as_default_resource(const as_default_resource&) = delete;
  as_default_resource& operator=(const as_default_resource&) = delete;
  ~as_default_resource() { std::pmr::set_default_resource(before_); }

 private:
  std::pmr::memory_resource* before_;
};

}  // namespace umbel::support
