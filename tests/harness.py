"""The server and real peers for tests: each started on free ports, in a process group of its own."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import urllib.request

import pytest
from zabbix_utils import ZabbixAPI

PASSWORD = "a password for tests"
ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = os.environ.get("SAKER_BIN", str(ROOT / "target/debug/saker"))
# First checks are spread over their interval, a minute at most in these tests.
FIRST_CHECK = 75


class Process:
    """A program with what it starts itself; all of it ends with `end`."""

    def __init__(self, command: list, log: pathlib.Path, env: dict | None = None) -> None:
        self.log = log
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [str(it) for it in command], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env={**os.environ, **(env or {})}, start_new_session=True,
            )

    def is_running(self) -> bool:
        return self.process.poll() is None

    def end(self, seconds: float = 10) -> int:
        """SIGTERM to the whole group, and SIGKILL to what is left of it; the exit code."""
        try:
            if self.is_running():
                os.killpg(self.process.pid, signal.SIGTERM)
                self.process.wait(timeout=seconds)
        finally:
            # Children may outlive their parent.
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            code = self.process.wait()
        return code

    def last_lines(self) -> str:
        return self.log.read_text(errors="replace")[-4000:]


class Server(Process):
    """A running server and where it listens."""

    def __init__(self, data: pathlib.Path, *flags: str, env: dict | None = None) -> None:
        self.data = data
        self.http_port, self.trapper_port = free_ports(2)
        self.url = f"http://127.0.0.1:{self.http_port}"
        self.password = PASSWORD
        command = [
            BINARY, "server", "--data", data,
            "--http", f"127.0.0.1:{self.http_port}",
            "--trapper", f"127.0.0.1:{self.trapper_port}", *flags,
        ]
        super().__init__(
            command, data.with_suffix(".log"), {"SAKER_ADMIN_PASSWORD": PASSWORD, **(env or {})}
        )

    def wait_until_ready(self) -> None:
        wait_for(self._is_ready, "the server is ready", self)

    def _is_ready(self) -> bool:
        assert self.is_running(), f"the server ended:\n{self.last_lines()}"
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=5) as answer:
                return answer.status == 200 and "version" in json.load(answer)
        except OSError:
            return False

    def api(self) -> ZabbixAPI:
        """A client of the API in a new session of Admin."""
        client = ZabbixAPI(url=self.url)
        client.login(user="Admin", password=self.password)
        return client


def free_ports(n: int) -> list[int]:
    sockets = [socket.socket() for _ in range(n)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def free_agent_port() -> int:
    """A port below 32768: agents take no other."""
    for offset in range(10_000):
        port = 20_000 + (os.getpid() * 7 + offset) % 12_000
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise OSError("no free port below 32768")


def free_udp_port() -> int:
    with socket.socket(type=socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(is_true, what, process: Process | None = None, seconds: float = 30):
    """Asks again until the answer is true, and returns it; fails when the time is over, saying
    `what` should have come to be (a text, or a function that gives it then)."""
    deadline = time.monotonic() + seconds
    while True:
        answer = is_true()
        if answer:
            return answer
        if deadline < time.monotonic():
            break
        time.sleep(0.05)
    log = f"\n{process.last_lines()}" if process else ""
    what = what() if callable(what) else what
    pytest.fail(f"not within {seconds} s: {what}{log}")


def program(name: str) -> str:
    """The path of a program that scripts/install-test-peers.sh installs."""
    path = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    assert path, f"{name} is missing: run scripts/install-test-peers.sh"
    return path
