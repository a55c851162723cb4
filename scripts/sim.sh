#!/usr/bin/env bash
# The long form of the simulations, of which `make test` runs a few seeds: many seeds, a week in one run, and which seeds
# notice each planted defect. `SAKER_SIM_SEEDS=from..until` names the seeds.
set -euo pipefail
cd "$(dirname "$0")/.."

SAKER_SIM=many cargo test --workspace --locked --test sim -- --nocapture "$@"
