#!/usr/bin/env bash
# Everything that has to pass (STEPS chooses steps): formats, lints, tidy, tests, pages, browser, clients.
#
# All steps run, also after one has failed, so that one run tells all; the exit code says whether
# all have passed. One target directory and the development profile serve every step.
. "$(dirname "$0")/lib.sh"

# All temporary files of the run; what lives on at its end is found by it. Others, such as the user of
# PostgreSQL, reach what is theirs in it.
run_dir=$(mktemp -d "${TMPDIR:-/tmp}/saker-test.XXXXXX")
chmod 711 "$run_dir"
export TMPDIR=$run_dir
trap 'rm -rf "$run_dir"' EXIT

failed=()
n_steps=0
# A pattern of the steps that are run, where not all are wanted: STEPS='^pages: build$' make test.
wanted=${STEPS:-.}
# step NAME COMMAND...: the header says how long all before took, the line behind it what the step took,
# to see which one waits and which one works.
step() {
  local name=$1 TIMEFORMAT='--- took %0R s, CPU %0U s and %0S s of the kernel'
  shift
  [[ $name =~ $wanted ]] || return 0
  n_steps=$((n_steps + 1))
  say "$name [after $SECONDS s]"
  if ! time "$@"; then
    failed+=("$name")
    printf -- '--- FAILED: %s\n' "$name" >&2
  fi
}
skip() { printf '\n--- %s: skipped, %s\n' "$1" "$2" >&2; }
in_ui() { (cd ui && "$@"); }

# Fails with the names of the processes that the steps have left behind, and ends them.
nothing_lives_on() {
  local left
  # Killed ones may take a moment to go.
  for _ in $(seq 50); do
    mapfile -t left < <(left_running "$run_dir")
    [ "${#left[@]}" -gt 0 ] || return 0
    sleep 0.1
  done
  ps -o pid=,ppid=,etime=,args= -p "${left[*]}" >&2 || true
  kill -KILL "${left[@]}" 2>/dev/null || true
  return 1
}

scripts/install-build.sh
scripts/install-test-peers.sh
# All programs and databases that tests talk to are there now: a test that misses one fails.
export SAKER_REQUIRE_PEERS=1

# The pages come first: cargo embeds them.
if [ -e ui/package.json ]; then
  step "pages: build" scripts/build-ui.sh
  step "pages: formats, lints, types" in_ui npm run --silent check
  step "pages: unit tests" in_ui npm run --silent test
else
  skip "pages" "there is no ui/package.json"
  mkdir -p ui/dist
fi

lint_while_building
step "first steps on a new machine" scripts/test-first-steps.sh
step "formats" cargo fmt --all --check
step "tidy" cargo xtask tidy
if have cargo-deny; then
  step "dependencies" cargo deny --all-features check bans licenses sources
else
  skip "dependencies" "cargo-deny is not installed"
fi
# Clippy compiles what is ours: lints cost no pass of their own. With benches, which nothing else compiles, and with
# `saker`, which tests start: built alone it would want other features of libraries, and all that needs those would be
# compiled twice.
step "server: lints and build" cargo test --workspace --all-targets --locked --no-run
export SAKER_BIN=$target_dir/debug/saker
# Some tests of the server start programs of it.
step "clients: environment" scripts/venv.sh
# Most of them wait more than they work.
step "server: tests" env RUST_TEST_THREADS=$(($(nproc) * 2)) scripts/pg-test.sh cargo xtask test

if [ -d ../shared/conformance ]; then
  step "behaviour cases" cargo xtask conformance --dir ../shared/conformance --texts
else
  skip "behaviour cases" "there is no ../shared/conformance"
fi

if [ -e ui/e2e ]; then
  SAKER_CHROMIUM=$(command -v chromium || true)
  export SAKER_CHROMIUM
  step "pages: in Chromium" in_ui npm run --silent e2e
else
  skip "pages: in Chromium" "there is no ui/e2e"
fi

if compgen -G 'tests/*/test_*.py' >/dev/null; then
  # Two files at a time, each with a server of its own: they wait more than they work.
  step "clients: tests" .venv/bin/python -m pytest -q -n 2 --dist loadfile tests
else
  skip "clients" "there are no tests/*/test_*.py"
fi

step "nothing lives on" nothing_lives_on
[ "$n_steps" -gt 0 ] || die "no step is called $wanted"

if [ "${#failed[@]}" -gt 0 ]; then
  printf '\nFAILED: %s\n' "$(printf '%s; ' "${failed[@]}")" >&2
  exit 1
fi
