// saved.cpp - bodies of saved.hpp.
#include "saved.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <umbel/base/error.hpp>
#include <umbel/base/system.hpp>
#include <umbel/codec/atomic_file.hpp>
#include <umbel/codec/source.hpp>

#include "streams.hpp"

namespace umbel::cli {

namespace {

constexpr std::size_t magic_bytes = 8;

[[nodiscard]] std::vector<std::byte> read_standard_input() {
  constexpr std::size_t step = std::size_t{1} << 20;
  std::vector<std::byte> all;
  for (std::size_t used = 0;;) {
    if (used == all.size()) all.resize(std::max(step, 2 * used));
    const ssize_t got = ::read(STDIN_FILENO, all.data() + used, all.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) umbel::detail::throw_io("cannot read", "standard input", errno);
    used += static_cast<std::size_t>(got);
    if (got == 0 || !looks_like_umbel(std::span(all).first(used))) {  // the reader says what is wrong with it
      all.resize(used);
      return all;
    }
  }
}

class signals_held {
 public:
  signals_held() noexcept {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ}) sigaddset(&ending, signal);
    ::pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  signals_held(const signals_held&) = delete;
  signals_held& operator=(const signals_held&) = delete;
  ~signals_held() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

bool looks_like_umbel(std::span<const std::byte> bytes) {
  codec::envelope some;
  some.kind = "any";
  const auto front = codec::encode_front(some);
  const auto head = bytes.first(std::min(bytes.size(), magic_bytes));
  return std::equal(head.begin(), head.end(), front.begin());
}

saved_file::saved_file(std::string path) : path_(std::move(path)) {
  if (standard()) bytes_ = read_standard_input();
  front_ =
      naming(path_, [&] { return standard() ? codec::read_front(codec::memory_source(bytes_)) : any::peek(path_); });
}

const any::kind& saved_file::kind() const {
  if (const any::kind* const found = any::find_kind(front_.kind)) return *found;
  throw incompatible(
      fmt::format("{}: holds a {}, which this umbel does not know; use a newer one", path_, front_.kind));
}

load_options saved_file::how(const std::optional<secret_key>& secret) const {
  if (keyed() && !secret)
    throw incompatible(fmt::format("{}: was built with a secret key; give it with --key-file", path_));
  return {.key = secret};
}

void saved_file::check_sums() const {
  const auto check = [](const codec::source& from) {
    codec::reader(from, {}, codec::reader::trust::nothing).check_sums();
  };
  naming(path_, [&] { standard() ? check(codec::memory_source(bytes_)) : check(codec::file_source(path_)); });
}

std::unique_ptr<any::structure> saved_file::load(const std::optional<secret_key>& secret) const {
  const load_options wish = how(secret);
  return naming(path_, [&] { return standard() ? kind().decode(bytes_, wish) : kind().load(path_, wish); });
}

std::unique_ptr<any::structure> saved_file::open(const std::optional<secret_key>& secret) const {
  if (standard()) return load(secret);
  const load_options wish = how(secret);
  return naming(path_, [&] { return kind().open(path_, wish); });
}

void require_place(const std::string& path, bool report_is_output) {
  if (path == "-" && out_is_terminal())
    throw bad_parameter("will not write a filter to the terminal: say -o FILE, or redirect the output");
  if (path == "-" && report_is_output)
    throw bad_parameter("--json writes its report to standard output: say -o FILE for the filter");
  if (path != "-") require_writable(path);
}

void require_writable(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode))
    throw io_error(fmt::format("cannot replace {}: not a regular file", path));
  const auto slash = path.rfind('/');
  const std::string folder = slash == path.npos ? "." : path.substr(0, slash + 1);
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    umbel::detail::throw_io("cannot write into the folder", folder, errno);
}

void deliver(const any::structure& structure, const std::string& output) {
  if (output == "-") return write_out(structure.encode());
  const signals_held until_done;
  structure.save(output);
}

void deliver(std::span<const std::byte> bytes, const std::string& output) {
  if (output == "-") return write_out(bytes);
  const signals_held until_done;
  codec::atomic_file file(output);
  file.write(bytes);
  file.commit();
}

void save(std::string_view text, const std::string& path) { deliver(std::as_bytes(std::span(text)), path); }

}  // namespace umbel::cli
