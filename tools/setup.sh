#!/bin/sh
# setup.sh - install the Debian 12 packages that building and testing need.
# Silent and quick when nothing is missing, so every make target can call it first.
set -eu

packages="
  g++ clang libclang-rt-14-dev cmake ninja-build ccache python3 pkg-config
  libxxhash-dev libcli11-dev libfmt-dev libzstd-dev zlib1g-dev
  libgtest-dev libgmock-dev librapidcheck-dev libssl-dev
  wamerican clang-format clang-tidy
  acl unicode-data valgrind zsh fish mandoc zstd sqlite3 chromium-headless-shell wamerican-huge golang-github-dcso-bloom-cli
"

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  # Not a Debian system: say what is wanted once, and let the build itself report what is really missing.
  echo "setup: this is not a Debian system, so nothing was installed. The build wants the equivalents of:" >&2
  echo $packages >&2
  exit 0
fi

# dpkg-query lists what it knows and fails when any name is unknown; both are fine here.
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $packages 2>/dev/null | sed -n 's/^installed //p') || true
missing=""
for package in $packages; do
  case "
$installed
" in
    *"
$package
"*) ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root="env"
elif command -v sudo >/dev/null; then
  as_root="sudo env"
else
  echo "setup: these packages are missing and need root (or sudo) to install:$missing" >&2
  exit 1
fi

echo "setup: installing$missing"
install_missing() {
  $as_root DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
}
# A fresh system may hold no package lists, or stale ones: fetch them only when the first try fails.
install_missing >/dev/null 2>&1 || { $as_root apt-get update -qq && install_missing; }
