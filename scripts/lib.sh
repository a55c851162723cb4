# Shared by the scripts beside; sourced, never run. Bash.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# Where cargo puts what it builds.
target_dir=${CARGO_TARGET_DIR:-$root/target}

say() { printf '\n==> %s\n' "$*" >&2; }
die() {
  printf '\n%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# The browser of the tests: the shell without a window takes a quarter less time.
test_browser() { command -v chromium-headless-shell || command -v chromium || true; }

# Rust of a user without a login shell.
if ! have cargo && [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ]; then
  PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
fi

# lint_while_building: from here on clippy compiles the crates of the workspace, and what it warns of is an error.
lint_while_building() {
  local driver
  driver=$(rustc --print sysroot)/bin/clippy-driver
  [ -x "$driver" ] || die "clippy is missing: rustup component add clippy"
  # The sign is how cargo-clippy divides arguments.
  export RUSTC_WORKSPACE_WRAPPER=$driver CLIPPY_ARGS="-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__"
}

# as_root COMMAND...: runs it as root, by sudo if need be.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif have sudo; then
    sudo -- "$@"
  else
    die "root is needed for: $*
Run this as root once, or install sudo, or let somebody run that command."
  fi
}

# missing_packages NAME...: those of the Debian packages that are not installed.
missing_packages() {
  local name
  for name in "$@"; do
    dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'install ok installed' ||
      printf '%s\n' "$name"
  done
}

# install_packages NAME...: by apt, quietly, with fresh lists if the present ones do not do.
install_packages() {
  have apt-get || die "no apt-get here; install by hand: $*"
  local options=(-y -q --no-install-recommends -o Dpkg::Use-Pty=0)
  say "installing $*"
  if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get install "${options[@]}" "$@"; then
    as_root apt-get update -q
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install "${options[@]}" "$@"
  fi
}

# install_peers PACKAGE[=SERVICE]...: those Debian packages that are missing, without anything being
# started now, and without the services that came along being started at boot.
install_peers() {
  local pair missing policy=/usr/sbin/policy-rc.d has_policy=
  mapfile -t missing < <(missing_packages "${@%%=*}")
  [ "${#missing[@]}" -gt 0 ] || return 0
  # Debian asks this file before it starts a service; 101 means no.
  if [ ! -e "$policy" ]; then
    as_root install -m 755 /dev/stdin "$policy" <<<$'#!/bin/sh\nexit 101'
    trap "as_root rm -f '$policy'" EXIT
    has_policy=1
  fi
  install_packages "${missing[@]}"
  if [ -n "$has_policy" ]; then
    as_root rm -f "$policy"
    trap - EXIT
  fi
  have systemctl || return 0
  for pair in "$@"; do
    if [ "$pair" != "${pair%%=*}" ] && printf '%s\n' "${missing[@]}" | grep -qx "${pair%%=*}"; then
      as_root systemctl disable --quiet "${pair#*=}" 2>/dev/null || true
    fi
  done
}

# at_least HAVE WANTED: compares versions such as 1.95.0.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# newer_than FILE PATH...: whether anything below the paths was changed after the file.
newer_than() {
  local file=$1
  shift
  [ ! -e "$file" ] || [ -n "$(find "$@" -newer "$file" -type f -print -quit 2>/dev/null)" ]
}

# left_running DIR: ids of the processes that the directory gives away, one a line: by command line,
# environment (TMPDIR), working directory or an open file. Environments alone would not do: programs
# that write titles (zabbix_agentd, PostgreSQL) write them over it.
left_running() {
  # Made here, and not where the list is needed: what this function starts is not in it.
  local processes=(/proc/[0-9]*)
  {
    grep -lsF -- "$1" "${processes[@]/%//cmdline}" "${processes[@]/%//environ}" || true
    find "${processes[@]/%//cwd}" "${processes[@]/%//fd}" -lname "$1*" 2>/dev/null || true
  } | sed 's|^/proc/\([0-9]*\)/.*|\1|' | sort -nu
}
