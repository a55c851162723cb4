#!/usr/bin/env bash
# Installs what building needs from Debian, and only what is missing; checks Rust and Node.
. "$(dirname "$0")/lib.sh"

rust_min=1.95.0
node_min=20.19.0

mapfile -t missing < <(missing_packages build-essential pkg-config libssl-dev ca-certificates)
if [ "${#missing[@]}" -gt 0 ]; then
  install_packages "${missing[@]}"
fi

have cargo || die "Rust is missing. Get $rust_min or newer from https://rustup.rs:
  curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y"
rust=$(rustc --version | cut -d ' ' -f 2)
at_least "$rust" "$rust_min" ||
  die "Rust $rust is too old; Saker needs $rust_min or newer: rustup update stable"

have node || die "Node.js is missing. Get $node_min or newer, for example from
https://nodejs.org/en/download (Debian 12 has version 18 only, which is too old)."
node=$(node --version | tr -d v)
at_least "$node" "$node_min" ||
  die "Node.js $node is too old; the build of the pages needs $node_min or newer:
https://nodejs.org/en/download"
have npm || die "npm is missing; it belongs to Node.js: https://nodejs.org/en/download"
