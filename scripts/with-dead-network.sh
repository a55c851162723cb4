#!/usr/bin/env bash
# Runs a command in a network of its own, with loopback and with 198.18.0.0/15, where every packet is
# dropped: scripts/with-dead-network.sh COMMAND… Needs root; nothing of it is left behind.
set -euo pipefail

exec unshare --net bash -euo pipefail -c '
    ip link set lo up
    # Either swallows what it is given; few kernels have neither.
    ip link add dead type dummy 2>/dev/null || ip link add dead type ifb
    ip addr add 198.18.0.1/15 dev dead
    ip link set dead up
    exec "$@"' dead "$@"
