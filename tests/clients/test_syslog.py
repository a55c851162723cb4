"""Syslog: `logger` of bsdutils and plain sockets as senders."""

import socket
import subprocess
import time
import urllib.request

import pytest

from harness import Server, free_ports, free_udp_port, program, wait_for


@pytest.fixture(scope="module")
def syslog(tmp_path_factory):
    """A server that receives syslog, where 127.0.0.2 is a relay."""
    (tcp,) = free_ports(1)
    udp = free_udp_port()
    server = Server(tmp_path_factory.mktemp("syslog") / "data", env={
        "SAKER_SYSLOG_LISTEN_UDP": f"127.0.0.1:{udp}",
        "SAKER_SYSLOG_LISTEN_TCP": f"127.0.0.1:{tcp}",
        "SAKER_SYSLOG_RELAYS": "127.0.0.2",
        "SAKER_SYSLOG_MESSAGE_BYTES_MAX": "2000",
        "SAKER_SYSLOG_HOST_MESSAGES_PER_SECOND": "100000",
        "SAKER_OWN_HOST": "false",
    })
    server.wait_until_ready()
    server.udp, server.tcp, server.client = udp, tcp, server.api()
    token = server.client.token.create(name="metrics", userid="1")["tokenids"]
    server.token = server.client.token.generate(token)[0]["token"]
    group = server.client.hostgroup.create(name="syslog")["groupids"][0]
    server.items = {}
    for host, address, keys in [
        ("here", "127.0.0.1", ["syslog[]", "syslog[fail,\"auth,authpriv\",err]", "syslog.fallback"]),
        ("switch-7", "192.0.2.7", ["syslog[]"]),
        ("picky", "127.0.0.3", ["syslog[only this]", "syslog.fallback"]),
    ]:
        hostid = server.client.host.create(
            host=host, groups=[{"groupid": group}],
            interfaces=[{"type": 1, "main": 1, "useip": 1, "ip": address, "dns": "", "port": "10050"}],
        )["hostids"][0]
        rows = [
            {"name": key, "key_": key, "hostid": hostid, "type": 2, "value_type": 2} for key in keys
        ]
        for key, itemid in zip(keys, server.client.item.create(rows)["itemids"]):
            server.items[host, key] = itemid
    # The configuration is followed within a second.
    wait_for(lambda: is_taken(server), "messages are taken", server)
    yield server
    assert server.end() == 0, server.last_lines()


def send_udp(server, message: bytes, source: str = "127.0.0.1") -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as one:
        one.bind((source, 0))
        one.sendto(message, ("127.0.0.1", server.udp))


def send_tcp(server, message: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.tcp)) as one:
        one.sendall(message)


def entries(server, host: str, key: str, word: str = "") -> list:
    rows = server.client.history.get(
        history=2, itemids=server.items[host, key], output="extend", sortfield=["clock", "ns"],
    )
    return [it for it in rows if word in it["value"]]


def is_taken(server) -> bool:
    for source in ["127.0.0.1", "127.0.0.3"]:
        send_udp(server, b"<13>are you there", source)
    send_udp(server, b"<13>Nov  5 10:00:00 switch-7 x: are you there", "127.0.0.2")
    return all(
        entries(server, *it)
        for it in [("here", "syslog[]"), ("switch-7", "syslog[]"), ("picky", "syslog.fallback")]
    )


def one(server, host: str, key: str, word: str) -> dict:
    return wait_for(lambda: entries(server, host, key, word), f"{word} is in {host}", server)[0]


@pytest.mark.parametrize(("way", "form"), [
    ("udp", "--rfc3164"), ("udp", "--rfc5424"),
    ("tcp", "--rfc3164"), ("tcp", "--rfc5424"), ("tcp", "--octet-count"),
])
def test_logger_of_bsdutils_is_heard(syslog, way, form):
    word = f"{way}{form}"
    port = syslog.udp if way == "udp" else syslog.tcp
    before = int(time.time())
    subprocess.run([
        program("logger"), f"--{way}", "--server", "127.0.0.1", "--port", str(port), form,
        "--priority", "authpriv.err", "--tag", "sshd", "--id=4711", "--", f"login fail {word}",
    ], check=True)
    found = one(syslog, "here", "syslog[]", word)
    assert found["value"].endswith(f"login fail {word}")
    assert (found["severity"], found["source"]) == ("3", "sshd")
    assert before - 2 <= int(found["timestamp"]) <= int(time.time()) + 2
    assert one(syslog, "here", 'syslog[fail,"auth,authpriv",err]', word)["value"] == found["value"]


def test_items_take_messages_of_their_keys_and_the_fallback_the_rest(syslog):
    send_udp(syslog, b"<86>sshd: fail but an info")
    send_udp(syslog, b"<11>app: fail of another facility")
    assert one(syslog, "here", "syslog[]", "fail but an info")["severity"] == "6"
    one(syslog, "here", "syslog[]", "fail of another facility")
    assert not entries(syslog, "here", 'syslog[fail,"auth,authpriv",err]', "fail but")
    assert not entries(syslog, "here", "syslog.fallback")
    send_udp(syslog, b"<13>app: only this", "127.0.0.3")
    send_udp(syslog, b"<13>app: something else", "127.0.0.3")
    one(syslog, "picky", "syslog.fallback", "something else")
    one(syslog, "picky", "syslog[only this]", "only this")
    assert not entries(syslog, "picky", "syslog.fallback", "only this")


def test_a_relay_names_the_host_and_nobody_else_does(syslog):
    forged = b"<13>Nov  5 10:00:00 switch-7 app: forged"
    send_udp(syslog, forged)
    one(syslog, "here", "syslog[]", "forged")
    for name in [b"switch-7", b"SWITCH-7.example.com", b"192.0.2.7"]:
        send_udp(syslog, b"<13>1 - " + name + b" app - - - by " + name, "127.0.0.2")
        one(syslog, "switch-7", "syslog[]", f"by {name.decode()}")
    assert not entries(syslog, "switch-7", "syslog[]", "forged")


def metric(server, name: str) -> float:
    request = urllib.request.Request(
        f"{server.url}/metrics", headers={"Authorization": f"Bearer {server.token}"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        lines = answer.read().decode().splitlines()
    return sum(float(it.rsplit(" ", 1)[1]) for it in lines if it.split(" ")[0] == name)


def test_what_is_nobodys_is_counted(syslog):
    before = metric(syslog, "saker_syslog_unknown_total")
    send_udp(syslog, b"<13>whose am I", "127.0.0.9")
    send_udp(syslog, b"<13>1 - nobody app - - - whose am I", "127.0.0.2")
    wait_for(
        lambda: metric(syslog, "saker_syslog_unknown_total") == before + 2, "both are counted", syslog
    )


def test_streams_may_be_odd(syslog):
    send_tcp(syslog, b"<13>first line\n<13>second line\r\n19 <13>counted message<13>no end")
    values = [one(syslog, "here", "syslog[]", it)["value"] for it in
              ["first line", "second line", "counted message", "no end"]]
    assert values == ["first line", "second line", "counted message", "no end"]
    send_tcp(syslog, b"<13>long " + b"x" * 5_000 + b"\n<13>behind the long one\n")
    one(syslog, "here", "syslog[]", "behind the long one")
    assert len(entries(syslog, "here", "syslog[]", "long xxx")[0]["value"]) == 2_000 - len("<13>")
    send_udp(syslog, b"<13>not \xff utf-8")
    assert one(syslog, "here", "syslog[]", "utf-8")["value"] == "not ? utf-8"
    with socket.create_connection(("127.0.0.1", syslog.tcp)) as broken:
        broken.sendall(b"12345x garbage")
        assert broken.recv(10) == b"", "the connection is ended"


def test_ten_thousand_lines_of_a_stream_are_all_there(syslog):
    lines = b"".join(b"<13>flood %d\n" % it for it in range(10_000))
    send_tcp(syslog, lines)
    count = lambda: int(syslog.client.history.get(
        history=2, itemids=syslog.items["here", "syslog[]"], search={"value": "flood "}, countOutput=True,
    ))
    wait_for(lambda: count() == 10_000, lambda: f"all lines, not {count()}", syslog, 60)
