"""pyzabbix, the older client that many scripts use."""

import json
import time

import pytest
from pyzabbix import ZabbixAPI, ZabbixAPIException


@pytest.fixture(scope="module")
def api(server):
    client = ZabbixAPI(server.url)
    client.login("Admin", server.password)
    yield client
    client.user.logout()


def test_version_is_answered_without_a_login(server):
    version = ZabbixAPI(server.url).api_version()
    assert str(version).startswith("7.0")


def test_wrong_password_is_refused(server):
    with pytest.raises(ZabbixAPIException, match="Incorrect user name or password"):
        ZabbixAPI(server.url).login("Admin", "wrong")


def test_host_item_and_trigger_are_created_and_found(api):
    group = api.hostgroup.create(name="clients: pyzabbix")["groupids"][0]
    interface = {"type": 1, "main": 1, "useip": 1, "ip": "127.0.0.1", "dns": "", "port": "10050"}
    host = api.host.create(
        host="pyzabbix", name="By pyzabbix", groups=[{"groupid": group}], interfaces=[interface],
        tags=[{"tag": "from", "value": "pyzabbix"}], macros=[{"macro": "{$LIMIT}", "value": "7"}],
    )["hostids"][0]
    item = api.item.create(
        hostid=host, name="Requests", key_="requests[total]", type=2, value_type=3, units="r",
        preprocessing=[
            {"type": 1, "params": "8", "error_handler": 0, "error_handler_params": ""},
        ],
    )["itemids"][0]
    trigger = api.trigger.create(
        description="Many requests on {HOST.NAME}",
        expression="min(/pyzabbix/requests[total],5m)>{$LIMIT}", priority=2,
    )["triggerids"][0]

    found = api.host.get(
        hostids=host, selectInterfaces="extend", selectTags="extend", selectMacros="extend"
    )[0]
    assert (found["host"], found["name"]) == ("pyzabbix", "By pyzabbix")
    assert [(it["ip"], it["port"]) for it in found["interfaces"]] == [("127.0.0.1", "10050")]
    assert [(it["tag"], it["value"]) for it in found["tags"]] == [("from", "pyzabbix")]
    assert [(it["macro"], it["value"]) for it in found["macros"]] == [("{$LIMIT}", "7")]

    found = api.item.get(itemids=item, output="extend", selectPreprocessing="extend")[0]
    assert (found["key_"], found["units"], found["value_type"]) == ("requests[total]", "r", "3")
    assert [(it["type"], it["params"]) for it in found["preprocessing"]] == [("1", "8")]

    found = api.trigger.get(triggerids=trigger, expandExpression=True, output="extend")[0]
    assert found["expression"] == "min(/pyzabbix/requests[total],5m)>7"

    api.host.update(hostid=host, status=1)
    assert api.host.get(hostids=host, output=["status"])[0]["status"] == "1"


def test_hosts_are_counted_by_group(api):
    group = api.hostgroup.get(filter={"name": "clients: pyzabbix"})[0]["groupid"]
    counted = api.host.get(countOutput=True, groupCount=True, groupids=[group, "999999"])
    assert counted == [{"groupid": group, "rowscount": "1"}]


def test_graphs_and_dashboards_are_created_and_found(api):
    host = api.host.get(filter={"host": "pyzabbix"})[0]["hostid"]
    item = api.item.get(hostids=host, filter={"key_": "requests[total]"})[0]["itemid"]
    graph = api.graph.create(
        name="Requests", width=900, height=200,
        gitems=[{"itemid": item, "color": "1A7C11", "drawtype": 5}],
    )["graphids"][0]
    found = api.graph.get(hostids=host, output=["name"], selectGraphItems="extend")[0]
    assert (found["graphid"], found["name"]) == (graph, "Requests")
    assert [(it["itemid"], it["color"]) for it in found["gitems"]] == [(item, "1A7C11")]
    assert api.graphitem.get(graphids=graph, output=["itemid"])[0]["itemid"] == item

    widget = {"type": "graph", "name": "", "x": 0, "y": 0, "width": 36, "height": 5, "view_mode": 0,
              "fields": [{"type": 6, "name": "graphid.0", "value": graph}]}
    dashboard = api.dashboard.create(
        name="By pyzabbix", display_period=30, auto_start=1, pages=[{"widgets": [widget]}],
    )["dashboardids"][0]
    found = api.dashboard.get(dashboardids=dashboard, selectPages="extend")[0]
    fields = found["pages"][0]["widgets"][0]["fields"]
    assert fields == [{"type": "6", "name": "graphid.0", "value": graph}]

    assert api.graph.delete(graph) == {"graphids": [graph]}
    found = api.dashboard.get(dashboardids=dashboard, selectPages="extend")[0]
    assert found["pages"][0]["widgets"][0]["fields"] == []
    assert api.dashboard.delete(dashboard) == {"dashboardids": [dashboard]}


def test_changes_and_logins_are_in_the_audit_log(server, api):
    begin = int(time.time())
    with pytest.raises(ZabbixAPIException):
        ZabbixAPI(server.url).login("nobody", "wrong")
    group = api.hostgroup.create(name="audited")["groupids"][0]
    api.hostgroup.update(groupid=group, name="audited again")
    api.hostgroup.delete(group)

    def records(**params):
        return api.auditlog.get(time_from=begin, sortfield="auditid", sortorder="ASC", **params)

    rows = records(filter={"resourcetype": 14, "resourceid": group})
    assert [(it["action"], it["username"]) for it in rows] == [
        ("0", "Admin"), ("1", "Admin"), ("2", "Admin"),
    ]
    assert json.loads(rows[1]["details"]) == {
        "hostgroup.name": ["update", "audited again", "audited"]
    }
    assert {it["resourcename"] for it in rows} <= {"audited", "audited again"}
    failed = records(filter={"action": 9}, search={"username": "nobody"})
    assert [(it["userid"], it["ip"]) for it in failed] == [("0", "127.0.0.1")]
    newest = api.auditlog.get(sortfield=["clock", "auditid"], sortorder="DESC", limit=2)
    assert [it["auditid"] for it in newest] == sorted(
        (it["auditid"] for it in newest), reverse=True
    )


def test_unknown_method_and_parameter_are_named(api):
    with pytest.raises(ZabbixAPIException, match="Incorrect API"):
        api.nonsense.get()
    with pytest.raises(ZabbixAPIException, match="unexpected parameter"):
        api.hostgroup.create(name="x", nonsense=1)


def test_token_works_in_place_of_a_password(server, api):
    token = api.token.create(name="pyzabbix")["tokenids"][0]
    secret = api.token.generate(token)[0]["token"]
    client = ZabbixAPI(server.url)
    client.login(api_token=secret)
    assert client.host.get(filter={"host": "pyzabbix"}, countOutput=True) == "1"
