// child.hpp - runs part of a test in a child process, because it may hang, crash, or give up its
// privileges.
#pragma once

#include <csignal>
#include <cstdio>
#include <exception>
#include <ostream>

#include <sys/wait.h>
#include <unistd.h>

namespace umbel::test {

struct ending {
  int code = -1;   // exit code, or -1
  int signal = 0;  // SIGALRM: it took too long
  friend bool operator==(const ending&, const ending&) = default;
  friend std::ostream& operator<<(std::ostream& out, const ending& e) {
    if (e.signal == SIGALRM) return out << "took too long";
    return e.signal != 0 ? out << "killed by signal " << e.signal : out << "exit code " << e.code;
  }
};
inline constexpr ending success{0, 0};

// Runs `work`, which returns an exit code, for at most this many seconds. An exception ends it with
// code 99.
template <class Work>
[[nodiscard]] ending in_child(unsigned seconds, Work&& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(seconds);
    int code = 99;
    try {
      code = work();
    } catch (const std::exception& failed) {
      std::fprintf(stderr, "in the child: %s\n", failed.what());
    }
    ::_exit(code);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return {};
  return WIFSIGNALED(status) ? ending{-1, WTERMSIG(status)} : ending{WEXITSTATUS(status), 0};
}

}  // namespace umbel::test
