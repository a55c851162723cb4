#!/usr/bin/env bash
# Installs the programs that the tests talk to, from Debian, and only those that are missing.
#
# The tests start their own copies on their own ports; nothing is left running, and what Debian
# would start at boot is switched off again if it came with this installation.
. "$(dirname "$0")/lib.sh"

# zabbix-agent brings zabbix_sender and zabbix_get; fonts, because pages without letters are no
# test. Behind the sign: the service that the package starts.
install_peers zabbix-agent=zabbix-agent zabbix-agent2=zabbix-agent2 \
  zabbix-proxy-sqlite3=zabbix-proxy snmpd=snmpd snmp postgresql=postgresql chromium chromium-driver \
  chromium-headless-shell fonts-dejavu-core fping libsnmp-base python3-venv tinyproxy=tinyproxy \
  clickhouse-server=clickhouse-server zookeeper openssl prometheus=prometheus snmptrapd=snmptrapd.socket \
  openssh-server=ssh slapd=slapd chrony=chrony inetutils-telnetd openipmi unixodbc libsqliteodbc \
  odbc-postgresql zabbix-java-gateway=zabbix-java-gateway \
  pciutils nginx-light=nginx krb5-kdc=krb5-kdc krb5-admin-server=krb5-admin-server python3-gssapi
