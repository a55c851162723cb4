#!/usr/bin/env bash
# test-first-steps.sh: the first steps of `make run` and `make test` in a copy of this tree, with an empty
# CARGO_HOME, an empty cache of npm and no pages built.
#
# Programs that take minutes are replaced: `cargo build` builds nothing, and `npm` makes a page without Vite. The
# crates are fetched from their registry, some 20 s.
. "$(dirname "$0")/lib.sh"

dir=$(mktemp -d "${TMPDIR:-/tmp}/saker-first.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cargo=$(command -v cargo)
real_home=${CARGO_HOME:-$HOME/.cargo}
copy=$dir/tree

mkdir "$copy" "$dir/bin"
git ls-files -z --cached --others --exclude-standard |
  tar --create --null --files-from - --ignore-failed-read 2>/dev/null | tar --extract --directory "$copy"

# Nothing is compiled here.
cat >"$dir/bin/cargo" <<SH
#!/bin/sh
case "\$1" in
  fetch | metadata) exec "$cargo" "\$@" ;;
  build) mkdir -p "\$CARGO_TARGET_DIR/\$3" && cp /bin/true "\$CARGO_TARGET_DIR/\$3/saker" ;;
  *) echo "cargo \$1 is no first step" >&2; exit 1 ;;
esac
SH
cat >"$dir/bin/npm" <<'SH'
#!/bin/sh
case "$1 $2" in
  "ci "*) mkdir -p node_modules ;;
  "run build") mkdir -p dist && touch dist/index.html && node scripts/licences.mjs ;;
  *) echo "npm $* is no first step" >&2; exit 1 ;;
esac
SH
chmod +x "$dir/bin/cargo" "$dir/bin/npm"

# empty_home: a CARGO_HOME that has settings (a mirror, say) and nothing that was fetched.
empty_home() {
  rm -rf "$dir/home" "$copy/ui/dist" "$copy/ui/node_modules"
  mkdir -p "$dir/home"
  [ ! -e "$real_home/config.toml" ] || cp "$real_home/config.toml" "$dir/home/"
}
# first COMMAND...: runs it in the copy.
first() {
  (cd "$copy" && env -u CARGO_NET_OFFLINE -u STEPS PATH="$dir/bin:$PATH" CARGO_HOME="$dir/home" \
    npm_config_cache="$dir/npm" CARGO_TARGET_DIR="$dir/target" "$@") >"$dir/log" 2>&1
}
# known: whether the pages that were built know each licence.
known() {
  node -e '
    const all = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
    const crates = all.filter((it) => it.from === "crate");
    const open = all.filter((it) => !it.licence || it.licence.startsWith("see "));
    if (crates.length < 100 || open.length > 0) {
      throw new Error(`${crates.length} crates, ${open.length} without a licence`);
    }' "$copy/ui/dist/licences.json"
}

empty_home
mkdir "$copy/ui/dist"
echo old >"$copy/ui/dist/licences.json"
if first node ui/scripts/licences.mjs; then
  die "licences of crates that were never fetched: $(cat "$dir/log")"
fi
[ ! -e "$copy/ui/dist/licences.json" ] || die "a list that could not be made was left"

empty_home
first scripts/run.sh || die "make run: $(cat "$dir/log")"
known || die "make run ships pages without licences"

# Pages of an earlier build that did not know are built again.
echo '[{"from":"crate","name":"a","version":"1","licence":"see crates.io"}]' >"$copy/ui/dist/licences.json"
first scripts/build-ui.sh || die "build-ui.sh: $(cat "$dir/log")"
known || die "pages without licences are kept"

# The same crates are not downloaded twice: only what was unpacked of them is gone.
rm -rf "$dir/home/registry/src" "$copy/ui/dist" "$copy/ui/node_modules"
first env STEPS='^pages: build$' scripts/test.sh || die "make test: $(cat "$dir/log")"
known || die "make test builds pages without licences"
