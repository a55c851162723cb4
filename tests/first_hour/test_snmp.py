"""A device that speaks SNMP, with the bundled template."""

from harness import FIRST_CHECK, wait_for
from steps import SNMP, create_host, execute_now, interface, items, template, wait_for_values


def test_snmp_device(server, api, peers):
    _snmpd, port = peers.snmpd("sysName the-switch", "sysLocation cellar", "sysContact jane")
    details = {"version": 2, "bulk": 1, "community": "public"}
    hostid = create_host(
        api, "switch", interfaces=[{**SNMP, "port": str(port), "details": details}],
        templates=[{"templateid": template(api, "Generic SNMP")}],
        # The loopback interface is there everywhere; the template leaves it out.
        macros=[
            {"macro": "{$NET.IF.NAME.NOT_MATCHES}", "value": "^no such$"},
            {"macro": "{$NET.IF.TYPE.NOT_MATCHES}", "value": "^no such$"},
        ],
    )
    execute_now(api, hostid)

    def interfaces() -> list[str]:
        return [it for it in items(api, hostid) if it.startswith("snmp.if.status[")]

    wait_for(interfaces, "discovery has found interfaces", server, FIRST_CHECK)
    execute_now(api, hostid)
    found = wait_for_values(
        server, api, hostid, "snmp.system.name", "snmp.system.location", "snmp.system.contact",
        "snmp.system.uptime", *interfaces(),
    )
    assert found["snmp.system.name"]["lastvalue"] == "the-switch"
    assert found["snmp.system.location"]["lastvalue"] == "cellar"
    assert found["snmp.system.contact"]["lastvalue"] == "jane"
    # 1: up.
    assert found["snmp.if.status[1]"]["lastvalue"] == "1", "the loopback interface"
    assert [it["key_"] for it in found.values() if it["state"] != "0"] == []
    state = interface(api, hostid)
    assert (state["available"], state["error"]) == ("1", ""), "SNMP is green"
