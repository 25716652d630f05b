// special_paths.cpp - paths that are not regular files, not readable, or far too long (bad-inputs
// 44 to 46): refused at once, without blocking, endless reading or large allocations.
#include <cstdio>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/child.hpp"
#include "support/file_image.hpp"
#include "support/temp_dir.hpp"
#include "support/verdict.hpp"

namespace umbel::test {
namespace {

constexpr unsigned long_patience = 20;  // seconds

// Every way to read `path` throws Error, soon and in little memory. In a child process: a FIFO or a
// device may block for ever.
template <class Error>
int all_refuse(const std::string& path) {
  int wrong = 0;
  const heap::watch memory;
  const auto refuses = [&](auto&& read) {
    try {
      (void)read();
      ++wrong;
    } catch (const Error& refused) {
      if (std::string(refused.what()).empty()) ++wrong;
    } catch (const std::exception& other) {
      std::fprintf(stderr, "%s: another type of error: %s\n", path.c_str(), other.what());
      ++wrong;
    }
  };
  refuses([&] { return any::load(path); });
  refuses([&] { return any::open(path); });
  refuses([&] { return any::peek(path).sections.size(); });
  for (const any::kind* const kind : any::kinds()) {
    refuses([&] { return kind->load(path, {}); });
    refuses([&] { return kind->open(path, {}); });
  }
  return memory.peak() > spare_memory ? 98 : wrong;
}
template <class Error>
void expect_refused(const std::string& path) {
  EXPECT_EQ(in_child(long_patience, [&] { return all_refuse<Error>(path); }), success) << path;
}

structure_ptr some() { return built(*any::kinds()[0], members(500, 7), {.fpr = 0.01}); }

TEST(SpecialPaths, NothingThere) {
  const temp_dir dir;
  expect_refused<io_error>("");
  expect_refused<io_error>(dir.file("missing"));
  expect_refused<io_error>(dir.file("missing/deeper"));
  expect_refused<io_error>(std::string(5000, 'x'));
  std::filesystem::create_symlink(dir.file("loop"), dir.file("loop"));
  expect_refused<io_error>(dir.file("loop"));
}

TEST(SpecialPaths, ADirectory) {
  const temp_dir dir;
  expect_refused<io_error>(dir.path());
  expect_refused<io_error>("/");
  EXPECT_THROW(some()->save(dir.path()), io_error);
  EXPECT_TRUE(dir.names().empty());
}

TEST(SpecialPaths, AFifo) {
  const temp_dir dir;
  ASSERT_EQ(::mkfifo(dir.file("fifo").c_str(), 0600), 0);
  expect_refused<io_error>(dir.file("fifo"));
  EXPECT_THROW(some()->save(dir.file("fifo")), io_error);
  EXPECT_EQ(dir.names(), std::set<std::string>{"fifo"});
}

TEST(SpecialPaths, Devices) {
  for (const char* const device : {"/dev/zero", "/dev/null", "/dev/full", "/dev/urandom"}) {
    expect_refused<io_error>(device);
    EXPECT_THROW(some()->save(device), io_error) << device;
  }
}

// Files of the kernel claim to be regular and report a wrong size.
TEST(SpecialPaths, FilesOfTheKernel) {
  for (const char* const path :
       {"/proc/self/status", "/proc/self/mem", "/sys/kernel/mm/transparent_hugepage/enabled"})
    if (std::filesystem::exists(path)) expect_refused<error>(path);
}

TEST(SpecialPaths, NoPermission) {
  const temp_dir dir;
  some()->save(dir.file("secret"));
  ASSERT_EQ(::chmod(dir.file("secret").c_str(), 0), 0);
  EXPECT_EQ(in_child(
                long_patience,
                [&] {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && (::setgid(nobody) != 0 || ::setuid(nobody) != 0)) return 97;
    return all_refuse<io_error>(dir.file("secret"));
                }),
            success)
      << "97: root could not give up its privileges";
}

TEST(SpecialPaths, NoPlaceToSave) {
  const temp_dir dir;
  const auto made = some();
  EXPECT_THROW(made->save(""), io_error);
  EXPECT_THROW(made->save(dir.file("missing/x")), io_error);
  EXPECT_THROW(made->save(dir.file("x") + "/"), io_error);
  EXPECT_THROW(made->save(dir.file(std::string(300, 'n'))), io_error);
  EXPECT_THROW(made->save("/proc/umbel"), io_error);
  EXPECT_TRUE(dir.names().empty());
}

// 46: a sparse file of a tebibyte. With a valid header, the structure must detect that it has fewer
// cells.
TEST(SpecialPaths, ASparseTebibyte) {
  constexpr std::uint64_t huge = std::uint64_t{1} << 40;
  const temp_dir dir;
  const std::string path = dir.file("sparse");
  write_bytes(path, {});
  if (::truncate(path.c_str(), static_cast<off_t>(huge)) != 0)
    GTEST_SKIP() << "no sparse files of 1 TiB here";
  expect_refused<corrupt>(path);  // zeros only

  for (const any::kind* const kind : any::kinds()) {
    SCOPED_TRACE(kind->name());
    file_image image{built(*kind, members(100, 7), {.fpr = 0.01})->encode()};
    const auto put = [&] {
      write_bytes(path, image.bytes());
      ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(huge)), 0);
    };
    put();
    EXPECT_EQ(mapped(*kind, path, 0), verdict::refused);  // the header tells the true, small size
    EXPECT_THROW((void)kind->load(path, {}), corrupt);
    const auto last = image.entries().back();
    image.set(last.at + at::entry_length, huge - last.offset)
        .set(at::file_bytes, huge)
        .seal_front();
    put();
    EXPECT_EQ(mapped(*kind, path, 0), verdict::refused);  // a last section of nearly 1 TiB
  }
}

// The same, loaded: the allocation fails and the allocator's exception comes through.
TEST(SpecialPaths, ASparseTebibyteIsNotCopied) {
  class none final : public std::pmr::memory_resource {
    void* do_allocate(std::size_t, std::size_t) override { throw std::bad_alloc(); }
    void do_deallocate(void*, std::size_t, std::size_t) override {}
    [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
      return this == &other;
    }
  } memory;
  constexpr std::uint64_t huge = std::uint64_t{1} << 40;
  const temp_dir dir;
  const std::string path = dir.file("sparse");
  for (const any::kind* const kind : any::kinds()) {
    file_image image{built(*kind, members(100, 7), {.fpr = 0.01})->encode()};
    const auto last = image.entries().back();
    write_bytes(path, image.set(last.at + at::entry_length, huge - last.offset)
                          .set(at::file_bytes, huge)
                          .seal_front()
                          .bytes());
    if (::truncate(path.c_str(), static_cast<off_t>(huge)) != 0)
      GTEST_SKIP() << "no sparse files of 1 TiB here";
    try {
      (void)kind->load(path, {.memory = &memory});
      ADD_FAILURE() << kind->name();
    } catch (const corrupt&) {
    } catch (const std::bad_alloc&) {
    }
  }
}

}  // namespace
}  // namespace umbel::test
