"""What the servers have made of it: asked for by the API, all scenarios at once, in plain form."""

import collections
import re

from servers import Server
from stage import Stage

HISTORIES = (0, 1, 2, 3, 4)
# As many objects as one request names.
IDS_MAX = 500


class Look:
    """One look at the stages of a server."""

    def __init__(self, server: Server, stages: list[Stage]) -> None:
        self.api = server.api
        self.stages = {
            hostid: it for it in stages for ref in ("host", "host2") if (hostid := it.ids.get(ref))
        }

    def take(self, wanted: dict[str, list[str]]) -> dict[str, dict]:
        """`wanted` names the aspects by the scenario's id; the answer has them by the same."""
        seen: dict[str, dict] = {it: {} for it in wanted}
        aspects = sorted({it for aspects in wanted.values() for it in aspects})
        self._stages: list[Stage] = [it for it in dict.fromkeys(self.stages.values()) if it.scenario.id in wanted]
        self._hostids = [it for it, stage in self.stages.items() if stage.scenario.id in wanted]
        self._learn_names()
        for aspect in aspects:
            found = ASPECTS[aspect](self, {key for key, names in wanted.items() if aspect in names})
            for stage in self._stages:
                if aspect in wanted[stage.scenario.id]:
                    seen[stage.scenario.id][aspect] = found.get(stage.scenario.id, {})
        return seen

    def _get(self, method: str, by: str, ids, **params) -> list[dict]:
        ids = list(ids)
        rows = []
        for start in range(0, len(ids), IDS_MAX):
            part = ids[start:start + IDS_MAX]
            rows += self.api.call(f"{method}.get", {by: part, "output": "extend", **params})
        return rows

    def _learn_names(self) -> None:
        """What discovery has made; what was deleted keeps the name that it had."""
        self._item_rows = self._get(
            "item", "hostids", self._hostids, selectItemDiscovery="extend", selectTags="extend",
        )
        self._rule_rows = self._get("discoveryrule", "hostids", self._hostids)
        self._trigger_rows = self._get(
            "trigger", "hostids", self._hostids, selectHosts=["hostid"], selectTags="extend",
            selectDependencies=["triggerid", "description"], expandExpression=True,
            selectTriggerDiscovery="extend",
        )
        for row in self._item_rows + self._rule_rows:
            self._of_host(row["hostid"]).names["item"].setdefault(row["itemid"], row["key_"])
        for row in self._trigger_rows:
            stage = self._of_host(row["hosts"][0]["hostid"])
            stage.names["trigger"].setdefault(row["triggerid"], row["description"])

    def _of_host(self, hostid: str) -> Stage:
        return self.stages[hostid]

    def _triggers_of(self, ids: set[str]) -> dict[str, Stage]:
        return {
            triggerid: stage for stage in self._stages if stage.scenario.id in ids
            for triggerid in stage.names["trigger"]
        }

    def _events(self, ids: set[str]) -> dict:
        owners = self._triggers_of(ids)
        rows = self._get(
            "event", "objectids", owners, source=0, object=0, selectTags="extend",
            selectAcknowledges="extend", sortfield="eventid",
        )
        rows.sort(key=lambda it: int(it["eventid"]))
        clocks = {it["eventid"]: it["clock"] for it in rows}
        found: dict = collections.defaultdict(dict)
        for row in rows:
            stage = owners[row["objectid"]]
            event = self._event(stage, row)
            closer = row.get("r_eventid", "0")
            if closer != "0":
                event["closed"] = stage.moment(clocks.get(closer, "0"))
            if row["acknowledges"]:
                event["acknowledges"] = [_acknowledge(stage, it) for it in row["acknowledges"]]
            name = stage.names["trigger"][row["objectid"]]
            found[stage.scenario.id].setdefault(name, []).append(event)
        return found

    def _event(self, stage: Stage, row: dict) -> dict:
        event = {
            "clock": stage.moment(row["clock"]), "value": row.get("value", "1"),
            "name": stage.plain(row["name"]), "severity": row["severity"],
            "opdata": stage.plain(row["opdata"]),
            "tags": sorted(stage.plain(f"{it['tag']}:{it['value']}") for it in row["tags"]),
            "acknowledged": row["acknowledged"], "suppressed": row.get("suppressed", "0"),
        }
        if row.get("userid", "0") != "0":
            event["by hand"] = "yes"
        if row.get("correlationid", "0") != "0" or row.get("c_eventid", "0") != "0":
            event["by correlation"] = "yes"
        return event

    def _problems(self, ids: set[str]) -> dict:
        owners = self._triggers_of(ids)
        rows = self._get(
            "problem", "objectids", owners, source=0, object=0, selectTags="extend", recent=True,
        )
        rows.sort(key=lambda it: int(it["eventid"]))
        found: dict = collections.defaultdict(dict)
        for row in rows:
            stage = owners[row["objectid"]]
            problem = self._event(stage, row)
            del problem["value"]
            if row["r_clock"] != "0":
                problem["closed"] = stage.moment(row["r_clock"])
            name = stage.names["trigger"][row["objectid"]]
            found[stage.scenario.id].setdefault(name, []).append(problem)
        return found

    def _triggers(self, _ids: set[str]) -> dict:
        found: dict = collections.defaultdict(dict)
        for row in self._trigger_rows:
            stage = self._of_host(row["hosts"][0]["hostid"])
            found[stage.scenario.id][stage.names["trigger"][row["triggerid"]]] = {
                "value": row["value"], "state": row["state"], "error": _error(stage, row["error"]),
                "lastchange": stage.moment(row["lastchange"]),
            }
        return found

    def _items(self, _ids: set[str]) -> dict:
        found: dict = collections.defaultdict(dict)
        for row in self._item_rows:
            stage = self._of_host(row["hostid"])
            found[stage.scenario.id][stage.names["item"][row["itemid"]]] = {
                "state": row["state"], "error": stage.plain(row["error"]),
                "lastvalue": stage.plain(row["lastvalue"]), "prevvalue": stage.plain(row["prevvalue"]),
                "lastclock": stage.moment(row["lastclock"]),
            }
        return found

    def _history(self, ids: set[str], with_ns: bool = False) -> dict:
        found: dict = collections.defaultdict(dict)
        items = {it["itemid"]: it for it in self._item_rows}
        for kind in HISTORIES:
            wanted = [
                it["itemid"] for it in self._item_rows if int(it["value_type"]) == kind
                and self._of_host(it["hostid"]).scenario.id in ids
            ]
            rows = self._get("history", "itemids", wanted, history=kind)
            rows.sort(key=lambda it: (int(it["clock"]), int(it["ns"])))
            for row in rows:
                item = items[row["itemid"]]
                stage = self._of_host(item["hostid"])
                ns = f".{row['ns']}" if with_ns else ""
                text = f"@{stage.moment(row['clock'])}{ns} {stage.plain(row['value'])}"
                name = stage.names["item"][item["itemid"]]
                found[stage.scenario.id].setdefault(name, []).append(text)
        return found

    def _history_ns(self, ids: set[str]) -> dict:
        return self._history(ids, with_ns=True)

    def _rules(self, _ids: set[str]) -> dict:
        found: dict = collections.defaultdict(dict)
        for row in self._rule_rows:
            stage = self._of_host(row["hostid"])
            found[stage.scenario.id][row["key_"]] = {
                "state": row["state"], "error": stage.plain(row["error"]),
            }
        return found

    def _discovered(self, ids: set[str]) -> dict:
        found: dict = collections.defaultdict(lambda: {"items": {}, "triggers": {}, "hosts": {}})
        for row in self._item_rows:
            if row["flags"] != "4":
                continue
            stage = self._of_host(row["hostid"])
            found[stage.scenario.id]["items"][row["key_"]] = _item(stage, row)
        for row in self._trigger_rows:
            if row["flags"] != "4":
                continue
            stage = self._of_host(row["hosts"][0]["hostid"])
            found[stage.scenario.id]["triggers"][row["description"]] = _trigger(stage, row)
        for row in self._get("host", "groupids", self._groups(), selectDiscoveryRule=["itemid", "hostid"]):
            rule = row.get("discoveryRule") or {}
            stage = self.stages.get(rule.get("hostid", ""))
            if stage and stage.scenario.id in ids:
                found[stage.scenario.id]["hosts"][stage.plain(row["host"])] = {
                    "name": stage.plain(row["name"]), "status": row["status"],
                }
        return found

    def _groups(self) -> list[str]:
        return list({it.ids["group"] for it in self._stages})


def _error(stage: Stage, text: str) -> str:
    # Functions are identified by their ids.
    return re.sub(r"\{\d+\}", "{…}", stage.plain(text))


def _lost(stage: Stage, discovery) -> str:
    """When a lost object goes: what is left of its time depends on when one looks."""
    clock = (discovery or {}).get("ts_delete", "0")
    return "never" if clock == "0" else "later"


def _item(stage: Stage, row: dict) -> dict:
    return {
        "name": stage.plain(row["name"]), "status": row["status"], "value_type": row["value_type"],
        "units": row["units"], "delay": row["delay"],
        "tags": sorted(f"{it['tag']}:{it['value']}" for it in row["tags"]),
        "goes": _lost(stage, row.get("itemDiscovery")),
    }


def _trigger(stage: Stage, row: dict) -> dict:
    names = stage.names["trigger"]
    return {
        "expression": stage.plain(row["expression"]), "status": row["status"],
        "priority": row["priority"],
        "tags": sorted(f"{it['tag']}:{it['value']}" for it in row["tags"]),
        "dependencies": sorted(names.get(it["triggerid"], it["description"]) for it in row["dependencies"]),
        "goes": _lost(stage, row.get("triggerDiscovery")),
    }


def _acknowledge(stage: Stage, row: dict) -> dict:
    return {it: stage.plain(row[it]) for it in ("action", "message", "old_severity", "new_severity")}


ASPECTS = {
    "events": Look._events, "problems": Look._problems, "triggers": Look._triggers,
    "items": Look._items, "history": Look._history, "history.ns": Look._history_ns,
    "rules": Look._rules, "discovered": Look._discovered,
}
