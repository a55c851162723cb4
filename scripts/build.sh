#!/usr/bin/env bash
# Builds the complete binary: target/release/saker, or below CARGO_TARGET_DIR; its debug information
# is in saker.debug beside it.
. "$(dirname "$0")/lib.sh"

scripts/install-build.sh
scripts/build-ui.sh
say "building the server (the first time takes some minutes)"
cargo build --release --locked -p saker
scripts/split-symbols.sh "$target_dir/release/saker"
say "built $target_dir/release/saker"
