// options.hpp - the interface by which a command defines its options and arguments.
//
// CLI11, the library that parses command lines, takes seconds to compile. Only parser.cpp includes
// it; every other file uses this class.
//
// Layout     Names are those of CLI11: "-o,--output"; without a hyphen, "INPUT" is a positional
//            argument. `type` is the name of the value in help.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace umbel::cli {

class option_list {
 public:
  explicit option_list(CLI::App& app) noexcept : app_(app) {}

  void flag(const char* names, bool& into, const char* help);
  void text(const char* names, std::string& into, const char* type, const char* help);
  // One or more; `between` may separate several in one word.
  void texts(const char* names, std::vector<std::string>& into, const char* type, const char* help,
             char between = 0);
  // A value parsed by parse(name, text), whose error message names the option.
  template <class T, class Parse>
  void parsed(const char* name, T& into, Parse parse, const char* type, const std::string& help) {
    std::string_view called(name);
    called.remove_prefix(called.rfind(',') + 1);  // the long one, as messages have it
    passed(
        name, [&into, parse, called](const std::string& text) { into = parse(called, text); }, type,
        help);
  }

  void require(const char* name);
  void exclude(const char* name, const char* other);  // they cannot both be given

 private:
  void passed(const char* name, std::function<void(const std::string&)> take, const char* type,
              const std::string& help);

  CLI::App& app_;
};

}  // namespace umbel::cli
