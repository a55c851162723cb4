"""One server for all client tests: the binary named by SAKER_BIN, on free ports of its own."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import time
import urllib.request

import pytest

PASSWORD = "a password for tests"
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Server:
    """A running server and where it listens."""

    def __init__(self, data: pathlib.Path) -> None:
        self.http_port, self.trapper_port = free_ports(2)
        self.url = f"http://127.0.0.1:{self.http_port}"
        self.password = PASSWORD
        self.log = data.with_suffix(".log")
        binary = os.environ.get("SAKER_BIN", str(ROOT / "target/debug/saker"))
        command = [
            binary, "server", "--data", str(data),
            "--http", f"127.0.0.1:{self.http_port}",
            "--trapper", f"127.0.0.1:{self.trapper_port}",
        ]
        environment = {**os.environ, "SAKER_ADMIN_PASSWORD": PASSWORD}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, stderr=log, stdout=log, env=environment)

    def wait_until_ready(self) -> None:
        wait_for(self._is_ready, "the server is ready", self)

    def _is_ready(self) -> bool:
        assert self.process.poll() is None, f"the server ended:\n{self.log.read_text()}"
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=5) as answer:
                return answer.status == 200 and "version" in json.load(answer)
        except OSError:
            return False

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise


def free_ports(n: int) -> list[int]:
    sockets = [socket.socket() for _ in range(n)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_for(is_true, what: str, server: Server | None = None, seconds: float = 30):
    """Asks again until the answer is true, and returns it; fails when the time is over."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        answer = is_true()
        if answer:
            return answer
        time.sleep(0.05)
    log = f"\n{server.log.read_text()[-4000:]}" if server else ""
    pytest.fail(f"not within {seconds} s: {what}{log}")


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    one = Server(tmp_path_factory.mktemp("server") / "data")
    one.wait_until_ready()
    yield one
    assert one.stop() == 0, f"SIGTERM ends the server in order:\n{one.log.read_text()[-4000:]}"
