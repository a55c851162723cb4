"""zabbix-cli (PyPI: zabbix-cli-uio) on maintenance, media and problems."""

import re

import pytest
from harness import wait_for
from peers import zabbix_sender

HOST = "cli-alerting.example.com"


@pytest.fixture
def host(api):
    (group,) = api.hostgroup.get(filter={"name": "Linux servers"}, output=["groupid"])
    hostid = api.host.create(host=HOST, groups=[{"groupid": group["groupid"]}])["hostids"][0]
    yield hostid
    api.host.delete(hostid)


def test_maintenances(server, api, cli, host):
    cli(
        f"create_maintenance_definition 'cli now' --host {HOST} --period '2 hours' --description 'by zabbix-cli'",
        "create_maintenance_definition 'cli once' --hostgroup 'Linux servers' "
        "--period '2036-12-31T23:00 to 2037-01-01T01:00' --data-collection off",
    )
    made = {it["name"]: it for it in api.maintenance.get(
        output="extend", selectHosts=["host"], selectHostGroups=["name"], selectTimeperiods="extend",
    ) if it["name"].startswith("cli ")}
    now, once = made["cli now"], made["cli once"]
    assert (now["description"], now["maintenance_type"]) == ("by zabbix-cli", "0")
    assert [it["host"] for it in now["hosts"]] == [HOST]
    assert [it["period"] for it in now["timeperiods"]] == ["7200"]
    assert (once["maintenance_type"], [it["name"] for it in once["hostgroups"]]) == ("1", ["Linux servers"])
    in_maintenance = lambda: api.host.get(hostids=host, output=["maintenance_status"])[0]["maintenance_status"] == "1"
    wait_for(in_maintenance, "the maintenance", server)
    by_host, by_id, periods = cli(
        f"show_maintenance_definitions --host {HOST}",
        f"show_maintenance_definitions --maintenance-id {once['maintenanceid']}",
        f"show_maintenance_periods {now['maintenanceid']}",
    )
    assert "cli now" in [it["name"] for it in by_host]
    assert [it["name"] for it in by_id] == ["cli once"]
    assert [it["name"] for it in periods] == ["cli now"]
    cli(f"remove_maintenance_definition {now['maintenanceid']},{once['maintenanceid']}")
    assert api.maintenance.get(maintenanceids=list(it["maintenanceid"] for it in made.values())) == []


def test_media_and_notified_users(api, cli):
    mail = api.mediatype.create(
        name="cli mail", type=0, smtp_server="mail.example.com", smtp_email="s@example.com",
    )["mediatypeids"]
    group = api.usergroup.create(name="cli notified")["usrgrpids"]
    shown, made = cli(
        "show_media_types",
        "create_notification_user cli@example.com 'cli mail' --username cli-notified --usergroups 'cli notified' "
        "--no-default-usergroups",
    )
    assert "cli mail" in [it["name"] for it in shown]
    (user,) = api.user.get(filter={"username": "cli-notified"}, selectMedias="extend", selectUsrgrps=["name"])
    try:
        assert [(it["mediatypeid"], it["sendto"]) for it in user["medias"]] == [(mail[0], ["cli@example.com"])]
        assert "cli notified" in [it["name"] for it in user["usrgrps"]]
        assert re.search("cli-notified", str(made))
    finally:
        api.user.delete(user["userid"])
        api.usergroup.delete(*group)
        api.mediatype.delete(*mail)


def test_problems_are_acknowledged_and_closed(server, api, cli, host):
    itemid = api.item.create(hostid=host, name="k", key_="k", type=2, value_type=3)["itemids"]
    trigger = api.trigger.create(
        description="cli: fault", expression=f"last(/{HOST}/k)>5", priority=4, manual_close=1,
    )["triggerids"][0]
    assert itemid
    sent = lambda: zabbix_sender(server, "-s", HOST, "-k", "k", "-o", "9")[0] == 0
    wait_for(sent, "the item takes values", server)
    problem = lambda: api.problem.get(objectids=trigger, output="extend", selectAcknowledges="extend")
    eventid = wait_for(problem, "the problem", server)[0]["eventid"]
    cli(f"acknowledge_event {eventid} --message 'by the event'")
    (row,) = problem()
    assert row["acknowledged"] == "1"
    assert [it["message"] for it in row["acknowledges"]] == ["by the event"]
    cli(f"acknowledge_trigger_last_event {trigger} --message 'by the trigger' --close")
    wait_for(lambda: problem() == [], "the end", server)
    (event,) = api.event.get(eventids=eventid, selectAcknowledges=["message"], output=["r_eventid"])
    assert "by the trigger" in [it["message"] for it in event["acknowledges"]]
    assert event["r_eventid"] != "0"
