"""Ansible's community.zabbix.zabbix_host: a host with an agent interface and an inventory, made, made
again, changed, removed, removed again."""

from functools import partial

HOST = {
    "host_name": "ansible.example.com",
    "visible_name": "By Ansible",
    "description": "made by a playbook",
    "host_groups": ["Linux servers", "Virtual machines"],
    "link_templates": ["Linux by agent"],
    "status": "enabled",
    "state": "present",
    "inventory_mode": "manual",
    "inventory_zabbix": {"location": "cellar", "os": "Debian", "serialno_a": "12-34"},
    "interfaces": [
        {"type": "agent", "main": 1, "useip": 1, "ip": "192.0.2.7", "dns": "", "port": "10050"},
    ],
    "macros": [{"macro": "{$LIMIT}", "value": "7"}],
    "tags": [{"tag": "owner", "value": "jane"}],
}
GONE = {"host_name": HOST["host_name"], "state": "absent"}


def test_ansible(api, ansible):
    ansible = partial(ansible, "zabbix_host")

    def found() -> list[dict]:
        return api.host.get(
            filter={"host": HOST["host_name"]}, selectInventory="extend",
            output=["hostid", "host", "name", "description", "status", "inventory_mode"],
            # Not whether it answers: there is no such machine.
            selectInterfaces=["interfaceid", "type", "main", "useip", "ip", "dns", "port", "details"],
            selectHostGroups=["name"], selectMacros="extend",
            selectTags="extend", selectParentTemplates=["host"],
        )

    assert ansible(HOST) == [True], "created"
    (made,) = found()
    assert (made["name"], made["description"]) == ("By Ansible", "made by a playbook")
    assert sorted(it["name"] for it in made["hostgroups"]) == ["Linux servers", "Virtual machines"]
    assert [it["host"] for it in made["parentTemplates"]] == ["Linux by agent"]
    (interface,) = made["interfaces"]
    assert [interface[it] for it in ("type", "ip", "port")] == ["1", "192.0.2.7", "10050"]
    assert [(it["macro"], it["value"]) for it in made["macros"]] == [("{$LIMIT}", "7")]
    assert [(it["tag"], it["value"]) for it in made["tags"]] == [("owner", "jane")]
    assert made["inventory_mode"] == "0"
    inventory = {key: value for key, value in made["inventory"].items() if value}
    assert inventory.items() >= HOST["inventory_zabbix"].items()

    moved = {**HOST, "inventory_zabbix": {**HOST["inventory_zabbix"], "location": "attic"}}
    assert ansible(HOST, moved) == [False, True], "there already, and changed"
    made["inventory"]["location"] = "attic"
    assert found() == [made]

    assert ansible(GONE, GONE) == [True, False], "removed, and gone already"
    assert found() == []
