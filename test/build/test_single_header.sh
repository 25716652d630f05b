# test_single_header.sh - the generated single header is enough, with nothing of the source tree in reach.
source "$UMBEL_SOURCE_DIR/test/build/common.sh"
python3 "$UMBEL_SOURCE_DIR/tools/amalgamate.py" "$scratch/umbel.hpp"
plain_consumer -I"$scratch" '-DCONSUMER_HEADER=<umbel.hpp>'
