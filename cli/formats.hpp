// formats.hpp - names of the file formats that `umbel convert` reads and writes.
#pragma once

#include <string_view>

namespace umbel::cli {

enum class format { umbel, dcso, parquet, parquet_bits };
inline constexpr std::string_view format_names[] = {"umbel", "dcso", "parquet", "parquet-bits"};

}  // namespace umbel::cli
