"""The same machine with agent 2, whose packets differ."""

from steps import watch_linux
from test_agent import check_linux


def test_agent2(server, api, peers):
    _agent, port = peers.agent("zabbix_agent2")
    check_linux(server, api, watch_linux(server, api, "web-2", port))
