// main.cpp - the command `umbel`: runs it and turns errors into messages.
#include <exception>
#include <new>
#include <stdexcept>

#include <fmt/format.h>

#include <umbel/base/error.hpp>

#include "command.hpp"
#include "streams.hpp"

int main(int argc, char** argv) {
  using namespace umbel::cli;
  try {
    return static_cast<int>(run({.words = {argv, argv + argc}}));
  } catch (const std::bad_alloc&) {
    note(
        "out of memory: this needs more than the process may take; `ulimit -v` and `free` tell how "
        "much that is");
  } catch (const std::length_error&) {  // a container asked for more than any memory could hold
    note("out of memory: the numbers given are too large for any machine");
  } catch (const umbel::error& e) {
    note(e.what());
  } catch (const std::exception& e) {
    note(fmt::format("unexpected: {}", e.what()));
  }
  return static_cast<int>(exit_code::trouble);
}
