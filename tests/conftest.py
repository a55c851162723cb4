"""One server for all tests: the binary named by SAKER_BIN, on free ports of its own."""

import pytest

from clients_by_command import Ansible, ZabbixCli
from harness import Server
from peers import Peers


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    one = Server(tmp_path_factory.mktemp("server") / "data")
    one.wait_until_ready()
    yield one
    assert one.end() == 0, f"SIGTERM ends the server in order:\n{one.last_lines()}"


@pytest.fixture
def api(server):
    client = server.api()
    yield client
    client.logout()


@pytest.fixture
def peers(tmp_path):
    """Starts real programs for one test, and ends them with it."""
    started = Peers(tmp_path)
    yield started
    started.end()


@pytest.fixture
def ansible(server, tmp_path):
    return Ansible(server, tmp_path)


@pytest.fixture
def cli(server, tmp_path):
    return ZabbixCli(server, tmp_path)
