#!/usr/bin/env bash
# Installs the programs that the tests talk to, from Debian, and only those that are missing.
#
# The tests start their own copies on their own ports; nothing is left running, and what Debian
# would start at boot is switched off again if it came with this installation.
. "$(dirname "$0")/lib.sh"

# zabbix-agent brings zabbix_sender and zabbix_get; fonts, because pages without letters are no
# test.
packages=(zabbix-agent zabbix-agent2 zabbix-proxy-sqlite3 snmpd snmp postgresql chromium
  fonts-dejavu-core fping python3-venv tinyproxy)
# Package, and the service that it starts.
services=(zabbix-agent=zabbix-agent zabbix-agent2=zabbix-agent2
  zabbix-proxy-sqlite3=zabbix-proxy snmpd=snmpd postgresql=postgresql tinyproxy=tinyproxy)

mapfile -t missing < <(missing_packages "${packages[@]}")
[ "${#missing[@]}" -gt 0 ] || exit 0

# Debian asks this file before it starts a service; 101 means no.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  as_root install -m 755 /dev/stdin "$policy" <<<$'#!/bin/sh\nexit 101'
  trap 'as_root rm -f "$policy"' EXIT
fi

install_packages "${missing[@]}"

if have systemctl; then
  for pair in "${services[@]}"; do
    for name in "${missing[@]}"; do
      if [ "$name" = "${pair%%=*}" ]; then
        as_root systemctl disable --quiet "${pair#*=}" 2>/dev/null || true
      fi
    done
  done
fi
