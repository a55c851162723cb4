"""A Linux machine with a Zabbix agent, watched by the bundled template."""

import socket

from steps import interface, items, wait_for_values, watch_linux


def check_linux(server, api, hostid: str) -> None:
    """What "Latest data" shows of a machine: values of its own, without an error."""
    found = wait_for_values(
        server, api, hostid, "agent.ping", "system.hostname", "system.cpu.load[all,avg1]",
        "vm.memory.size[total]", "vm.memory.size[available]", "system.cpu.util[0,user]",
    )
    assert found["agent.ping"]["lastvalue"] == "1"
    assert found["system.hostname"]["lastvalue"] == socket.gethostname()
    total = memory_total()
    assert int(found["vm.memory.size[total]"]["lastvalue"]) == total
    assert 0 < int(found["vm.memory.size[available]"]["lastvalue"]) <= total
    assert 0 <= float(found["system.cpu.load[all,avg1]"]["lastvalue"])
    unsupported = {key: it["error"] for key, it in items(api, hostid).items() if it["state"] != "0"}
    # Keys that a machine or container may lack.
    for optional in ("vfs.dev.", "system.swap.", "kernel.openfiles"):
        unsupported = {key: it for key, it in unsupported.items() if not key.startswith(optional)}
    assert unsupported == {}
    state = interface(api, hostid)
    assert (state["available"], state["error"]) == ("1", ""), "ZBX is green"


def memory_total() -> int:
    with open("/proc/meminfo") as lines:
        (line,) = [it for it in lines if it.startswith("MemTotal:")]
    return int(line.split()[1]) * 1024


def test_agent(server, api, peers):
    _agent, port = peers.agent("zabbix_agentd")
    check_linux(server, api, watch_linux(server, api, "web-1", port))
