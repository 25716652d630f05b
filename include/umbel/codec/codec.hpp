// codec.hpp - save, load and open: turn structures into files and back.
//
// `save` writes beside the target and renames. `load` copies the file and verifies every byte.
// `open` maps the file, verifies the front and the fields, and answers queries from the mapping
// immediately, whatever the size of the file.
//
// Limits     `open` does not verify the cells: damaged ones can make answers wrong, never unsafe.
// Threads    Free functions. An opened structure is const and may be read by any number of threads.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <umbel/codec/atomic_file.hpp>
#include <umbel/codec/reader.hpp>
#include <umbel/codec/source.hpp>
#include <umbel/codec/writer.hpp>

namespace umbel {

// A structure in a mapped file, together with the mapping.
template <class T>
class opened {
 public:
  [[nodiscard]] const T& operator*() const noexcept { return structure_; }
  [[nodiscard]] const T* operator->() const noexcept { return &structure_; }

  opened(codec::mapped_source file, const load_options& options)
      : file_(std::move(file)),
        structure_(codec::reader(file_, options, codec::reader::trust::arrays).read<T>()) {}

 private:
  codec::mapped_source file_;
  T structure_;
};

// `keys` records how the structure's keys were made, for programs that open the file.
template <class T>
void save(const T& structure, const std::string& path, const key_recipe& keys = {}) {
  const codec::writer out(structure, keys);
  codec::atomic_file file(path);
  out.write([&](std::span<const std::byte> bytes) { file.write(bytes); });
  file.commit();
}

// The bytes that `save` would write.
template <class T>
[[nodiscard]] std::vector<std::byte> encode(const T& structure, const key_recipe& keys = {}) {
  const codec::writer out(structure, keys);
  std::vector<std::byte> all;
  all.reserve(out.file_bytes());
  out.write(
      [&](std::span<const std::byte> bytes) { all.insert(all.end(), bytes.begin(), bytes.end()); });
  return all;
}

template <class T>
[[nodiscard]] T decode(std::span<const std::byte> bytes, const load_options& options = {}) {
  return codec::reader(codec::memory_source(bytes), options, codec::reader::trust::nothing)
      .read<T>();
}

template <class T>
[[nodiscard]] T load(const std::string& path, const load_options& options = {}) {
  return codec::reader(codec::file_source(path), options, codec::reader::trust::nothing).read<T>();
}

template <class T>
[[nodiscard]] opened<T> open(const std::string& path, const load_options& options = {}) {
  return {codec::mapped_source(path), options};
}

}  // namespace umbel
