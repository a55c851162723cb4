#!/usr/bin/env bash
# fresh-seeds.sh: all Rust tests with a seed that no run had before, for those that draw what they do.
#
# `make test` draws from stated seeds, so that nobody's run fails by a fault that was there already. What fails here is
# mended, and its seed is written beside the test (proptest writes its own cases). SEED=n repeats a run.
. "$(dirname "$0")/lib.sh"
# The same artifacts as of the tests.
lint_while_building

seed=${SEED:-$(od -An -N7 -tu8 /dev/urandom | tr -d ' ')}
say "seed $seed"
export PROPTEST_RNG_SEED=$seed SAKER_TEST_SEED=$seed
# Ends below what a number of 64 bits holds.
export SAKER_SIM_SEEDS=$seed..$((seed + 40))
mkdir -p ui/dist
if [ -z "${SAKER_BIN:-}" ]; then
  cargo test --workspace --locked --no-run
  export SAKER_BIN=$target_dir/debug/saker
fi
scripts/pg-test.sh cargo xtask test "$@" || die "with seed $seed: SEED=$seed make fresh-seeds repeats it"
