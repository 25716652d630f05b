#!/usr/bin/env bash
# test_long.sh - what `make test-long` does: every area under every preset, laws at full size
# (UMBEL_LONG=1), clang-tidy, each fuzz target for 100,000 inputs and for ten minutes, and batches
# against single calls. Takes hours. Consumers (area `build`) use the release build only. Area `bench`
# compares instruction counts with those of each preset's compiler, and does not run sanitized.
set -uo pipefail
cd "$(dirname "$0")/.."
source tools/stages.sh
export UMBEL_LONG=1
configure_options=(-DUMBEL_TEST_TIMEOUT=7200)

everything() { build "$1" && run_tests "$1"; }
all_but_consumers() { build "$1" && run_tests "$1" -LE '^build$'; }

stage "release" everything release
# With the checks that `make test` leaves out to save time.
all_checks() {
  local configure_options=("${configure_options[@]}"
    "-DCMAKE_CXX_FLAGS=-fsanitize=address,undefined -Wno-maybe-uninitialized")
  all_but_consumers asan
}
# Alone on the machine: it compares times.
stage "batches against single calls" tools/check_batches.py
stage "asan" all_checks
for preset in debug clang tsan; do
  stage "$preset" all_but_consumers "$preset"
done
stage "clang-tidy" run-clang-tidy -quiet -p build "^$PWD/(src|cli|test|fuzz|bench|example)/"
stage "fuzz, 100,000 inputs" tools/fuzz.sh --runs 100000
stage "fuzz, ten minutes" tools/fuzz.sh 600
