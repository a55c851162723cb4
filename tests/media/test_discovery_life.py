"""What actions do about a device that network discovery finds, loses and gives up: the mails of a real mail server,
a command, and everything that can be done to its host, back and forth."""

import socket

import pytest
from harness import PASSWORD, Server, free_ports, wait_for
from receivers import Mail

ADDRESS = "127.83.14.7"
UP, DOWN, DISCOVERED, LOST = "0", "1", "2", "3"
DEVICE, SERVICE = "1", "2"
TEXT = (
    "{DISCOVERY.RULE.NAME}: {DISCOVERY.DEVICE.IPADDRESS} {DISCOVERY.DEVICE.STATUS}, "
    "{DISCOVERY.SERVICE.NAME}:{DISCOVERY.SERVICE.PORT} {DISCOVERY.SERVICE.STATUS}"
)


@pytest.fixture
def server(tmp_path):
    """One of its own, that may execute commands of actions."""
    one = Server(tmp_path / "data", env={"SAKER_COMMANDS_ON_SERVER": "true"})
    one.wait_until_ready()
    yield one
    assert one.end() == 0


@pytest.fixture
def mail():
    one = Mail()
    yield one
    one.end()


def listener(port: int) -> socket.socket:
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind((ADDRESS, port))
    one.listen()
    return one


def condition(kind: int, value: str, operator: int = 0) -> dict:
    return {"conditiontype": kind, "operator": operator, "value": value}


def test_the_life_of_a_found_device(server, mail, tmp_path):
    api = server.api()
    (port,) = free_ports(1)
    (group,) = api.hostgroup.create(name="Found here")["groupids"]
    (other,) = api.templategroup.create(name="Found")["groupids"]
    (template,) = api.template.create(host="Found by a port", groups=[{"groupid": other}])["templateids"]
    (mediatype,) = api.mediatype.create(
        name="mail", type=0, smtp_server="127.0.0.1", smtp_port=mail.port, smtp_email="s@example.com",
    )["mediatypeids"]
    (users,) = api.usergroup.create(name="on call")["usrgrpids"]
    api.user.create(
        username="grace", passwd=PASSWORD + "-2", roleid="1", usrgrps=[{"usrgrpid": users}],
        medias=[{"mediatypeid": mediatype, "sendto": ["grace@example.com"]}],
    )
    written = tmp_path / "written"
    (script,) = api.script.create(
        name="note", type=0, scope=1, execute_on=1,
        command=f"echo {{DISCOVERY.DEVICE.IPADDRESS}} {{DISCOVERY.SERVICE.STATUS}} >> {written}",
    )["scriptids"]
    (rule,) = api.drule.create(
        name="Lab", delay="1s", iprange=ADDRESS, status=1,
        dchecks=[{"type": 8, "ports": str(port), "host_source": 2}],
    )["druleids"]

    def action(name: str, found: str, what: str, *operations: dict, **fields) -> str:
        conditions = [condition(18, rule), condition(10, found), condition(21, what), *fields.pop("conditions", [])]
        (one,) = api.action.create(
            name=name, eventsource=1, filter={"evaltype": 1, "conditions": conditions}, operations=list(operations),
            **fields,
        )["actionids"]
        return one

    tags = [{"tag": "found", "value": "yes"}]
    message = {"default_msg": 0, "subject": TEXT, "message": "x"}
    notify = {"operationtype": 0, "opmessage": message, "opmessage_grp": [{"usrgrpid": users}]}
    note = {"operationtype": 1, "opcommand": {"scriptid": script}, "opcommand_hst": [{"hostid": 0}]}
    action(
        "take", UP, DEVICE, {"operationtype": 2}, {"operationtype": 4, "opgroup": [{"groupid": group}]},
        {"operationtype": 6, "optemplate": [{"templateid": template}]}, {"operationtype": 13, "optag": tags},
    )
    action(
        "leave", LOST, DEVICE, {"operationtype": 5, "opgroup": [{"groupid": group}]},
        {"operationtype": 7, "optemplate": [{"templateid": template}]}, {"operationtype": 14, "optag": tags},
    )
    action("report discovered", DISCOVERED, SERVICE, notify, note)
    action("report lost", LOST, SERVICE, notify, note)
    # Seconds that it is down for.
    give_up = action(
        "give up", DOWN, DEVICE, {"operationtype": 3}, status=1, conditions=[condition(11, "1", operator=5)],
    )

    def host() -> dict | None:
        found = api.host.get(
            filter={"host": [ADDRESS]}, output=["host"], selectHostGroups=["groupid"],
            selectParentTemplates=["templateid"], selectTags=["tag", "value"],
        )
        return found[0] if found else None

    def has(n_groups: int, templates: list[str], tags: list[dict]) -> bool:
        one = host()
        return (
            one is not None and len(one["hostgroups"]) == n_groups and one["tags"] == tags
            and [it["templateid"] for it in one["parentTemplates"]] == templates
        )

    def heard() -> list[str]:
        texts = [it.content.decode().replace("\r\n ", " ") for it in mail.envelopes]
        return [text.split("Subject: ")[1].split("\r\n")[0] for text in texts]

    with listener(port):
        api.drule.update(druleid=rule, status=0)
        wait_for(lambda: has(2, [template], tags), lambda: f"the host is made: {host()}", server)
        wait_for(lambda: len(heard()) == 1, "a mail of the found service", server)
    wait_for(lambda: has(1, [], []), lambda: f"all is taken back: {host()}", server)
    wait_for(lambda: len(heard()) == 2, "a mail of the lost service", server)
    assert heard() == [
        f"Lab: {ADDRESS} UP, TCP:{port} UP",
        f"Lab: {ADDRESS} DOWN, TCP:{port} DOWN",
    ]
    assert {it.rcpt_tos[0] for it in mail.envelopes} == {"grace@example.com"}
    wait_for(written.exists, "the command is executed", server)
    wait_for(
        lambda: written.read_text() == f"{ADDRESS} UP\n{ADDRESS} DOWN\n", lambda: written.read_text(), server,
    )
    # None of its operations is an error.
    assert api.alert.get(eventsource=1, filter={"status": "2"}, output=["error"]) == []
    api.action.update(actionid=give_up, status=0)
    wait_for(lambda: host() is None, lambda: f"it is removed: {host()}", server)
