#!/usr/bin/env bash
# Builds the fuzz targets and runs each for a while: scripts/fuzz.sh [CRATE[/TARGET]…]
# FUZZ_SECS (600) a target, FUZZ_JOBS (2) at a time. Needs the nightly toolchain, not cargo-fuzz.
# What was found lies in target/fuzz/found/TARGET, a line a target in target/fuzz/runs.tsv.
set -euo pipefail
cd "$(dirname "$0")/.."

secs=${FUZZ_SECS:-600}
jobs=${FUZZ_JOBS:-2}
triple=$(rustc -vV | sed -n 's/^host: //p')
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target/fuzz/target}
out=${FUZZ_OUT:-$PWD/target/fuzz}
mkdir -p "$out"

# What cargo-fuzz passes with `-s none`: Rust checks its own accesses.
coverage="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares
    --cfg fuzzing -Cdebug-assertions -Coverflow-checks=yes"

targets() {
    local manifest crate
    for manifest in crates/*/fuzz/Cargo.toml; do
        crate=$(basename "$(dirname "$(dirname "$manifest")")")
        sed -n 's/^path = "fuzz_targets\/\(.*\)\.rs"$/\1/p' "$manifest" | sed "s|^|$crate/|"
    done
}

build() {
    local crate
    for crate in $(printf '%s\n' "$@" | cut -d/ -f1 | sort -u); do
        RUSTFLAGS=$(echo $coverage) CARGO_PROFILE_RELEASE_DEBUG=1 nice cargo +nightly build \
            --release --target "$triple" --manifest-path "crates/$crate/fuzz/Cargo.toml"
    done
}

# One target, until its time is over; what ends it early is kept, and it goes on, three times at most.
run() {
    local target=$1 crate=${1%/*} name=${1#*/} start=$SECONDS left n=0 runs=0 cpu=0 last
    local found="$out/found/$name/" log="$out/log/$name" corpus="$out/corpus/$name"
    mkdir -p "$found" "$out/log" "$corpus"
    : >"$log"
    while left=$((secs - (SECONDS - start))) && ((left > 0 && n < 4)); do
        local TIMEFORMAT='%U %S' used code=0
        used=$({ time nice "$CARGO_TARGET_DIR/$triple/release/$name" \
            -max_total_time="$left" -rss_limit_mb=4096 -timeout=100 -report_slow_units=3 \
            -print_final_stats=1 -artifact_prefix="$found" "$corpus" \
            "crates/$crate/fuzz/corpus/$name" >>"$log" 2>&1 || code=$?; } 2>&1)
        cpu=$(echo "$cpu $used" | awk '{print $1 + $2 + $3}')
        n=$((n + 1))
    done
    runs=$(awk '/stat::number_of_executed_units/ {n += $2} END {print n + 0}' "$log")
    last=$(grep -o 'cov: [0-9]* ft: [0-9]* corp: [^ ]*' "$log" | tail -1)
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$(date -u +%F)" "$target" "$((SECONDS - start)) s" \
        "$cpu s CPU, $runs runs" "$last" "$(find "$found" -type f | wc -l) found" >>"$out/runs.tsv"
}

list=$(targets)
if (($#)); then
    list=$(for it in "$@"; do echo "$list" | grep -E "^$it(/|\$)"; done)
fi
[ -n "${FUZZ_BUILT:-}" ] || build $list
for target in $list; do
    while (($(jobs -rp | wc -l) >= jobs)); do wait -n || true; done
    run "$target" &
done
wait
cat "$out/runs.tsv"
