"""The whole life of a problem as a mail server and a webhook's receiver hear of it: it opens, goes unheard, is
acknowledged and its recipients are notified, becomes a symptom, waits for a maintenance, is resolved."""

import json
import time

import pytest
from harness import wait_for
from peers import zabbix_sender
from receivers import Mail, Web

HOST = "life.example.com"


def texts(*, source: str = "0") -> list[dict]:
    """What is said of problems, recoveries and updates."""
    of = {"0": "OPEN", "1": "OVER", "2": "SAID"}
    more = {"0": "step {ESC.HISTORY}", "1": "after {EVENT.DURATION}", "2": "{USER.FULLNAME}: {EVENT.UPDATE.MESSAGE}"}
    return [
        {
            "eventsource": source, "recovery": recovery, "subject": f"{word} {{EVENT.NAME}}",
            "message": f"{{HOST.NAME}} {{ITEM.LASTVALUE}} {{TRIGGER.SEVERITY}} {{EVENT.TAGS.class}} {more[recovery]}",
        }
        for recovery, word in of.items()
    ]


@pytest.fixture
def receivers():
    mail, web = Mail(), Web()
    yield mail, web
    mail.end()
    web.end()


@pytest.fixture
def messages(api, receivers):
    """An action that notifies a user by mail and by a webhook, twice; its messages, in order."""
    mail, web = receivers
    group = api.hostgroup.get(output=["groupid"])
    rights = [{"id": it["groupid"], "permission": 2} for it in group]
    users = api.usergroup.create(name="life", hostgroup_rights=rights)["usrgrpids"]
    by_mail = api.mediatype.create(
        name="life mail", type=0, smtp_server="127.0.0.1", smtp_port=mail.port, smtp_email="s@example.com",
        maxsessions=1, message_templates=texts(),
    )["mediatypeids"]
    by_hook = api.mediatype.create(
        name="life hook", type=4, message_templates=texts(), maxsessions=1,
        script="var p = JSON.parse(value); new HttpRequest().post(p.url, JSON.stringify(p)); return 'OK';",
        parameters=[
            {"name": "url", "value": f"{web.url}/take"}, {"name": "subject", "value": "{ALERT.SUBJECT}"},
            {"name": "message", "value": "{ALERT.MESSAGE}"}, {"name": "to", "value": "{ALERT.SENDTO}"},
            {"name": "event", "value": "{EVENT.VALUE} {EVENT.UPDATE.STATUS} {TRIGGER.SEVERITY} {HOST.NAME}"},
            {"name": "token", "value": "{$LIFE.TOKEN}"},
        ],
    )["mediatypeids"]
    user = api.user.create(
        username="life", name="Ada", surname="Lovelace", passwd="a long word for tests", roleid="1",
        usrgrps=[{"usrgrpid": users[0]}],
        medias=[
            {"mediatypeid": by_mail[0], "sendto": ["ada@example.com"]},
            {"mediatypeid": by_hook[0], "sendto": "ada"},
        ],
    )["userids"]
    # Periods below a minute are for macros only.
    macro = api.usermacro.createglobal(macro="{$LIFE.STEP}", value="2s")["globalmacroids"]
    macro += api.usermacro.createglobal(macro="{$LIFE.TOKEN}", value="a token of life", type=1)["globalmacroids"]
    message = {"default_msg": 1}
    to = [{"userid": user[0]}]
    action = api.action.create(
        name="life", eventsource=0, esc_period="{$LIFE.STEP}",
        filter={"evaltype": 0, "conditions": [{"conditiontype": 3, "operator": 2, "value": "of life"}]},
        operations=[{
            "operationtype": 0, "esc_step_from": 1, "esc_step_to": 2, "opmessage": message, "opmessage_usr": to,
            "opconditions": [{"conditiontype": 14, "operator": 0, "value": "0"}],
        }],
        recovery_operations=[{"operationtype": 11, "opmessage": message}],
        update_operations=[{"operationtype": 12, "opmessage": message}],
    )["actionids"]

    def so_far() -> tuple[list[str], list[str]]:
        mails = [it.content.decode().split("Subject: ")[1].split("\r\n")[0] for it in mail.envelopes]
        return mails, [json.loads(it["body"])["subject"] for it in web.requests]

    yield so_far
    api.action.delete(*action)
    api.user.delete(*user)
    api.mediatype.delete(*by_mail, *by_hook)
    api.usergroup.delete(*users)
    api.usermacro.deleteglobal(*macro)


@pytest.fixture
def host(api):
    """A host with two triggers, `of life` and `cause of life`."""
    (group,) = api.hostgroup.get(filter={"name": "Linux servers"}, output=["groupid"])
    hostid = api.host.create(host=HOST, groups=[{"groupid": group["groupid"]}])["hostids"][0]
    for key, name in (("k", "Fault of life"), ("c", "Cause of life")):
        api.item.create(hostid=hostid, name=key, key_=key, type=2, value_type=3)
        api.trigger.create(
            description=name, expression=f"last(/{HOST}/{key})>5", priority=4,
            tags=[{"tag": "class", "value": "net"}],
        )
    yield hostid
    api.host.delete(hostid)


def test_the_life_of_a_problem(server, api, host, messages, receivers):
    mail, web = receivers

    def send(key: str, value: int) -> bool:
        return zabbix_sender(server, "-s", HOST, "-k", key, "-o", str(value))[0] == 0

    def heard(*subjects: str) -> None:
        """Both receivers have heard just this."""
        expected = (list(subjects), list(subjects))
        wait_for(lambda: messages() == expected, lambda: f"{expected}, and not {messages()}", server)

    def problem(name: str) -> str:
        find = lambda: api.problem.get(hostids=host, search={"name": name}, output=["eventid"])
        return wait_for(find, f"the problem {name}", server)[0]["eventid"]

    wait_for(lambda: send("k", 9), "the item takes values", server)
    life = ["OPEN Fault of life"] * 2
    heard(*life)
    body = mail.envelopes[0].content.decode()
    assert f"{HOST} 9 High net" in body
    assert web.requests[0]["headers"]["content-type"] == "application/json"
    first = json.loads(web.requests[0]["body"])
    assert first["to"] == "ada"
    assert first["event"] == f"1 0 High {HOST}"
    # Secrets are for the receiver alone.
    assert first["token"] == "a token of life"
    assert "a token of life" not in json.dumps(api.alert.get(output="extend"))

    event = problem("Fault")
    api.event.acknowledge(eventids=event, action=6, message="looking at it")
    life.append("SAID Fault of life")
    heard(*life)
    assert "looking at it" in mail.envelopes[-1].content.decode()
    assert json.loads(web.requests[-1]["body"])["event"] == f"1 1 High {HOST}"

    # A symptom has no messages.
    assert send("c", 9)
    life += ["OPEN Cause of life"] * 2
    heard(*life)
    cause = problem("Cause")
    api.event.acknowledge(eventids=event, action=256, cause_eventid=cause)
    (ranked,) = api.problem.get(eventids=event, output=["cause_eventid"])
    assert ranked["cause_eventid"] == cause
    api.event.acknowledge(eventids=event, action=128)

    assert send("k", 1)
    life.append("OVER Fault of life")
    # The message about the change of ranks may come before the end of the problem or after it.
    over = "OVER Fault of life"
    wait_for(lambda: over in messages()[0], lambda: str(messages()), server)
    assert "after" in mail.envelopes[messages()[0].index(over)].content.decode()
    opened = lambda: messages()[0].count("OPEN Fault of life")
    before = opened()

    # In a maintenance a problem waits, and its message is sent after it.
    now = int(time.time())
    maintenance = api.maintenance.create(
        name="life", active_since=now - 120, active_till=now + 86_400, hosts=[{"hostid": host}],
        timeperiods=[{"timeperiod_type": 0, "start_date": now - 120, "period": 43_200}],
    )["maintenanceids"]
    is_in = lambda: api.host.get(hostids=host, output=["maintenance_status"])[0]["maintenance_status"] == "1"
    wait_for(is_in, "the maintenance", server)
    assert send("k", 8)
    event = problem("Fault")
    (waiting,) = api.problem.get(eventids=event, output=["suppressed"])
    assert waiting["suppressed"] == "1"
    # A message of another host's later problem shows that this one would have had one.
    assert api.alert.get(eventids=event) == []
    api.maintenance.delete(*maintenance)
    wait_for(lambda: opened() == before + 2, "its message", server)

    # The outcome of a message is saved after it.
    sent = lambda: sorted(
        (it["esc_step"], it["status"]) for it in api.alert.get(eventids=event, output=["status", "esc_step"])
    )
    all_sent = [("1", "1"), ("1", "1"), ("2", "1"), ("2", "1")]
    wait_for(lambda: sent() == all_sent, lambda: f"all are sent, and not {sent()}", server)
