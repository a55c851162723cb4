"""Series that others push: a real Prometheus, OpenTelemetry's SDK, and requests put together by hand."""

import base64
import json
import struct
import time
import urllib.error
import urllib.request

import pytest
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource

from harness import Server, free_ports, program, wait_for

SETTINGS = {
    "SAKER_PUSH_NEW_HOSTS": "true",
    "SAKER_PUSH_HOST_SERIES_MAX": "1000",
    "SAKER_PUSH_LOST_AFTER_S": "3",
    "SAKER_OWN_HOST": "false",
}


@pytest.fixture(scope="module")
def pushed(tmp_path_factory):
    """A server that makes hosts for series, with a token."""
    server = Server(tmp_path_factory.mktemp("series") / "data", env=SETTINGS)
    server.wait_until_ready()
    api = server.api()
    token = api.token.create(name="push", userid="1")["tokenids"]
    server.token = api.token.generate(token)[0]["token"]
    server.client = api
    yield server
    assert server.end() == 0, server.last_lines()


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def series(value: float, ms: int | None = None, **labels: str) -> bytes:
    """A TimeSeries of version 1."""
    labels = {("__name__" if name == "name" else name): it for name, it in labels.items()}
    pairs = [
        field(1, field(1, name.encode()) + field(2, it.encode())) for name, it in sorted(labels.items())
    ]
    ms = int(time.time() * 1000) if ms is None else ms
    sample = b"\x09" + struct.pack("<d", value) + b"\x10" + varint(ms)
    return field(1, b"".join(pairs) + field(2, sample))


def snappy(plain: bytes) -> bytes:
    """A block of literals alone."""
    out = varint(len(plain))
    for at in range(0, len(plain), 60):
        part = plain[at : at + 60]
        out += bytes([(len(part) - 1) << 2]) + part
    return out


def write(server, *of: bytes, token: str | None = None, auth: str | None = None):
    """Sends a request of remote write; the code and the text of the answer."""
    token = server.token if token is None else token
    request = urllib.request.Request(
        f"{server.url}/api/v1/write", snappy(b"".join(of)),
        {
            "Content-Type": "application/x-protobuf", "Content-Encoding": "snappy",
            "Authorization": auth or f"Bearer {token}",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def items(server, host: str) -> dict:
    """The items of a host by key."""
    found = server.client.host.get(filter={"host": host}, output=["hostid"])
    if not found:
        return {}
    rows = server.client.item.get(
        hostids=found[0]["hostid"], output=["itemid", "key_", "name", "lastvalue", "lastclock"],
        selectItemDiscovery=["ts_delete", "status"],
    )
    return {it["key_"]: it for it in rows}


def metric(server, name: str) -> float:
    token = {"Authorization": f"Bearer {server.token}"}
    request = urllib.request.Request(f"{server.url}/metrics", headers=token)
    with urllib.request.urlopen(request, timeout=60) as answer:
        lines = answer.read().decode().splitlines()
    return sum(float(it.rsplit(" ", 1)[1]) for it in lines if it.split(" ")[0] == name)


def test_a_new_series_of_a_new_host_has_its_first_value_when_it_is_answered(pushed):
    answer = write(
        pushed,
        series(0.5, name="load", host="fresh"),
        series(7, name="hits", host="fresh", code="200", path='/a"b,c]'),
        series(1, name="go_threads", host="fresh"),
    )
    assert answer == (204, "")
    found = items(pushed, "fresh")
    assert set(found) == {"push[load]", 'push["hits{code=\\"200\\",path=\\"/a\\\\"b,c]\\"}"]'}
    assert found["push[load]"]["name"] == "load"
    wait_for(
        lambda: [float(it["lastvalue"] or -1) for _, it in sorted(items(pushed, "fresh").items())] == [7, 0.5],
        "values are there", pushed,
    )
    assert 1 <= metric(pushed, "saker_series_filtered_total")


def test_a_host_is_found_by_its_instance_without_the_port(pushed):
    group = pushed.client.hostgroup.get(output=["groupid"], filter={"name": "Pushed hosts"})
    group = group or [{"groupid": pushed.client.hostgroup.create(name="Pushed hosts")["groupids"][0]}]
    template = pushed.client.template.get(output=["templateid"], filter={"host": "Pushed metrics"})
    known = {"groups": [{"groupid": group[0]["groupid"]}]}
    pushed.client.host.create(
        host="known", templates=[{"templateid": template[0]["templateid"]}], **known
    )
    assert write(pushed, series(1, name="up", instance="known:9100", job="node"))[0] == 204
    assert set(items(pushed, "known")) == {'push["up{instance=\\"known:9100\\",job=\\"node\\"}"]'}
    pushed.client.host.create(host="no-rule", **known)
    code, why = write(pushed, series(1, name="up", instance="no-rule:1"))
    assert code == 400 and "has no discovery rule" in why
    assert items(pushed, "no-rule") == {}


def test_only_tokens_are_let_in(pushed):
    one = series(1, name="load", host="fresh")
    assert write(pushed, one, token="nonsense")[0] == 401
    basic = base64.b64encode(f"anybody:{pushed.token}".encode()).decode()
    assert write(pushed, one, auth=f"Basic {basic}")[0] == 204
    assert write(pushed, one, auth="Basic bm9ib2R5")[0] == 401


def test_a_user_pushes_only_what_the_user_may_write(pushed):
    assert write(pushed, series(1, name="load", host="fresh"))[0] == 204
    api = pushed.client
    group = api.usergroup.create(name="pushers")["usrgrpids"][0]
    user = api.user.create(
        username="pusher", passwd="Long enough 1", roleid="2", usrgrps=[{"usrgrpid": group}],
    )["userids"][0]
    token = api.token.generate(api.token.create(name="p", userid=user)["tokenids"])[0]["token"]
    code, why = write(pushed, series(1, name="load", host="fresh"), token=token)
    assert code == 400 and "no permissions" in why
    code, why = write(pushed, series(1, name="load", host="made-by-nobody"), token=token)
    assert code == 400 and "not known" in why
    rights = api.hostgroup.get(output=["groupid"], filter={"name": "Pushed hosts"})[0]["groupid"]
    api.usergroup.update(usrgrpid=group, hostgroup_rights=[{"id": rights, "permission": 3}])
    assert write(pushed, series(2, name="load", host="fresh"), token=token) == (204, "")


def test_an_explosion_of_series_is_refused_and_counted(pushed):
    many = [series(1, name="boom", host="wide", id=str(it)) for it in range(1_500)]
    code, why = write(pushed, *many)
    assert code == 400 and "500 samples refused" in why and "too many series" in why
    assert len(items(pushed, "wide")) == 1_000
    assert metric(pushed, 'saker_series_refused_total{reason="series_of_host"}') == 500
    # Known series are still accepted.
    assert write(pushed, *many[:1_000])[0] == 204
    for labels, reason in [
        ({"host": "wide", "long": "x" * 600}, "too long"),
        ({"host": "wide", **{f"l{it}": "x" for it in range(70)}}, "too many labels"),
        ({"job": "x"}, "names a host"),
        ({"host": "not/a/name"}, "not known"),
    ]:
        code, why = write(pushed, series(1, name="odd", **labels))
        assert code == 400 and reason in why, why


def test_series_that_stop_are_lost_and_found_again(pushed):
    assert write(pushed, series(1, name="a", host="stops"), series(1, name="b", host="stops"))[0] == 204

    def b_is_lost():
        assert write(pushed, series(2, name="a", host="stops"))[0] == 204
        return items(pushed, "stops")["push[b]"]["itemDiscovery"]["ts_delete"] != "0"

    wait_for(b_is_lost, "the series without values is lost", pushed)
    assert items(pushed, "stops")["push[a]"]["itemDiscovery"]["ts_delete"] == "0"
    assert write(pushed, series(3, name="b", host="stops"))[0] == 204
    assert items(pushed, "stops")["push[b]"]["itemDiscovery"]["ts_delete"] == "0"


def test_bodies_that_make_no_sense_are_refused(pushed):
    def code(path, body, **headers):
        headers = {name.replace("_", "-"): it for name, it in headers.items()}
        headers["Authorization"] = f"Bearer {pushed.token}"
        request = urllib.request.Request(f"{pushed.url}{path}", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    protobuf = {"Content_Type": "application/x-protobuf"}
    assert code("/api/v1/write", b"x", **protobuf) == 415
    assert code("/api/v1/write", b"x", **protobuf, Content_Encoding="snappy") == 400
    bomb = varint(1 << 40) + b"x"
    assert code("/api/v1/write", bomb, **protobuf, Content_Encoding="snappy") == 400
    assert code("/api/v1/write", b"{}", Content_Type="application/json") == 415
    assert code("/v1/metrics", b"{}", Content_Type="text/plain") == 415
    assert code("/v1/metrics", b"no", Content_Type="application/json") == 400
    assert code("/v1/metrics", b"{}", Content_Type="application/json") == 200
    assert code("/v1/metrics", b"\xff", **protobuf) == 400


@pytest.mark.parametrize("compression", [Compression.NoCompression, Compression.Gzip])
def test_opentelemetrys_sdk_exports_its_metrics(pushed, compression):
    host = f"otel-{compression.value}"
    exporter = OTLPMetricExporter(
        endpoint=f"{pushed.url}/v1/metrics", headers={"Authorization": f"Bearer {pushed.token}"},
        compression=compression,
    )
    reader = PeriodicExportingMetricReader(exporter, export_interval_millis=3_600_000)
    provider = MeterProvider([reader], resource=Resource({"host.name": host}))
    meter = provider.get_meter("test")
    counter = meter.create_counter("requests", unit="1")
    counter.add(3, {"route": "/a"})
    counter.add(4, {"route": "/b"})
    meter.create_up_down_counter("queue").add(-2)
    histogram = meter.create_histogram("latency", unit="s", explicit_bucket_boundaries_advisory=[1, 5])
    for it in [0.5, 3, 30]:
        histogram.record(it)
    assert provider.force_flush()
    provider.shutdown()

    def values():
        found = items(pushed, host)
        return {it["name"].split("{")[0] + str("/b" in key): it["lastvalue"] for key, it in found.items()
                if "telemetry" not in it["name"].split("{")[0]}

    def is_there():
        found = values()
        return all(found.values()) and "queueFalse" in found

    wait_for(is_there, lambda: f"values are there: {values()}", pushed)
    found = values()
    assert (found["requestsFalse"], found["requestsTrue"]) == ("3", "4")
    assert (found["queueFalse"], found["latency_sumFalse"], found["latency_countFalse"]) == ("-2", "33.5", "3")
    buckets = {
        it["name"].split('le="')[1].split('"')[0]: it["lastvalue"]
        for it in items(pushed, host).values() if "latency_bucket" in it["name"]
    }
    assert buckets == {"1": "1", "5": "2", "+Inf": "3"}


def test_rejected_part_is_reported_as_in_otlp(pushed):
    point = {"timeUnixNano": str(time.time_ns()), "asInt": "5"}
    metrics = [{"name": "lonely", "gauge": {"dataPoints": [point]}}]
    body = json.dumps({"resourceMetrics": [{"scopeMetrics": [{"metrics": metrics}]}]}).encode()
    request = urllib.request.Request(
        f"{pushed.url}/api/v1/otlp/v1/metrics", body,
        {"Content-Type": "application/json", "Authorization": f"Bearer {pushed.token}"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        rejected = json.load(answer)["partialSuccess"]
    assert rejected["rejectedDataPoints"] == "1"
    assert rejected["errorMessage"] == "lonely: none of its labels names a host"


def test_a_real_prometheus_writes_what_it_scrapes(pushed, peers, tmp_path):
    (port,) = free_ports(1)
    file = tmp_path / "prometheus.yml"
    file.write_text(f"""
global: {{scrape_interval: 1s}}
scrape_configs:
  - job_name: itself
    static_configs: [{{targets: ["127.0.0.1:{port}"], labels: {{host: "prometheus-1"}}}}]
remote_write:
  - url: {pushed.url}/api/v1/write
    authorization: {{credentials: "{pushed.token}"}}
""")
    prometheus = peers.start("prometheus", [
        program("prometheus"), f"--config.file={file}", f"--storage.tsdb.path={tmp_path / 'tsdb'}",
        f"--web.listen-address=127.0.0.1:{port}",
    ])
    up = f'push["up{{instance=\\"127.0.0.1:{port}\\",job=\\"itself\\"}}"]'

    def is_up():
        assert prometheus.is_running(), prometheus.last_lines()
        return items(pushed, "prometheus-1").get(up, {}).get("lastvalue") == "1"

    wait_for(is_up, lambda: f"{up} is 1\n{prometheus.last_lines()}", pushed, 60)
    found = items(pushed, "prometheus-1")
    assert 100 < len(found)
    assert not [it for it in found if it.startswith(("push[go_", 'push["go_'))]
    first = int(found[up]["lastclock"])
    wait_for(
        lambda: first + 3 <= int(items(pushed, "prometheus-1")[up]["lastclock"]),
        "values keep coming", pushed,
    )


def test_series_go_on_after_a_restart(tmp_path):
    server = Server(tmp_path / "data", env=SETTINGS)
    server.wait_until_ready()
    api = server.api()
    server.token = api.token.generate(api.token.create(name="push", userid="1")["tokenids"])[0]["token"]
    server.client = api
    assert write(server, series(1, name="load", host="h"))[0] == 204
    before = items(server, "h")["push[load]"]["itemid"]
    assert server.end() == 0
    again = Server(tmp_path / "data", env=SETTINGS)
    again.wait_until_ready()
    again.token, again.client = server.token, again.api()
    assert write(again, series(2, name="load", host="h"))[0] == 204
    wait_for(lambda: items(again, "h")["push[load]"]["lastvalue"] == "2", "the value is there", again)
    assert items(again, "h")["push[load]"]["itemid"] == before
    assert again.end() == 0
