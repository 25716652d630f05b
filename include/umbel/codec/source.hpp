// source.hpp - where bytes are read from: a file that is copied, a file that is mapped, or memory.
// Idea       A reader asks for runs of bytes and gets a buffer: an owned copy, or a view into a
//            mapping.
// Limits     A mapped file that is truncated in place by somebody else faults on access, as
//            mappings do: replace files by rename (as `save` does), or `load` instead of `open`.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <utility>

#include <umbel/base/buffer.hpp>
#include <umbel/base/config.hpp>
#include <umbel/base/system.hpp>

namespace umbel::codec {

class source {
 public:
  virtual ~source() = default;
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;
  // Bytes [offset, offset + length), which lie inside. Throws io_error or corrupt when they cannot
  // be had.
  [[nodiscard]] virtual buffer get(std::uint64_t offset, std::uint64_t length,
                                   std::pmr::memory_resource* memory) const = 0;
};

// A regular file, read on demand into owned buffers.
class file_source final : public source {
 public:
  explicit file_source(const std::string& path);
  [[nodiscard]] std::uint64_t size() const noexcept override { return size_; }
  [[nodiscard]] buffer get(std::uint64_t offset, std::uint64_t length,
                           std::pmr::memory_resource* memory) const override;
  [[nodiscard]] int descriptor() const noexcept { return file_.get(); }

 private:
  std::string path_;
  umbel::detail::descriptor file_;
  std::uint64_t size_ = 0;
};

// A regular file, mapped read-only; buffers are views that live as long as this does.
class mapped_source final : public source {
 public:
  explicit mapped_source(const std::string& path);
  mapped_source(mapped_source&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  mapped_source& operator=(mapped_source&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~mapped_source() override;
  [[nodiscard]] std::uint64_t size() const noexcept override { return bytes_.size(); }
  [[nodiscard]] buffer get(std::uint64_t offset, std::uint64_t length,
                           std::pmr::memory_resource*) const override {
    return buffer::view(bytes_.subspan(offset, length));
  }

 private:
  std::span<const std::byte> bytes_;
};

// Bytes in memory, copied.
class memory_source final : public source {
 public:
  explicit memory_source(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t size() const noexcept override { return bytes_.size(); }
  [[nodiscard]] buffer get(std::uint64_t offset, std::uint64_t length,
                           std::pmr::memory_resource* memory) const override {
    buffer out(length, memory);
    if (length != 0) std::memcpy(out.data(), bytes_.data() + offset, length);
    return out;
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace umbel::codec

#if UMBEL_WITH_BODIES
#include <umbel/codec/source.ipp>
#endif
