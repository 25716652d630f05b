// saved.cpp - bodies of saved.hpp.
#include "saved.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <umbel/base/error.hpp>
#include <umbel/base/system.hpp>
#include <umbel/codec/source.hpp>

namespace umbel::cli {

namespace {

constexpr std::size_t magic_bytes = 8;

[[nodiscard]] std::vector<std::byte> read_stream(const std::string& path) {
  const bool standard = path == "-";
  umbel::detail::descriptor opened;
  if (!standard) {
    opened = umbel::detail::descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (opened.get() < 0) umbel::detail::throw_io("cannot open", path, errno);
  }
  const int file = standard ? STDIN_FILENO : opened.get();
  constexpr std::size_t step = std::size_t{1} << 20;
  std::vector<std::byte> all;
  for (std::size_t used = 0;;) {
    if (used == all.size()) all.resize(std::max(step, 2 * used));
    const ssize_t got = ::read(file, all.data() + used, all.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) umbel::detail::throw_io("cannot read", standard ? "standard input" : path, errno);
    used += static_cast<std::size_t>(got);
    // the reader says what is wrong with it
    if (got == 0 || !looks_like_umbel(std::span(all).first(used))) {
      all.resize(used);
      return all;
    }
  }
}

}  // namespace

bool is_stream(const std::string& path) {
  struct stat facts {};
  const bool there = ::stat(path.c_str(), &facts) == 0;
  if (!there || S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode)) return false;
  // <(...) names a pipe that somebody writes to. A pipe with a name of its own may wait for ever.
  return !S_ISFIFO(facts.st_mode) || path.starts_with("/dev/") || path.starts_with("/proc/");
}

bool looks_like_umbel(std::span<const std::byte> bytes) {
  codec::envelope some;
  some.kind = "any";
  const auto front = codec::encode_front(some);
  const auto head = bytes.first(std::min(bytes.size(), magic_bytes));
  return std::equal(head.begin(), head.end(), front.begin());
}

saved_file::saved_file(std::string path) : path_(std::move(path)) {
  streamed_ = path_ == "-" || is_stream(path_);
  if (streamed_) bytes_ = read_stream(path_);
  front_ = naming(path_, [&] {
    return streamed_ ? codec::read_front(codec::memory_source(bytes_)) : any::peek(path_);
  });
}

const any::kind& saved_file::kind() const {
  if (const any::kind* const found = any::find_kind(front_.kind)) return *found;
  throw incompatible(fmt::format("{}: holds a {}, which this umbel does not know; use a newer one",
                                 path_, front_.kind));
}

load_options saved_file::how(const std::optional<secret_key>& secret) const {
  if (keyed() && !secret)
    throw incompatible(
        fmt::format("{}: was built with a secret key; give it with --key-file", path_));
  return {.key = secret};
}

void saved_file::check_sums() const {
  const auto check = [](const codec::source& from) {
    codec::reader(from, {}, codec::reader::trust::nothing).check_sums();
  };
  naming(path_, [&] {
    streamed_ ? check(codec::memory_source(bytes_)) : check(codec::file_source(path_));
  });
}

std::unique_ptr<any::structure> saved_file::load(const std::optional<secret_key>& secret) const {
  const load_options options = how(secret);
  return naming(path_, [&] {
    return streamed_ ? kind().decode(bytes_, options) : kind().load(path_, options);
  });
}

std::unique_ptr<any::structure> saved_file::open(const std::optional<secret_key>& secret) const {
  if (streamed_) return load(secret);
  const load_options options = how(secret);
  return naming(path_, [&] { return kind().open(path_, options); });
}

}  // namespace umbel::cli
