// unpack.cpp - bodies of unpack.hpp.
#include "unpack.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <umbel/base/error.hpp>

#include "numbers.hpp"

namespace umbel::cli {

namespace {

constexpr std::string_view gzip_magic("\x1f\x8b", 2), zstd_magic("\x28\xb5\x2f\xfd", 4);
constexpr std::size_t telling_bytes = 8;                      // passed to `fits` of read_whole()
constexpr std::size_t packed_bytes = std::size_t{128} << 10;  // size of one read
// 128 MiB, as the zstd tool has it without --long
constexpr int max_window_log = 27;

}  // namespace

// A streaming decompressor with its own input buffer.
class unpacker {
 public:
  unpacker() = default;
  unpacker(const unpacker&) = delete;
  unpacker& operator=(const unpacker&) = delete;
  virtual ~unpacker() = default;

  [[nodiscard]] bool empty() const noexcept { return at_ == end_; }
  // Fills the input buffer by read(buffer); false at the end of the file.
  template <class Read>
  [[nodiscard]] bool fill(Read&& read) {
    at_ = 0;
    end_ = read(std::span<char>(bytes_));
    return end_ != 0;
  }
  // Decompresses some of the buffered bytes and returns the number of bytes written. An error is
  // described in `wrong`.
  [[nodiscard]] virtual std::size_t step(std::span<char> to, std::string& wrong) = 0;
  [[nodiscard]] virtual bool between_members() const noexcept = 0;  // where a file may end
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

 protected:
  [[nodiscard]] std::span<char> unused() noexcept {
    return std::span(bytes_).subspan(at_, end_ - at_);
  }
  void use(std::size_t bytes) noexcept { at_ += bytes; }
  void skip_padding() noexcept {
    while (!empty() && bytes_[at_] == '\0') ++at_;
  }

 private:
  std::array<char, packed_bytes> bytes_;
  std::size_t at_ = 0, end_ = 0;
};

namespace {

class gunzip final : public unpacker {
 public:
  gunzip() {
    if (::inflateInit2(&state_, 15 + 16) != Z_OK) throw std::bad_alloc();  // 16: a gzip header
  }
  gunzip(const gunzip&) = delete;
  gunzip& operator=(const gunzip&) = delete;
  ~gunzip() override { (void)::inflateEnd(&state_); }

  std::size_t step(std::span<char> to, std::string& wrong) override {
    if (between_) {
      skip_padding();
      if (empty()) return 0;
      (void)::inflateReset(&state_);
      between_ = false;
    }
    const auto in = unused();
    const auto room = static_cast<uInt>(std::min<std::size_t>(to.size(), 1U << 30));
    state_.next_in = reinterpret_cast<Bytef*>(in.data());
    state_.avail_in = static_cast<uInt>(in.size());
    state_.next_out = reinterpret_cast<Bytef*>(to.data());
    state_.avail_out = room;
    const int said = ::inflate(&state_, Z_NO_FLUSH);
    use(in.size() - state_.avail_in);
    if (said == Z_MEM_ERROR) throw std::bad_alloc();
    if (said == Z_STREAM_END)
      between_ = true;
    else if (said != Z_OK && said != Z_BUF_ERROR)
      wrong = fmt::format("damaged gzip data: {}",
                          state_.msg != nullptr ? state_.msg : "no deflate stream");
    return room - state_.avail_out;
  }
  bool between_members() const noexcept override { return between_; }
  std::string_view name() const noexcept override { return "gzip"; }

 private:
  z_stream state_{};
  bool between_ = false;
};

class unzstd final : public unpacker {
 public:
  unzstd() : state_(::ZSTD_createDCtx()) {
    if (!state_) throw std::bad_alloc();
    // A header of a few bytes may ask for a window of gigabytes.
    (void)::ZSTD_DCtx_setParameter(state_.get(), ZSTD_d_windowLogMax, max_window_log);
  }

  std::size_t step(std::span<char> to, std::string& wrong) override {
    if (between_) {
      skip_padding();
      if (empty()) return 0;
    }
    const auto from = unused();
    ZSTD_inBuffer in{from.data(), from.size(), 0};
    ZSTD_outBuffer out{to.data(), to.size(), 0};
    const std::size_t left = ::ZSTD_decompressStream(state_.get(), &out, &in);
    use(in.pos);
    if (::ZSTD_isError(left) != 0) wrong = complaint(left);
    between_ = left == 0;
    return out.pos;
  }
  bool between_members() const noexcept override { return between_; }
  std::string_view name() const noexcept override { return "zstd"; }

 private:
  [[nodiscard]] static std::string complaint(std::size_t code) {
    switch (::ZSTD_getErrorCode(code)) {
      case ZSTD_error_memory_allocation: throw std::bad_alloc();
      case ZSTD_error_frameParameter_windowTooLarge:
        return "the zstd data needs a window over 128 MiB; unpack it with `zstd -d --long=31` "
               "first";
      default: return fmt::format("damaged zstd data: {}", ::ZSTD_getErrorName(code));
    }
  }
  struct release {
    void operator()(ZSTD_DCtx* state) const noexcept { (void)::ZSTD_freeDCtx(state); }
  };
  std::unique_ptr<ZSTD_DCtx, release> state_;
  bool between_ = false;
};

}  // namespace

byte_source::byte_source() noexcept = default;
byte_source::byte_source(const std::string& path, const interruption* ends)
    : file_(path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      name_(path == "-" ? "standard input" : path),
      ends_(ends) {
  if (file_.get() < 0) umbel::detail::throw_io("cannot open", name_, errno);
  (void)::posix_fadvise(file_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
}
byte_source::byte_source(byte_source&&) noexcept = default;
byte_source& byte_source::operator=(byte_source&&) noexcept = default;
byte_source::~byte_source() = default;

interruption::interruption() : event_(::eventfd(0, EFD_CLOEXEC)) {
  if (event_.get() < 0) umbel::detail::throw_io("cannot make", "an event", errno);
}

void interruption::raise() noexcept {
  raised_ = true;
  const std::uint64_t one = 1;
  (void)!::write(event_.get(), &one, sizeof one);
}

bool interruption::wait_for(int file) const {
  pollfd both[] = {{file, POLLIN, 0}, {event_.get(), POLLIN, 0}};
  while (!raised_ && ::poll(both, 2, -1) < 0)
    if (errno != EINTR) umbel::detail::throw_io("cannot wait for", "input", errno);
  return !raised_;
}

std::size_t byte_source::read_file(std::span<char> to) {
  for (;;) {
    if (ends_ != nullptr && !ends_->wait_for(file_.get())) return 0;
    const ssize_t got = ::read(file_.get(), to.data(), to.size());
    if (got >= 0) {
      taken_ += static_cast<std::uint64_t>(got);
      return static_cast<std::size_t>(got);
    }
    if (errno != EINTR) umbel::detail::throw_io("cannot read", name_, errno);
  }
}

std::size_t byte_source::read_raw(std::span<char> to) {
  if (first_size_ == 0) return read_file(to);
  const std::size_t given = peeked().copy(to.data(), to.size());
  std::copy(first_.begin() + given, first_.begin() + first_size_, first_.begin());
  first_size_ -= given;
  return given;
}

std::size_t byte_source::read(std::span<char> to) {
  if (to.empty() || !is_open()) return 0;
  if (!recognised_) recognise();
  const std::size_t got = packed_ ? read_packed(to) : read_raw(to);
  if (got == 0) *this = byte_source();
  return got;
}

// Peeks at as many bytes as the magic numbers need: for nearly all files one read of a few bytes.
void byte_source::recognise() {
  recognised_ = true;
  const auto may_be = [&](std::string_view magic) {
    return peeked().size() < magic.size() && magic.starts_with(peeked());
  };
  do {
    const std::size_t got = read_file(std::span(first_).subspan(first_size_));
    if (got == 0) return;
    first_size_ += got;
  } while (may_be(gzip_magic) || may_be(zstd_magic));
  if (peeked().starts_with(gzip_magic))
    packed_ = std::make_unique<gunzip>();
  else if (peeked().starts_with(zstd_magic))
    packed_ = std::make_unique<unzstd>();
}

// A loop instead of recursion: a file may have a million empty members.
std::size_t byte_source::read_packed(std::span<char> to) {
  for (;;) {
    if (!has_output_ && packed_->empty() &&
        !packed_->fill([&](std::span<char> room) { return read_raw(room); })) {
      if (packed_->between_members() || (ends_ != nullptr && ends_->raised())) return 0;
      throw corrupt(fmt::format("{}: the {} data ends too early: the file was cut off", name_,
                                packed_->name()));
    }
    std::string wrong;
    const std::size_t got = packed_->step(to, wrong);
    has_output_ = got == to.size();
    if (!wrong.empty()) throw corrupt(fmt::format("{}: {}", name_, wrong));
    if (got != 0) return got;
  }
}

std::vector<std::byte> read_whole(const std::string& path, std::uint64_t max_bytes,
                                  bool (*fits)(std::span<const std::byte>)) {
  constexpr std::size_t least = std::size_t{64} << 10;
  byte_source file(path);
  std::vector<std::byte> all;
  for (std::size_t used = 0;;) {
    all.resize(std::max(least, 2 * used));
    const std::span<std::byte> room = std::span(all).subspan(used);
    const std::size_t got = file.read({reinterpret_cast<char*>(room.data()), room.size()});
    used += got;
    if (used > max_bytes)
      throw bad_parameter(fmt::format("{}: its contents are larger than {}",
                                      path == "-" ? "standard input" : path,
                                      show_bytes(max_bytes)));
    const bool wrong =
        fits != nullptr && used >= telling_bytes && !fits(std::span(all).first(used));
    if (got != 0 && !wrong) continue;
    all.resize(used);
    return all;
  }
}

}  // namespace umbel::cli
