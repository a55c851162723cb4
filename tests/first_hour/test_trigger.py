"""A trigger of the first steps: a value opens a problem, somebody acknowledges it, a value ends it."""

from harness import wait_for
from peers import zabbix_sender
from steps import FLOAT, create_host


def test_trigger_problem_and_recovery(server, api):
    hostid = create_host(api, "bakery")
    api.item.create(
        hostid=hostid, name="Orders", key_="app.orders", type=2, value_type=FLOAT,
    )
    triggerid = api.trigger.create(
        description="Nobody orders at {HOST.NAME}", expression="avg(/bakery/app.orders,5m)<1",
        priority=4, tags=[{"tag": "scope", "value": "sales"}],
    )["triggerids"][0]

    def send(value: str) -> bool:
        return zabbix_sender(server, "-s", "bakery", "-k", "app.orders", "-o", value)[0] == 0

    def problems() -> list[dict]:
        return api.problem.get(
            objectids=triggerid, output="extend", selectTags="extend", selectAcknowledges="extend"
        )

    wait_for(lambda: send("0"), "the new item takes values", server)
    (problem,) = wait_for(problems, "a problem is open", server)
    assert (problem["name"], problem["severity"]) == ("Nobody orders at bakery", "4")
    assert problem["tags"] == [{"tag": "scope", "value": "sales"}]
    assert api.trigger.get(triggerids=triggerid, output=["value"])[0]["value"] == "1"

    # 4: message, 2: acknowledge.
    api.event.acknowledge(eventids=problem["eventid"], action=6, message="the oven is cold")

    def acknowledged() -> bool:
        (now,) = problems()
        return now["acknowledged"] == "1" and now["acknowledges"][0]["message"] == "the oven is cold"

    wait_for(acknowledged, "it is acknowledged", server)
    # The average of the values so far.
    assert send("17")
    wait_for(lambda: not problems(), "the problem is closed", server)
    (event,) = api.event.get(eventids=problem["eventid"], output=["r_eventid", "acknowledged"])
    assert (event["acknowledged"], event["r_eventid"] != "0") == ("1", True)
    (recovery,) = api.event.get(eventids=event["r_eventid"], output=["value", "objectid"])
    assert (recovery["value"], recovery["objectid"]) == ("0", triggerid)
    assert api.trigger.get(triggerids=triggerid, output=["value"])[0]["value"] == "0"
