#!/usr/bin/env bash
# split-symbols.sh BINARY: takes the debug information out of a binary into BINARY.debug beside it.
#
# What stays is the table of symbols: backtraces name functions wherever the binary is copied to.
# With BINARY.debug beside the binary they name files and lines as well (the binary has its name and
# checksum; backtraces, gdb and perf look there). A binary without debug information is left alone.
# Before lib.sh goes to the project's root: the path may be relative to somewhere else.
binary=$(realpath -- "${1:-.}")
. "$(dirname "$0")/lib.sh"

[ "$#" -eq 1 ] && [ -f "$binary" ] || die "usage: split-symbols.sh BINARY"
dir=$(dirname "$binary")
name=$(basename "$binary")

sections=$(readelf --section-headers --wide "$dir/$name")
[[ $sections == *.debug_info* ]] || exit 0
# The name that is linked is the one at the time of linking.
parts=$(mktemp -d "$dir/.$name.XXXXXX")
trap 'rm -rf "$parts"' EXIT
objcopy --only-keep-debug --compress-debug-sections=zlib "$dir/$name" "$parts/$name.debug"
(cd "$parts" && objcopy --strip-debug --add-gnu-debuglink="$name.debug" "$dir/$name" "$name")
chmod 644 "$parts/$name.debug"
# By renaming: cargo keeps the whole binary under another name of the same file.
mv "$parts/$name.debug" "$parts/$name" "$dir/"
