# Thin doors to scripts/ and `cargo xtask`; all work is done there.
.DEFAULT_GOAL := help
.PHONY: help run build test test-loaded bench attacks fresh-seeds sim crash-matrix differential deny docs

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' $(MAKEFILE_LIST) | while IFS='|' read -r name text; do \
		printf '  make %-14s %s\n' "$$name" "$$text"; done

run: ## Build and start the server: ARGS="--http 0.0.0.0:8080", SAKER_… variables
	@scripts/run.sh $(ARGS)

build: ## Build the complete binary: target/release/saker
	@scripts/build.sh

test: ## Install the test peers and run everything that has to pass
	@scripts/test.sh

test-loaded: ## All tests beside four busy processes, those of browser, clients and peers 5 times: ARGS="ui/e2e/maps.test.ts", ARGS=rust, ROUNDS, BUSY
	@scripts/test-loaded.sh $(ARGS)

bench: ## Figures of a whole server, measured from outside: ARGS="sender --append bench/history.jsonl"
	@scripts/bench.sh $(ARGS)

attacks: ## What outsiders do to a server, with figures of memory and waits: ARGS="names"
	@scripts/attacks.sh $(ARGS)

fresh-seeds: ## The tests that draw, with a seed that no run had yet: SEED=n repeats one
	@scripts/fresh-seeds.sh $(ARGS)

sim: ## Simulations with many seeds, and of a week: ARGS="alerting", SAKER_SIM_SEEDS=from..until
	@scripts/sim.sh $(ARGS)

crash-matrix: ## Kills under load, 200 times (CRASH_ROUNDS=n), and 1,000 simulated histories with merges
	@scripts/crash-matrix.sh

differential: ## The same scenarios on a real Zabbix and on Saker: ARGS="triggers/", "--record"
	@scripts/differential.sh $(ARGS)

deny: ## Check licences, sources and advisories of the dependencies (needs cargo-deny)
	@cargo deny --all-features check

docs: ## Write the documents that are made from the code
	@cargo xtask docs
