// source.hpp - input of a reader: a copied file, a mapped file, or memory.
//
// A reader requests byte ranges and gets buffers: owned copies, or views into a mapping.
//
// Limits     If another process truncates a mapped file in place, access faults, as with any
//            mapping. Replace files by rename (as `save` does), or use `load` instead of `open`.
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
  // Bytes [offset, offset + length), which must be inside. Throws io_error or corrupt if they
  // cannot be read.
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

// A regular file, mapped read-only. Buffers are views that live as long as this object.
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

// Bytes in memory, copied on request.
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
