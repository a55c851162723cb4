"""One scenario on one server: its objects, their ids, and the names that answers give back.

Ids, host names and times differ from run to run; `fill` puts this run's into what is sent, `plain`
takes them out of what is answered.
"""

import re

from client import Error
from scenarios import Scenario, Value
from servers import Server

VALUE_TYPES = {"float": 0, "char": 1, "log": 2, "unsigned": 3, "text": 4}
STEPS = {
    "multiplier": 1, "right trim": 2, "left trim": 3, "trim": 4, "regex": 5, "boolean": 6,
    "octal": 7, "hexadecimal": 8, "simple change": 9, "change per second": 10, "xpath": 11,
    "jsonpath": 12, "in range": 13, "matches": 14, "matches not": 15, "error in json": 16,
    "error in xml": 17, "error by regex": 18, "discard unchanged": 19, "heartbeat": 20,
    "javascript": 21, "prometheus": 22, "prometheus to json": 23, "csv to json": 24, "replace": 25,
    "not supported": 26, "xml to json": 27,
}
ITEM_DEFAULTS = {"type": 2, "value_type": 0}
# Longest distance from the base of a moment that counts as one of the scenario.
NEAR = 30 * 86_400
CLOCKS = {"clock", "r_clock", "lastclock", "lastchange", "lastaccess", "ts_delete"}
REFERENCE = re.compile(r"\$(?P<kind>[a-z0-9]+)(?::(?P<name>.*))?", re.DOTALL)
MOMENT = re.compile(r"%(?P<base>T|now)(?P<offset>[+-]\d+)?\b")
GETS = {
    "trigger": ("trigger", "description", "triggerid"), "item": ("item", "key_", "itemid"),
    "rule": ("discoveryrule", "key_", "itemid"),
    "itemprototype": ("itemprototype", "key_", "itemid"),
    "triggerprototype": ("triggerprototype", "description", "triggerid"),
}


class Stage:
    """What one scenario has on one server."""

    def __init__(self, scenario: Scenario, server: Server, base: int, started: int) -> None:
        self.scenario = scenario
        self.api = server.api
        self.server = server
        self.host = scenario.host
        self.host2 = f"{scenario.host}.b"
        self.base = base
        self.started = started
        # The present of each step's packets.
        self.now = started
        # "trigger:t" and so on to ids, as made; ids to names, by kind.
        self.ids: dict[str, str] = {"group": server.groupid}
        self.names: dict[str, dict[str, str]] = {"host": {}, "item": {}, "trigger": {}}
        self._future: dict[int, str] = {}
        # Compared results, by the name of the step or aspect.
        self.seen: dict[str, object] = {}

    # Making

    def make(self) -> None:
        data = self.scenario.data
        self._host("host", self.host, data.get("host", {}), data.get("macros", {}))
        if "host2" in data:
            self._host("host2", self.host2, data["host2"], {})
        for name, mappings in data.get("valuemaps", {}).items():
            rows = [_mapping(*it) for it in mappings.items()]
            body = {"hostid": self.ids["host"], "name": name, "mappings": rows}
            self._made(f"valuemap:{name}", "valuemap.create", body, "valuemapids")
        self._items("item", data.get("items", {}), {})
        for key, fields in data.get("rules", {}).items():
            self._rule(key, fields)
        self._triggers("trigger", data.get("triggers", {}))

    def _host(self, ref: str, name: str, fields: dict, macros: dict) -> None:
        body = {
            "host": name, "groups": [{"groupid": self.server.groupid}],
            "macros": [{"macro": it, "value": value} for it, value in macros.items()],
            **self.fill(fields),
        }
        self._made(ref, "host.create", body, "hostids")
        if ref in self.ids:
            self.names["host"][self.ids[ref]] = "%h" if ref == "host" else "%h2"

    def _items(self, kind: str, items: dict, more: dict) -> None:
        """Masters before those that depend on them."""
        left = dict(items)
        made: set[str] = set()
        while left:
            ready = {key: it for key, it in left.items() if _master(it) not in left}
            # A ring, or a master of its own: made as it is, and refused.
            ready = ready or left
            self._make_all(kind, f"{kind}.create", "itemids", [
                (key, {**self._item(key, it, kind), **more}) for key, it in ready.items()
            ])
            made |= set(ready)
            left = {key: it for key, it in left.items() if key not in made}

    def _item(self, key: str, fields, kind: str = "item") -> dict:
        fields = {"type_name": fields} if isinstance(fields, str) else dict(fields)
        value_type = fields.pop("type_name", fields.pop("values", "float"))
        on_second = key.startswith("%h2/")
        key = key.removeprefix("%h2/")
        body = {
            **ITEM_DEFAULTS, "hostid": self.ids.get("host2" if on_second else "host", "0"),
            "name": key, "key_": key, "value_type": VALUE_TYPES[value_type],
        }
        if "valuemap" in fields:
            body["valuemapid"] = self.ids.get(f"valuemap:{fields.pop('valuemap')}", "0")
        if "preprocessing" in fields:
            body["preprocessing"] = [_preprocessing(it) for it in fields.pop("preprocessing")]
        if "master" in fields:
            master = fields.pop("master")
            ref = f"{kind}:{master}" if f"{kind}:{master}" in self.ids else f"item:{master}"
            body |= {"type": 18, "master_itemid": f"${ref}"}
        return self.fill({**body, **fields})

    def _rule(self, key: str, fields: dict) -> None:
        fields = dict(fields)
        items, triggers = fields.pop("items", {}), fields.pop("triggers", {})
        others = {it: fields.pop(it) for it in ("hosts", "graphs") if it in fields}
        body = self._item(key, fields)
        del body["value_type"]
        self._made(f"rule:{key}", "discoveryrule.create", body, "itemids")
        ruleid = self.ids.get(f"rule:{key}", "0")
        self._items("itemprototype", items, {"ruleid": ruleid})
        self._triggers("triggerprototype", triggers)
        for name, body in others.get("hosts", {}).items():
            body = {"groupLinks": [{"groupid": "$group"}], "host": name, "ruleid": ruleid, **body}
            self._made(f"hostprototype:{name}", "hostprototype.create", self.fill(body), "hostids")
        for name, body in others.get("graphs", {}).items():
            body = self.fill({"name": name, **body})
            self._made(f"graphprototype:{name}", "graphprototype.create", body, "graphids")

    def _triggers(self, kind: str, triggers: dict) -> None:
        bodies = []
        dependencies: dict[str, list] = {}
        for name, fields in triggers.items():
            fields = {"expression": fields} if isinstance(fields, str) else dict(fields)
            if "dependencies" in fields:
                dependencies[name] = fields.pop("dependencies")
            bodies.append((name, self.fill({"description": name, **fields})))
        self._make_all(kind, f"{kind}.create", "triggerids", bodies)
        # All of them exist now, in whatever order they stand.
        for name, masters in dependencies.items():
            body = self.fill({
                "triggerid": f"${kind}:{name}",
                "dependencies": [{"triggerid": f"${kind}:{it}"} for it in masters],
            })
            self._try(f"{kind}:{name} dependencies", f"{kind}.update", body)

    def _make_all(self, kind: str, method: str, ids: str, bodies: list[tuple[str, dict]]) -> None:
        """All in one call; one by one when that is refused, to know which one is to blame."""
        if not bodies:
            return
        try:
            made = self.api.call(method, [body for _, body in bodies])[ids]
        except Error:
            for name, body in bodies:
                self._made(f"{kind}:{name}", method, body, ids)
        else:
            for (name, _), made_id in zip(bodies, made, strict=True):
                self._learn(f"{kind}:{name}", made_id)

    def _made(self, ref: str, method: str, body: dict, ids: str) -> None:
        answer = self._try(ref, method, body)
        if answer:
            self._learn(ref, answer[ids][0])

    def _try(self, ref: str, method: str, body):
        """Refusals are compared as everything else."""
        try:
            return self.api.call(method, body)
        except Error as error:
            self.seen.setdefault("refused", {})[ref] = self.plain(error.answer)
            return None

    def _learn(self, ref: str, made_id: str) -> None:
        self.ids[ref] = made_id
        kind, _, name = ref.partition(":")
        if kind in ("item", "trigger", "rule"):
            self.names["item" if kind == "rule" else kind][made_id] = name

    # Playing

    def rows(self, packet: list[Value]) -> list[dict]:
        rows = []
        for value in packet:
            clock = (self.now if value.is_now else self.base) + value.at
            if value.is_now and value.at:
                self._future[clock] = f"now{value.at:+}"
            host = self.host2 if value.host == "%h2" else self.fill(value.host)
            row = {
                "host": host, "key": value.key, "value": self.fill(value.value), "clock": clock,
            }
            rows.append(row if value.ns is None else {**row, "ns": value.ns})
        return rows

    def act(self, number: int, actions: list) -> None:
        for idx, action in enumerate(actions):
            method, params, *name = action
            answer = self._try(f"{number}: {method} {idx}", method, self.fill(params))
            if answer and name:
                (made,) = [it for it in answer.values() if isinstance(it, list)][:1]
                self.ids[name[0]] = made[0]

    def ask(self, number: int, questions: list) -> None:
        for idx, question in enumerate(questions):
            self.seen[f"{number}: {_title(question)} {idx}"] = self._answer(question)

    def _answer(self, question):
        if isinstance(question, list):
            question = {"method": question[0], "params": question[1]}
        who = question.get("user", ("", ""))
        if "body" in question:
            return self.plain(self.api.post(self.fill(question["body"])))
        try:
            answer = self.api.call(
                question["method"], self.fill(question["params"]), tuple(who) if who else None
            )
        except Error as error:
            return self.plain(error.answer)
        return self.plain(answer)

    # Names and times

    def fill(self, value):
        """With this run's names, ids and times."""
        if isinstance(value, dict):
            return {self.fill(key): self.fill(it) for key, it in value.items()}
        if isinstance(value, list):
            return [self.fill(it) for it in value]
        if not isinstance(value, str):
            return value
        found = REFERENCE.fullmatch(value)
        if found and (value[1:] in self.ids or found["kind"] in {*GETS, "event", "problem"}):
            return self._id(value[1:], found["kind"], found["name"] or "")
        value = value.replace("%h2", self.host2).replace("%h", self.host)
        return MOMENT.sub(
            lambda it: str((self.base if it["base"] == "T" else self.now) + int(it["offset"] or 0)), value
        )

    def _id(self, ref: str, kind: str, name: str) -> str:
        if ref in self.ids:
            return self.ids[ref]
        if kind in ("event", "problem"):
            return self._event(kind, name)
        kind, field, id_field = GETS[kind]
        hosts = [it for it in (self.ids.get("host"), self.ids.get("host2")) if it]
        name = self.fill(name)
        rows = self.api.call(f"{kind}.get", {
            "hostids": hosts, "filter": {field: name}, "output": [id_field],
        })
        if not rows:
            return "999999999"
        self._learn(ref, rows[0][id_field])
        return rows[0][id_field]

    def _event(self, kind: str, name: str) -> str:
        """`event:T/2` is the third event of T, `problem:T` its newest open problem."""
        trigger, _, number = name.partition("/")
        params = {
            "objectids": self._id(f"trigger:{trigger}", "trigger", trigger), "output": ["eventid"],
            "sortfield": "eventid",
        }
        rows = self.api.call(f"{kind}.get", params)
        ids = sorted((it["eventid"] for it in rows), key=int)
        idx = int(number) if number else -1
        return ids[idx] if -len(ids) <= idx < len(ids) else "999999999"

    def moment(self, clock: str | int) -> int | str:
        """The time as the scenario would write it: seconds from the base, or `now`."""
        clock = int(clock)
        if clock == 0:
            return "never"
        if clock in self._future:
            return self._future[clock]
        # Everything that the scenario sent with a time of its own lies before the start.
        if self.started - 5 <= clock:
            return "now"
        return clock - self.base if abs(clock - self.base) < NEAR else clock

    def plain(self, value, field: str = ""):
        """Without this run's names, ids and times."""
        if isinstance(value, dict):
            # An empty list and an empty object are one in PHP.
            return {self.plain(key): self.plain(it, str(key)) for key, it in value.items()}
        if isinstance(value, list):
            return [self.plain(it, field) for it in value]
        if not isinstance(value, str):
            return value
        if field in CLOCKS and value.isdigit():
            return self.moment(value)
        if field.endswith(("id", "ids")) and value.isdigit():
            return self._named(field, value)
        value = value.replace(self.host2, "%h2").replace(self.host, "%h")
        return re.sub(r"(?<![\d.])\d{10}(?!\d)", self._plain_time, value)

    def _named(self, field: str, value: str) -> str:
        kind = {"hostid": "host", "hostids": "host", "itemid": "item", "itemids": "item"}.get(field, "trigger")
        if value == "0" or field == "roleid":
            return value
        return self.names[kind].get(value, f"<{field}>")

    def _plain_time(self, found: re.Match) -> str:
        moment = self.moment(found[0])
        if moment == "now" or moment == int(found[0]):
            return "<now>" if moment == "now" else found[0]
        return f"<T{moment:+}>" if isinstance(moment, int) else f"<{moment}>"


def _master(fields) -> str | None:
    return fields.get("master") if isinstance(fields, dict) else None


def _mapping(value: str, newvalue: str) -> dict:
    if value == "default":
        return {"type": 5, "value": "", "newvalue": newvalue}
    if value.startswith("~"):
        return {"type": 4, "value": value[1:], "newvalue": newvalue}
    for sign, kind in ((">=", 1), ("<=", 2), ("in ", 3)):
        if value.startswith(sign):
            return {"type": kind, "value": value.removeprefix(sign), "newvalue": newvalue}
    return {"type": 0, "value": value, "newvalue": newvalue}


def _preprocessing(row) -> dict:
    """`[name or number, params, error_handler, error_handler_params]`, or as the API has it."""
    if isinstance(row, dict):
        return row
    kind, *rest = row if isinstance(row, list) else [row]
    params, handler, handler_params = (*rest, *["", 0, ""][len(rest):])
    number = STEPS[kind] if isinstance(kind, str) else kind
    return {
        "type": number, "params": params, "error_handler": handler,
        "error_handler_params": handler_params,
    }


def _title(question) -> str:
    if isinstance(question, list):
        return question[0]
    return question.get("title", question.get("method", "request"))
