#!/usr/bin/env bash
# test.sh - what `make test` does. It stops at the first stage that fails; the last line counts the
# tests of all ctest runs (and a failed stage as one). UMBEL_STAGES="static release" runs those
# stages alone.
set -uo pipefail
cd "$(dirname "$0")/.."
source tools/stages.sh

# All areas but those of hostile bytes, as users get them.
release() { build release && run_tests -LE '^(hostile|fuzz)$'; }

# What reads bytes from outside, and every kind at small n: sanitizers see bad accesses, error rates
# were measured above.
sanitized() {
  build asan umbel_tool replays test_hostile test_laws &&
    UMBEL_SMALL=1 run_tests -L '^(hostile|laws|fuzz|flow)$'
}

threads() { build tsan test_concurrent && run_tests -L '^concurrent$'; }

# Vector kernels, bit tricks and modular arithmetic are what two compilers may see differently.
other_compiler() { build clang test_cells test_engine && run_tests -L '^(cells|engine)$'; }

stage static static_checks
stage release release
stage sanitized sanitized
stage threads threads
stage clang other_compiler
stage headers tools/check_headers.py
exit 0
