"""A client of the API for both servers: scenarios speak 7.0, and 6.0 is translated here.

What is translated are forms only: names of members and methods that changed between the versions.
Whatever behaves otherwise stays, and shows as a difference.
"""

import itertools
import json
import re
import threading
import urllib.error
import urllib.request

# Members of objects that 7.0 has and 6.0 has not, and the other way round: left out of both answers.
ONLY_70 = {
    "event": {"cause_eventid"},
    "problem": {"cause_eventid"},
    "host": {"monitored_by", "assigned_proxyid", "proxy_groupid", "vendor_name", "vendor_version"},
    "item": {"name_resolved"},
    "discoveryrule": {"lifetime_type", "enabled_lifetime", "enabled_lifetime_type"},
}
ONLY_60 = {
    "host": {"proxy_address", "auto_compress"},
    "item": {"lifetime"},
}

# Set when the run is to end: no requests are sent any more, and started processes end.
STOP = threading.Event()


class Stopped(Exception):
    """The run was ended before its end."""


def go_on() -> None:
    if STOP.is_set():
        raise Stopped


class Error(Exception):
    """An error of the API."""

    def __init__(self, error: dict) -> None:
        super().__init__(f"{error.get('message')} {error.get('data')}")
        self.answer = {key: error.get(key) for key in ("code", "message", "data")}


class Api:
    """One server's API; safe to use from several threads."""

    def __init__(self, url: str, user: str, password: str, is_60: bool = False) -> None:
        self.url = url
        self.is_60 = is_60
        self._ids = itertools.count(1)
        self._sessions: dict[tuple[str, str], str] = {}
        self._lock = threading.Lock()
        self._admin = (user, password)

    def _session(self, who: tuple[str, str]) -> str:
        with self._lock:
            if who not in self._sessions:
                params = {"username": who[0], "password": who[1]}
                self._sessions[who] = self.post(
                    {"jsonrpc": "2.0", "method": "user.login", "params": params, "id": 1}
                )["result"]
            return self._sessions[who]

    def bearer(self) -> str:
        """What a request outside JSON-RPC shows to be the first administrator's."""
        return f"Bearer {self._session(self._admin)}"

    def call(self, method: str, params, who: tuple[str, str] | None = ("", "")):
        """The result, in the form of 7.0. `who` is a user with the password; the default is the
        first administrator, and None is nobody."""
        body = {"jsonrpc": "2.0", "method": method, "params": params, "id": next(self._ids)}
        if self.is_60:
            body["method"] = re.sub("^templategroup[.]", "hostgroup.", method)
            body["params"] = to_60(method, params)
        session = None
        if who is not None and method not in ("apiinfo.version", "user.login"):
            session = self._session(who if who[0] else self._admin)
        answer = self.post(body, session)
        if "error" in answer:
            raise Error(answer["error"])
        return from_60(method, params, answer["result"]) if self.is_60 else answer["result"]

    def post(self, body, session: str | None = None):
        """Whatever it is, sent as JSON; the answer as it came."""
        go_on()
        headers = {"Content-Type": "application/json-rpc"}
        if session and self.is_60:
            body = {**body, "auth": session}
        elif session:
            headers["Authorization"] = f"Bearer {session}"
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        request = urllib.request.Request(self.url, data, headers)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                text = answer.read().decode()
        except urllib.error.HTTPError as error:
            text = json.dumps({"error": {"code": error.code, "message": "HTTP", "data": error.reason}})
        return json.loads(text) if text else {"error": {"message": "no answer"}}


def to_60(method: str, params):
    """The request as 6.0 understands it."""
    if isinstance(params, list):
        return [to_60(method, it) for it in params]
    if not isinstance(params, dict):
        return params
    params = dict(params)
    object_type = method.split(".")[0]
    if method == "event.get" and "selectAcknowledges" in params:
        params["select_acknowledges"] = params.pop("selectAcknowledges")
    if "selectHostGroups" in params:
        params["selectGroups"] = params.pop("selectHostGroups")
    if object_type == "host" and "proxyid" in params:
        params["proxy_hostid"] = params.pop("proxyid")
    if method == "configuration.import" and isinstance(params.get("source"), str):
        params["source"] = params["source"].replace('"version": "7.0"', '"version": "6.0"')
    if object_type == "item":
        # Headers are an object in 6.0, query fields a list of objects with one member each.
        if isinstance(params.get("headers"), list):
            params["headers"] = {it["name"]: it["value"] for it in params["headers"]}
        if isinstance(params.get("query_fields"), list):
            params["query_fields"] = [{it["name"]: it["value"]} for it in params["query_fields"]]
    if isinstance(params.get("preprocessing"), list):
        params["preprocessing"] = [_step_to_60(it) for it in params["preprocessing"]]
    if object_type == "discoveryrule":
        kind = str(params.pop("lifetime_type", "0"))
        if kind != "0":
            # Lost objects go at once, or never.
            params["lifetime"] = {"1": "25y", "2": "0"}[kind]
        for name in ("enabled_lifetime_type", "enabled_lifetime"):
            params.pop(name, None)
    return params


def _step_to_60(step):
    """6.0 looks for any error, without saying so."""
    if not isinstance(step, dict) or str(step.get("type")) != "26" or step.get("params") != "-1":
        return step
    return {**step, "params": ""}


def from_60(method: str, params, result):
    """The answer as 7.0 would write it."""
    if not method.endswith(".get") or not isinstance(result, list):
        return result
    object_type = method.split(".")[0]
    renamed = {}
    if isinstance(params, dict) and "selectHostGroups" in params:
        renamed["groups"] = "hostgroups"
    if object_type == "host":
        renamed["proxy_hostid"] = "proxyid"
    rows = [
        {renamed.get(key, key): value for key, value in row.items()} if isinstance(row, dict) else row
        for row in result
    ]
    for row in rows if object_type == "item" else []:
        if isinstance(row, dict) and isinstance(row.get("headers"), dict):
            row["headers"] = _pairs(row["headers"])
        if isinstance(row, dict) and row.get("query_fields"):
            row["query_fields"] = [pair for it in row["query_fields"] for pair in _pairs(it)]
    return rows


def _pairs(named: dict) -> list[dict]:
    return [{"name": name, "value": value} for name, value in named.items()]


def only_common(method: str, answer):
    """Without the members that one of the versions cannot have."""
    object_type = method.split(".")[0]
    dropped = ONLY_70.get(object_type, set()) | ONLY_60.get(object_type, set())
    if not isinstance(answer, list) or not dropped:
        return answer
    return [
        {key: value for key, value in row.items() if key not in dropped}
        if isinstance(row, dict) else row
        for row in answer
    ]
