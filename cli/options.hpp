// options.hpp - how a command says what it takes, and where that goes.
// Idea       The library that reads command lines, CLI11, takes seconds to compile: parser.cpp
//            alone sees it, and every other file this list.
// Layout     Names are as CLI11 has them: "-o,--output"; without a hyphen, "INPUT" is a place after
//            the options. `type` is what help calls the value.
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
  // A text that goes through parse(name, text): what is said of a bad number is ours, and names the
  // option.
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
