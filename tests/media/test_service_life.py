"""What a mail server hears of a business service: it leaves OK, gets worse, is over; nobody hears of services that the
action is not for, and nobody who may not read the service."""

import pytest
from harness import wait_for
from peers import zabbix_sender
from receivers import Mail

HOST = "service-life.example.com"
TEXTS = {"0": "OPEN", "1": "OVER", "2": "WORSE"}
PASSWORD = "a long word for tests"


@pytest.fixture
def mail():
    one = Mail()
    yield one
    one.end()


@pytest.fixture
def world(api, mail):
    """A shop above its mail, of which problems of `HOST` are problems, another service, and an action for the shop."""
    made = []

    def create(kind, **fields):
        (ids,) = getattr(api, kind).create(**fields).values()
        made.append((kind, ids[0]))
        return ids[0]

    (group,) = api.hostgroup.get(filter={"name": "Linux servers"}, output=["groupid"])
    host = create("host", host=HOST, groups=[{"groupid": group["groupid"]}])
    for key, priority in (("slow", 2), ("down", 4)):
        api.item.create(hostid=host, name=key, key_=key, type=2, value_type=3)
        api.trigger.create(
            description=f"Mail is {key}", expression=f"last(/{HOST}/{key})>5", priority=priority,
            tags=[{"tag": "service", "value": "mail"}, {"tag": "other", "value": "yes"}],
        )
    shop = create("service", name="Shop", algorithm=2, sortorder=0, tags=[{"tag": "owner", "value": "ada"}])
    create(
        "service", name="Mail of the shop", algorithm=2, sortorder=0, parents=[{"serviceid": shop}],
        problem_tags=[{"tag": "service", "value": "mail"}],
    )
    create("service", name="Elsewhere", algorithm=2, sortorder=0, problem_tags=[{"tag": "other", "value": "yes"}])
    mediatype = create(
        "mediatype", name="service mail", type=0, smtp_server="127.0.0.1", smtp_port=mail.port,
        smtp_email="s@example.com", message_templates=[
            {
                "eventsource": "4", "recovery": recovery, "subject": f"{word} {{SERVICE.NAME}}",
                "message": "{EVENT.NAME} of {SERVICE.TAGS.owner} is {EVENT.SEVERITY}: {SERVICE.ROOTCAUSE}",
            }
            for recovery, word in TEXTS.items()
        ],
    )
    rights = [{"id": group["groupid"], "permission": 2}]
    readers = create("usergroup", name="service life", hostgroup_rights=rights)
    blind = create(
        "role", name="no services", type=1, rules={"services.read.mode": 0, "services.write.mode": 0},
    )
    users = [
        create(
            "user", username=name, passwd=PASSWORD, roleid=role, usrgrps=[{"usrgrpid": readers}],
            medias=[{"mediatypeid": mediatype, "sendto": [f"{name}@example.com"]}],
        )
        for name, role in (("grace", "1"), ("mallory", blind))
    ]
    message = {"default_msg": 1}
    create(
        "action", name="service life", eventsource=4,
        filter={"evaltype": 1, "conditions": [
            {"conditiontype": 28, "operator": 2, "value": "Shop"},
            {"conditiontype": 26, "operator": 0, "value": "ada", "value2": "owner"},
        ]},
        operations=[{"operationtype": 0, "opmessage": message, "opmessage_usr": [{"userid": it} for it in users]}],
        recovery_operations=[{"operationtype": 11, "opmessage": message}],
        update_operations=[{"operationtype": 12, "opmessage": message}],
    )
    yield shop
    order = ["action", "user", "usergroup", "role", "mediatype", "service", "host"]
    for kind, one in sorted(made, key=lambda it: order.index(it[0])):
        getattr(api, kind).delete(one)


def test_the_life_of_a_service(server, api, world, mail):
    def send(key: str, value: int) -> bool:
        return zabbix_sender(server, "-s", HOST, "-k", key, "-o", str(value))[0] == 0

    def heard() -> list[tuple[str, str]]:
        texts = [(it.rcpt_tos[0], it.content.decode()) for it in mail.envelopes]
        return [(to, text.split("Subject: ")[1].split("\r\n")[0]) for to, text in texts]

    def hears(*subjects: str) -> None:
        expected = [("grace@example.com", it) for it in subjects]
        wait_for(lambda: heard() == expected, lambda: f"{expected}, and not {heard()}", server)

    def body() -> str:
        return mail.envelopes[-1].content.decode().replace("=\r\n", "")

    wait_for(lambda: send("slow", 9), "the item takes values", server)
    hears("OPEN Shop")
    assert "of ada is Warning" in body()
    assert "Mail is slow" in body(), body()
    assert send("down", 9)
    hears("OPEN Shop", "WORSE Shop")
    assert "of ada is High" in body()
    assert send("slow", 1)
    assert send("down", 1)
    wait_for(lambda: heard()[-1][1] == "OVER Shop", lambda: str(heard()), server)
    assert {to for to, _ in heard()} == {"grace@example.com"}
    # Another service had the same problem, without a recipient. The outcome of a message is saved
    # after it.
    (event,) = api.event.get(source=4, object=6, objectids=world, value=1, output=["eventid", "r_eventid"])
    of = {"eventids": [event["eventid"], event["r_eventid"]], "eventsource": 4, "eventobject": 6}
    sent = lambda: [it for it in api.alert.get(**of, output=["status"]) if it["status"] == "1"]
    wait_for(lambda: len(sent()) == len(mail.envelopes), "all are sent", server)
    assert len(api.alert.get(eventsource=4, eventobject=6, output=[])) == len(mail.envelopes)
