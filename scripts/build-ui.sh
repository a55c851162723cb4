#!/usr/bin/env bash
# Builds the pages into ui/dist, if they are stale: cargo embeds them into the binary.
. "$(dirname "$0")/lib.sh"

if [ ! -e ui/package.json ]; then
  say "no pages in this tree"
  mkdir -p ui/dist
  exit 0
fi
cd ui
if newer_than node_modules/.installed package-lock.json; then
  say "fetching the libraries of the pages"
  npm ci --no-audit --no-fund
  touch node_modules/.installed
fi
mapfile -t sources < <(find . -mindepth 1 -maxdepth 1 ! -name dist ! -name node_modules \
  ! -name test-output)
if newer_than dist/index.html "${sources[@]}"; then
  say "building the pages"
  npm run build
fi
