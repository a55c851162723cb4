#!/usr/bin/env bash
# pg-test.sh COMMAND [ARGUMENT...]: runs the command with a PostgreSQL of its own.
#
# The cluster lives in a temporary directory, listens on 127.0.0.1 and a free port, belongs to an
# unprivileged user (PostgreSQL refuses root), and ends with the command. The command finds it by
# SAKER_TEST_POSTGRES=postgres://saker@127.0.0.1:PORT/saker.
. "$(dirname "$0")/lib.sh"

[ "$#" -gt 0 ] || die "usage: pg-test.sh COMMAND [ARGUMENT...]"

bin=$(find /usr/lib/postgresql/*/bin -name initdb -printf '%h\n' 2>/dev/null | sort -V | tail -n 1) || true
[ -n "$bin" ] || die "no PostgreSQL server found; run scripts/install-test-peers.sh"

dir=$(mktemp -d "${TMPDIR:-/tmp}/saker-pg.XXXXXX")
as_owner=()
if [ "$(id -u)" = 0 ]; then
  owner=postgres
  id "$owner" >/dev/null 2>&1 || owner=nobody
  as_owner=(setpriv --reuid "$owner" --regid "$(id -g "$owner")" --clear-groups --)
  chown "$owner:$(id -g "$owner")" "$dir"
fi
pid=
stop() {
  if [ -n "$pid" ] && kill -INT "$pid" 2>/dev/null; then
    wait "$pid" 2>/dev/null || true
  fi
  rm -rf "$dir"
}
trap stop EXIT

free_port() {
  local port
  while :; do
    # Above the range that the kernel hands out, so that nobody gets it in between.
    port=$((61000 + RANDOM % 4500))
    if ! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      echo "$port"
      return
    fi
  done
}

cd "$dir"
env -u LC_ALL LC_CTYPE=C.UTF-8 "${as_owner[@]}" "$bin/initdb" --pgdata "$dir/data" --username saker \
  --auth trust --encoding UTF8 --locale C.UTF-8 --no-sync >"$dir/initdb.log" 2>&1 ||
  die "initdb failed: $(cat "$dir/initdb.log")"
port=$(free_port)
# Durability of a test database is worth nothing; speed is.
"${as_owner[@]}" "$bin/postgres" -D "$dir/data" -k "$dir" -p "$port" \
  -c listen_addresses=127.0.0.1 -c fsync=off -c synchronous_commit=off -c full_page_writes=off \
  -c max_connections=200 >"$dir/postgres.log" 2>&1 &
pid=$!
# 30 s at most.
for _ in $(seq 300); do
  "$bin/pg_isready" -q -h 127.0.0.1 -p "$port" && break
  kill -0 "$pid" 2>/dev/null || die "PostgreSQL did not start: $(cat "$dir/postgres.log")"
  sleep 0.1
done
"$bin/createdb" -h 127.0.0.1 -p "$port" -U saker saker

cd "$OLDPWD"
export SAKER_TEST_POSTGRES="postgres://saker@127.0.0.1:$port/saker"
"$@"
