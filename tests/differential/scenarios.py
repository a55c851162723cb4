"""Scenarios as they stand in scenarios/: read, checked, and put into the one form that is played.

A scenario is data, see README.md. What nobody understands is refused by name, so that a mistyped
member is no silent gap in a test.
"""

import dataclasses
import difflib
import fnmatch
import json
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent / "scenarios"

MEMBERS = {
    "name", "why", "base", "host", "host2", "macros", "valuemaps", "items", "rules", "triggers",
    "steps", "compare", "recorded",
}
STEP_MEMBERS = {"restart", "do", "send", "until", "ask", "look"}
ASPECTS = {"events", "problems", "triggers", "items", "history", "history.ns", "rules", "discovered"}
UNTIL_MEMBERS = {"events", "problems", "values", "discovered", "seconds"}
# Longer waits do not fit into the time of a whole run.
SECONDS_MAX = 150
VALUE = re.compile(
    r"(?P<key>\S*?)@(?P<at>now(?:[+-]\d+)?|-?\d+)(?:\.(?P<ns>\d{1,9}))?(?: (?P<value>.*))?", re.DOTALL
)


class Refused(Exception):
    """A scenario file that cannot be played, and why."""


@dataclasses.dataclass(frozen=True)
class Value:
    """One value to be sent: `at` counts from the scenario's base, or from now."""

    key: str
    value: str
    at: int
    is_now: bool = False
    ns: int | None = None
    host: str = "%h"


@dataclasses.dataclass(frozen=True)
class Step:
    """What happens in one round, in this order."""

    restart: bool
    do: list
    send: list[list[Value]]
    until: dict
    ask: list
    look: list[str]


@dataclasses.dataclass(frozen=True)
class Scenario:
    """`id` is `folder/file/name`; `kind` is the folder."""

    id: str
    data: dict
    steps: list[Step]
    compare: list[str]

    @property
    def kind(self) -> str:
        return self.id.split("/")[0]

    @property
    def host(self) -> str:
        """The name of its host: the same in every run, and nobody else's."""
        slug = re.sub(r"[^a-z0-9]+", "-", self.id.split("/", 1)[1].lower()).strip("-")
        return f"d-{slug}"

    @property
    def restarts(self) -> bool:
        return any(it.restart for it in self.steps)

    @property
    def restart(self) -> int:
        """The number of the step with the restart; 0 if there is none."""
        return next((idx for idx, it in enumerate(self.steps) if it.restart), 0)

    @property
    def waits(self) -> bool:
        """Whether its answers hang on the time that passes while it is played."""
        values = [value for step in self.steps for packet in step.send for value in packet]
        return any(it.until for it in self.steps) or any(it.is_now for it in values)

    @property
    def is_recorded(self) -> bool:
        return self.data.get("recorded", True) and not self.waits and not self.restarts


def load(patterns: list[str]) -> list[Scenario]:
    """The scenarios that one of the patterns selects: a part of the id, or a glob over it."""
    found = [
        one
        for path in sorted(FOLDER.glob("*/*.json"))
        for one in _read(path)
    ]
    hosts: dict[str, str] = {}
    for one in found:
        other = hosts.setdefault(one.host, one.id)
        if other != one.id:
            raise Refused(f"{one.id}: its host would have the name of {other}'s, {one.host}")
        if 110 < len(one.host):
            raise Refused(f"{one.id}: the name is too long for a host")
    selected = [it for it in found if not patterns or any(matches(p, it.id) for p in patterns)]
    if not selected:
        raise Refused(f"no scenario matches {patterns}")
    return selected


def matches(pattern: str, text: str) -> bool:
    return pattern in text or fnmatch.fnmatchcase(text, pattern)


def _read(path: pathlib.Path) -> list[Scenario]:
    place = f"{path.parent.name}/{path.stem}"
    try:
        rows = json.loads(path.read_text())
    except json.JSONDecodeError as error:
        raise Refused(f"{path}: {error}") from error
    scenarios = []
    for row in rows:
        name = f"{place}/{row.get('name', '(no name)')}"
        try:
            scenarios.append(_scenario(name, row))
        except (KeyError, TypeError, ValueError) as error:
            raise Refused(f"{name}: {error}") from error
    if len({it.id for it in scenarios}) != len(scenarios):
        raise Refused(f"{path}: two scenarios have the same name")
    return scenarios


def _scenario(name: str, row: dict) -> Scenario:
    _known(row, MEMBERS)
    row["name"]
    if 1 < sum(it.get("restart", False) for it in row.get("steps", [])):
        raise ValueError("one restart is what fits")
    compare = row.get("compare", ["events", "triggers"] if "triggers" in row else [])
    _known(compare, ASPECTS)
    if row.get("base", "minute") not in ("minute", "hour", "day"):
        raise ValueError(f'base "{row["base"]}" is none of minute, hour, day')
    return Scenario(name, row, [_step(it) for it in row.get("steps", [])], compare)


def _step(row: dict) -> Step:
    _known(row, STEP_MEMBERS)
    send = row.get("send", [])
    packets = send if send and isinstance(send[0], list) else [send] if send else []
    until = row.get("until", {})
    _known(until, UNTIL_MEMBERS)
    if SECONDS_MAX < until.get("seconds", 0):
        raise ValueError(f"waits at most {SECONDS_MAX} s")
    _known(row.get("look", []), ASPECTS)
    return Step(
        restart=row.get("restart", False), do=row.get("do", []),
        send=[[_value(it) for it in packet] for packet in packets],
        until=until, ask=row.get("ask", []), look=row.get("look", []),
    )


def _value(row: str | dict) -> Value:
    """`KEY@TIME.NS VALUE`; without a key it is `k`, and `%h2/KEY` is an item of the second host."""
    if isinstance(row, dict):
        _known(row, {"key", "at", "ns", "value", "host"})
        key, at, ns, value = row["key"], str(row["at"]), row.get("ns"), row["value"]
        host = row.get("host", "%h")
    else:
        found = VALUE.fullmatch(row)
        if not found:
            raise ValueError(f'"{row}" is no value: it is written KEY@TIME VALUE')
        key, at, value = found["key"] or "k", found["at"], found["value"] or ""
        ns = int(found["ns"]) if found["ns"] else None
        host = "%h"
        if key.startswith("%h2/"):
            host, key = "%h2", key.removeprefix("%h2/") or "k"
    is_now = at.startswith("now")
    offset = int(at.removeprefix("now") or 0)
    return Value(key, value, offset, is_now, ns, host)


def _known(names, allowed: set[str]) -> None:
    for name in names:
        if name not in allowed:
            near = difflib.get_close_matches(name, allowed, 1)
            raise ValueError(f'"{name}" is not known' + (f', "{near[0]}" is' if near else ""))
