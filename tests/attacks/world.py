"""A server under attack: what it takes of memory, and how long an administrator waits meanwhile."""

import gzip
import http.client
import json
import pathlib
import socket
import ssl
import struct
import subprocess
import threading
import time
import urllib.request
import zlib

from harness import PASSWORD, Server

LOOK_S = 0.25
# A call of the administrator that takes this long has failed.
CALL_S = 60
OUTSIDER = "outsider"
# So that shares by address count: the administrator and the other host come from 127.0.0.1.
ATTACKER = "127.0.0.2"
# The server's certificate is its own.
UNVERIFIED = ssl._create_unverified_context()
# Normally a stop takes part of a second.
STOP_S = 10


def call(url: str, method: str, params, token: str | None = None, timeout: float = CALL_S):
    body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, "id": 1}).encode()
    headers = {"Content-Type": "application/json-rpc"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(f"{url}/api_jsonrpc.php", body, headers)
    with urllib.request.urlopen(request, timeout=timeout, context=UNVERIFIED) as answer:
        done = json.load(answer)
    if "error" in done:
        raise RuntimeError(f"{method}: {done['error']}")
    return done["result"]


def packet(message, compressed: bool = False) -> bytes:
    """A message of the trapper's protocol."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    if compressed:
        packed = zlib.compress(body)
        return b"ZBXD\x03" + struct.pack("<II", len(packed), len(body)) + packed
    return b"ZBXD\x01" + struct.pack("<II", len(body), 0) + body


class Outcome:
    """The worst of one attack."""

    def __init__(self) -> None:
        self.rss_mb = 0.0
        self.waits = {"host.get": 0.0, "user.login": 0.0, "value": 0.0}
        self.stop_s = 0.0
        self.wrong: list[str] = []
        self.note = ""

    def misses(self, rss_mb: float, wait_s: float) -> list[str]:
        found = list(self.wrong)
        if self.stop_s > STOP_S:
            found.append(f"stop {self.stop_s:.1f} s")
        if self.rss_mb > rss_mb:
            found.append(f"{self.rss_mb:.0f} MB")
        return found + [f"{name} {took:.1f} s" for name, took in self.waits.items() if took > wait_s]


class SecureServer(Server):
    """A server whose pages are encrypted."""

    def __init__(self, data: pathlib.Path, *flags: str, env: dict | None = None) -> None:
        super().__init__(data, *flags, "--http-tls", "self-signed", env=env)
        self.url = self.url.replace("http://", "https://")

    def _is_ready(self) -> bool:
        assert self.is_running(), f"the server ended:\n{self.last_lines()}"
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=5, context=UNVERIFIED) as answer:
                return answer.status == 200
        except OSError:
            return False


class World:
    """A server with a host of somebody else, whose values are sent while the attack goes on."""

    def __init__(self, folder: pathlib.Path, *flags: str, is_secure: bool = False) -> None:
        self.server = (SecureServer if is_secure else Server)(folder / "data", *flags)
        self.server.wait_until_ready()
        self.url, self.trapper = self.server.url, ("127.0.0.1", self.server.trapper_port)
        self.http = ("127.0.0.1", self.server.http_port)
        self.token = self.login("Admin")
        self.host = self.make_host("honest")
        self.item(self.host, "value", 3)
        self.outcome = Outcome()
        self._ended = threading.Event()

    def login(self, user: str) -> str:
        return call(self.url, "user.login", {"username": user, "password": PASSWORD})

    def admin(self, method: str, params, timeout: float = 600):
        return call(self.url, method, params, self.token, timeout)

    def make_host(self, name: str) -> str:
        return self.admin("host.create", {"host": name, "groups": [{"groupid": "2"}]})["hostids"][0]

    def item(self, host: str, key: str, value_type: int, **more) -> str:
        item = {"hostid": host, "name": key, "key_": key, "type": 2, "value_type": value_type, **more}
        return self.admin("item.create", item)["itemids"][0]

    def user(self) -> str:
        """A session of a user of the role User who may read the hosts."""
        group = self.admin("usergroup.create", {
            "name": OUTSIDER, "hostgroup_rights": [{"id": "2", "permission": 2}],
        })["usrgrpids"][0]
        self.admin("user.create", {
            "username": OUTSIDER, "passwd": PASSWORD, "roleid": "1", "usrgrps": [{"usrgrpid": group}],
        })
        return self.login(OUTSIDER)

    def send(self, rows: list[dict], compressed: bool = False, timeout: float = CALL_S) -> str:
        """What the trapper answers."""
        with socket.create_connection(self.trapper, timeout) as stream:
            stream.sendall(packet({"request": "sender data", "data": rows}, compressed))
            return answer_of(stream)

    def rss_mb(self) -> float:
        status = pathlib.Path(f"/proc/{self.server.process.pid}/status").read_text()
        (kib,) = [line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")]
        return int(kib) / 1024

    def watch(self) -> list[threading.Thread]:
        """Asks as an administrator and as a host would, one after the other each, until the attack is over."""
        asks = {
            "host.get": lambda: self.admin("host.get", {"output": ["host"], "limit": 1}, CALL_S),
            "user.login": lambda: self.login("Admin"),
            "value": lambda: self.send([{"host": "honest", "key": "value", "value": "1"}]),
        }
        threads = [threading.Thread(target=self._look, daemon=True)]
        threads += [threading.Thread(target=self._ask, args=it, daemon=True) for it in asks.items()]
        for thread in threads:
            thread.start()
        return threads

    def _look(self) -> None:
        while not self._ended.wait(LOOK_S):
            try:
                self.outcome.rss_mb = max(self.outcome.rss_mb, self.rss_mb())
            except (OSError, ValueError):
                self.outcome.wrong.append("the server ended")
                return

    def _ask(self, name: str, ask) -> None:
        while not self._ended.wait(LOOK_S):
            start = time.monotonic()
            try:
                ask()
            except (OSError, RuntimeError, ValueError, http.client.HTTPException) as error:
                self.outcome.wrong.append(f"{name} failed: {str(error)[:120]}")
                self.outcome.waits[name] = max(self.outcome.waits[name], time.monotonic() - start)
                return
            self.outcome.waits[name] = max(self.outcome.waits[name], time.monotonic() - start)

    def end(self, threads: list[threading.Thread]) -> Outcome:
        # The last questions are answered, or have failed.
        self._ended.set()
        for thread in threads:
            thread.join(2 * CALL_S)
        if not self.server.is_running():
            self.outcome.wrong.append(f"the server ended: {self.server.last_lines()[-300:]}")
        start = time.monotonic()
        try:
            self.server.end(10 * STOP_S)
        except subprocess.TimeoutExpired:
            self.outcome.wrong.append(f"the server did not stop: {self.server.last_lines()[-300:]}")
        self.outcome.stop_s = time.monotonic() - start
        return self.outcome


def answer_of(stream: socket.socket) -> str:
    parts = []
    while part := stream.recv(65_536):
        parts.append(part)
    return b"".join(parts)[13:].decode(errors="replace")


def post(body: bytes, *headers: str, announced: int | None = None) -> bytes:
    """A request to the API."""
    lines = [
        "POST /api_jsonrpc.php HTTP/1.1", "Host: localhost", "Content-Type: application/json-rpc",
        f"Content-Length: {len(body) if announced is None else announced}", *headers,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def zipped(body: bytes) -> bytes:
    return gzip.compress(body)
