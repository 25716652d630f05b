# test_single_header.sh - the generated single header is enough, without the source tree.
source "$UMBEL_SOURCE_DIR/test/build/common.sh"
python3 "$UMBEL_SOURCE_DIR/tools/amalgamate.py" "$scratch/umbel.hpp"
# Reading it takes seconds, so both files of the consumer are read as one. What would fail to link
# from two is seen in
# the one's symbols: a body lacking `inline`.
g++ -std=c++20 -O1 -Wall -Wextra -Werror -I"$scratch" '-DCONSUMER_HEADER=<umbel.hpp>' \
  -include "$here/consumer/main.cpp" -c "$here/consumer/other.cpp" -o "$scratch/consumer.o"
own=$(nm -C --extern-only --defined-only "$scratch/consumer.o" | sed -n 's/^[0-9a-f]* [^VWu] //p' | sort | paste -s -d' ')
[ "$own" = "main other_file_agrees()" ] || { echo "not inline: $own" >&2; exit 1; }
g++ "$scratch/consumer.o" -o "$scratch/consumer"
"$scratch/consumer"
