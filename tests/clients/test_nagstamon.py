"""Nagstamon's calls for a Zabbix server, as its code makes them: signing in, what is wrong, acknowledging with and
without closing, and a downtime of a host or of one of its triggers."""

import json
import time
import urllib.request

import pytest
from harness import wait_for
from peers import zabbix_sender

HOST = "nagstamon.example.com"


class Nagstamon:
    """Requests in the form of its sessions."""

    def __init__(self, server) -> None:
        self.url = f"{server.url}/api_jsonrpc.php"
        self.token = ""
        version = self("apiinfo.version")
        # From 6.4 on it sends no `auth`, and names the user by `username`.
        assert tuple(int(it) for it in version.split(".")[:2]) >= (6, 4)
        assert "error" in self.answer("user.checkAuthentication", {"sessionid": ""})
        self.token = self("user.login", {"username": "Admin", "password": server.password})
        assert self("user.checkAuthentication", {"sessionid": self.token}, is_open=True)["userid"]

    def answer(self, method: str, params: dict | None = None, is_open: bool = True) -> dict:
        body = {"jsonrpc": "2.0", "method": method, "params": params or {}, "id": 1}
        headers = {"Accept": "application/json", "Content-Type": "application/json-rpc"}
        if not is_open:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def __call__(self, method: str, params: dict | None = None, is_open: bool | None = None):
        if is_open is None:
            is_open = self.token == ""
        answer = self.answer(method, params, is_open)
        assert "error" not in answer, answer
        return answer["result"]

    def wrong(self) -> list[dict]:
        """What it shows: first ids alone, then 200 at once with all that it needs of them."""
        asked = {"only_true": True, "skipDependent": True, "monitored": True, "active": True}
        ids = [it["triggerid"] for it in self("trigger.get", {**asked, "output": ["triggerid"]})]
        found = []
        for start in range(0, len(ids), 200):
            found += self("trigger.get", {
                **asked, "triggerids": ids[start:start + 200],
                "output": ["triggerid", "description", "lastchange", "manual_close"],
                "selectLastEvent": ["eventid", "name", "ns", "clock", "acknowledged", "value", "severity"],
                "selectHosts": [
                    "hostid", "host", "name", "status", "available", "active_available",
                    "maintenance_status", "maintenance_from",
                ],
                "selectItems": ["name", "lastvalue", "state", "lastclock"],
            })
        return found


@pytest.fixture
def nagstamon(server):
    return Nagstamon(server)


@pytest.fixture
def host(server, api, nagstamon):
    """A host with two problems, of which one may be closed by hand; their rows by name."""
    (group,) = api.hostgroup.get(filter={"name": "Linux servers"}, output=["groupid"])
    hostid = api.host.create(host=HOST, groups=[{"groupid": group["groupid"]}])["hostids"][0]
    for key, manual_close in (("open", 0), ("closable", 1)):
        api.item.create(hostid=hostid, name=key, key_=key, type=2, value_type=3)
        api.trigger.create(
            description=f"Nagstamon: {key}", expression=f"last(/{HOST}/{key})>5", priority=4,
            manual_close=manual_close,
        )
    for key in ("open", "closable"):
        sent = lambda: zabbix_sender(server, "-s", HOST, "-k", key, "-o", "9")[0] == 0
        wait_for(sent, "the item takes values", server)

    def rows() -> dict[str, dict]:
        found = (it for it in nagstamon.wrong() if it["hosts"][0]["host"] == HOST)
        return {it["description"].removeprefix("Nagstamon: "): it for it in found}

    wait_for(lambda: len(rows()) == 2, "both problems", server)
    yield hostid, rows
    api.host.delete(hostid)


def test_nagstamon_sees_and_acknowledges_problems(server, api, nagstamon, host):
    _, rows = host
    for name, row in rows().items():
        event, (of,), (item,) = row["lastEvent"], row["hosts"], row["items"]
        assert (event["name"], event["value"], event["severity"]) == (f"Nagstamon: {name}", "1", "4")
        assert event["acknowledged"] == "0"
        assert (of["name"], of["maintenance_status"], of["status"]) == (HOST, "0", "0")
        assert (item["name"], item["lastvalue"]) == (name, "9")
        assert int(item["lastclock"]) >= int(event["clock"]) > 0
        assert row["manual_close"] == ("1" if name == "closable" else "0")
    events = {name: row["lastEvent"]["eventid"] for name, row in rows().items()}
    # "Sticky" closes problems that may be closed, and acknowledges the rest in a call of its own.
    for name, action in (("closable", 2 | 4 | 1), ("open", 2 | 4)):
        params = {"eventids": [events[name]], "message": "on it", "action": action}
        done = nagstamon("event.acknowledge", params)["eventids"]
        assert [str(it) for it in done] == [events[name]]
    # A problem that has just ended is still among "only true", with its end as the last event.
    is_closed = lambda: rows()["closable"]["lastEvent"]["value"] == "0"
    wait_for(is_closed, "the end of the closed problem", server)
    assert rows()["open"]["lastEvent"]["acknowledged"] == "1"
    (said,) = api.event.get(eventids=events["open"], selectAcknowledges=["message", "action"], output=[])
    assert said["acknowledges"] == [{"message": "on it", "action": "6"}]
    refused = nagstamon.answer(
        "event.acknowledge", {"eventids": [events["open"]], "message": "", "action": 3}, is_open=False,
    )
    assert "error" in refused, "what may not be closed by hand is refused"


@pytest.mark.parametrize("of_trigger", [False, True])
def test_nagstamon_sets_downtimes(server, api, nagstamon, host, of_trigger):
    hostid, rows = host
    start = int(time.time()) - 60
    end = start + 7_200
    body = {
        "hostids": [hostid], "name": f"nagstamon {of_trigger}", "description": "Ada", "active_since": start,
        "active_till": end, "maintenance_type": 0,
        "timeperiods": [{"timeperiod_type": 0, "start_date": start, "period": end - start}],
    }
    if of_trigger:
        triggerid = rows()["open"]["triggerid"]
        body["tags"] = [{"tag": "triggerid", "operator": 0, "value": triggerid}]
        body["description"] += "(Nagstamon): works"
        body["name"] = f"{HOST}: open"
    made = nagstamon("maintenance.create", body)["maintenanceids"]
    try:
        again = nagstamon.answer("maintenance.create", body, is_open=False)
        assert "already exists" in again["error"]["data"].lower()
        in_downtime = lambda: rows() and rows()["open"]["hosts"][0]["maintenance_status"] == "1"
        wait_for(in_downtime, "the downtime", server)
        (kept,) = api.maintenance.get(
            maintenanceids=made, selectHosts=["hostid"], selectTimeperiods="extend", selectTags="extend",
            output="extend",
        )
        assert [it["hostid"] for it in kept["hosts"]] == [hostid]
        # As in Zabbix, times are cut to minutes.
        assert (kept["active_since"], kept["active_till"]) == (str(start - start % 60), str(end - end % 60))
        assert [it["period"] for it in kept["timeperiods"]] == [str(end - start)]
        assert len(kept["tags"]) == int(of_trigger)
    finally:
        api.maintenance.delete(*made)
