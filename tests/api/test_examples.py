"""Every example of the API is a call that a server answers as the example says: one for each method at least.

The examples are in the folder next to this file, a file for each subject, and are played in order on one new server.
The maintenance among them is over: one of today would hold back the message that they wait for.
Texts that begin with `$` stand for what an answer before gave, from where `keep` says; `shown` is what people see. What differs from run to run is compared by its kind: ids that no name stands
for, times, and texts of sessions and tokens. With SAKER_RECORD_EXAMPLES=1 answers are written into the files instead:
look at the difference before it is committed.
"""

import hashlib
import json
import os
import re
import time
import urllib.request

import pytest

from harness import ROOT, Server

FOLDER = ROOT / "tests/api/examples"
RECORDS = os.environ.get("SAKER_RECORD_EXAMPLES") == "1"
# For results that come some time after their call, on a machine that is busy with other tests.
WAIT_MAX_S = 120
# A moment that the reference shows in place of that of the run.
SHOWN_NOW = 1764140400

TIMES = re.compile(
    r"^(clock|r_clock|lastclock|lastchange|lastaccess|last_seen|created_at|expires_at|lastup|lastdown|attempt_clock"
    r"|period_from|period_to|ns|r_ns|lastns|nextcheck|ts_.*|disable_ts"
    r"|suppress_until|since|uptime|downtime|error_budget|sli|executed)$"
)
IDS = re.compile(r"(id|ids)$")
SECRETS = {"uuid", "sessionid", "token", "secret", "ip", "userip", "port", "address"}


# In the order in which they are played: later ones need the objects of earlier ones.
SUBJECTS = [
    "session", "groups", "templates", "hosts", "items", "triggers", "alerting", "values", "services", "pictures",
    "users", "administration", "deletes",
]


def files() -> list:
    return [FOLDER / f"{it}.json" for it in SUBJECTS]


def replaced(value, names: dict):
    """A document with `$name` and `${name}` replaced."""
    if isinstance(value, str):
        if value.startswith("$") and value[1:] in names:
            return names[value[1:]]
        return re.sub(r"\$\{([a-z_]+)\}", lambda it: str(names.get(it[1], it[0])), value)
    if isinstance(value, list):
        return [replaced(it, names) for it in value]
    if isinstance(value, dict):
        return {replaced(key, names): replaced(it, names) for key, it in value.items()}
    return value


def is_number(value) -> bool:
    return isinstance(value, (int, float)) or (isinstance(value, str) and re.fullmatch(r"-?\d+", value) is not None)


def difference(expected, actual, names: dict, key: str = "", path: str = ""):
    """Where an answer is not as expected; nothing if it is."""
    if isinstance(expected, str) and (expected[:1] == "$" or "${" in expected):
        expected = replaced(expected, names)
        return None if expected == actual else f"{path}: {expected!r} expected, not {actual!r}"
    if type(expected) is not type(actual):
        return f"{path}: {expected!r} expected, not {actual!r}"
    if isinstance(expected, dict):
        expected = {replaced(it, names): value for it, value in expected.items()}
        if set(expected) != set(actual):
            return f"{path}: {sorted(expected)} expected, not {sorted(actual)}"
        each = ((it, expected[it], actual[it]) for it in expected)
        found = (difference(one, other, names, it, f"{path}/{it}") for it, one, other in each)
        return next((it for it in found if it), None)
    if isinstance(expected, list):
        if len(expected) != len(actual):
            return f"{path}: {len(expected)} expected, not {len(actual)}"
        pairs = enumerate(zip(expected, actual))
        found = (difference(one, other, names, key, f"{path}/{at}") for at, (one, other) in pairs)
        return next((it for it in found if it), None)
    if expected == actual:
        return None
    both = is_number(expected) and is_number(actual)
    is_same_kind = (
        (both and TIMES.search(key))
        or (both and IDS.search(key) and expected != "0" and actual != "0")
        or (key in SECRETS and len(expected) == len(actual))
    )
    return None if is_same_kind else f"{path}: {expected!r} expected, not {actual!r}"


def invented(name: str, value):
    """What the reference shows: secrets of the run are replaced."""
    is_secret = isinstance(value, str) and len(value) > 20
    return hashlib.sha512(name.encode()).hexdigest()[: len(value)] if is_secret else value


def is_of_kind(value, name: str, key: str) -> bool:
    """Whether a value is what a name stands for, not just as small a number."""
    return isinstance(value, str) and (len(value) > 3 or key == f"{name}id")


def named(value, names: dict, key: str = "token"):
    """An answer with names in place of what they stand for."""
    if isinstance(value, dict):
        return {named(it, names, "id") if it.isdigit() else it: named(inner, names, it) for it, inner in value.items()}
    if isinstance(value, list):
        return [named(it, names, key) for it in value]
    if IDS.search(key) or key in SECRETS:
        return next((f"${name}" for name, it in names.items() if it == value and is_of_kind(value, name, key)), value)
    if TIMES.search(key) and is_number(value) and int(float(value)) > 1_000_000_000:
        return type(value)(SHOWN_NOW)
    return value


def looked_up(value, pointer: str):
    for part in pointer.strip("/").split("/") if pointer else []:
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


class Player:
    """Plays examples one after the other as Admin, and remembers what names stand for."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.session = None
        self.session = self.result("user.login", {"username": "Admin", "password": server.password}, None)
        now = int(time.time())
        self.names = {"now": now, "soon": now + 86_400, "before": now - 7_200}
        self.shown = {"now": SHOWN_NOW, "soon": SHOWN_NOW + 86_400, "before": SHOWN_NOW - 7_200}
        # of the settings of this run, which no response contains
        self.names["http_port"] = str(server.http_port)
        self.shown["http_port"] = "8080"

    def answer(self, method: str, params, session: str | None) -> dict:
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, "id": 1}).encode()
        headers = {"Content-Type": "application/json-rpc"}
        if session:
            headers["Authorization"] = f"Bearer {session}"
        request = urllib.request.Request(f"{self.server.url}/api_jsonrpc.php", body, headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def result(self, method: str, params, session: str | None):
        return self.answer(method, params, session)["result"]

    def play(self, example: dict) -> str | None:
        """Nothing, or what is wrong."""
        session = replaced(example["as"], self.names) if "as" in example else self.session
        if example["method"] in ("apiinfo.version", "user.login", "user.checkAuthentication"):
            session = None
        params = replaced(example["params"], self.names)
        deadline = time.monotonic() + WAIT_MAX_S
        while True:
            answer = self.answer(example["method"], params, session)
            wrong = self.judged(example, answer)
            if not example.get("until") or wrong is None or deadline < time.monotonic():
                break
            time.sleep(0.2)
        if wrong is None and "result" in answer:
            self.keep(example, answer["result"])
        return wrong

    def judged(self, example: dict, answer: dict) -> str | None:
        if RECORDS and not ("error" in example) and "result" in answer:
            is_there = answer["result"] not in ([], "0", {})
            return None if is_there or not example.get("until") else "nothing came"
        if "error" in example:
            error = answer.get("error", {}).get("data")
            expected = replaced(example["error"], self.names)
            return None if error == expected else f"the error {expected!r} expected, not {answer}"
        if "result" not in answer:
            return f"failed: {answer['error']}"
        try:
            found = {name: looked_up(answer["result"], it) for name, it in example.get("keep", {}).items()}
        except (IndexError, KeyError) as missing:
            return f"no {missing} in {answer['result']}"
        return difference(example.get("result"), answer["result"], {**self.names, **found})

    def keep(self, example: dict, result) -> None:
        for name, pointer in example.get("keep", {}).items():
            self.names[name] = looked_up(result, pointer)
            self.shown[name] = self.names[name]
        if RECORDS:
            example["result"] = named(result, self.names)
            shown = {name: invented(name, self.shown[name]) for name in example.get("keep", {})}
            if shown:
                example["shown"] = shown


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    # Commands of scripts have to be allowed.
    server = Server(tmp_path_factory.mktemp("examples") / "data")
    try:
        server.wait_until_ready()
        yield server
    finally:
        server.end()


def test_every_example_is_answered_as_the_reference_says(server) -> None:
    player = Player(server)
    n_played = 0
    for path in files():
        examples = json.loads(path.read_text())
        for at, example in enumerate(examples):
            # The first failure ends it: later examples need the objects of earlier ones.
            wrong = player.play(example)
            assert wrong is None, f"{path.name}, {at + 1}: {example['method']}: {wrong}"
            n_played += 1
        if RECORDS:
            path.write_text(json.dumps(examples, indent=2, ensure_ascii=False) + "\n")
    assert n_played > 200


def test_a_wrong_answer_would_be_noticed() -> None:
    names = {"web": "10633"}
    right = {"hostids": ["10633"]}
    assert difference({"hostids": ["$web"]}, right, names) is None
    assert difference({"hostids": ["7"]}, right, names) is None
    for wrong in [{"hostids": ["10634"]}, {"hostids": []}, {"itemids": ["10633"]}, {}, []]:
        assert difference({"hostids": ["$web"]}, wrong, names), wrong
    assert difference({"name": "a"}, {"name": "b"}, {})
    assert difference({"clock": "1"}, {"clock": "2"}, {}) is None
    assert difference({"itemid": "0"}, {"itemid": "2"}, {})
