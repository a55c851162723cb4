"""What Grafana's Zabbix plugin asks (its calls since 5.x, through the JSON-RPC API): groups, hosts,
items by tag, history, trends, problems."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from harness import wait_for
from peers import zabbix_sender
from steps import FLOAT, TEXT, UNSIGNED, create_host
from zabbix_utils import APIRequestError, ZabbixAPI

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
    yield hostid
    api.host.delete(hostid)


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
    # Older versions of the plugin take all items and filter by their tags themselves.
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
    # Graphs of long periods ask for trends; none are kept yet, and the graph works without.
    assert isinstance(api.trend.get(trend=item["value_type"], **params), list)
    (again,) = api.item.get(
        itemids=[item["itemid"]], output=ITEM_FIELDS, webitems=True, selectHosts=["hostid", "name"],
        selectTags="extend",
    )
    assert again["name"] == "sda: busy"


def test_thirty_panels_ask_at_once(server, api, host):
    """A dashboard that is opened: each panel finds its items and fetches their values, all at the same time."""
    token = api.token.create(name="grafana", userid="1")["tokenids"][0]
    secret = api.token.generate([token])[0]["token"]
    # Earlier values of the host may still be on their way to the store.
    wait_for(lambda: len(api.history.get(history=FLOAT, hostids=[host])) == 2, "the values", server)

    def panel(n: int) -> list[tuple[str, float]]:
        client = ZabbixAPI(url=server.url, token=secret)
        (found,) = client.host.get(output=["hostid", "name", "host"], search={"host": "grafana"}, sortfield="name")
        tag = ("sda", "sdb")[n % 2]
        items = client.item.get(
            output=ITEM_FIELDS, sortfield="name", webitems=True, filter={"value_type": [0, 3]},
            selectHosts=["hostid", "name", "host"], hostids=[found["hostid"]], selectTags="extend", evaltype=2,
            tags=[{"tag": "dev", "value": tag, "operator": "1"}],
        )
        now = int(time.time())
        rows = client.history.get(
            output="extend", history=FLOAT, itemids=[it["itemid"] for it in items], sortfield="clock",
            sortorder="ASC", time_from=now - 3_600, time_till=now + 60,
        )
        names = {it["itemid"]: it["name"] for it in items}
        return [(names[it["itemid"]], float(it["value"])) for it in rows]

    with ThreadPoolExecutor(30) as pool:
        panels = list(pool.map(panel, range(30)))
    assert panels == [[("sda: busy", 12.5)], [("sdb: busy", 50.0)]] * 15
    api.token.delete(token)


def test_problems_and_annotations(server, api, host):
    (trigger,) = api.trigger.create(
        description="Too many requests on {HOST.NAME}", expression="last(/grafana/requests)>5", priority=4,
        tags=[{"tag": "scope", "value": "load"}], comments="look at {HOST.HOST}",
    )["triggerids"]
    began = int(time.time()) - 60
    assert zabbix_sender(server, "-s", "grafana", "-k", "requests", "-o", "9")[0] == 0

    def problems(**more) -> list[dict]:
        return api.problem.get(
            output="extend", selectAcknowledges="extend", selectSuppressionData="extend", selectTags="extend",
            source="0", object="0", sortfield=["eventid"], sortorder="DESC", evaltype="0", hostids=[host],
            recent=False, **more,
        )

    (problem,) = wait_for(problems, "the problem", server)
    assert problem["name"] == "Too many requests on grafana" and problem["objectid"] == trigger
    # With those of its item.
    assert sorted((it["tag"], it["value"]) for it in problem["tags"]) == [("component", "web"), ("scope", "load")]
    assert problems(severities=[4, 5], acknowledged=False, limit=10) == [problem]
    assert problems(severities=[3]) == problems(tags=[{"tag": "scope", "value": "disk", "operator": "1"}]) == []
    found = api.trigger.get(
        output="extend", triggerids=[trigger], expandDescription=True, expandData=True, expandComment=True,
        expandExpression=True, monitored=True, skipDependent=True, selectHostGroups=["name", "groupid"],
        selectHosts=["hostid", "name", "host", "maintenance_status", "description", "proxyid"],
        selectItems=["itemid", "name", "key_", "lastvalue"], preservekeys="1",
    )
    one = found[trigger]
    assert (one["description"], one["comments"]) == (problem["name"], "look at grafana")
    assert one["expression"] == "last(/grafana/requests)>5"
    assert [it["name"] for it in one["hostgroups"]] == ["Linux servers"]
    assert one["hosts"][0]["proxyid"] == "0" and one["items"][0]["lastvalue"] == "9"

    # Acknowledged with a message from the panel, and shown so.
    api.event.acknowledge(eventids=problem["eventid"], message="seen in Grafana", action=6)
    (problem,) = problems()
    assert (problem["acknowledged"], problem["acknowledges"][0]["message"]) == ("1", "seen in Grafana")

    # Annotations are events of a period, resolved ones included.
    assert zabbix_sender(server, "-s", "grafana", "-k", "requests", "-o", "1")[0] == 0
    events = lambda: api.event.get(
        output="extend", hostids=[host], value=["0", "1"], source="0", object="0", objectids=[trigger],
        time_from=began, time_till=int(time.time()) + 60, sortfield=["eventid"], sortorder="ASC",
        selectHosts=["name"], selectTags="extend", select_acknowledges="extend",
    )
    both = wait_for(lambda: len(events()) == 2 and events(), "the end of it", server)
    assert [it["value"] for it in both] == ["1", "0"]
    assert both[0]["r_eventid"] == both[1]["eventid"]
