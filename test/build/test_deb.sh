# test_deb.sh - the Debian packages: lintian finds no error, and unpacked they give a tool that
# runs, its manual and completion, and a library that CMake and pkg-config find. With UMBEL_LONG
# they are installed by apt-get, too, which takes root, and used where a system has them.
source "$UMBEL_SOURCE_DIR/test/build/common.sh"
fail() { echo "$1" >&2; exit 1; }
export DEBFULLNAME=Tester DEBEMAIL=tester@example.org
# Packed quickly: how tightly is not what is tested.
"$UMBEL_SOURCE_DIR/tools/deb.sh" "$UMBEL_BUILD_DIR" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip
packages=("$UMBEL_BUILD_DIR"/deb/*.deb)
names=$(for package in "${packages[@]}"; do dpkg-deb -f "$package" Package; done | sort | paste -s -d' ')
[[ $names == "libumbel-cpp-dev umbel" ]] || fail "packages: $names"
lintian --allow-root --fail-on error --tag-display-limit 0 "${packages[@]}"

# check ROOT: what an unpacked or installed system must have.
check() {
  local root=$1
  "$root/usr/bin/umbel" --version | grep -qx "umbel $(dpkg-deb -f "${packages[0]}" Version)" || fail "no tool"
  gzip -cd "$root/usr/share/man/man1/umbel.1.gz" | mandoc -T lint -W error || fail "the manual is not well formed"
  bash -n "$root/usr/share/bash-completion/completions/umbel"
  zsh -n "$root/usr/share/zsh/vendor-completions/_umbel"
  fish -n "$root/usr/share/fish/vendor_completions.d/umbel.fish"
  rm -rf "$scratch/find_package"
  cmake_consumer find_package "-DCMAKE_PREFIX_PATH=$root/usr"
  export PKG_CONFIG_PATH=$root/usr/share/pkgconfig:$root/usr/lib/pkgconfig
  plain_consumer $(pkg-config --cflags --libs umbel_cpp)
}
for package in "${packages[@]}"; do dpkg-deb -x "$package" "$scratch/root"; done
check "$scratch/root"

if [[ -n ${UMBEL_LONG:-} ]]; then
  [[ $(id -u) -eq 0 ]] || fail "UMBEL_LONG installs packages, which takes root"
  ! dpkg-query -W umbel libumbel-cpp-dev 2>/dev/null | grep . || fail "umbel is installed here already"
  trap 'DEBIAN_FRONTEND=noninteractive apt-get purge -y -qq umbel libumbel-cpp-dev >/dev/null; rm -rf "$scratch"' EXIT
  chmod 755 "$scratch" && cp "${packages[@]}" "$scratch" # apt's own user must be able to read them
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$scratch"/*.deb
  check ""
  zsh -fc 'autoload -Uz compinit && compinit -u -d '"$scratch/zcompdump"' && [[ -n ${_comps[umbel]} ]]' ||
    fail "zsh does not find the completion"
  man -w umbel >/dev/null || fail "man does not find the manual"
fi
