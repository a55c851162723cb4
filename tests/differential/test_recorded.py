"""Saker against the recorded answers of the real server, for scenarios that need no waiting."""

import time

import pytest

import compare
import recorded
from play import play
from scenarios import load
from servers import Saker

ANSWERS = recorded.read()
SCENARIOS = {it.id: it for it in load([])}


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What Saker makes of all of them, played at once."""
    chosen = [it for key, it in SCENARIOS.items() if key in ANSWERS]
    server = Saker(tmp_path_factory.mktemp("differential"))
    try:
        return play(server, chosen, int(time.time()), print)
    finally:
        server.end()


def test_recordings_have_scenarios():
    assert ANSWERS, "nothing is recorded: run scripts/differential.sh --record"
    stale = [key for key in ANSWERS if key not in SCENARIOS or not SCENARIOS[key].is_recorded]
    assert not stale, f"recorded, but no such scenario: run --record again: {stale}"


@pytest.mark.parametrize("key", list(ANSWERS))
def test_recorded(seen, key):
    scenario = SCENARIOS[key]
    result = compare.Result([scenario], compare.differences(scenario, ANSWERS[key], seen[key]))
    assert not result.open, "\n" + result.text()
