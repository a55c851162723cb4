"""Differences between two plain answers, and the list of those that are allowed."""

import collections
import dataclasses
import json
import math
import pathlib
import re

from client import only_common
from scenarios import Refused, Scenario, matches

ALLOWED = pathlib.Path(__file__).resolve().parent / "allowed"
# The differences that an entry explains, by the Zabbix that Saker is compared with. 7.0 is between
# the two.
KINDS = {
    "6.0": ("7.0 differs", "on purpose"),
    "7.4": ("7.4 differs", "slip of 7.4", "not yet", "on purpose"),
}
ABSENT = "(absent)"
# Numbers of so many digits are sums of doubles: the order of adding shows in their last digits, and
# so do the nanoseconds that Zabbix gives values without any, one more for each value of the packet:
# ten of them move a fit over some seconds by 1e-9 of its slope, and forecasts continue from there.
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[Ee][+-]?\d+)?")
LONG_DIGITS = 12
TOLERANCE = 1e-8
# Related objects of a get method come in no particular order: two runs of Zabbix differ in it.
RELATED = ("discoveries", "groups", "hosts", "items", "templates", "triggers")


@dataclasses.dataclass(frozen=True)
class Difference:
    scenario: str
    field: str
    zabbix: object
    saker: object


@dataclasses.dataclass(frozen=True)
class Allowed:
    """A difference that may be: patterns as in globs, `kind` is one of those of KINDS."""

    scenario: str
    field: str
    kind: str
    reason: str

    def covers(self, one: Difference) -> bool:
        return matches(self.scenario, one.scenario) and matches(self.field, one.field)


def read_allowed() -> list[Allowed]:
    entries = [
        Allowed(**it) for path in sorted(ALLOWED.glob("*.json")) for it in json.loads(path.read_text())
    ]
    for one in entries:
        known = {it for kinds in KINDS.values() for it in kinds}
        if one.kind not in known or not one.reason:
            raise Refused(f"allowed: {one.scenario} needs a kind, one of {sorted(known)}, and a reason")
    return entries


def differences(scenario: Scenario, zabbix: dict, saker: dict) -> list[Difference]:
    found: list[Difference] = []
    # The request contains the method in its name.
    _compare(scenario.id, "", _common(zabbix), _common(saker), found)
    return found


def _common(seen: dict) -> dict:
    return {
        name: _in_order(only_common(name.split()[1], it)) if ": " in name and "." in name else it
        for name, it in seen.items()
    }


def _in_order(answer):
    """The rows of an answer with their related objects in an order of our own."""
    if not isinstance(answer, list):
        return answer
    return [
        {
            key: sorted(it, key=json.dumps) if key in RELATED and isinstance(it, list) else it
            for key, it in row.items()
        } if isinstance(row, dict) else row
        for row in answer
    ]


def _compare(scenario: str, field: str, zabbix, saker, found: list[Difference]) -> None:
    if zabbix == saker or (not zabbix and not saker and zabbix in ([], {}) and saker in ([], {})):
        return
    if isinstance(zabbix, dict) and isinstance(saker, dict):
        for key in dict.fromkeys([*zabbix, *saker]):
            inner = f"{field}.{key}" if field else key
            _compare(scenario, inner, zabbix.get(key, ABSENT), saker.get(key, ABSENT), found)
        return
    if isinstance(zabbix, list) and isinstance(saker, list) and len(zabbix) == len(saker):
        for idx, (one, other) in enumerate(zip(zabbix, saker, strict=True)):
            _compare(scenario, f"{field}.{idx}", one, other, found)
        return
    if not (isinstance(zabbix, str) and isinstance(saker, str) and _close(zabbix, saker)):
        found.append(Difference(scenario, field, zabbix, saker))


def _close(one: str, other: str) -> bool:
    """Whether the texts differ in nothing but the last digits of long numbers."""
    numbers, others = NUMBER.findall(one), NUMBER.findall(other)
    return (
        NUMBER.split(one) == NUMBER.split(other)
        and all(
            a == b or (
                LONG_DIGITS <= max(len(a), len(b))
                and math.isclose(float(a), float(b), rel_tol=TOLERANCE, abs_tol=TOLERANCE)
            )
            for a, b in zip(numbers, others, strict=True)
        )
    )


class Result:
    """All differences of a run from one version of Zabbix, judged by the list."""

    def __init__(self, scenarios: list[Scenario], found: list[Difference], version: str = "6.0") -> None:
        self.scenarios = scenarios
        self.version = version
        self.kinds = KINDS[version]
        self.entries = [it for it in read_allowed() if it.kind in self.kinds]
        self.found = found
        self.kind_of: dict[Difference, str] = {}
        used = set()
        self.open: list[Difference] = []
        for one in found:
            entry = next((it for it in self.entries if it.covers(one)), None)
            if entry:
                used.add(entry)
                self.kind_of[id(one)] = entry.kind
            else:
                self.open.append(one)
        self.used = used

    def classes(self) -> dict[str, str]:
        """Each scenario's class: equal, one of the kinds, or open."""
        of = {it.id: "equal" for it in self.scenarios}
        rank = ["equal", *self.kinds, "open"]
        for one in self.found:
            kind = self.kind_of.get(id(one), "open")
            of[one.scenario] = max(of[one.scenario], kind, key=rank.index)
        return of

    def text(self) -> str:
        lines = []
        for one in self.open:
            lines += [
                f"{one.scenario}", f"  {one.field}", f"    Zabbix {self.version}: {short(one.zabbix)}",
                f"    Saker:      {short(one.saker)}",
            ]
        return "\n".join([*lines, "", f"Compared with Zabbix {self.version}:", self.summary()])

    def summary(self) -> str:
        columns = ["equal", *self.kinds, "open"]
        rows: dict = collections.defaultdict(collections.Counter)
        classes = self.classes()
        for one in self.scenarios:
            rows[one.kind][classes[one.id]] += 1
            rows["all"][classes[one.id]] += 1
        lines = [f"{'':16}{'total':>8}" + "".join(f"{it:>14}" for it in columns)]
        for kind in [*sorted(it for it in rows if it != "all"), "all"]:
            count = rows[kind]
            lines.append(f"{kind:16}{count.total():>8}" + "".join(f"{count[it]:>14}" for it in columns))
        return "\n".join(lines)


def not_needed(results: list[Result]) -> list[Allowed]:
    """Entries without a difference from any version although their scenarios were compared with all."""
    played = [
        {it.id for it in result.scenarios} for result in results
    ]
    versions = {it.version for it in results}
    used = {one for result in results for one in result.used}
    return [
        it for it in read_allowed()
        if it not in used
        and {version for version, kinds in KINDS.items() if it.kind in kinds} <= versions
        and any(matches(it.scenario, one) for one in set.intersection(*played))
    ]


def short(value) -> str:
    """One line; events as `value@clock→closed`."""
    if isinstance(value, list) and value and all(isinstance(it, dict) and "clock" in it for it in value):
        return f"{len(value)}: " + " ".join(
            f"{it.get('value', '1')}@{it['clock']}" + (f"→{it['closed']}" if "closed" in it else "")
            for it in value
        )
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
