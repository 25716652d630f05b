// destination.cpp - bodies of destination.hpp.
#include "destination.hpp"

#include <array>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <umbel/base/error.hpp>
#include <umbel/codec/atomic_file.hpp>
#include <umbel/codec/write_target.hpp>

#include "streams.hpp"

namespace umbel::cli {

namespace {

using umbel::detail::descriptor;
using umbel::detail::throw_io;

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

class signals_held {
 public:
  signals_held() noexcept {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : ending_signals) sigaddset(&ending, signal);
    sigaddset(&ending, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  signals_held(const signals_held&) = delete;
  signals_held& operator=(const signals_held&) = delete;
  ~signals_held() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

// The lock file of this process, for the signal handler: at most one at a time.
char lock_file[PATH_MAX];

void remove_lock_file_and_end(int signal) {
  ::unlink(lock_file);
  // The default action ends the process when the handler returns: until then the signal is blocked.
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void remove_on_signals(const std::string& path) {
  if (path.size() >= sizeof lock_file) return;
  std::memcpy(lock_file, path.c_str(), path.size() + 1);
  for (const int signal : ending_signals) {
    struct sigaction now {};  // a signal that is ignored, as by nohup, stays ignored
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL)
      ::signal(signal, remove_lock_file_and_end);
  }
}

void remove_no_more() noexcept {
  for (const int signal : ending_signals) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == remove_lock_file_and_end)
      ::signal(signal, SIG_DFL);
  }
}

// The number in /dev/fd/63. A descriptor that is open is written at its current position. Opening
// the file again would overwrite it from the start; replacing it would not reach the file the shell
// opened.
[[nodiscard]] std::optional<int> descriptor_named(const std::string& path) {
  std::string name = path;
  if (path.starts_with("/dev/std")) {  // a link, such as /dev/stdout to /proc/self/fd/1
    char text[PATH_MAX];
    const ssize_t size = ::readlink(path.c_str(), text, sizeof text);
    if (size > 0) name.assign(text, static_cast<std::size_t>(size));
  }
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!name.starts_with(folder)) continue;
    int number = -1;
    const char* const end = name.data() + name.size();
    const auto [at, wrong] = std::from_chars(name.data() + folder.size(), end, number);
    if (wrong == std::errc() && at == end && number >= 0) return number;
  }
  return std::nullopt;
}

[[nodiscard]] descriptor opened_to_write(const std::string& path) {
  descriptor file(::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  if (file.get() < 0) throw_io("cannot open", path, errno);
  return file;
}

void write_all(int file, const std::string& name, std::span<const std::byte> bytes) {
  (void)umbel::detail::move_all(bytes.size(), "cannot write to", name, [&](std::size_t done) {
    return ::write(file, bytes.data() + done, bytes.size() - done);
  });
}

}  // namespace

void add_no_wait_option(option_list& takes, bool& into) {
  takes.flag("--no-wait", into, "fail at once if another process is changing the output file");
}

destination::destination(std::string path, use how) : path_(std::move(path)) {
  const auto refuse_terminal = [&](int file) {
    if (!how.text && ::isatty(file) == 1)
      throw bad_parameter("will not write a filter to the terminal: add -o FILE or redirect");
  };
  descriptor_ = path_ == "-" ? STDOUT_FILENO : descriptor_named(path_).value_or(-1);
  if (descriptor_ >= 0) {
    const int flags = ::fcntl(descriptor_, F_GETFL);
    const bool writable = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
    if (!writable) throw_io("cannot write to", path_ == "-" ? "standard output" : path_, EBADF);
    refuse_terminal(descriptor_);
    if (descriptor_ == STDOUT_FILENO && how.report_is_output)
      throw bad_parameter("--json writes to standard output: add -o FILE for the filter");
    return;
  }
  struct stat facts {};
  const bool exists = ::stat(path_.c_str(), &facts) == 0;
  through_ = exists && (S_ISCHR(facts.st_mode) || S_ISFIFO(facts.st_mode));
  if (through_ && ::access(path_.c_str(), W_OK) != 0) throw_io("cannot write to", path_, errno);
  if (exists && S_ISCHR(facts.st_mode)) {  // a pipe is opened last: it blocks
    device_ = opened_to_write(path_);
    refuse_terminal(device_.get());
  }
  if (through_) return;
  const std::string folder = codec::write_target(path_).folder();
  const bool writable = ::access(folder.c_str(), W_OK | X_OK) == 0;
  if (!writable) throw_io("cannot write into the folder", folder, errno);
}

void destination::refuse_inputs(const std::vector<std::string>& files) const {
  if (files.empty()) refuse_input("-");
  for (const std::string& file : files) refuse_input(file);
}

void destination::refuse_input(const std::string& file) const {
  if (file.empty()) return;
  struct stat out {};
  struct stat in {};
  const int found = descriptor_ >= 0 ? ::fstat(descriptor_, &out) : ::stat(path_.c_str(), &out);
  if (found != 0 || !S_ISREG(out.st_mode)) return;
  if ((file == "-" ? ::fstat(STDIN_FILENO, &in) : ::stat(file.c_str(), &in)) != 0) return;
  if (out.st_dev != in.st_dev || out.st_ino != in.st_ino) return;
  throw bad_parameter(fmt::format("{}: is also the output and would be overwritten; say another -o",
                                  file == "-" ? "standard input" : file));
}

void destination::take_lock(bool no_wait) {
  using codec::file_lock;
  try {
    lock_.emplace(path_, file_lock::when_busy::fail);
  } catch (const codec::busy& holder) {
    if (no_wait) throw;
    if (notes_are_read()) note(fmt::format("waiting: {}", holder.what()));
    lock_.emplace(path_, file_lock::when_busy::wait);
  }
  remove_on_signals(lock_->path());
}

void destination::lock(bool no_wait) {
  if (!is_file() || !codec::write_target(path_).exists()) return;  // nothing to lock
  try {
    take_lock(no_wait);
  } catch (const codec::no_locks& why) {
    throw io_error(fmt::format("{}; name a new file with -o instead", why.what()));
  }
}

void destination::unlock() noexcept {
  if (!lock_) return;
  remove_no_more();
  lock_.reset();
}

void destination::write_through(std::span<const std::byte> bytes) {
  const std::string name = path_ == "-" ? "standard output" : path_;
  if (descriptor_ >= 0) return write_all(descriptor_, name, bytes);
  if (device_.get() < 0) device_ = opened_to_write(path_);
  write_all(device_.get(), name, bytes);
  if (::close(device_.release()) != 0) throw_io("cannot close", path_, errno);
}

template <class Replace>
void destination::replace(Replace&& work) {
  // Replacing a file waits for a process that is changing it: otherwise that process would write
  // the old contents with its change over the new file. On a file system without locks no command
  // changes a file.
  try {
    if (!lock_ && codec::write_target(path_).exists()) take_lock(false);
  } catch (const codec::no_locks&) {
  }
  {
    const signals_held until_done;
    work();
  }
  unlock();
}

void destination::deliver(const any::structure& structure) {
  if (!is_file()) return write_through(structure.encode());
  replace([&] { structure.save(path_); });
}

void destination::deliver(std::span<const std::byte> bytes) {
  if (!is_file()) return write_through(bytes);
  replace([&] {
    codec::atomic_file file(path_);
    file.write(bytes);
    file.commit();
  });
}

}  // namespace umbel::cli
