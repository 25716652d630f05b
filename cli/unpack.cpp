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

#include <umbel/base/error.hpp>

namespace umbel::cli {

namespace {

constexpr std::string_view gzip_magic("\x1f\x8b", 2), zstd_magic("\x28\xb5\x2f\xfd", 4);

}  // namespace

// Packed bytes in, unpacked bytes out. It keeps what has been read and not yet used.
class unpacker {
 public:
  explicit unpacker(std::string_view first) : waiting_(first.size()) {
    std::copy(first.begin(), first.end(), bytes_.begin());
  }
  unpacker(const unpacker&) = delete;
  unpacker& operator=(const unpacker&) = delete;
  virtual ~unpacker() = default;

  [[nodiscard]] bool empty() const noexcept { return at_ == waiting_; }
  // More packed bytes, from read(room); false at the end of the file.
  template <class Read>
  [[nodiscard]] bool fill(Read&& read) {
    at_ = 0;
    waiting_ = read(std::span<char>(bytes_));
    return waiting_ != 0;
  }
  // Unpacks some of what waits; how many bytes came out. Says in `wrong` what is the matter, if something is.
  [[nodiscard]] virtual std::size_t step(std::span<char> to, std::string& wrong) = 0;
  [[nodiscard]] virtual bool between_pieces() const noexcept = 0;  // where a file may end
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

 protected:
  [[nodiscard]] std::span<char> waiting() noexcept { return std::span(bytes_).subspan(at_, waiting_ - at_); }
  void use(std::size_t bytes) noexcept { at_ += bytes; }
  void skip_padding() noexcept {
    while (!empty() && bytes_[at_] == '\0') ++at_;
  }

 private:
  std::array<char, std::size_t{128} << 10> bytes_;
  std::size_t at_ = 0, waiting_ = 0;
};

namespace {

class gunzip final : public unpacker {
 public:
  explicit gunzip(std::string_view first) : unpacker(first) {
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
    const auto in = waiting();
    const auto room = static_cast<uInt>(std::min<std::size_t>(to.size(), 1U << 30));
    state_.next_in = reinterpret_cast<Bytef*>(in.data());
    state_.avail_in = static_cast<uInt>(in.size());
    state_.next_out = reinterpret_cast<Bytef*>(to.data());
    state_.avail_out = room;
    const int said = ::inflate(&state_, Z_NO_FLUSH);
    use(in.size() - state_.avail_in);
    if (said == Z_STREAM_END)
      between_ = true;
    else if (said != Z_OK && said != Z_BUF_ERROR)
      wrong = state_.msg != nullptr ? state_.msg : "damaged";
    return room - state_.avail_out;
  }
  bool between_pieces() const noexcept override { return between_; }
  std::string_view name() const noexcept override { return "gzip"; }

 private:
  z_stream state_{};
  bool between_ = false;
};

class unzstd final : public unpacker {
 public:
  explicit unzstd(std::string_view first) : unpacker(first), state_(::ZSTD_createDCtx()) {
    if (!state_) throw std::bad_alloc();
  }

  std::size_t step(std::span<char> to, std::string& wrong) override {
    if (between_) {
      skip_padding();
      if (empty()) return 0;
    }
    const auto from = waiting();
    ZSTD_inBuffer in{from.data(), from.size(), 0};
    ZSTD_outBuffer out{to.data(), to.size(), 0};
    const std::size_t left = ::ZSTD_decompressStream(state_.get(), &out, &in);
    use(in.pos);
    if (::ZSTD_isError(left) != 0) wrong = ::ZSTD_getErrorName(left);
    between_ = left == 0;
    return out.pos;
  }
  bool between_pieces() const noexcept override { return between_; }
  std::string_view name() const noexcept override { return "zstd"; }

 private:
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

std::size_t byte_source::read_some(std::span<char> to) {
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

std::size_t byte_source::read(std::span<char> to) {
  std::size_t got = 0;
  if (packed_)
    got = read_packed(to);
  else
    got = begun_ ? read_some(to) : begin(to);
  if (got == 0) *this = byte_source();
  return got;
}

// The first bytes: as many as it takes to tell that they are of no packed file, which is one for nearly all lists.
std::size_t byte_source::begin(std::span<char> to) {
  begun_ = true;
  std::size_t got = 0;
  for (;;) {
    const std::size_t more = read_some(to.subspan(got));
    got += more;
    const std::string_view first(to.data(), got);
    for (const std::string_view magic : {gzip_magic, zstd_magic}) {
      if (!first.starts_with(magic)) continue;
      if (magic == gzip_magic)
        packed_ = std::make_unique<gunzip>(first);
      else
        packed_ = std::make_unique<unzstd>(first);
      return read_packed(to);
    }
    const auto may_be = [&](std::string_view magic) { return got < magic.size() && magic.starts_with(first); };
    if (more == 0 || got == to.size() || !(may_be(gzip_magic) || may_be(zstd_magic))) return got;
  }
}

std::size_t byte_source::read_packed(std::span<char> to) {
  for (;;) {
    if (!held_back_ && packed_->empty() && !packed_->fill([&](std::span<char> room) { return read_some(room); })) {
      if (packed_->between_pieces() || (ends_ != nullptr && ends_->raised())) return 0;
      throw corrupt(fmt::format("{}: the {} data ends too early: the file was cut off", name_, packed_->name()));
    }
    std::string wrong;
    const std::size_t got = packed_->step(to, wrong);
    held_back_ = got == to.size();
    if (!wrong.empty()) throw corrupt(fmt::format("{}: damaged {} data: {}", name_, packed_->name(), wrong));
    if (got != 0) return got;
  }
}

std::vector<std::byte> read_whole(const std::string& path) {
  byte_source file(path);
  std::vector<std::byte> all;
  for (std::size_t used = 0;;) {
    all.resize(std::max(std::size_t{1} << 16, 2 * used));
    const std::span<std::byte> room = std::span(all).subspan(used);
    const std::size_t got = file.read({reinterpret_cast<char*>(room.data()), room.size()});
    used += got;
    if (got != 0) continue;
    all.resize(used);
    return all;
  }
}

}  // namespace umbel::cli
