"""What one outsider, or one user without rights, does to a server. Each attack is bounded in what it sends and in time."""

import base64
import contextlib
import json
import os
import socket
import threading
import time
import urllib.error

import http2
from harness import free_ports
from world import ATTACKER, CALL_S, World, answer_of, call, packet, post, zipped

# For as long as connections are held.
HOLD_S = 20
# For work that the server is given at once to be done.
WORK_S = 60
MIB = 1024 * 1024
# Two of them in one text take JavaScript's own search days.
ENDLESS = 'return "a".repeat(60000000).indexOf("a".repeat(30000000) + "b");'
# Nothing of the suite listens there.
(SYSLOG_PORT,) = free_ports(1)
# For each place where a line may begin, all that may stand between.
SLOW_PATTERN = r"ERROR.*code=(\d+).*user=(\w+).*done"


@contextlib.contextmanager
def connections(address: tuple[str, int], n: int, first: bytes = b""):
    """So many, of which each has sent the same; those that the server refuses are left out."""
    opened = []
    try:
        for _ in range(n):
            with contextlib.suppress(OSError):
                stream = socket.create_connection(address, 5, (ATTACKER, 0))
                opened.append(stream)
                stream.settimeout(5)
                stream.sendall(first)
        yield opened
    finally:
        for stream in opened:
            stream.close()


def at_once(n: int, run) -> list:
    """Runs it in so many threads, until they have ended or the time is over."""
    threads = [threading.Thread(target=run, args=(it,), daemon=True) for it in range(n)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + WORK_S
    for thread in threads:
        thread.join(max(0, end - time.monotonic()))
    return threads


def quietly(run):
    """Refusals are what the server is meant to answer."""
    def ran(n: int) -> None:
        with contextlib.suppress(OSError, RuntimeError, ValueError, urllib.error.URLError):
            run(n)
    return ran


def nothing(world: World) -> None:
    """The figures of a server that nobody attacks."""
    time.sleep(5)


def answers_unread(world: World) -> None:
    """D1: lists of calls that anybody may make, whose answers nobody reads."""
    calls = [{"jsonrpc": "2.0", "method": "rpc.discover", "params": [], "id": it} for it in range(100)]
    with connections(world.http, 40, post(json.dumps(calls).encode())):
        time.sleep(HOLD_S)


def bodies_inflated(world: World) -> None:
    """D3: 16 KB that become 16 MB of JSON, and that become many values."""
    body = b"[" + b"0," * (8 * MIB - 2) + b"0]"
    request = post(zipped(body), "Content-Encoding: gzip", "Connection: close")

    def ask(_n: int) -> None:
        with socket.create_connection(world.http, CALL_S) as stream:
            stream.sendall(request)
            answer_of(stream)
    for _ in range(3):
        at_once(20, quietly(ask))
    time.sleep(2)


def bodies_unended(world: World) -> None:
    """D3: bodies of which the last byte never comes."""
    size = 16 * MIB

    def ask(_n: int) -> None:
        with socket.create_connection(world.http, HOLD_S) as stream:
            stream.sendall(post(b"", announced=size))
            part, end = b" " * 65_536, time.monotonic() + HOLD_S
            for _ in range(size // len(part) - 1):
                stream.sendall(part)
            time.sleep(max(0, end - time.monotonic()))
    at_once(60, quietly(ask))


def sizes_announced(world: World) -> None:
    """D12: headers of large packets that never come, and of many small ones."""
    def header(size: int) -> bytes:
        return b"ZBXD\x01" + size.to_bytes(4, "little") + bytes(4)
    large = connections(world.trapper, 4, header(128 * MIB))
    small = connections(world.trapper, 800, header(65_535))
    with large, small:
        time.sleep(HOLD_S)


def connections_idle(world: World) -> None:
    """D16: more connections than files may be open, on both ports."""
    with connections(world.trapper, 700), connections(world.http, 700):
        time.sleep(HOLD_S)


def streams(world: World) -> None:
    """D16: live streams of one user, and an administrator who opens one as well."""
    token = world.user()

    def upgrade(session: str) -> bytes:
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            "GET /api/v1/stream HTTP/1.1", f"Host: localhost:{world.http[1]}", "Upgrade: websocket",
            "Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13",
            f"Authorization: Bearer {session}",
        ]
        return "\r\n".join(lines).encode() + b"\r\n\r\n"
    with connections(world.http, 1_000, upgrade(token)):
        time.sleep(2)
        with connections(world.http, 1, upgrade(world.token)) as (stream,):
            line = stream.recv(4096).split(b"\r\n")[0].decode()
            world.outcome.note = f"the administrator's stream: {line}"
            if "503" in line or "429" in line:
                world.outcome.wrong.append(line)
        time.sleep(5)


def regexp_texts(world: World) -> None:
    """D5: 40 texts in one packet of some KB, for an item with an ordinary pattern."""
    step = {"type": 5, "params": f"{SLOW_PATTERN}\n\\1", "error_handler": 0, "error_handler_params": ""}
    world.item(world.make_host("texts"), "log", 4, preprocessing=[step])
    line = "ERROR " + "code=1 user=a " * 213 + "\n"
    row = {"host": "texts", "key": "log", "value": (line * 20)[:60_000]}

    def send(_n: int) -> None:
        world.send([row] * 40, compressed=True, timeout=WORK_S)
    at_once(4, quietly(send))


def scripts_endless(world: World) -> None:
    """D4: items and preprocessing whose scripts never end, and good ones of another host."""
    bad, good = world.make_host("endless"), world.make_host("good")
    for n in range(4):
        world.item(bad, f"script-{n}", 4, type=21, params=ENDLESS, delay="5s", timeout="1s")
    step = {"type": 21, "params": ENDLESS, "error_handler": 0, "error_handler_params": ""}
    for n in range(6):
        world.item(bad, f"step-{n}", 4, preprocessing=[step])
    world.send([{"host": "endless", "key": f"step-{n}", "value": "1"} for n in range(6)], timeout=WORK_S)
    time.sleep(30)
    step = {**step, "params": "return 77;"}
    script = world.item(good, "script", 3, type=21, params="return 7;", delay="1s")
    stepped = world.item(good, "step", 3, preprocessing=[step])
    last, end = {}, time.monotonic() + WORK_S
    while time.monotonic() < end and last != {script: "7", stepped: "77"}:
        with contextlib.suppress(OSError):
            world.send([{"host": "good", "key": "step", "value": "1"}], timeout=10)
        time.sleep(1)
        items = world.admin("item.get", {
            "itemids": [script, stepped], "output": ["itemid", "lastvalue", "error"],
        })
        last = {it["itemid"]: it["lastvalue"] for it in items}
    if last != {script: "7", stepped: "77"}:
        errors = [it["error"][:100] for it in items if it["error"]]
        world.outcome.wrong.append(f"good scripts are not run: {errors or last}")


def discovery_rows(world: World) -> None:
    """D2: one value of a discovery rule with 50,000 rows, then an edit of the host and of another one."""
    host = world.make_host("rows")
    rule = world.admin("discoveryrule.create", {
        "hostid": host, "name": "rows", "key_": "rows", "type": 2, "lifetime_type": 2,
    })["itemids"][0]
    prototype = {"hostid": host, "ruleid": rule, "value_type": 3}
    master = world.admin("itemprototype.create", {
        **prototype, "name": "a {#N}", "key_": "a[{#N}]", "type": 2,
    })["itemids"][0]
    world.admin("itemprototype.create", {
        **prototype, "name": "b {#N}", "key_": "b[{#N}]", "type": 18, "master_itemid": master,
    })
    world.admin("itemprototype.create", {
        **prototype, "name": "c {#N}", "key_": "c[{#N}]", "type": 15, "delay": "1h",
        "params": "last(//a[{#N}])",
    })
    for key in "abc":
        world.admin("triggerprototype.create", {
            "description": f"{key} {{#N}}", "expression": f"last(/rows/{key}[{{#N}}])>5",
        })
    value = json.dumps([{"{#N}": str(n)} for n in range(50_000)])
    world.send([{"host": "rows", "key": "rows", "value": value}], compressed=True)
    time.sleep(WORK_S)
    edits = []
    for of in (host, world.host):
        start = time.monotonic()
        world.item(of, "later", 3)
        edits.append(time.monotonic() - start)
    n = world.admin("item.get", {"hostids": [host], "countOutput": True})
    world.outcome.note = f"{n} items; edits {edits[0]:.1f} s there, {edits[1]:.1f} s elsewhere"
    world.outcome.waits["edit"] = max(edits)


def names(world: World) -> None:
    """D7: 200,000 agents with made-up names; then a new one, which an action waits for."""
    world.admin("action.create", {
        "name": "new agents", "eventsource": 2,
        "filter": {"evaltype": 0, "conditions": [{"conditiontype": 24, "operator": 2, "value": "honest-agent"}]},
        "operations": [{"operationtype": 2}],
    })
    end = time.monotonic() + WORK_S
    sent = [0] * 8

    def run(part: int) -> None:
        for n in range(part, 200_000, 8):
            if time.monotonic() > end:
                return
            with contextlib.suppress(OSError), socket.create_connection(world.trapper, 10) as stream:
                stream.sendall(packet({
                    "request": "active checks", "host": f"made-up-{n}", "host_metadata": "m" * 2_000,
                }))
                stream.recv(4096)
                sent[part] += 1
    at_once(8, run)
    found, asked, until = [], 0, time.monotonic() + WORK_S
    while not found and time.monotonic() < until:
        # As agents do: they ask again and again.
        with socket.create_connection(world.trapper, CALL_S) as stream:
            stream.sendall(packet({
                "request": "active checks", "host": "honest-agent", "host_metadata": "honest-agent",
            }))
            stream.recv(4096)
        asked += 1
        time.sleep(5)
        found = world.admin("host.get", {"filter": {"host": "honest-agent"}, "output": ["host"]})
    world.outcome.note = f"{sum(sent)} names; the new agent asked {asked} times"
    if not found:
        world.outcome.wrong.append("a new agent is not registered")


def scripts_of_people(world: World) -> None:
    """D6: eight scripts of a plain user that take their whole time."""
    script = world.admin("script.create", {
        "name": "slow", "type": 5, "scope": 2, "command": "while (true) {}", "timeout": "60s", "host_access": 2,
    })["scriptids"][0]
    token = world.user()

    def run(_n: int) -> None:
        call(world.url, "script.execute", {"scriptid": script, "hostid": world.host}, token, WORK_S)
    at_once(8, quietly(run))


def lists_of_checks(world: World) -> None:
    """D11: lists of 10,000 active checks for clients that have gone."""
    host = world.make_host("large")
    for start in range(0, 10_000, 2_500):
        world.admin("item.create", [
            {"hostid": host, "name": f"{n}", "key_": f"k[{n}]", "type": 7, "value_type": 3, "delay": "1h"}
            for n in range(start, start + 2_500)
        ])
    ask = packet({"request": "active checks", "host": "large"})
    end = time.monotonic() + HOLD_S
    n = 0
    while time.monotonic() < end and n < 2_000:
        with contextlib.suppress(OSError), socket.create_connection(world.trapper, 10) as stream:
            stream.sendall(ask)
            n += 1
    world.outcome.note = f"{n} lists asked for"


def places_taken(world: World) -> None:
    """D16: every place of both ports is taken by one address, and each of its connections sends a byte now and then."""
    http = connections(world.http, 4_200, b"GET / HTTP/1.1\r\nX: ")
    trapper = connections(world.trapper, 1_200, packet({"request": "sender data"})[:20])
    with http as streams, trapper as more:
        end = time.monotonic() + HOLD_S
        n = 0
        while time.monotonic() < end:
            for stream in (*streams, *more):
                with contextlib.suppress(OSError):
                    stream.send(b"x")
                    n += 1
            time.sleep(0.2)
        world.outcome.note = f"{len(streams)} and {len(more)} connections, {n} bytes"


def secured(world: World, n: int) -> list:
    """So many connections of HTTP/2."""
    made = []
    for _ in range(n):
        with contextlib.suppress(OSError):
            made.append(http2.Connection(world.http, ATTACKER))
    return made


def http2_slow(world: World) -> None:
    """Over HTTP/2: heads that do not end, bodies that do not come, answers for which there is no window, resets."""
    heads, bodies, unread = secured(world, 100), secured(world, 100), secured(world, 100)
    end = time.monotonic() + HOLD_S
    body = b'{"jsonrpc":"2.0","method":"rpc.discover","params":[],"id":1}'
    for one in heads:
        one.head(1, len(body), is_whole=False)
    for one in bodies:
        for stream in range(1, 64, 2):
            one.head(stream, 1_000_000)
    for one in unread:
        one.window(0)
        for stream in range(1, 64, 2):
            one.head(stream, len(body))
            one.data(stream, body, is_end=True)

    def reset(_n: int) -> None:
        while time.monotonic() < end:
            (one,) = secured(world, 1)
            with one:
                for stream in range(1, 2_000, 2):
                    one.head(stream, len(body))
                    one.data(stream, body, is_end=True)
                    one.reset(stream)
    threads = [threading.Thread(target=quietly(reset), args=(it,), daemon=True) for it in range(4)]
    for thread in threads:
        thread.start()
    while time.monotonic() < end:
        for one in heads:
            one.more_head(1, b"\x00\x01x\x01y")
        for one in bodies:
            for stream in range(1, 64, 2):
                one.data(stream, b" ")
        time.sleep(0.5)
    for thread in threads:
        thread.join(CALL_S)
    n_open = sum(it.is_open for it in (*heads, *bodies, *unread))
    world.outcome.note = f"{n_open} of 300 connections are left"
    for one in (*heads, *bodies, *unread):
        one.close()


def handshakes_slow(world: World) -> None:
    """Handshakes of TLS that begin and do not go on, on both ports."""
    hello = http2.hello()
    with connections(world.http, 1_000, hello[:-20]), connections(world.trapper, 4_000, hello[:-20]):
        time.sleep(HOLD_S)


def syslog_connections(world: World) -> None:
    """D16: connections of one address to the port for syslog; a message of another one has to come through."""
    port = SYSLOG_PORT
    world.admin("hostinterface.create", {
        "hostid": world.host, "type": 1, "main": 1, "useip": 1, "ip": "127.0.0.1", "dns": "", "port": "10050",
    })
    item = world.item(world.host, "syslog[]", 2)
    with connections(("127.0.0.1", port), 1_500) as opened:
        time.sleep(2)
        last, end = [], time.monotonic() + WORK_S
        while not last and time.monotonic() < end:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5) as stream:
                stream.sendall(b"<13>1 2026-01-01T00:00:00Z honest app - - - a message\n")
            time.sleep(0.5)
            (found,) = world.admin("item.get", {"itemids": [item], "output": ["lastvalue", "lastclock"]})
            last = [found["lastvalue"]] if found["lastclock"] != "0" else []
        world.outcome.note = f"{len(opened)} connections"
        if not last:
            world.outcome.wrong.append("no message comes through")


ATTACKS = [
    nothing, answers_unread, bodies_inflated, bodies_unended, sizes_announced, connections_idle, streams,
    regexp_texts, scripts_endless, discovery_rows, names, scripts_of_people, lists_of_checks, places_taken,
    http2_slow, handshakes_slow, syslog_connections,
]
# Of the server's start.
FLAGS = {
    regexp_texts: ("--shards", "1"),
    syslog_connections: ("--syslog-listen-tcp", f"127.0.0.1:{SYSLOG_PORT}"),
}
FILES_MAX = {connections_idle: 1_024}
# Their pages are encrypted.
SECURE = {http2_slow, handshakes_slow}
