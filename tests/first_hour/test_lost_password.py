"""A lost password, at a terminal, while the server runs and when it is stopped."""

import os
import pty
import subprocess
import termios

import pytest
from harness import BINARY, Server, wait_for
from zabbix_utils import ZabbixAPI


@pytest.fixture
def own_server(tmp_path):
    """Whose password may change."""
    one = Server(tmp_path / "data")
    one.wait_until_ready()
    yield one
    if one.is_running():
        assert one.end() == 0


def at_a_terminal(data, *typed: str) -> tuple[int, str]:
    """The exit code, and what stands on the terminal then, when a person types these lines."""
    command = [BINARY, "user", "password", "Admin", "--data", str(data)]
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    shown = b""
    lines = list(typed)
    while True:
        try:
            shown += os.read(terminal, 1_024)
        except OSError:
            # The other side is closed.
            break
        if shown.endswith(b": ") and lines:
            # People type slower than the terminal stops showing it.
            wait_for(lambda: not termios.tcgetattr(terminal)[3] & termios.ECHO, "nothing is shown")
            os.write(terminal, f"{lines.pop(0)}\n".encode())
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), shown.decode().replace("\r\n", "\n")


def login(server, password: str) -> ZabbixAPI:
    client = ZabbixAPI(url=server.url)
    client.login(user="Admin", password=password)
    return client


def test_lost_password(own_server):
    session = login(own_server, own_server.password)
    code, shown = at_a_terminal(own_server.data, "found again", "found again")
    assert (code, shown.split("\n")[:2]) == (0, ["New password of Admin: ", "Again: "])
    assert "found again" not in shown, "nobody reads it over the shoulder"
    with pytest.raises(Exception, match="Incorrect user name or password"):
        login(own_server, own_server.password)
    with pytest.raises(Exception, match="Session terminated|Not authori"):
        session.host.get()
    client = login(own_server, "found again")
    (record,) = client.auditlog.get(filter={"action": 1, "resourcetype": 0}, output="extend")
    assert (record["username"], record["resourcename"]) == ("System", "Admin")

    code, shown = at_a_terminal(own_server.data, "one", "another")
    assert code == 1
    assert "the two passwords differ; nothing was changed" in shown

    assert own_server.end() == 0
    command = [BINARY, "user", "password", "Admin", "--generate", "--data", own_server.data]
    password = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    again = Server(own_server.data)
    again.wait_until_ready()
    login(again, password)
    assert again.end() == 0
