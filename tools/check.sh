#!/usr/bin/env bash
# check.sh - what `make check` does, in under three minutes on two cores: static checks, and in
# release the areas that are quick to compile. For use between edits; `make test` is the full check.
set -uo pipefail
cd "$(dirname "$0")/.."
source tools/stages.sh
timed=build/pieces/.ninja_log
areas=(base hash sizing cells engine)

quick() { build pieces $(area_targets "${areas[@]}") && run_tests pieces "${areas[@]}"; }
stage "static checks" static_checks
stage "${areas[*]}, release" quick
exit 0
