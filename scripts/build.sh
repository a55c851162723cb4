#!/usr/bin/env bash
# build.sh [PROFILE]: builds the complete binary, target/release/saker, or below CARGO_TARGET_DIR; its debug
# information is in saker.debug beside it. With the profile `quick`, target/quick/saker: quicker to build.
. "$(dirname "$0")/lib.sh"

profile=${1:-release}
scripts/install-build.sh
scripts/build-ui.sh
say "building the server [after $SECONDS s; the first time takes some minutes, cargo counts its 300 crates]"
cargo build --profile "$profile" --locked -p saker
scripts/split-symbols.sh "$target_dir/$profile/saker"
say "built $target_dir/$profile/saker [after $SECONDS s]"
