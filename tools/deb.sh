#!/usr/bin/env bash
# deb.sh - what `make deb` does: makes Debian packages of a build folder (default: build) in its
# deb/. Further arguments are passed to cpack. The maintainer is DEBFULLNAME and DEBEMAIL, as for
# Debian's own programs, or else git's user.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
shift $(($# > 0))
export DEBFULLNAME=${DEBFULLNAME:-$(git config user.name || true)}
export DEBEMAIL=${DEBEMAIL:-$(git config user.email || true)}
if [[ -z $DEBFULLNAME || -z $DEBEMAIL ]]; then
  echo "deb: a package names who made it. Say so, or set git's user.name and user.email:" >&2
  echo "  DEBFULLNAME='Your Name' DEBEMAIL=you@example.org make deb" >&2
  exit 1
fi
# The same commit gives the same bytes.
if [[ -z ${SOURCE_DATE_EPOCH:-} ]] && epoch=$(git log -1 --format=%ct 2>/dev/null); then
  export SOURCE_DATE_EPOCH=$epoch
fi
rm -rf "$build/deb"
cpack --config "$build/CPackConfig.cmake" -B "$build/deb" -D CPACK_PACKAGE_CONTACT="$DEBFULLNAME <$DEBEMAIL>" "$@" \
  >"$build/deb.log" 2>&1 || { cat "$build/deb.log" >&2; exit 1; }
rm -rf "$build/deb/_CPack_Packages"
ls "$build"/deb/*.deb
