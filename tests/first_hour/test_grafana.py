"""What Grafana's Zabbix plugin asks (its calls since 5.x, through the JSON-RPC API): groups, hosts,
items by tag, history, trends, problems."""

import time

import pytest
from harness import wait_for
from peers import zabbix_sender
from steps import FLOAT, TEXT, UNSIGNED, create_host
from zabbix_utils import APIRequestError

ITEM_FIELDS = [
    "itemid", "name", "key_", "value_type", "hostid", "status", "state", "units", "valuemapid",
    "delay",
]
DEVICES = '[{"{#DEV}":"sda"},{"{#DEV}":"sdb"}]'


@pytest.fixture
def host(server, api):
    """A host with an item, and with two that discovery makes; each with tags and values."""
    hostid = create_host(api, "grafana")
    api.item.create([
        {"hostid": hostid, "name": "Requests", "key_": "requests", "type": 2,
         "value_type": UNSIGNED, "tags": [{"tag": "component", "value": "web"}]},
        {"hostid": hostid, "name": "State", "key_": "state", "type": 2, "value_type": TEXT,
         "tags": [{"tag": "component", "value": "web"}]},
    ])
    ruleid = api.discoveryrule.create(hostid=hostid, name="Disks", key_="disks", type=2)["itemids"][0]
    api.itemprototype.create(
        hostid=hostid, ruleid=ruleid, name="{#DEV}: busy", key_="disk.busy[{#DEV}]", type=2,
        value_type=FLOAT, units="%",
        tags=[{"tag": "component", "value": "disk"}, {"tag": "dev", "value": "{#DEV}"}],
    )

    def send(key: str, value: str) -> bool:
        return zabbix_sender(server, "-s", "grafana", "-k", key, "-o", value)[0] == 0

    wait_for(lambda: send("disks", DEVICES), "the rule takes what was found", server)
    for key, value in (("disk.busy[sda]", "12.5"), ("disk.busy[sdb]", "50"), ("requests", "7")):
        wait_for(lambda: send(key, value), f"{key} takes values", server)
    return hostid


def test_grafana_finds_items_by_tag_and_draws_them(server, api, host):
    # The versions of the plugin differ in the first two calls.
    for condition in ({"real_hosts": True}, {"with_hosts": True}, {"with_monitored_hosts": True}):
        groups = api.hostgroup.get(output=["name", "groupid"], sortfield="name", **condition)
        assert "Linux servers" in [it["name"] for it in groups]
    with pytest.raises(APIRequestError, match='Incorrect API "application"'):
        api.application.get(output="extend", hostids=[host])
    groupids = [it["groupid"] for it in groups]
    hosts = api.host.get(output=["hostid", "name", "host"], sortfield="name", groupids=groupids)
    assert {"hostid": host, "name": "grafana", "host": "grafana"} in hosts

    def found(tags: list[tuple[str, str]], *types: int) -> list[str]:
        rows = api.item.get(
            output=ITEM_FIELDS, sortfield="name", webitems=True, monitored=True,
            filter={"value_type": list(types)}, selectHosts=["hostid", "name", "host"],
            hostids=[host], selectTags="extend", evaltype=2,
            tags=[{"tag": tag, "value": value, "operator": "1"} for tag, value in tags],
        )
        assert all(set(it) == {*ITEM_FIELDS, "hosts", "tags"} for it in rows)
        assert all(it["hosts"] == [{"hostid": host, "name": "grafana", "host": "grafana"}] for it in rows)
        return [it["name"] for it in rows]

    numbers = (FLOAT, UNSIGNED)
    assert found([("component", "web")], *numbers) == ["Requests"]
    assert found([("component", "web")], TEXT) == ["State"]
    # By the value that discovery found, not by the text of the prototype.
    assert found([("dev", "sda")], *numbers) == ["sda: busy"]
    assert found([("dev", "{#DEV}")], *numbers) == []
    assert found([("dev", "sda"), ("component", "web")], *numbers) == ["Requests", "sda: busy"]
    assert found([("component", "disk")], *numbers) == ["sda: busy", "sdb: busy"]
    # Older versions of the plugin take all items and look at their tags themselves.
    rows = api.item.get(
        output=ITEM_FIELDS, sortfield="name", webitems=True, filter={"value_type": [0, 3]},
        selectHosts=["hostid", "name"], selectTags="extend", hostids=[host], applicationids=None,
    )
    tags = {it["name"]: sorted(f'{tag["tag"]}: {tag["value"]}' for tag in it["tags"]) for it in rows}
    assert tags == {
        "Requests": ["component: web"],
        "sda: busy": ["component: disk", "dev: sda"], "sdb: busy": ["component: disk", "dev: sdb"],
    }

    (item,) = [it for it in rows if it["name"] == "sda: busy"]
    now = int(time.time())
    params = {
        "output": "extend", "itemids": [item["itemid"]], "sortfield": "clock", "sortorder": "ASC",
        "time_from": now - 3_600, "time_till": now + 60,
    }
    history = wait_for(
        lambda: api.history.get(history=item["value_type"], **params), "the value", server
    )
    assert [(it["itemid"], float(it["value"])) for it in history] == [(item["itemid"], 12.5)]
    # Graphs of long times ask for trends; none are kept yet, and the graph goes on without.
    assert isinstance(api.trend.get(trend=item["value_type"], **params), list)
    (again,) = api.item.get(
        itemids=[item["itemid"]], output=ITEM_FIELDS, webitems=True, selectHosts=["hostid", "name"],
        selectTags="extend",
    )
    assert again["name"] == "sda: busy"
