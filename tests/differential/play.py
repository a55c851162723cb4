"""Scenarios played on one server: all of them at once, round by round.

A round is one step of every scenario: restart, actions, values, then the looks and questions when the
server is quiet. Scenarios with a restart have a pass of their own, because it falls on everybody.
"""

import concurrent.futures
import time

from look import Look
from scenarios import Scenario, Step
from servers import Server
from stage import Stage

# The frontend has four workers.
CALLERS = 4
# How long before the run T is, and of which period it is the start. With an hour less, a run in
# which an hour ends would bring T's hour into the last whole one, over which trends are evaluated
# then.
BASES = {"minute": (1000, 60), "hour": (3 * 3600, 3600), "day": (86_400, 86_400)}
UNTIL_SECONDS = 90


def base_of(scenario: Scenario, started: int) -> int:
    """T of a scenario: the start of a minute, hour or day, long enough before the run."""
    before, grid = BASES[scenario.data.get("base", "minute")]
    return (started - before) // grid * grid


def play(server: Server, scenarios: list[Scenario], started: int, report) -> dict[str, dict]:
    """What the server has made of each scenario, by id."""
    server.prepare()
    seen: dict[str, dict] = {}
    for restarts in (False, True):
        chosen = [it for it in scenarios if it.restarts == restarts]
        if chosen:
            stages = [Stage(it, server, base_of(it, started), started) for it in chosen]
            Pass(server, stages, report).run()
            seen |= {it.scenario.id: it.seen for it in stages}
    return seen


class Pass:
    def __init__(self, server: Server, stages: list[Stage], report) -> None:
        self.server = server
        self.stages = stages
        self.report = lambda text: report(f"{server.name}: {text}")

    def run(self) -> None:
        with concurrent.futures.ThreadPoolExecutor(CALLERS) as self.pool:
            self._all(lambda it: it.make(), self.stages)
            self.report(f"{len(self.stages)} scenarios are set up")
            last = max((it.scenario.restart for it in self.stages), default=0)
            # A restart falls on everybody: all that restart do so in the same round.
            self.first = {it: last - it.scenario.restart for it in self.stages}
            rounds = max(self.first[it] + len(it.scenario.steps) for it in self.stages)
            for number in range(rounds):
                self._round(number)
            self._look({it: it.scenario.compare for it in self.stages}, {})

    def _all(self, what, stages: list[Stage]) -> None:
        for done in [self.pool.submit(what, it) for it in stages]:
            done.result()

    def _round(self, number: int) -> None:
        at = {it: number - self.first[it] for it in self.stages}
        playing = [it for it in self.stages if 0 <= at[it] < len(it.scenario.steps)]
        step = {it: it.scenario.steps[at[it]] for it in playing}
        if any(it.restart for it in step.values()):
            self.server.restart()
            self.report("has been restarted")
        self._all(lambda it: it.act(at[it] + 1, step[it].do), [it for it in playing if step[it].do])
        sending = [it for it in playing if step[it].send]
        if sending:
            self.server.take_configuration()
            self._all(lambda it: self._send(it, step[it]), sending)
        self.server.wait_until_quiet()
        self._until({it: step[it].until for it in playing if step[it].until})
        looking = [it for it in playing if step[it].look]
        self._look({it: step[it].look for it in looking}, {it: f"{at[it] + 1}: " for it in looking})
        self._all(lambda it: it.ask(at[it] + 1, step[it].ask), [it for it in playing if step[it].ask])
        self.report(f"round {number + 1} with {len(playing)} scenarios is done")

    def _send(self, stage: Stage, step: Step) -> None:
        stage.now = int(time.time())
        for packet in step.send:
            info = self.server.send(stage.rows(packet))["info"]
            sent = info.split(";")[1].strip()
            if sent != "failed: 0":
                stage.seen.setdefault("sender", []).append(info.rsplit(";", 1)[0])

    def _until(self, waiting: dict[Stage, dict]) -> None:
        """Until each has what it waits for, or its time is over: that shows in what it has then."""
        begun = time.monotonic()
        while waiting:
            passed = time.monotonic() - begun
            aspects = {"events": "events", "problems": "problems", "values": "history", "discovered": "discovered"}
            seen = Look(self.server, list(waiting)).take({
                it.scenario.id: [aspects[key] for key in until if key in aspects]
                for it, until in waiting.items()
            })
            waiting = {
                it: until for it, until in waiting.items()
                if passed < until.get("seconds", UNTIL_SECONDS) and not _has(seen[it.scenario.id], until)
            }
            if waiting:
                time.sleep(1)
        self.server.wait_until_quiet()

    def _look(self, wanted: dict[Stage, list[str]], prefixes: dict[Stage, str]) -> None:
        wanted = {it: aspects for it, aspects in wanted.items() if aspects}
        if not wanted:
            return
        seen = Look(self.server, list(wanted)).take(
            {it.scenario.id: aspects for it, aspects in wanted.items()}
        )
        for stage in wanted:
            for aspect, found in seen[stage.scenario.id].items():
                stage.seen[prefixes.get(stage, "") + aspect] = found


def _has(seen: dict, until: dict) -> bool:
    counts = {
        "events": _rows(seen.get("events", {})), "problems": _open(seen.get("problems", {})),
        "values": _rows(seen.get("history", {})),
        "discovered": sum(len(it) for it in seen.get("discovered", {}).values()),
    }
    wanted = {key: n for key, n in until.items() if key != "seconds"}
    # Without anything to wait for, it is the time that is waited for.
    return bool(wanted) and all(n <= counts[key] for key, n in wanted.items())


def _rows(lists: dict[str, list]) -> int:
    return sum(len(it) for it in lists.values())


def _open(problems: dict[str, list]) -> int:
    return sum("closed" not in one for rows in problems.values() for one in rows)
