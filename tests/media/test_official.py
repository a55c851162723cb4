"""The official media types of Zabbix are imported, and each of them sends."""

import json
import urllib.request

import pytest
import yaml
from harness import ROOT, Server
from receivers import Web

# Zabbix's own files, which are not part of this project.
FOLDER = ROOT.parent / "shared/templates/v7.4"
FILES = sorted(FOLDER.glob("media_*.yaml")) if FOLDER.is_dir() else []

pytestmark = pytest.mark.skipif(not FILES, reason=f"no official media types in {FOLDER}")

# The values of a problem, by the macro in a parameter.
FACTS = {
    "{ALERT.SUBJECT}": "Problem: disk is full", "{ALERT.MESSAGE}": "Problem name: disk is full",
    "{EVENT.ID}": "42", "{EVENT.SOURCE}": "0", "{EVENT.VALUE}": "1", "{EVENT.NSEVERITY}": "4",
    "{EVENT.SEVERITY}": "High", "{EVENT.UPDATE.STATUS}": "0", "{EVENT.UPDATE.NSEVERITY}": "",
    "{EVENT.UPDATE.SEVERITY}": "", "{TRIGGER.ID}": "7", "{$ZABBIX.URL}": "http://127.0.0.1/zabbix",
    "{EVENT.NAME}": "disk is full", "{EVENT.STATUS}": "PROBLEM", "{EVENT.DATE}": "2026.11.24",
    "{EVENT.TIME}": "10:00:00", "{EVENT.OPDATA}": "99 %", "{EVENT.TAGSJSON}": "[]", "{EVENT.TAGS}": "",
    "{HOST.NAME}": "db-1", "{HOST.HOST}": "db-1", "{HOST.IP}": "127.0.0.1", "{HOST.CONN}": "127.0.0.1",
    "{TRIGGER.NAME}": "disk is full", "{TRIGGER.SEVERITY}": "High", "{TRIGGER.DESCRIPTION}": "",
    "{TRIGGER.STATUS}": "PROBLEM", "{EVENT.ACK.STATUS}": "No", "{USER.FULLNAME}": "Ada",
}
# Parameters that the file leaves open, and the responses of the services.
TYPED = {
    "api_parse_mode": "", "sendto": "KEY", "priority": "0", "api_chat_id": "77", "bot_token": "TOKEN",
}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    one = Server(tmp_path_factory.mktemp("official") / "data")
    one.wait_until_ready()
    yield one
    assert one.end() == 0


@pytest.fixture(scope="module")
def client(own):
    client = own.api()
    yield client
    client.logout()


@pytest.fixture
def web():
    one = Web()
    # A part of the responses of each service.
    one.body = {
        "id": "1", "ok": True, "status": 1, "success": True, "errors": [], "request": "r", "key": "K-1",
        "result": {"message_id": 1, "sys_id": "1", "number": "INC1", "chat": {"id": 1}},
        "number": 5, "html_url": "http://127.0.0.1/1", "incidentKey": "K", "sentMessages": [{"id": "1"}],
        "message": {"rid": "r", "_id": "1"}, "session_token": "t", "user": {"id": 1}, "channel": {"_id": "c"},
    }
    yield one
    one.end()


def value_of(parameter: dict, web: Web) -> str:
    name, value = parameter["name"], parameter.get("value", "")
    lower = name.lower()
    if lower in TYPED:
        return TYPED[lower]
    if "url" in lower and "zabbix" not in lower and not value.startswith("{") and "api/v1" not in value \
            and "title" not in lower:
        return web.url
    if value == "{ALERT.SENDTO}":
        is_address = "endpoint" in lower or lower.endswith("_url")
        return web.url if is_address else ("owner/repo" if "repo" in lower else "to")
    if value.startswith("<"):
        return web.url if "endpoint" in lower else "typed"
    if value.startswith(("{EVENT.TAGS.", "{EVENT.RECOVERY.")):
        # Not known yet: it stays as it is.
        return value
    return FACTS.get(value, value if not value.startswith("{") else "")


def send(own, client, path, web: Web) -> tuple[dict, list]:
    [kind] = yaml.safe_load(path.read_text())["zabbix_export"]["media_types"]
    rules = {"mediaTypes": {"createMissing": True, "updateExisting": True}}
    assert getattr(client.configuration, "import")(format="yaml", source=path.read_text(), rules=rules)
    row = client.mediatype.get(
        filter={"name": kind["name"]}, output="extend", selectMessageTemplates="extend"
    )[0]
    assert (row["type"], row["status"]) == ("4", "1")
    assert row["script"] == kind["script"]
    assert len(row["message_templates"]) == len(kind["message_templates"])
    assert row["maxsessions"] == kind.get("max_sessions", "1")
    parameters = [{"name": it["name"], "value": value_of(it, web)} for it in kind["parameters"]]
    # Where the address is the script's own it is asked by way of the proxy.
    parameters = [it for it in parameters if it["name"].lower() not in ("httpproxy", "http_proxy")]
    parameters += [{"name": "http_proxy", "value": ""}, {"name": "HTTPProxy", "value": ""}]

    def tried(proxy: str) -> dict:
        parameters[-1]["value"] = parameters[-2]["value"] = proxy
        asked = urllib.request.Request(
            f"{own.url}/api/v1/test/mediatype",
            json.dumps({"mediatypeid": row["mediatypeid"], "parameters": parameters}).encode(),
            {"Content-Type": "application/json",
             "Authorization": f"Bearer {client._ZabbixAPI__session_id}"},
        )
        with urllib.request.urlopen(asked, timeout=90) as answer:
            return json.load(answer)

    return tried(web.url), web.requests


@pytest.mark.parametrize("path", FILES, ids=lambda it: it.stem)
def test_each_is_imported_and_asks_its_service(own, client, path, web):
    result, requests = send(own, client, path, web)
    assert requests, result
    said = [it["text"] for it in result["exchange"] if it["by"] == "server"]
    assert said, result
    # Plain services took the message; those behind TLS were asked for by way of the proxy.
    if requests[0]["method"] == "CONNECT":
        assert requests[0]["path"].endswith(":443"), requests[0]
    else:
        assert any("disk is full" in it["body"] for it in requests) or result["error"] is None \
            or path.stem in ("media_glpi", "media_zammad", "media_rocketchat"), (result, requests)
