#!/usr/bin/env bash
# Everything that has to pass (STEPS chooses steps): formats, lints, tidy, tests, pages, browser, clients.
#
# All steps run, also after one has failed, so that one run tells all; the exit code says whether
# all have passed. One target directory and the development profile serve every step. Steps that leave a processor idle
# have others beside them.
. "$(dirname "$0")/lib.sh"

# All temporary files of the run; what lives on at its end is found by it. Others, such as the user of
# PostgreSQL, reach what is theirs in it.
run_dir=$(mktemp -d "${TMPDIR:-/tmp}/saker-test.XXXXXX")
chmod 711 "$run_dir"
export TMPDIR=$run_dir
# Steps in the background do not see an interrupt from the keyboard.
end() {
  local left
  mapfile -t left < <(left_running "$run_dir")
  [ "${#left[@]}" = 0 ] || kill "${left[@]}" 2>/dev/null || true
  rm -rf "$run_dir"
}
trap end EXIT

failed=() durations=()
n_steps=0
# A pattern of the steps that are run, where not all are wanted: STEPS='^pages: build$' make test.
wanted=${STEPS:-.}
# step NAME COMMAND...: the header says how long all before took, the line behind it what the step took,
# to see which one waits and which one works.
TIMEFORMAT='--- took %0R s, CPU %0U s and %0S s of the kernel'
step() {
  local name=$1
  shift
  [[ $name =~ $wanted ]] || return 0
  n_steps=$((n_steps + 1))
  say "$name [after $SECONDS s]"
  local begun=$SECONDS
  if ! time "$@"; then
    failed+=("$name")
    printf -- '--- FAILED: %s\n' "$name" >&2
  fi
  durations+=("$((SECONDS - begun)) s: $name")
}
# beside NAME COMMAND...: a step that runs next to those that follow, until `join`.
beside_names=() beside_pids=()
beside() {
  local name=$1
  shift
  [[ $name =~ $wanted ]] || return 0
  n_steps=$((n_steps + 1))
  say "$name, next to what follows [after $SECONDS s]"
  (time "$@") >"$run_dir/beside.${#beside_names[@]}" 2>&1 </dev/null &
  beside_names+=("$name") beside_pids+=($!)
}
# join: waits for the steps in the background, and shows what they printed.
join() {
  local idx
  for idx in "${!beside_pids[@]}"; do
    local name=${beside_names[idx]} passed=yes
    wait "${beside_pids[idx]}" || passed=
    say "$name [ended by $SECONDS s]"
    cat "$run_dir/beside.$idx"
    if [ -z "$passed" ]; then
      failed+=("$name")
      printf -- '--- FAILED: %s\n' "$name" >&2
    fi
  done
  beside_names=() beside_pids=()
}
skip() { printf '\n--- %s: skipped, %s\n' "$1" "$2" >&2; }
in_ui() { (cd ui && "$@"); }
# told COMMAND...: its output is looked through at the end, too.
told() { "$@" 2>&1 | tee -a "$run_dir/told"; }

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
  # Beside the build: its crates wait for each other.
  beside "pages: formats, lints, types" in_ui npm run --silent check
  beside "pages: unit tests" in_ui npm run --silent test
else
  skip "pages" "there is no ui/package.json"
  mkdir -p ui/dist
fi

# Some tests of the server start programs of it. Most of it is waiting for packages.
beside "clients: environment" scripts/venv.sh
beside "first steps on a new machine" scripts/test-first-steps.sh

lint_while_building
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
join
export SAKER_BIN=$target_dir/debug/saker
# Most of them wait more than they work.
step "server: tests" env RUST_TEST_THREADS=$(($(nproc) * 2)) scripts/pg-test.sh cargo xtask test "$run_dir/failed-tests"

if [ -d ../shared/conformance ]; then
  beside "behaviour cases" cargo xtask conformance --dir ../shared/conformance --texts
else
  skip "behaviour cases" "there is no ../shared/conformance"
fi

# These wait more than they work.
if compgen -G 'tests/*/test_*.py' >/dev/null; then
  # Two files at a time, each with a server of its own.
  beside "clients: tests" told .venv/bin/python -m pytest -q -n 2 --dist loadfile --ignore tests/attacks tests
else
  skip "clients" "there are no tests/*/test_*.py"
fi
if [ -e ui/e2e ]; then
  SAKER_CHROMIUM=$(test_browser)
  export SAKER_CHROMIUM
  step "pages: in Chromium" told in_ui npm run --silent e2e
else
  skip "pages: in Chromium" "there is no ui/e2e"
fi
join
# How soon the server answers is measured: nothing else runs, and one attack at a time.
if [ -e tests/attacks ]; then
  step "clients: attacks" told .venv/bin/python -m pytest -q tests/attacks
else
  skip "attacks" "there is no tests/attacks"
fi

step "nothing lives on" nothing_lives_on
[ "$n_steps" -gt 0 ] || die "no step is called $wanted"

# What a reader of the last lines wants to know.
printf '\n==> %s s; steps of 10 s and more:\n' "$SECONDS"
[ "${#durations[@]}" = 0 ] || printf '%s\n' "${durations[@]}" | awk '10 <= $1'
if [ "${#failed[@]}" -gt 0 ]; then
  [ ! -e "$run_dir/failed-tests" ] || cat "$run_dir/failed-tests" >&2
  # of Node's tests what stands behind their count, of Python's the lines of errors
  [ ! -e "$run_dir/told" ] ||
    awk '/^✖ failing tests:/ { n = 120 } 0 < n-- || /^(FAILED|ERROR|E  ) /' "$run_dir/told" | head -n 200 >&2
  printf '\nFAILED: %s\n' "$(printf '%s; ' "${failed[@]}")" >&2
  exit 1
fi
