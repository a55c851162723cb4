#!/usr/bin/env bash
# differential.sh [ARGUMENT...]: the same scenarios on a real Zabbix and on Saker, see
# tests/differential/README.md.
#
# SAKER_BIN names the binary; if it is not set, it is built as the tests do it.
. "$(dirname "$0")/lib.sh"

# The server, its frontend and what that needs of PHP; nothing of it is started here, and nothing of
# it is there at boot.
install_peers zabbix-server-pgsql=zabbix-server zabbix-frontend-php php8.2-cli php8.2-pgsql \
  php8.2-mbstring php8.2-gd php8.2-xml php8.2-bcmath postgresql=postgresql python3-venv

if [ -z "${SAKER_BIN:-}" ]; then
  mkdir -p ui/dist
  cargo build --locked -p saker
  export SAKER_BIN=$target_dir/debug/saker
fi
scripts/venv.sh
exec .venv/bin/python tests/differential/run.py "$@"
