"""Storms are sent in a handful of mails, with every message to be found; quiet hours hold messages that can wait. Over kills."""

import datetime
import os
import re
import signal
import time
from collections import Counter

import pytest
from harness import Server, wait_for
from peers import zabbix_sender
from receivers import Mail

HOSTS, EACH = 20, 25
N = HOSTS * EACH


@pytest.fixture
def mail():
    one = Mail()
    yield one
    one.end()


@pytest.fixture
def servers(tmp_path):
    """Starts the server on one data directory, again and again."""
    started = []

    def start() -> Server:
        # Nothing that the machine itself is short of.
        started.append(Server(tmp_path / "data", "--own-host", "false"))
        started[-1].wait_until_ready()
        return started[-1]

    yield start
    for one in started:
        if one.is_running():
            assert one.end() == 0


def kill(server: Server) -> None:
    os.killpg(server.process.pid, signal.SIGKILL)
    server.process.wait()


def subject(envelope) -> str:
    found = re.search(r"Subject: (.*?)\r\n(?! )", envelope.content.decode(), re.S)
    return re.sub(r"\s+", " ", found[1])


def people(api, mail: Mail, **media) -> None:
    """A user with a medium, and an action that notifies of every problem and its end."""
    groups = api.hostgroup.get(output=["groupid"])
    rights = [{"id": it["groupid"], "permission": 2} for it in groups]
    users = api.usergroup.create(name="storm", hostgroup_rights=rights)["usrgrpids"]
    texts = [
        {"eventsource": "0", "recovery": code, "subject": f"{word} {{EVENT.NAME}}", "message": "{HOST.NAME}"}
        for code, word in (("0", "OPEN"), ("1", "OVER"))
    ]
    by = api.mediatype.create(
        name="storm", type=0, smtp_server="127.0.0.1", smtp_port=mail.port, smtp_email="s@example.com",
        message_format=0, maxsessions=1, message_templates=texts,
    )["mediatypeids"][0]
    user = api.user.create(
        username="storm", passwd="a long word for tests", roleid="1", timezone="UTC",
        usrgrps=[{"usrgrpid": users[0]}],
        medias=[{"mediatypeid": by, "sendto": ["ada@example.com"], **media}],
    )["userids"][0]
    message = {"opmessage": {"default_msg": 1}, "opmessage_usr": [{"userid": user}]}
    api.action.create(
        name="storm", eventsource=0, esc_period="1h",
        operations=[{"operationtype": 0, "esc_step_from": 1, "esc_step_to": 1, **message}],
        recovery_operations=[{"operationtype": 11, "opmessage": {"default_msg": 1}}],
    )


def hosts(api, n_hosts: int, each: int) -> None:
    (group,) = api.hostgroup.get(filter={"name": "Linux servers"}, output=["groupid"])
    made = api.host.create(
        [{"host": f"h{at}", "groups": [{"groupid": group["groupid"]}]} for at in range(n_hosts)]
    )["hostids"]
    keys = [(at, hostid, f"k{key}") for at, hostid in enumerate(made) for key in range(each)]
    api.item.create([
        {"hostid": hostid, "name": key, "key_": key, "type": 2, "value_type": 3} for _, hostid, key in keys
    ])
    api.trigger.create([
        {
            "description": f"Fault {key} of h{at}", "expression": f"last(/h{at}/{key})>5",
            "priority": 5 if (at, key) == (7, "k3") else 2 + at % 3,
            "tags": [{"tag": "class", "value": "storm"}, {"tag": "own", "value": f"{at}-{key}"}],
        }
        for at, _, key in keys
    ])


def send(server, value: int, n_hosts: int, each: int) -> None:
    lines = "\n".join(f"h{at} k{key} {value}" for at in range(n_hosts) for key in range(each))
    is_sent = lambda: zabbix_sender(server, "-i", "-", stdin=lines + "\n")[0] == 0
    wait_for(is_sent, "the values are taken", server)


def test_a_storm_is_a_handful_of_mails_and_each_problem_is_in_one(servers, mail):
    server = servers()
    api = server.api()
    api.settings.update(digest_messages=5, digest_period="5m", digest_interval="10s", url="https://saker.example.com")
    people(api, mail)
    hosts(api, HOSTS, EACH)
    send(server, 9, HOSTS, EACH)
    alerts = lambda: api.alert.get(output="extend", sortfield="alertid")
    wait_for(lambda: len(alerts()) >= N, "all messages are made", server, 120)
    # Killed while most of them wait: none is lost, none comes twice.
    kill(server)
    server = servers()
    api = server.api()
    alerts = lambda: api.alert.get(output="extend", sortfield="alertid")

    def all_sent(n: int) -> bool:
        rows = alerts()
        digested = [it for it in rows if it["digestid"] != it["alertid"]]
        return len(digested) == n and all(it["status"] == "1" for it in rows)

    wait_for(lambda: all_sent(N), "all are sent", server, 120)
    send(server, 1, HOSTS, EACH)
    wait_for(lambda: all_sent(2 * N), "all recoveries are sent", server, 120)

    rows = alerts()
    members = Counter(it["digestid"] for it in rows if it["digestid"] not in ("0", it["alertid"]))
    digests = [it for it in rows if it["digestid"] == it["alertid"]]
    alone = [it for it in rows if it["digestid"] == "0"]
    assert len(alone) == 5
    # Each message is one of those that were sent, or in exactly one digest.
    assert set(members) == {it["alertid"] for it in digests}
    assert len(alone) + sum(members.values()) == 2 * N
    assert len({it["eventid"] for it in rows if it["digestid"] != it["alertid"]}) == 2 * N
    # The table and the mails agree; a process that is killed may send a message again.
    assert 5 + len(digests) <= len(mail.envelopes) <= 5 + len(digests) + 1
    assert len(digests) <= 12, [it["subject"] for it in digests]
    sent = Counter(subject(it) for it in mail.envelopes)
    assert {it["subject"] for it in digests} <= set(sent)

    # Open problems are sent before the end of any: the first digests name the worst cause first.
    first = max(digests[:4], key=lambda it: members[it["alertid"]])
    text = first["message"]
    assert "worst: Disaster" in first["subject"]
    assert re.search(r"Causes:\n  \[Disaster\] Fault k3 of h7 - h7 - ", text), text
    assert re.search(r"By host group:\n  \d+  Linux servers\n", text)
    assert re.search(r"Common tags:\n  \d+  class: storm\n", text)
    assert "own:" not in text
    assert f"https://saker.example.com/alerts?digest={first['alertid']}" in text
    # One problem is followed to its digest, and back.
    (event,) = [it for it in api.event.get(output=["eventid", "name", "value"]) if
                it["name"] == "Fault k3 of h7" and it["value"] == "1"]
    (own,) = api.alert.get(eventids=event["eventid"], output=["alertid", "digestid", "eventid"],
                           search={"subject": "OPEN"})
    of = api.alert.get(digestids=own["digestid"], output=["alertid"])
    assert own["alertid"] in [it["alertid"] for it in of]
    assert len(of) == members[own["digestid"]] + 1


def test_quiet_hours_hold_messages_until_their_end(servers, mail):
    server = servers()
    api = server.api()
    now = datetime.datetime.now(datetime.timezone.utc)
    # At least half a minute, and to whole minutes.
    end = (now + datetime.timedelta(seconds=90)).replace(second=0, microsecond=0)
    if end.date() != now.date():
        # Over midnight: two parts.
        quiet = f"1-7,23:00-24:00;1-7,00:00-{end:%H:%M}" if end.time() != datetime.time(0) else "1-7,23:00-24:00"
    else:
        quiet = f"1-7,00:00-{end:%H:%M}"
    people(api, mail, quiet_period=quiet, quiet_severity=5)
    (user,) = api.user.get(filter={"username": "storm"}, output=["userid"], selectMedias="extend")
    assert user["medias"][0]["quiet_period"] == quiet
    assert user["medias"][0]["quiet_severity"] == "5"
    hosts(api, 8, 4)
    send(server, 9, 8, 4)
    heard = lambda: [subject(it) for it in mail.envelopes]
    wait_for(lambda: "OPEN Fault k3 of h7" in heard(), "the disaster is sent at once", server)
    waiting = lambda: [it for it in api.alert.get(output="extend") if it["held_until"] != "0"]
    wait_for(lambda: len(waiting()) == 31, "the others wait", server)
    assert {it["held_until"] for it in waiting()} == {str(int(end.timestamp()))}
    assert {it["status"] for it in waiting()} == {"0"}
    assert heard() == ["OPEN Fault k3 of h7"]
    if time.time() < end.timestamp() - 5:
        kill(server)
        server = servers()
        api = server.api()
    wait_for(lambda: len(heard()) == 2, "the rest in one", server, 150)
    assert end.timestamp() <= time.time()
    assert heard()[1].startswith("31 messages: 31 problems on 8 hosts"), heard()
    wait_for(lambda: not waiting(), "nothing waits", server)
    # After them everything is sent at once again.
    send(server, 1, 1, 1)
    wait_for(lambda: heard()[-1] == "OVER Fault k0 of h0", lambda: str(heard()), server)
