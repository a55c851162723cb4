#!/usr/bin/env bash
# The long form of the crash tests, of which `make test` runs a short one.
set -euo pipefail
cd "$(dirname "$0")/.."

export CRASH_ROUNDS="${CRASH_ROUNDS:-200}"
export SAKER_SIM_SEEDS="${SAKER_SIM_SEEDS:-2000..3000}"

cargo test --workspace --locked --test sim -- --nocapture values_survive
cargo test --workspace --locked --test server -- --nocapture kills_at_random_points
# Exports and copies that are killed in the middle: copies go to PostgreSQL, and to ClickHouse where it is installed.
cargo test --workspace --locked --test server -- --nocapture history_export
scripts/pg-test.sh cargo test --workspace --locked --test server -- --nocapture history_copy
