"""Alerts that stand in the database are sent, once where nothing goes wrong, and again where it does."""

import json
import sqlite3
import time

import pytest
from harness import Server, wait_for
from receivers import Mail, Web, nobody


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def servers(data):
    """Starts the server on one data directory, again and again."""
    started = []

    def start() -> Server:
        started.append(Server(data))
        started[-1].wait_until_ready()
        return started[-1]

    yield start
    for one in started:
        if one.is_running():
            assert one.end() == 0


COLUMNS = (
    "alertid, actionid, eventid, p_eventid, acknowledgeid, userid, clock, mediatypeid, sendto, subject, "
    "message, parameters, alerttype, esc_step, status, retries, error, next_at"
)


def put(data, alertid: int, mediatype: str, sendto: str, parameters: dict | None = None) -> None:
    """An alert as an action makes it. The server is stopped."""
    row = (
        alertid, 3, 900, 0, 0, 1, int(time.time()), int(mediatype), sendto, f"subject {alertid}", "text",
        json.dumps(parameters) if parameters else "", 0, 1, 3, 0, "", 0,
    )
    with sqlite3.connect(data / "saker.db") as db:
        marks = ",".join("?" * len(row))
        db.execute(f"insert into alerts ({COLUMNS}) values ({marks})", row)
        db.execute(
            "insert or ignore into events (eventid, source, object, objectid, clock, ns, value, severity, "
            "name, opdata, tags, hosts, recovers, userid) "
            "values (900, 0, 0, 1, 1700000000, 0, 1, 4, 'Broken', '', '[]', '[]', '[]', 0)"
        )


def states(data) -> dict[int, tuple]:
    with sqlite3.connect(f"file:{data / 'saker.db'}?mode=ro", uri=True) as db:
        rows = db.execute("select alertid, status, retries, error from alerts order by alertid")
        return {row[0]: tuple(row[1:]) for row in rows}


def tags(data) -> list:
    with sqlite3.connect(f"file:{data / 'saker.db'}?mode=ro", uri=True) as db:
        return json.loads(db.execute("select tags from events where eventid = 900").fetchone()[0])


def mail_type(port: int, **more) -> dict:
    return {"type": 0, "smtp_server": "127.0.0.1", "smtp_port": port, "smtp_email": "s@example.com", **more}


def test_what_waited_is_sent_after_the_start_in_its_order(servers, data):
    mail, web = Mail(), Web()
    web.body = {"tags": {"issue": "OPS-1"}}
    server = servers()
    api = server.api()
    by_mail = api.mediatype.create(name="mail", **mail_type(mail.port))["mediatypeids"][0]
    script = "return new HttpRequest().post(JSON.parse(value).url, value);"
    hook = api.mediatype.create(name="hook", type=4, script=script, process_tags=1)["mediatypeids"][0]
    off = api.mediatype.create(name="off", status=1, **mail_type(mail.port))["mediatypeids"][0]
    assert server.end() == 0
    for alertid in range(1, 6):
        put(data, alertid, by_mail, "a@example.com")
    put(data, 6, hook, "x", {"url": f"{web.url}/take"})
    put(data, 7, off, "a@example.com")
    put(data, 8, "12345", "a@example.com")
    servers()
    wait_for(lambda: all(it[0] in (1, 2) for it in states(data).values()), lambda: str(states(data)))
    found = states(data)
    assert [found[it][0] for it in range(1, 7)] == [1] * 6
    assert found[7] == (2, 0, "Media type disabled.")
    assert found[8] == (2, 0, "Media type does not exist any more.")
    subjects = [str(it.content).split("Subject: ")[1].split("\\r")[0] for it in mail.envelopes]
    assert subjects == [f"subject {it}" for it in range(1, 6)]
    ids = {str(it.content).split("Message-ID: ")[1].split("\\r")[0] for it in mail.envelopes}
    assert len(ids) == 5
    assert len(web.requests) == 1
    wait_for(lambda: tags(data) == [{"tag": "issue", "value": "OPS-1"}], "the event has the tag")
    # Nothing is sent once more.
    mail.end()
    web.end()


def test_what_fails_is_tried_again_and_in_the_end_given_up(servers, data):
    mail = Mail()
    mail.refuses = 2
    server = servers()
    api = server.api()
    quick = {"attempt_interval": "1s", "maxattempts": 3}
    slow = api.mediatype.create(name="slow", **mail_type(mail.port, **quick))["mediatypeids"][0]
    dead = api.mediatype.create(name="dead", **mail_type(nobody(), **quick))["mediatypeids"][0]
    assert server.end() == 0
    put(data, 1, slow, "a@example.com")
    put(data, 2, dead, "a@example.com")
    servers()
    wait_for(lambda: all(it[0] in (1, 2) for it in states(data).values()), lambda: str(states(data)), None, 60)
    found = states(data)
    assert found[1] == (1, 2, "")
    assert found[2][:2] == (2, 3) and "cannot connect" in found[2][2]
    assert len(mail.envelopes) == 1
    mail.end()


def test_a_storm_goes_through_with_few_at_once(servers, data):
    web = Web()
    server = servers()
    api = server.api()
    script = "new HttpRequest().post(JSON.parse(value).url, value); return 'OK';"
    hook = api.mediatype.create(name="hook", type=4, script=script, maxsessions=2)["mediatypeids"][0]
    assert server.end() == 0
    n = 120
    for alertid in range(1, n + 1):
        put(data, alertid, hook, "x", {"url": f"{web.url}/take", "n": str(alertid)})
    servers()
    wait_for(lambda: all(it[0] == 1 for it in states(data).values()), lambda: str(states(data)), None, 60)
    assert sorted(int(json.loads(it["body"])["n"]) for it in web.requests) == list(range(1, n + 1))
    web.end()
