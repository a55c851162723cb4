"""The attacks of `make attacks` that take seconds, with ten times the limits: machines that run tests are busy. What is
bad comes early, so connections are held for half the time."""

import os
import pathlib
import subprocess
import sys

import pytest

from harness import BINARY

RUN = pathlib.Path(__file__).parent / "run.py"
SHORT = [
    "answers_unread", "bodies_inflated", "sizes_announced", "connections_idle", "streams", "regexp_texts",
    "lists_of_checks", "places_taken", "http2_slow", "syslog_connections",
]


@pytest.mark.parametrize("attack", SHORT)
def test_a_server_under_attack_answers_its_administrator(attack):
    done = subprocess.run(
        [sys.executable, str(RUN), "--slack", "10", "--hold", "10", attack], env={**os.environ, "SAKER_BIN": BINARY}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )
    assert done.returncode == 0, done.stdout
