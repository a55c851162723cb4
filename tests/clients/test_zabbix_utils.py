"""zabbix_utils, Zabbix's own Python library: its API client and its sender."""

import time
import pytest
from zabbix_utils import APIRequestError, ItemValue, Sender, ZabbixAPI

from harness import wait_for


@pytest.fixture(scope="module")
def api(server):
    client = ZabbixAPI(url=server.url)
    client.login(user="Admin", password=server.password)
    yield client
    client.logout()


@pytest.fixture(scope="module")
def host(api):
    """A host with two trapper items and a trigger on the first."""
    group = api.hostgroup.create(name="clients: zabbix_utils")["groupids"][0]
    host = api.host.create(host="zabbix-utils", groups=[{"groupid": group}])["hostids"][0]
    items = [
        {"name": "Load", "key_": "load", "hostid": host, "type": 2, "value_type": 0},
        {"name": "State", "key_": "state", "hostid": host, "type": 2, "value_type": 4},
    ]
    load, state = api.item.create(items)["itemids"]
    trigger = api.trigger.create(
        description="Load is high", expression="last(/zabbix-utils/load)>5", priority=4
    )["triggerids"][0]
    return {"group": group, "host": host, "load": load, "state": state, "trigger": trigger}


def send(server, *values):
    return Sender(server="127.0.0.1", port=server.trapper_port).send(list(values))


def test_version_is_one_that_the_library_knows(api):
    assert api.api_version() >= 7.0


def test_wrong_password_is_refused(server):
    with pytest.raises(Exception, match="Incorrect user name or password"):
        ZabbixAPI(url=server.url).login(user="Admin", password="wrong")


def test_created_host_is_found(api, host):
    found = api.host.get(
        filter={"host": "zabbix-utils"}, output=["hostid", "name"],
        selectHostGroups=["name"], selectItems=["key_"], selectTriggers=["description"],
    )
    assert len(found) == 1
    assert (found[0]["hostid"], found[0]["name"]) == (host["host"], "zabbix-utils")
    assert [it["name"] for it in found[0]["hostgroups"]] == ["clients: zabbix_utils"]
    assert sorted(it["key_"] for it in found[0]["items"]) == ["load", "state"]
    assert [it["description"] for it in found[0]["triggers"]] == ["Load is high"]


def test_second_host_of_the_same_name_is_refused(api, host):
    with pytest.raises(APIRequestError, match='Host with the same name "zabbix-utils" already exists'):
        api.host.create(host="zabbix-utils", groups=[{"groupid": host["group"]}])


def test_items_and_triggers_are_counted_by_group(api, host):
    other = api.host.create(host="zabbix-utils 2", groups=[{"groupid": host["group"]}])["hostids"][0]
    api.item.create(name="Load", key_="load", hostid=other, type=2, value_type=0)
    counted = api.item.get(countOutput=True, groupCount=True, hostids=[host["host"], other])
    assert counted == [
        {"hostid": host["host"], "rowscount": "2"}, {"hostid": other, "rowscount": "1"},
    ]
    counted = api.trigger.get(countOutput=True, groupCount=True, hostids=[host["host"], other])
    assert counted == [{"hostid": host["host"], "rowscount": "1"}]
    counted = api.host.get(countOutput=True, groupCount=True, groupids=host["group"])
    assert counted == [{"groupid": host["group"], "rowscount": "2"}]
    api.host.delete(other)


def test_sent_values_are_read_back(server, api, host):
    # Within the item's history: values from before it are refused.
    base = int(time.time()) - 3_600

    # A fresh item is live in the shards within a second; until then its values are refused.
    def taken():
        answer = send(server, ItemValue("zabbix-utils", "load", "1.5", base, 250))
        return answer.processed == 1

    wait_for(taken, "the new item takes values", server)
    answer = send(
        server,
        ItemValue("zabbix-utils", "load", "2.25", base + 60),
        ItemValue("zabbix-utils", "state", "all is well", base + 60),
        ItemValue("zabbix-utils", "no.such.key", "1"),
    )
    assert (answer.processed, answer.failed, answer.total) == (2, 1, 3)

    def history():
        rows = api.history.get(
            itemids=host["load"], history=0, sortfield="clock", sortorder="ASC",
            time_till=base + 100,
        )
        return rows if len(rows) == 2 else None

    rows = wait_for(history, "history.get answers both values", server)
    assert [(int(it["clock"]), float(it["value"])) for it in rows] == [
        (base, 1.5), (base + 60, 2.25),
    ]

    def last():
        item = api.item.get(itemids=host["state"], output=["lastvalue", "lastclock"])[0]
        return item if item["lastvalue"] else None

    item = wait_for(last, "item.get answers the last value", server)
    assert (item["lastvalue"], item["lastclock"]) == ("all is well", str(base + 60))


def test_pushed_values_are_read_back_and_refused_ones_have_reasons(server, api, host):
    base = int(time.time()) - 1_800
    group = host["group"]
    other = api.host.create(host="pushed", groups=[{"groupid": group}])["hostids"][0]
    items = [
        {"name": "Taken", "key_": "taken", "hostid": other, "type": 2, "value_type": 0},
        {"name": "Of others", "key_": "others", "hostid": other, "type": 2, "value_type": 0,
         "trapper_hosts": "192.0.2.1"},
        {"name": "Off", "key_": "off", "hostid": other, "type": 2, "value_type": 0, "status": 1},
        {"name": "Internal", "key_": "zabbix[boottime]", "hostid": other, "type": 5,
         "value_type": 3, "delay": "1h"},
    ]
    taken, others, off, internal = api.item.create(items)["itemids"]
    answer = api.history.push([
        {"itemid": taken, "value": 1.5, "clock": base, "ns": 7_000_000},
        {"host": "pushed", "key": "taken", "value": "2.5", "clock": base + 60},
        {"itemid": taken, "value": 9, "clock": base, "ns": 7_000_000},
        {"itemid": others, "value": 1},
        {"itemid": off, "value": 1},
        {"itemid": internal, "value": 1},
        {"host": "pushed", "key": "no.such.key", "value": 1},
    ])
    assert answer == {"response": "success", "data": [
        {"itemid": taken},
        {"itemid": taken},
        {"itemid": taken, "error": "Duplicate timestamp found."},
        {"itemid": others, "error": "Client IP is not in item's allowed hosts list."},
        {"itemid": off, "error": "Item is disabled."},
        {"itemid": internal, "error": "Unsupported item type."},
        {"error": "No permissions to referred object or it does not exist."},
    ]}
    # Acknowledged values are stored.
    rows = wait_for(
        lambda: api.history.get(itemids=taken, history=0, sortfield="clock", sortorder="ASC"),
        "history.get answers pushed values", server,
    )
    assert [(int(it["clock"]), float(it["value"])) for it in rows] == [(base, 1.5), (base + 60, 2.5)]
    assert int(rows[0]["ns"]) == 7_000_000
    with pytest.raises(APIRequestError, match='the parameter "value" is missing'):
        api.history.push(itemid=taken)
    api.host.delete(other)


def test_value_opens_a_problem_and_another_one_closes_it(server, api, host):
    wait_for(
        lambda: send(server, ItemValue("zabbix-utils", "load", "9")).processed == 1,
        "the item takes values", server,
    )

    def problems():
        return api.problem.get(objectids=host["trigger"], output="extend")

    (problem,) = wait_for(problems, "the problem is open", server)
    assert (problem["name"], problem["severity"], problem["r_eventid"]) == ("Load is high", "4", "0")
    assert send(server, ItemValue("zabbix-utils", "load", "1")).processed == 1
    wait_for(lambda: not problems(), "the problem is closed", server)


def test_deleted_host_is_gone(api, host):
    group = host["group"]
    other = api.host.create(host="short-lived", groups=[{"groupid": group}])["hostids"][0]
    assert api.host.delete(other)["hostids"] == [other]
    assert api.host.get(hostids=other) == []
