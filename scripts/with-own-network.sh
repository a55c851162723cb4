#!/usr/bin/env bash
# Runs a command in a network of its own, with loopback, where the kernel answers no pings, so that a responder decides who
# does: scripts/with-own-network.sh COMMAND… Needs root; nothing of it is left behind.
set -euo pipefail

exec unshare --net bash -euo pipefail -c '
    ip link set lo up
    echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all
    exec "$@"' own "$@"
