#!/usr/bin/env bash
# check.sh - what `make check` does, for the minutes between edits: static checks, and the areas
# that compile quickly, in the build that `make test` uses. `make test` is what decides.
set -uo pipefail
cd "$(dirname "$0")/.."
source tools/stages.sh

quick() { build release test_base test_hash test_sizing test_cells && run_tests -L '^(base|hash|sizing|cells)$'; }
stage static static_checks
stage quick quick
exit 0
