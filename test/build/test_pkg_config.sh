# test_pkg_config.sh - an installed umbel is found by pkg-config and used by a bare compiler, headers alone.
source "$UMBEL_SOURCE_DIR/test/build/common.sh"
install_umbel
export PKG_CONFIG_PATH=$prefix/share/pkgconfig
plain_consumer $(pkg-config --cflags --libs umbel)
