#!/usr/bin/env bash
# test_long.sh - what `make test-long` does: every area under every preset, laws at full size
# (UMBEL_LONG=1); units and laws for ARM64; clang-tidy; batches against single calls; of each fuzz
# target 100,000 inputs and ten minutes. Hours, not minutes. Consumers (area `build`) use the
# release build only.
set -uo pipefail
cd "$(dirname "$0")/.."
source tools/stages.sh
export UMBEL_LONG=1
options=(-DUMBEL_TEST_TIMEOUT=7200)

release() { options+=(-DUMBEL_BENCH=ON) && build release all test_hostile replays && run_tests; }
all_but_consumers() { build "$1" all test_hostile replays && run_tests -LE '^build$'; }

# Areas of units and the laws, by Debian's cross compiler, run by qemu. At small n, because qemu
# takes many times as long. The test of the golden files (codec) holds files written there to the
# bytes of those written here.
arm64() {
  local areas=(base hash sizing cells solve core engine map set net recon codec laws)
  build arm64 "${areas[@]/#/test_}" && UMBEL_LONG= UMBEL_SMALL=1 run_tests -L "^($(IFS='|' && echo "${areas[*]}"))\$"
}

stage release release
stage batches tools/check_batches.py  # alone on the machine: it compares times
for preset in asan debug clang tsan; do
  stage "$preset" all_but_consumers "$preset"
done
stage arm64 arm64
stage tidy run-clang-tidy -quiet -p build "^$PWD/(src|cli|test|fuzz|bench|example)/"
stage fuzz tools/fuzz.sh --runs 100000
stage fuzz_longer tools/fuzz.sh 600
exit 0
