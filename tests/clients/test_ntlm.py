"""HTTP agent items, scenarios and scripts of NTLM and Kerberos: pyspnego is the server."""

import pathlib
import sys

from harness import FIRST_CHECK, free_ports, wait_for
from peers import accepts

SERVER = pathlib.Path(__file__).parent.parent / "ntlm_server.py"
HTTP_AGENT, TEXT = 19, 4
NTLM, KERBEROS = 2, 3


def start(peers) -> int:
    (port,) = free_ports(1)
    users = peers.folder / "users"
    users.write_text("SHOP:ada:pass word ä\n:bob:secret\n")
    process = peers.start("ntlm", [sys.executable, SERVER, str(port), users])
    wait_for(lambda: accepts(port, process), "the server listens", process)
    return port


def test_ntlm(server, api, peers):
    port = start(peers)
    group = api.hostgroup.create(name="ntlm")["groupids"][0]
    host = api.host.create(host="ntlm", groups=[{"groupid": group}])["hostids"][0]

    def item(key: str, user: str, password: str, **fields) -> str:
        fields = {"authtype": NTLM, **fields}
        return api.item.create(
            hostid=host, name=key, key_=key, type=HTTP_AGENT, value_type=TEXT, delay="1m",
            url=f"http://127.0.0.1:{port}/{key}", username=user, password=password, **fields,
        )["itemids"][0]

    items = {
        "domain": item("domain", "SHOP\\ada", "pass word ä"),
        "plain": item("plain", "bob", "secret"),
        "post": item("post", "SHOP\\ada", "pass word ä", request_method=1, posts="a=b"),
        "wrong": item("wrong", "SHOP\\ada", "other"),
        "kerberos": item("kerberos", "ada", "x", authtype=KERBEROS),
    }
    api.task.create([{"type": 6, "request": {"itemid": it}} for it in items.values()])

    def found(key: str) -> dict:
        (one,) = api.item.get(itemids=items[key], output=["lastvalue", "lastclock", "error"])
        return one

    for key in items:
        wait_for(
            lambda key=key: found(key)["lastclock"] != "0" or found(key)["error"],
            lambda key=key: f"{key}: {found(key)}", server, FIRST_CHECK,
        )
    assert found("domain")["lastvalue"] == "SHOP\\ada GET /domain", found("domain")
    assert found("plain")["lastvalue"].endswith("bob GET /plain"), found("plain")
    assert found("post")["lastvalue"] == "SHOP\\ada POST /post a=b", found("post")
    assert "\"401\"" in found("wrong")["error"], found("wrong")
    assert "Kerberos" in found("kerberos")["error"], found("kerberos")

    scenario = api.httptest.create(
        hostid=host, name="pages", delay="1m", authentication=NTLM, http_user="SHOP\\ada",
        http_password="pass word ä", steps=[
            {"no": 1, "name": "one", "url": f"http://127.0.0.1:{port}/one", "required": "SHOP.*ada"},
        ],
    )
    assert scenario["httptestids"]

    def failed() -> dict:
        got = api.item.get(hostids=host, webitems=True, output=["key_", "lastvalue", "lastclock"])
        return next(it for it in got if it["key_"] == "web.test.fail[pages]")

    wait_for(lambda: failed()["lastclock"] != "0", lambda: f"it ran: {failed()}", server, FIRST_CHECK)
    assert failed()["lastvalue"] == "0"
