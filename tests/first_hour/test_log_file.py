"""A log file through an active agent, over a rotation and a restart of the agent."""

import pytest
from harness import wait_for
from steps import LOG, UNSIGNED, create_host


@pytest.mark.parametrize("name", ["zabbix_agentd", "zabbix_agent2"])
def test_log_file(server, api, peers, name):
    host = f"logs {name}"
    file = peers.folder / "app.log"
    hostid = create_host(api, host)
    keys = {
        "lines": (f'logrt["{peers.folder}/^app\\.log(\\.1)?$"]', LOG),
        "errors": (f"log[{file},ERROR]", LOG),
        "count": (f"log.count[{file},ERROR]", UNSIGNED),
    }
    ids = dict(zip(keys, api.item.create([
        {"hostid": hostid, "name": what, "key_": key, "type": 7, "value_type": kind, "delay": "1s"}
        for what, (key, kind) in keys.items()
    ])["itemids"]))
    written: list[str] = []

    def write(*lines: str) -> None:
        written.extend(lines)
        with file.open("a") as log:
            log.write("".join(f"{it}\n" for it in lines))

    def start():
        settings = [f"ServerActive=127.0.0.1:{server.trapper_port}", f"Hostname={host}", "BufferSend=1"]
        return peers.agent(name, *settings)[0]

    def values(what: str) -> list[str]:
        rows = api.history.get(itemids=ids[what], history=keys[what][1], sortfield=["clock", "ns"])
        return [it["value"] for it in rows]

    def wait_until_arrived(when: str) -> None:
        errors = [it for it in written if "ERROR" in it]
        expected = (written, errors, len(errors))

        def arrived() -> tuple:
            return values("lines"), values("errors"), sum(int(it) for it in values("count"))

        wait_for(lambda: arrived() == expected, lambda: f"{when}: {expected} is {arrived()}")

    write("started", "ERROR 1: no disk", "it goes on", "ERROR 2: \u00e4 \u20ac \U0001f642")
    agent = start()
    wait_until_arrived("what stood in the file before")
    write("ERROR 3", "quiet")
    wait_until_arrived("what is written while the agent runs")

    file.rename(f"{file}.1")
    write("ERROR 4: in a new file")
    wait_until_arrived("what is written after a rotation")

    peers.stop(agent)
    write("ERROR 5: nobody looked", "so it was")
    agent = start()
    wait_until_arrived("what was written meanwhile, and nothing twice")
