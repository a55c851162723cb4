#!/usr/bin/env bash
# Builds and starts the server with its data in ./data. Arguments go to `saker server`; SAKER_…
# variables set what they name.
. "$(dirname "$0")/lib.sh"

scripts/build.sh quick
data=()
# A flag would override the variable.
[ -n "${SAKER_DATA:-}" ] || data=(--data ./data)
exec "$target_dir/quick/saker" server "${data[@]}" "$@"
