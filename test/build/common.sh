# common.sh - sourced by the tests beside it: a temporary scratch folder, and steps they share.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
here=$UMBEL_SOURCE_DIR/test/build
prefix=$scratch/prefix
# A consumer's build uses none of the developer's own compiler flags.
unset CXXFLAGS CPPFLAGS LDFLAGS

install_umbel() { cmake --install "$UMBEL_BUILD_DIR" --prefix "$prefix" >"$scratch/install.log"; }

# cmake_consumer PROJECT [OPTION...]: configure, build and run the tests of a project here.
cmake_consumer() {
  local project=$1
  shift
  cmake -S "$here/$project" -B "$scratch/$project" -G Ninja "$@"
  cmake --build "$scratch/$project"
  ctest --test-dir "$scratch/$project" --output-on-failure --no-tests=error
}

# plain_consumer FLAG...: compile the two files by hand, warnings being errors, and run the result.
plain_consumer() {
  g++ -std=c++20 -O1 -Wall -Wextra -Werror "$here/consumer/main.cpp" "$here/consumer/other.cpp" "$@" \
    -o "$scratch/consumer"
  "$scratch/consumer"
}
