#!/usr/bin/env bash
# test.sh - what `make test` does: static checks; everything once in release; hostile inputs, laws and fuzz seeds by clang
# under the address and undefined-behaviour sanitizers; concurrency under the thread sanitizer; every header, by g++ and
# clang; cells and indices by clang.
# It stops at the first stage that fails. The last line counts the tests of all ctest runs (and a failed stage as one).
set -uo pipefail
cd "$(dirname "$0")/.."
source tools/stages.sh
timed=build/pieces/.ninja_log

static_checks() {
  python3 tools/check_includes.py && python3 tools/check_names.py && python3 tools/check_references.py &&
    tools/format.sh --check
}

release() {
  build pieces && run_tests pieces
}

# Laws at small n: the sanitizers are here to see bad accesses, not to measure error rates.
sanitized() {
  local targets=(replays $(area_targets hostile laws))
  has_scripts hostile && targets+=(umbel_tool)
  build asan "${targets[@]}" && UMBEL_SMALL=1 run_tests asan hostile laws fuzz
}

concurrent() {
  local targets=($(area_targets concurrent))
  [[ ${#targets[@]} -eq 0 ]] || { build tsan "${targets[@]}" && run_tests tsan concurrent; }
}

# Where the words are: vector kernels, bit tricks and modular arithmetic are what two compilers may see differently.
other_compiler() {
  local targets=($(area_targets cells index))
  [[ ${#targets[@]} -eq 0 ]] || { build clang "${targets[@]}" && run_tests clang cells index; }
}

# UMBEL_STAGES="static release" runs those alone.
wanted() { [[ -z ${UMBEL_STAGES:-} || " $UMBEL_STAGES " == *" $1 "* ]]; }
wanted static && stage "static checks" static_checks
wanted release && stage "every test, release" release
wanted sanitized && stage "hostile inputs, laws, fuzz seeds: address and undefined-behaviour sanitizers" sanitized
wanted concurrent && stage "concurrency: thread sanitizer" concurrent
wanted headers && stage "every header alone" python3 tools/check_headers.py
wanted clang && stage "cells and indices, by clang" other_compiler
exit 0
