#!/usr/bin/env bash
# bench.sh BENCH [OPTION...]: one benchmark of a whole server process, or its list: see bench/README.md.
#
# SAKER_BIN names the server's binary; if it is not set, the one that ships is built.
. "$(dirname "$0")/lib.sh"

if [ -z "${SAKER_BIN:-}" ]; then
  scripts/build.sh
  export SAKER_BIN=$target_dir/release/saker
fi
cargo build --release --locked -p bench
# Vanished devices do not answer pings either, where a network of its own may be had.
if [ "${1:-}" = outage ] && scripts/with-own-network.sh true 2>/dev/null; then
  exec scripts/with-own-network.sh "$target_dir/release/saker-bench" "$@"
fi
exec "$target_dir/release/saker-bench" "$@"
