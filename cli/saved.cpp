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
#include <umbel/codec/compress.hpp>
#include <umbel/codec/source.hpp>

#include "machine.hpp"

namespace umbel::cli {

namespace {

constexpr std::size_t magic_bytes = 8;

// Reads to the end, unless the first bytes are not those of an umbel file; parsing what was read
// then reports the error.
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
    if (got < 0) umbel::detail::throw_io("cannot read", shown_name(path), errno);
    used += static_cast<std::size_t>(got);
    const auto so_far = std::span<const std::byte>(all).first(used);
    const bool ours =
        used < magic_bytes || looks_like_umbel(so_far) || umbel::is_compressed(so_far);
    if (got != 0 && ours) continue;
    all.resize(used);
    return all;
  }
}

[[nodiscard]] bool is_message(const codec::source& from) {
  const auto head = from.get(0, std::min<std::uint64_t>(from.size(), magic_bytes), nullptr);
  return umbel::is_compressed(head.bytes());
}

}  // namespace

bool is_stream(const std::string& path) {
  struct stat facts {};
  const bool there = ::stat(path.c_str(), &facts) == 0;
  if (!there || S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode)) return false;
  // <(...) is a pipe with a writer. Opening a named pipe could block for ever.
  return !S_ISFIFO(facts.st_mode) || path.starts_with("/dev/") || path.starts_with("/proc/");
}

bool looks_like_umbel(std::span<const std::byte> bytes) {
  codec::envelope some;
  some.kind = "any";
  const auto front = codec::encode_front(some);
  const auto head = bytes.first(std::min(bytes.size(), magic_bytes));
  return std::equal(head.begin(), head.end(), front.begin());
}

codec::envelope front_of(const codec::source& from) {
  if (is_message(from))
    throw incompatible("is a compressed message: restore it with `umbel decompress`");
  return codec::read_front(from);
}

saved_file::saved_file(std::string path, messages how) : path_(std::move(path)) {
  in_memory_ = path_ == "-" || is_stream(path_);
  if (in_memory_) bytes_ = read_stream(path_);
  naming(path_, [&] {
    if (how == messages::restored) restore();
    front_ = front_of(*source());
  });
}

std::unique_ptr<codec::source> saved_file::source() const {
  if (in_memory_) return std::make_unique<codec::memory_source>(bytes_);
  return std::make_unique<codec::file_source>(path_);
}

void saved_file::restore() {
  const auto from = source();
  if (!is_message(*from)) return;
  message_bytes_ = from->size();
  const auto message = from->get(0, message_bytes_, nullptr);
  try {
    bytes_ = umbel::decompress(message.bytes(), memory_bytes() / 2);
  } catch (const bad_parameter& e) {  // larger than that: neither whole nor damaged
    throw incompatible(fmt::format("not enough memory to restore it: {}", e.what()));
  }
  in_memory_ = true;
}

const any::kind& saved_file::kind() const {
  if (const any::kind* const found = any::find_kind(front_.kind)) return *found;
  throw incompatible(fmt::format("{}: holds a {}, which this umbel does not know; use a newer one",
                                 shown_name(path_), front_.kind));
}

load_options saved_file::how(const std::optional<secret_key>& secret) const {
  if (keyed() && !secret)
    throw incompatible(
        fmt::format("{}: was built with a secret key; give it with --key-file", shown_name(path_)));
  return {.key = secret};
}

void saved_file::check_sums() const {
  naming(path_, [&] { codec::reader(*source(), {}, codec::reader::trust::nothing).check_sums(); });
}

std::unique_ptr<any::structure> saved_file::load(const std::optional<secret_key>& secret) const {
  const load_options options = how(secret);
  const any::kind& holds = kind();
  return naming(path_, [&] {
    return in_memory_ ? holds.decode(bytes_, options) : holds.load(path_, options);
  });
}

std::unique_ptr<any::structure> saved_file::open(const std::optional<secret_key>& secret) const {
  if (in_memory_) return load(secret);
  const load_options options = how(secret);
  const any::kind& holds = kind();
  return naming(path_, [&] { return holds.open(path_, options); });
}

}  // namespace umbel::cli
