// formats.hpp - the files that `umbel convert` reads and writes, by name.
#pragma once

#include <string_view>

namespace umbel::cli {

enum class format { umbel, dcso, parquet, parquet_bits };
inline constexpr std::string_view format_names[] = {"umbel", "dcso", "parquet", "parquet-bits"};

}  // namespace umbel::cli
