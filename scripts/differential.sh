#!/usr/bin/env bash
# differential.sh [ARGUMENT...]: the same scenarios on a real Zabbix and on Saker, see
# tests/differential/README.md.
#
# SAKER_BIN names the binary; if it is not set, it is built as the tests do it.
. "$(dirname "$0")/lib.sh"
# The same artifacts as of the tests.
lint_while_building

with_zabbix() {
  # The frontend with what it needs of PHP; nothing of it is started here, and nothing is there at boot.
  install_peers zabbix-frontend-php php8.2-cli php8.2-pgsql php8.2-mbstring php8.2-gd php8.2-xml \
    php8.2-bcmath postgresql=postgresql python3-venv

  # The server is unpacked only: as a package it would drive out the proxy, which other tests need. The
  # libraries are the same.
  server=zabbix-server-pgsql
  if [ ! -e .zabbix/usr/sbin/zabbix_server ]; then
    mapfile -t libraries < <(apt-cache depends --important "$server" | sed -n 's/^  Depends: \([^<]*\)$/\1/p')
    install_peers "${libraries[@]}"
    say "fetching $server"
    rm -rf .zabbix
    mkdir -p .zabbix/download
    (cd .zabbix/download && apt-get download -q "$server") ||
      { as_root apt-get update -q && (cd .zabbix/download && apt-get download -q "$server"); }
    dpkg -x .zabbix/download/*.deb .zabbix/unpacked
    mv .zabbix/unpacked/* .zabbix/
    rm -r .zabbix/download .zabbix/unpacked
  fi
}

case " $* " in
  *" --only-saker "*) install_peers python3-venv ;;
  *) with_zabbix ;;
esac

if [ -z "${SAKER_BIN:-}" ]; then
  mkdir -p ui/dist
  cargo test --workspace --locked --no-run
  export SAKER_BIN=$target_dir/debug/saker
fi
scripts/venv.sh
exec .venv/bin/python tests/differential/run.py "$@"
