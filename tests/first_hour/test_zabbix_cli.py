"""zabbix-cli (PyPI: zabbix-cli-uio): a host from creation to removal, and what it shows of it."""

import json

from harness import wait_for
from steps import UNSIGNED
from peers import zabbix_sender

HOST = "cli.example.com"


def test_zabbix_cli(server, api, cli):
    _, host, hosts, interfaces, inventory = cli(
        f"create_host {HOST} --hostgroup 'Linux servers' --description 'by zabbix-cli'",
        f"show_host {HOST}",
        "show_hosts 'cli.*'",
        f"show_host_interfaces {HOST}",
        f"show_host_inventory {HOST}",
    )
    (made,) = api.host.get(
        filter={"host": HOST}, output="extend", selectInventory="extend",
        selectInterfaces="extend", selectHostGroups=["name"],
    )
    assert (made["description"], made["status"]) == ("by zabbix-cli", "0")
    assert [it["name"] for it in made["hostgroups"]] == ["Linux servers"]
    # 1: automatic, as zabbix-cli always asks for.
    assert (made["inventory_mode"], made["inventory"]["name"]) == ("1", HOST)
    (interface,) = made["interfaces"]
    assert [interface[it] for it in ("type", "useip", "dns", "port")] == ["1", "0", HOST, "10050"]

    assert (host["hostid"], host["host"], host["status"]) == (made["hostid"], HOST, "0")
    assert [it["name"] for it in host["groups"]] == ["Linux servers"]
    assert [it["host"] for it in hosts] == [HOST]
    assert [(it["dns"], it["type_str"]) for it in interfaces] == [(HOST, "Agent")]
    assert HOST in json.dumps(inventory)

    results = cli(
        f"define_host_macro {HOST} '{{$CLI.LIMIT}}' 7",
        f"show_host_macros {HOST}",
        "show_macro_hosts '{$CLI.LIMIT}'",
        f"update_host_inventory {HOST} location cellar",
        f"show_host_inventory {HOST}",
        f"link_template_to_host 'Linux by agent' {HOST}",
        f"show_host {HOST}",
        "show_template_macros 'Linux by agent'",
        "show_items 'Linux by agent'",
        "show_hostgroup 'Linux servers'",
        "show_templates 'Linux by agent'",
    )
    _, macros, of_macro, _, inventory, _, host, template_macros, items, group, templates = results
    assert [(it["macro"], it["value"]) for it in macros] == [("{$CLI.LIMIT}", "7")]
    assert [it["host"] for it in of_macro[0]["macro"]["hosts"]] == [HOST]
    assert "cellar" in json.dumps(inventory)
    assert [it["host"] for it in host["templates"]] == ["Linux by agent"]
    assert "{$CPU.LOAD.PERCPU.MAX}" in [it["macro"] for it in template_macros]
    assert "agent.ping" in [it["key"] for it in items]
    assert HOST in json.dumps(group)
    assert HOST in json.dumps(templates)
    (now,) = api.host.get(
        hostids=made["hostid"], selectMacros="extend", selectInventory=["location", "name"]
    )
    assert [(it["macro"], it["value"]) for it in now["macros"]] == [("{$CLI.LIMIT}", "7")]
    assert now["inventory"] == {"location": "cellar", "name": HOST}

    itemid = api.item.create(
        hostid=made["hostid"], name="Orders of zabbix-cli", key_="orders", type=2,
        value_type=UNSIGNED,
    )["itemids"][0]
    api.trigger.create(description="Orders by zabbix-cli", expression=f"last(/{HOST}/orders)>5")
    sent = lambda: zabbix_sender(server, "-s", HOST, "-k", "orders", "-o", "9")[0] == 0
    wait_for(sent, "the item takes values", server)
    wait_for(lambda: api.problem.get(hostids=made["hostid"]), "the problem", server)
    values, alarms = cli("show_last_values 'Orders of zabbix-cli'", "show_alarms")
    assert [(it["itemid"], it["lastvalue"]) for it in values] == [(itemid, "9")]
    assert "Orders by zabbix-cli" in [it["description"] for it in alarms]

    cli(f"monitor_host {HOST} off")
    assert api.host.get(hostids=made["hostid"], output=["status"])[0]["status"] == "1"
    cli(f"remove_host {HOST}")
    assert api.host.get(hostids=made["hostid"]) == []
