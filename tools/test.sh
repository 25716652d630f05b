#!/usr/bin/env bash
# test.sh - what `make test` does: static checks; all tests but hostile inputs and fuzz seeds in
# release; hostile inputs, fuzz seeds, laws and the tests of the tool by clang under the address and
# undefined-behaviour sanitizers; concurrency under the thread sanitizer; cells and indices by
# clang; every header by g++ and clang. Builds for later stages start during the tests of release.
# It stops at the first stage that fails. The last line counts the tests of all ctest runs (and a
# failed stage as one).
set -uo pipefail
cd "$(dirname "$0")/.."
source tools/stages.sh
timed=build/pieces/.ninja_log

release() {
  build pieces || return
  local later=()
  wanted sanitized && later+=(build_sanitized)
  wanted concurrent && later+=(build_concurrent)
  wanted clang && later+=(build_other)
  wanted headers && later+=(headers)  # last: many small jobs, so that no core idles
  ahead "${later[@]}"
  run_tests pieces
}

# At small n: the sanitizers look for bad accesses; they do not measure error rates. Time limits are
# three times the others: scripts start the tool hundreds of times, and sanitized it starts slowly.
build_sanitized() {
  local configure_options=("${configure_options[@]}" -DUMBEL_TEST_TIMEOUT=900 -DUMBEL_SHARE_TIMEOUT=900)
  build asan umbel_tool replays $(area_targets hostile laws)
}
sanitized() {
  arrive build_sanitized && UMBEL_SMALL=1 run_tests asan hostile laws fuzz flow
}

# A single program, for which a precompiled header does not pay.
build_concurrent() {
  local configure_options=("${configure_options[@]}" -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON)
  build tsan $(area_targets concurrent)
}
concurrent() { arrive build_concurrent && run_tests tsan concurrent; }

headers() { python3 tools/check_headers.py; }

# Two compilers may treat vector kernels, bit tricks and modular arithmetic differently; these areas
# contain them.
build_other() { build clang $(area_targets cells engine); }
other_compiler() { arrive build_other && run_tests clang cells engine; }

# UMBEL_STAGES="static release" runs only these.
wanted() { [[ -z ${UMBEL_STAGES:-} || " $UMBEL_STAGES " == *" $1 "* ]]; }
wanted static && stage "static checks" static_checks
wanted release && stage "all but hostile inputs, release" release
wanted sanitized && stage "hostile inputs, laws, fuzz seeds, the tool: address and undefined-behaviour sanitizers" sanitized
wanted concurrent && stage "concurrency: thread sanitizer" concurrent
wanted clang && stage "cells and indices, by clang" other_compiler
wanted headers && stage "every header alone" arrive headers
exit 0
