#!/usr/bin/env bash
# test-loaded.sh [FILE|rust...]: tests beside busy processes, which find what counts on being quick.
#
# BUSY (4) processes do nothing but run. FILE: a browser test (ui/e2e/…) or a client or peer test (tests/…), run ROUNDS (5)
# times; `rust`: the Rust tests, run once. Without any, all of them. All rounds run; the exit code says whether all have
# passed. SAKER_BIN names the server; if it is not set, the one of the development profile is built, with the pages.
. "$(dirname "$0")/lib.sh"

rounds=${ROUNDS:-5} busy=${BUSY:-4}
browser=() clients=() rust=
for file in "$@"; do
  case $file in
    ui/e2e/*) browser+=("${file#ui/}") ;;
    tests | tests/*) clients+=("$file") ;;
    rust) rust=yes ;;
    *) die "no browser test, no client test and not rust: $file" ;;
  esac
done
if [ $# = 0 ]; then
  mapfile -t browser < <(cd ui && printf '%s\n' e2e/*.test.ts e2e/journeys/*.test.ts)
  clients=(tests) rust=yes
fi
lint_while_building

if [ -z "${SAKER_BIN:-}" ]; then
  scripts/build-ui.sh
  cargo build --locked --bin saker
  export SAKER_BIN=$target_dir/debug/saker
fi
SAKER_CHROMIUM=${SAKER_CHROMIUM:-$(test_browser)}
export SAKER_CHROMIUM SAKER_REQUIRE_PEERS=1
[ "${#clients[@]}" = 0 ] || scripts/venv.sh
# Built before anything is busy.
[ -z "$rust" ] || cargo test --workspace --all-targets --locked --no-run

running=()
stop_busy() { [ "${#running[@]}" = 0 ] || kill "${running[@]}" 2>/dev/null || true; }
trap stop_busy EXIT
for _ in $(seq "$busy"); do
  (while :; do :; done) &
  running+=($!)
done

failed=()
if [ -n "$rust" ]; then
  say "Rust tests [after $SECONDS s]"
  env RUST_TEST_THREADS=$(($(nproc) * 2)) scripts/pg-test.sh cargo xtask test || failed+=("Rust tests")
fi
for round in $(seq "$rounds"); do
  if [ "${#browser[@]}" -gt 0 ]; then
    say "browser tests, round $round of $rounds [after $SECONDS s]"
    (cd ui && node --import tsx --test --test-concurrency=2 --test-reporter=spec "${browser[@]}") ||
      failed+=("browser tests, round $round")
  fi
  if [ "${#clients[@]}" -gt 0 ]; then
    say "client and peer tests, round $round of $rounds [after $SECONDS s]"
    .venv/bin/python -m pytest -q -n 2 --dist loadfile "${clients[@]}" ||
      failed+=("client and peer tests, round $round")
  fi
done
if [ "${#failed[@]}" -gt 0 ]; then
  die "failed: $(printf '%s; ' "${failed[@]}")"
fi
