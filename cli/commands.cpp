// commands.cpp - the list of subcommands.
#include "command.hpp"

namespace umbel::cli {

std::span<const command* const> commands() noexcept {
  static constexpr const command* all[] = {
      &build, &query,      &get,      &add,           &erase,
      &merge, &intersect,  &convert,  &compress_file, &decompress_file,
      &info,  &verify,     &estimate, &kinds,         &plan,
      &bench, &completion, &man};
  return all;
}

}  // namespace umbel::cli
