"""Saker against the recorded answers of real servers, 6.0 and 7.4, for scenarios that need no waiting."""

import time

import pytest

import compare
import recorded
from play import play
from scenarios import load
from servers import Saker

ANSWERS = recorded.read()
NEWER = recorded.read_newer()
SCENARIOS = {it.id: it for it in load([])}
KEYS_OF_NEWER = [key for key, it in SCENARIOS.items() if it.is_recorded and key in NEWER]


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What Saker makes of all of them, played at once."""
    wanted = {*ANSWERS, *KEYS_OF_NEWER}
    chosen = [it for key, it in SCENARIOS.items() if key in wanted]
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


@pytest.mark.skipif(not NEWER, reason=f"no answers of 7.4: {recorded.NEWER} is not there")
def test_newer_answers_have_scenarios():
    assert KEYS_OF_NEWER


@pytest.mark.parametrize("key", KEYS_OF_NEWER)
def test_newer(seen, key):
    scenario = SCENARIOS[key]
    found = compare.differences(scenario, NEWER[key], seen[key])
    result = compare.Result([scenario], found, "7.4")
    assert not result.open, "\n" + result.text()
