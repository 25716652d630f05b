# test_add_subdirectory.sh - umbel as a subdirectory of another project.
source "$UMBEL_SOURCE_DIR/test/build/common.sh"
cmake_consumer add_subdirectory -DUMBEL_SOURCE_DIR="$UMBEL_SOURCE_DIR"
