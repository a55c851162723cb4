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
# The last file that a build writes before it compresses. Without it, or with a licence that was left open, as
# earlier builds did, the build did not succeed.
if newer_than dist/licences.json "${sources[@]}" ../Cargo.lock ||
  grep -q 'see crates\.io' dist/licences.json; then
  # The page of licences names all crates, whose sources say what theirs are.
  say "fetching the crates"
  (cd .. && cargo fetch --locked --quiet)
  say "building the pages"
  if ! npm run build; then
    rm -f dist/licences.json
    exit 1
  fi
fi
