// buffer.hpp - aligned, zeroed memory for cells, on huge pages when large.
//
// All cells are allocated here. A random read from a large array costs a TLB miss as well as a
// cache miss; 2 MiB pages remove the TLB miss.
//
// Layout     64-byte aligned. From 4 MiB on aligned to 2 MiB and advised as huge pages before the
//            first touch.
// Invariant  A buffer owns its bytes or is a view of others. Copies always own. Only owned bytes
//            may be written.
// Threads    As a std::vector: many readers, or one writer.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstring>
#include <memory_resource>
#include <span>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace umbel {

class buffer {
 public:
  static constexpr std::size_t line = 64;
  static constexpr std::size_t huge_page = std::size_t{2} << 20;
  static constexpr std::size_t huge_from = std::size_t{4} << 20;

  buffer() = default;

  explicit buffer(std::size_t bytes, std::pmr::memory_resource* memory = nullptr)
      : buffer(raw(bytes, memory)) {
    if (size_ != 0) std::memset(data_, 0, size_);
  }
  // Not zeroed: for scratch memory that is written before it is read. Pages never written take no
  // memory.
  [[nodiscard]] static buffer raw(std::size_t bytes, std::pmr::memory_resource* memory = nullptr) {
    buffer out;
    if (bytes == 0) return out;
    auto* const from = memory != nullptr ? memory : std::pmr::get_default_resource();
    out.data_ = static_cast<std::byte*>(from->allocate(bytes, alignment(bytes)));
    out.size_ = bytes;
    out.memory_ = from;
    out.advise();
    return out;
  }

  // A view of bytes owned elsewhere, such as a mapped file, which must outlive the view.
  [[nodiscard]] static buffer view(std::span<const std::byte> bytes) noexcept {
    buffer out;
    // never written: the writable data() asserts ownership
    out.data_ = const_cast<std::byte*>(bytes.data());
    out.size_ = bytes.size();
    return out;
  }

  buffer(const buffer& other) : buffer(other.size_, other.memory_) {
    if (size_ != 0) std::memcpy(data_, other.data_, size_);
  }
  buffer(buffer&& other) noexcept { swap(other); }
  buffer& operator=(buffer other) noexcept {
    swap(other);
    return *this;
  }
  ~buffer() {
    if (owns()) memory_->deallocate(data_, size_, alignment(size_));
  }

  void swap(buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(memory_, other.memory_);
  }

  // null for views and empty buffers
  [[nodiscard]] std::pmr::memory_resource* memory() const noexcept { return memory_; }
  [[nodiscard]] bool owns() const noexcept { return memory_ != nullptr; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::byte* data() noexcept {
    assert(owns() || size_ == 0);
    return data_;
  }
  [[nodiscard]] std::span<const std::byte> bytes() const& noexcept { return {data_, size_}; }
  void bytes() && = delete;  // the span would outlive its bytes

  friend bool operator==(const buffer& a, const buffer& b) noexcept {
    return a.size_ == b.size_ && (a.size_ == 0 || std::memcmp(a.data_, b.data_, a.size_) == 0);
  }

 private:
  [[nodiscard]] static std::size_t alignment(std::size_t bytes) noexcept {
    return bytes >= huge_from ? huge_page : line;
  }

  // Advice only: ordinary pages are used if the system has no huge pages or refuses.
  void advise() const noexcept {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (size_ >= huge_from) (void)::madvise(data_, size_ / huge_page * huge_page, MADV_HUGEPAGE);
#endif
  }

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::pmr::memory_resource* memory_ = nullptr;  // null for views and empty buffers
};

}  // namespace umbel
