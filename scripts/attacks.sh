#!/usr/bin/env bash
# attacks.sh [ATTACK...]: what an outsider does to a server, and what the server and an administrator feel of it: see
# tests/attacks/README.md.
#
# SAKER_BIN names the binary; if it is not set, the one that ships is built.
. "$(dirname "$0")/lib.sh"

if [ -z "${SAKER_BIN:-}" ]; then
  scripts/build.sh
  export SAKER_BIN=$target_dir/release/saker
fi
scripts/venv.sh
exec .venv/bin/python tests/attacks/run.py "$@"
