"""Steps that several first tasks share, through the API as the pages do them."""

from harness import FIRST_CHECK, wait_for

AGENT = {"type": 1, "main": 1, "useip": 1, "ip": "127.0.0.1", "dns": ""}
SNMP = {**AGENT, "type": 2}

# Agent and SNMP. Not: trapper, internal, active, calculated, dependent.
POLLED = [0, 20]
FLOAT, LOG, UNSIGNED, TEXT = 0, 2, 3, 4


def template(api, name: str) -> str:
    (found,) = api.template.get(filter={"host": name}, output=["templateid"])
    return found["templateid"]


def create_host(api, host: str, **fields) -> str:
    """A host in the group "Linux servers", which every installation has."""
    (group,) = api.hostgroup.get(filter={"name": "Linux servers"}, output=["groupid"])
    return api.host.create(host=host, groups=[{"groupid": group["groupid"]}], **fields)["hostids"][0]


def execute_now(api, host: str) -> None:
    """Everything that can be executed at once: what is polled, and discovery."""
    items = api.item.get(
        hostids=host, output=["itemid"], monitored=True, filter={"type": POLLED}
    )
    rules = api.discoveryrule.get(hostids=host, output=["itemid"], filter={"type": POLLED})
    ids = [it["itemid"] for it in items + rules]
    if ids:
        api.task.create([{"type": 6, "request": {"itemid": it}} for it in ids])


def items(api, host: str) -> dict[str, dict]:
    found = api.item.get(
        hostids=host, output=["itemid", "key_", "name", "lastvalue", "lastclock", "state", "error"]
    )
    return {it["key_"]: it for it in found}


def interface(api, host: str) -> dict:
    (found,) = api.hostinterface.get(hostids=host, output="extend")
    return found


def wait_for_values(server, api, host: str, *keys: str) -> dict[str, dict]:
    """Until all these items have a value; what they are then."""
    found: dict[str, dict] = {}
    # Rates need two values. "Execute now" shortens the wait.
    execute_now(api, host)

    def have_values() -> bool:
        found.update(items(api, host))
        return all(found.get(it, {}).get("lastclock", "0") != "0" for it in keys)

    def missing() -> str:
        return "values of " + "; ".join(f"{it}: {found.get(it)}" for it in keys)

    wait_for(have_values, missing, server, FIRST_CHECK)
    return found


def watch_linux(server, api, host: str, port: int) -> str:
    """The first of the first steps: a host, its interface, the bundled template."""
    hostid = create_host(
        api, host, interfaces=[{**AGENT, "port": str(port)}],
        templates=[{"templateid": template(api, "Linux by agent")}],
    )
    # As soon as discovery has found them, their first values are a click away.
    execute_now(api, hostid)
    wait_for(
        lambda: "system.cpu.util[0,user]" in items(api, hostid),
        "discovery has found processors", server, FIRST_CHECK,
    )
    execute_now(api, hostid)
    return hostid
