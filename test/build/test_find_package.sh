# test_find_package.sh - find_package finds an installed umbel, in a place other than the configured
# prefix.
source "$UMBEL_SOURCE_DIR/test/build/common.sh"
install_umbel
cmake_consumer find_package -DCMAKE_PREFIX_PATH="$prefix"
