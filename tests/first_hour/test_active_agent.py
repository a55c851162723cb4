"""Active checks: the agent asks what to check, and sends it by itself."""

import pytest
from harness import wait_for
from steps import TEXT, UNSIGNED, create_host, items, wait_for_values


@pytest.mark.parametrize("name", ["zabbix_agentd", "zabbix_agent2"])
def test_active_agent(server, api, peers, name):
    host = f"active {name}"
    hostid = create_host(api, host)
    created = api.item.create([
        {"hostid": hostid, "name": key, "key_": key, "type": 7, "value_type": kind, "delay": "1s"}
        for key, kind in (("agent.ping", UNSIGNED), ("agent.hostname", TEXT),
                          ("vfs.file.contents[/proc/sys/kernel/ostype]", TEXT),
                          ("no.such.key", TEXT))
    ])["itemids"]
    peers.agent(
        name, f"ServerActive=127.0.0.1:{server.trapper_port}", f"Hostname={host}", "BufferSend=1",
    )
    found = wait_for_values(
        server, api, hostid, "agent.ping", "agent.hostname",
        "vfs.file.contents[/proc/sys/kernel/ostype]",
    )
    assert found["agent.ping"]["lastvalue"] == "1"
    assert found["agent.hostname"]["lastvalue"] == host
    assert found["vfs.file.contents[/proc/sys/kernel/ostype]"]["lastvalue"] == "Linux"
    # A value each second: the agent continues.
    history = lambda: api.history.get(itemids=created[0], history=UNSIGNED, countOutput=True)
    wait_for(lambda: int(history()) >= 3, "three values of agent.ping", server)
    wait_for(lambda: items(api, hostid)["no.such.key"]["state"] == "1", "the wrong key is reported", server)
    assert items(api, hostid)["no.such.key"]["error"] != ""
