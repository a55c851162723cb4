"""From a schedule to the user on call: the message that a mail server takes, the link in it that acknowledges, and
the calendar as a calendar program reads it."""

import re
import time
import urllib.error
import urllib.request
from datetime import datetime, timedelta, timezone
from email import message_from_bytes, policy

import icalendar
import pytest
from harness import wait_for
from peers import zabbix_sender
from receivers import Mail

HOST = "oncall.example.com"


@pytest.fixture
def mail():
    one = Mail()
    yield one
    one.end()


@pytest.fixture
def people(api, mail):
    """Ada and Bob, each with an address, who may read all hosts; by first name."""
    rights = [{"id": it["groupid"], "permission": 2} for it in api.hostgroup.get(output=["groupid"])]
    (group,) = api.usergroup.create(name="on call", hostgroup_rights=rights)["usrgrpids"]
    (by_mail,) = api.mediatype.create(
        name="on call mail", type=0, smtp_server="127.0.0.1", smtp_port=mail.port, smtp_email="s@example.com",
        message_templates=[{
            "eventsource": "0", "recovery": "0", "subject": "OPEN {EVENT.NAME}",
            "message": "for {USER.FULLNAME}\nAcknowledge: {ALERT.ACKURL} .",
        }],
    )["mediatypeids"]

    def user(name: str, surname: str) -> str:
        (userid,) = api.user.create(
            username=name.lower(), name=name, surname=surname, passwd="a long word for tests", roleid="1",
            usrgrps=[{"usrgrpid": group}],
            medias=[{"mediatypeid": by_mail, "sendto": [f"{name.lower()}@example.com"]}],
        )["userids"]
        return userid

    both = {"Ada": user("Ada", "Lovelace"), "Bob": user("Bob", "Kahn; of, the net")}
    yield both
    api.user.delete(*both.values())
    api.mediatype.delete(by_mail)
    api.usergroup.delete(group)


@pytest.fixture
def schedule(api, people):
    """Ada and Bob by the day, Ada first, from today's midnight on (UTC)."""
    today = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
    rotation = {
        "name": "Days", "start": int(today.timestamp()), "unit": 1, "handover": "00:00",
        "users": [{"userid": people["Ada"]}, {"userid": people["Bob"]}],
    }
    (oncallid,) = api.oncall.create(name="Duty", timezone="UTC", rotations=[rotation])["oncallids"]
    yield oncallid
    api.oncall.delete(oncallid)


@pytest.fixture
def action(api, server, schedule):
    """Notifies users on call of problems of the host, with links that begin where the server listens."""
    before = api.settings.get(output=["url"])["url"]
    api.settings.update(url=server.url)
    (actionid,) = api.action.create(
        name="to the user on call", eventsource=0, esc_period="1h",
        filter={"evaltype": 0, "conditions": [{"conditiontype": 3, "operator": 2, "value": "of duty"}]},
        operations=[{
            "operationtype": 0, "opmessage": {"default_msg": 1}, "opmessage_oncall": [{"oncallid": schedule}],
        }],
    )["actionids"]
    yield actionid
    api.action.delete(actionid)
    api.settings.update(url=before)


@pytest.fixture
def host(api):
    (group,) = api.hostgroup.get(filter={"name": "Linux servers"}, output=["groupid"])
    (hostid,) = api.host.create(host=HOST, groups=[{"groupid": group["groupid"]}])["hostids"]
    for key in ("a", "b"):
        api.item.create(hostid=hostid, name=key, key_=key, type=2, value_type=3)
        api.trigger.create(description=f"Fault {key} of duty", expression=f"last(/{HOST}/{key})>5", priority=4)
    yield hostid
    api.host.delete(hostid)


def fetch(url: str, method: str = "GET", headers: dict | None = None) -> str:
    asked = urllib.request.Request(url, method=method, headers=headers or {}, data=b"" if method == "POST" else None)
    with urllib.request.urlopen(asked, timeout=60) as answer:
        return answer.read().decode()


def test_user_on_call_is_notified_and_acknowledges_by_the_link(server, api, mail, people, schedule, action, host):
    def send(key: str) -> bool:
        return zabbix_sender(server, "-s", HOST, "-k", key, "-o", "9")[0] == 0

    def recipients(n: int) -> str:
        wait_for(lambda: len(mail.envelopes) == n, lambda: f"{n} mails, and not {len(mail.envelopes)}", server)
        return mail.envelopes[-1].rcpt_tos

    # The user on call changes at midnight: one of the answers before and after names the recipient.
    before = api.oncall.whois(oncallids=[schedule])[0]["now"]["username"]
    wait_for(lambda: send("a"), "the item takes values", server)
    to = recipients(1)
    after = api.oncall.whois(oncallids=[schedule])[0]["now"]["username"]
    assert to in ([f"{before}@example.com"], [f"{after}@example.com"])

    # Opening the link, as programs that look through mails do, changes nothing.
    text = message_from_bytes(mail.envelopes[0].content, policy=policy.default).get_content()
    link = re.search(r"Acknowledge: (\S+)", text).group(1)
    assert link.startswith(f"{server.url}/api/v1/acknowledge/")
    assert "Fault a of duty" in fetch(link)
    entries = lambda: api.problem.get(hostids=host, output=["acknowledged"], selectAcknowledges=["userid"])[0]
    assert entries()["acknowledged"] == "0"
    assert "Acknowledged" in fetch(link, "POST")
    assert entries()["acknowledged"] == "1"
    known = {f"{name.lower()}@example.com": userid for name, userid in people.items()}
    assert [it["userid"] for it in entries()["acknowledges"]] == [known[to[0]]]
    # A link that somebody changed is good for nothing.
    with pytest.raises(urllib.error.HTTPError) as refused:
        fetch(link[:-2] + ("AA" if link[-2:] != "AA" else "BB"), "POST")
    assert refused.value.code in (403, 404)

    # Another user stands in, and is notified from then on.
    other = "Bob" if to == ["ada@example.com"] else "Ada"
    now = int(time.time())
    stand_in = {"userid": people[other], "time_from": now - 60, "time_till": now + 3 * 86_400}
    api.oncall.update(oncallid=schedule, overrides=[stand_in])
    assert send("b")
    assert recipients(2) == [f"{other.lower()}@example.com"]


def test_a_calendar_program_reads_the_shifts(server, api, people, schedule):
    token = api.token.create(name="calendar")["tokenids"][0]
    secret = api.token.generate(token)[0]["token"]
    now = int(time.time())
    stand_in = {"userid": people["Bob"], "time_from": now + 86_400, "time_till": now + 3 * 86_400}
    api.oncall.update(oncallid=schedule, overrides=[stand_in])
    url = f"{server.url}/api/v1/oncall/{schedule}/ical"
    with pytest.raises(urllib.error.HTTPError) as refused:
        fetch(url)
    assert refused.value.code == 401
    text = fetch(url, headers={"Authorization": f"Bearer {secret}"})
    api.token.delete(token)

    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    calendar = icalendar.Calendar.from_ical(text)
    assert calendar["X-WR-CALNAME"] == "Duty"
    events = sorted(calendar.walk("VEVENT"), key=lambda it: it["DTSTART"].dt)
    assert len({str(it["UID"]) for it in events}) == len(events)
    spans = [(it["DTSTART"].dt, it["DTEND"].dt) for it in events]
    assert all(begin < end for begin, end in spans)
    # There are no gaps in it, and nobody has two shifts at once.
    assert all(end == begin for (_, end), (begin, _) in zip(spans, spans[1:]))
    assert spans[-1][1] > datetime.now(timezone.utc) + timedelta(days=150)
    summaries = [str(it["SUMMARY"]) for it in events]
    assert set(summaries) == {"Duty: Ada Lovelace", "Duty: Bob Kahn; of, the net", "Duty: Bob Kahn; of, the net (override)"}
    (override,) = [it for it in events if str(it["SUMMARY"]).endswith("(override)")]
    assert override["DTSTART"].dt == datetime.fromtimestamp(now + 86_400, timezone.utc)
    assert override["DTEND"].dt == datetime.fromtimestamp(now + 3 * 86_400, timezone.utc)
    # The same answer as the API's.
    shifts = api.oncall.whois(oncallids=[schedule], time_from=now, time_till=now + 7 * 86_400)[0]["shifts"]
    for shift in shifts:
        moment = datetime.fromtimestamp(int(shift["time_from"]), timezone.utc)
        (of,) = [it for it in events if it["DTSTART"].dt <= moment < it["DTEND"].dt]
        assert shift["surname"] in str(of["SUMMARY"])
