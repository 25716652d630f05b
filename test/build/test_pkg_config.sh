# test_pkg_config.sh - an installed umbel is found by pkg-config and used by a bare compiler:
# headers alone as `umbel`, with the compiled bodies as `umbel_cpp`.
source "$UMBEL_SOURCE_DIR/test/build/common.sh"
install_umbel
export PKG_CONFIG_PATH=$prefix/share/pkgconfig
plain_consumer $(pkg-config --cflags --libs umbel)

export PKG_CONFIG_PATH=$prefix/$(cd "$prefix" && find lib* -type d -name pkgconfig)
flags=$(pkg-config --cflags --libs umbel_cpp)
[[ " $flags " == *" -lumbel_cpp "* && " $flags " == *" -DUMBEL_COMPILED "* ]] ||
  { echo "umbel_cpp.pc says: $flags" >&2; exit 1; }
plain_consumer $flags
# -lumbel is kept for a library with a C interface: no archive may answer to it.
! find "$prefix" -name 'libumbel.*' | grep . >&2
