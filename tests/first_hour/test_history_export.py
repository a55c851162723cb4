"""Values of every type leave the server in every format, and come back from there as they were."""

import csv
import json
import subprocess
import time
from itertools import count

import duckdb
import pytest
from harness import BINARY, Server, wait_for
from zabbix_utils import ItemValue, Sender

FLOAT, CHAR, LOG, UNSIGNED, TEXT = 0, 1, 2, 3, 4
LARGEST = 2**64 - 1
TEXTS = ['plain', 'a "quoted", word', "two\nlines\r\nand a third", "", "naïve ☃", "=1+1", " , "]
FLOATS = [0.1, -1.5, 1e300, 5e-324, 123456789.123456789, 0.0]
WHOLE = [0, 1, 2**53 + 1, 2**63, LARGEST - 1, LARGEST]


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """A server that has stopped, and what it took: (key, clock, ns, value) by key."""
    one = Server(tmp_path_factory.mktemp("export") / "data")
    one.wait_until_ready()
    api = one.api()
    (group,) = api.hostgroup.get(filter={"name": "Linux servers"}, output=["groupid"])
    (hostid,) = api.host.create(host="shop 1", groups=[group])["hostids"]
    types = {"f": FLOAT, "u": UNSIGNED, "c": CHAR, 't["a",b]': TEXT, "l": LOG}
    api.item.create([
        {"hostid": hostid, "name": key, "key_": key, "type": 2, "value_type": kind}
        for key, kind in types.items()
    ])
    # Within a past hour: its trends are stored with the first number of a later one.
    start = int(time.time()) // 3_600 * 3_600 - 6_000
    moments = count()
    values = {"f": FLOATS, "u": WHOLE, "c": TEXTS, 't["a",b]': TEXTS, "l": TEXTS}
    sent = {
        key: [(start + next(moments), 5_000_000 + at, value) for at, value in enumerate(of_key)]
        for key, of_key in values.items()
    }
    rows = [
        ItemValue("shop 1", key, repr(value) if key in "fu" else value, clock, ns)
        for key, of_key in sent.items()
        for clock, ns, value in of_key
    ]
    sender = Sender(server="127.0.0.1", port=one.trapper_port)
    # New items take values a moment after the API has answered.
    probe = [ItemValue("shop 1", key, "1", start - 3_600) for key in types]
    wait_for(lambda: sender.send(probe).failed == 0, "the new items take values", one)
    assert sender.send(rows).failed == 0
    later = [ItemValue("shop 1", key, "1", int(time.time())) for key in types]
    assert sender.send(later).failed == 0
    api.logout()
    assert one.end() == 0, one.last_lines()
    return one.data, start, sent, types


def export(data, *arguments) -> subprocess.CompletedProcess:
    command = [BINARY, "history", "export", "--data", str(data), *arguments]
    return subprocess.run(command, capture_output=True, timeout=60)


def exported(stopped, tmp_path, file_format: str, *arguments):
    data, start, _, _ = stopped
    file = tmp_path / f"values.{file_format}"
    done = export(
        data, "--format", file_format, "--host", "shop 1", "--from", str(start),
        "--till", str(start + 900), *arguments,
        "-o", file,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == b""
    assert not file.with_name(file.name + ".partial").exists()
    return file


def expected(stopped, as_is=lambda value: value):
    _, _, sent, types = stopped
    # Numbers keep milliseconds.
    rows = [
        (key, types[key], clock, ns // 1_000_000 * 1_000_000 if key in "fu" else ns, as_is(value))
        for key, of_key in sent.items()
        for clock, ns, value in of_key
    ]
    return sorted(rows, key=lambda it: (list(types).index(it[0]), it[2]))


def test_csv(stopped, tmp_path):
    file = exported(stopped, tmp_path, "csv")
    with file.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    read = {"f": float, "u": int}
    found = [
        (it["key"], int(it["value_type"]), int(it["clock"]), int(it["ns"]),
         read.get(it["key"], str)(it["value"]))
        for it in rows
    ]
    assert found == expected(stopped)
    assert {it["host"] for it in rows} == {"shop 1"}
    assert {it["severity"] for it in rows if it["key"] == "l"} == {"0"}
    assert {it["severity"] for it in rows if it["key"] != "l"} == {""}


def test_ndjson(stopped, tmp_path):
    file = exported(stopped, tmp_path, "ndjson")
    # Split at line feeds alone: texts may hold other ends of lines.
    rows = [json.loads(it) for it in file.read_text(encoding="utf-8").rstrip("\n").split("\n")]
    found = [(it["key"], it["value_type"], it["clock"], it["ns"], it["value"]) for it in rows]
    assert found == expected(stopped)
    assert all(("logeventid" in it) == (it["key"] == "l") for it in rows)


def test_parquet(stopped, tmp_path):
    file = exported(stopped, tmp_path, "parquet")
    question = """
        SELECT key, value_type, epoch_ns(time) // 1000000000, epoch_ns(time) % 1000000000,
               value_float, value_unsigned, value_text, host, severity
        FROM read_parquet(?)
    """
    rows = duckdb.execute(question, [str(file)]).fetchall()
    found = []
    for key, kind, clock, ns, number, whole, text, host, severity in rows:
        (value,) = [it for it in (number, whole, text) if it is not None]
        assert isinstance(value, {FLOAT: float, UNSIGNED: int}.get(kind, str))
        assert (host, severity is not None) == ("shop 1", kind == LOG)
        found.append((key, kind, clock, ns, value))
    assert found == expected(stopped)
    columns = duckdb.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(file)]).fetchall()
    types = {it[0]: it[1] for it in columns}
    assert types["value_unsigned"] == types["itemid"] == "UBIGINT"
    assert types["time"] in ("TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"), types


def test_trends(stopped, tmp_path):
    rows = []
    for file_format in ("csv", "ndjson", "parquet"):
        file = exported(stopped, tmp_path, file_format, "--kind", "trends", "--key", "u")
        if file_format == "csv":
            with file.open(newline="") as lines:
                rows.append([
                    (int(it["num"]), int(it["value_min"]), int(it["value_max"]))
                    for it in csv.DictReader(lines)
                ])
        elif file_format == "ndjson":
            lines = [json.loads(it) for it in file.read_text().splitlines()]
            rows.append([(it["num"], it["value_min"], it["value_max"]) for it in lines])
        else:
            question = "SELECT num, value_min_unsigned, value_max_unsigned FROM read_parquet(?)"
            rows.append(duckdb.execute(question, [str(file)]).fetchall())
    assert rows[0] == rows[1] == rows[2]
    assert rows[0] == [(len(WHOLE), min(WHOLE), LARGEST)]


def test_selection(stopped, tmp_path):
    data, start, sent, _ = stopped
    keys = lambda *arguments: {  # noqa: E731
        json.loads(it)["key"]
        for it in export(data, "--format", "ndjson", *arguments).stdout.splitlines()
    }
    assert keys("--key", "t[*]", "--key", "?") == {'t["a",b]'}
    assert keys("--key", "u", "--host", "nobody") == set()
    clock = sent["u"][2][0]
    done = export(data, "--format", "ndjson", "--key", "u", "--from", str(clock), "--till", str(clock))
    (row,) = done.stdout.splitlines()
    assert json.loads(row)["value"] == WHOLE[2]


def test_refusals(stopped, tmp_path):
    data, *_ = stopped
    for arguments, said in [
        (("--format", "xml"), b"invalid value 'xml'"),
        (("--format", "csv", "-o", str(tmp_path)), b"nothing was exported"),
        (("--format", "csv", "-o", str(tmp_path / "no" / "file")), b"No such file or directory"),
        (("--format", "csv", "-o", "/dev/full/x"), b"nothing was exported"),
        (("--format", "csv", "--from", "soon"), b"neither seconds since 1970"),
    ]:
        done = export(data, *arguments)
        assert done.returncode != 0 and said in done.stderr, done.stderr
    with open("/dev/full", "wb") as full:
        command = [BINARY, "history", "export", "--data", str(data), "--format", "parquet"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 1 and b"No space left on device" in done.stderr
