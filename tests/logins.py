"""What asks web servers by name and password or ticket: items, scenarios, scripts, webhooks, connectors; on one host of a server."""

import json
import time
import urllib.request

from harness import FIRST_CHECK, Server, wait_for
from peers import zabbix_sender

HTTP_AGENT, SCRIPT, TRAPPER, TEXT = 19, 21, 2, 4


class Logins:
    def __init__(self, server: Server, api, name: str) -> None:
        self.server, self.api, self.name = server, api, name
        group = api.hostgroup.create(name=name)["groupids"][0]
        self.host = api.host.create(host=name, groups=[{"groupid": group}])["hostids"][0]

    def item(self, key: str, **fields) -> str:
        fields = {"type": HTTP_AGENT, "value_type": TEXT, "delay": "1h", **fields}
        made = self.api.item.create(hostid=self.host, name=key, key_=key, **fields)
        return made["itemids"][0]

    def script(self, key: str, kinds: str, user: str, password: str, url: str) -> str:
        return self.item(key, type=SCRIPT, params=script(kinds, user, password, url))

    def found(self, *items: str) -> list[str]:
        """The items' values, or why there is none."""
        self.api.task.create([{"type": 6, "request": {"itemid": it}} for it in items])
        return [wait_for(lambda it=it: self._found(it), f"item {it} is asked", self.server, FIRST_CHECK)
                for it in items]

    def _found(self, item: str) -> str:
        (one,) = self.api.item.get(itemids=item, output=["lastvalue", "error"])
        return one["error"] or one["lastvalue"]

    def scenario(self, url: str, required: str, **fields) -> None:
        """A scenario with one page, which does not fail."""
        steps = [{"no": 1, "name": "one", "url": url, "required": required}]
        self.api.httptest.create(hostid=self.host, name="pages", delay="1h", steps=steps, **fields)

        def item() -> dict:
            output = ["itemid", "key_", "lastvalue", "lastclock"]
            got = self.api.item.get(hostids=self.host, webitems=True, output=output)
            return next(it for it in got if it["key_"] == "web.test.fail[pages]")

        self.api.task.create([{"type": 6, "request": {"itemid": item()["itemid"]}}])
        wait_for(lambda: item()["lastclock"] != "0", "the scenario runs", self.server, FIRST_CHECK)
        assert item()["lastvalue"] == "0", item()

    def webhook(self, kinds: str, user: str, password: str, url: str) -> dict:
        """What the test of a webhook that asks for the page returns."""
        source = script(kinds, user, password, url)
        name = f"{self.name} {time.monotonic_ns()}"
        kind = self.api.mediatype.create(name=name, type=4, script=source, timeout="10s")
        asked = urllib.request.Request(
            f"{self.server.url}/api/v1/test/mediatype",
            json.dumps({"mediatypeid": kind["mediatypeids"][0]}).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {self.api._ZabbixAPI__session_id}"},
        )
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return json.load(answer)

    def connector(self, url: str, **fields) -> list[str]:
        """What of a value that comes now is taken at the URL by a connector, and by whom."""
        made = self.api.connector.create(
            name=self.name, url=f"{url}/take", tags=[{"tag": "sent", "operator": 12}], **fields,
        )["connectorids"]
        key = "sent.by.connector"
        self.item(key, type=TRAPPER, delay="0", value_type=3, tags=[{"tag": "sent", "value": "1"}])

        def taken() -> list[str]:
            with urllib.request.urlopen(f"{url}/taken", timeout=60) as answer:
                return answer.read().decode().splitlines()

        code, said = zabbix_sender(self.server, "-s", self.name, "-k", key, "-o", "7")
        assert code == 0, said
        lines = wait_for(taken, "the connector's receiver takes a value", self.server)
        self.api.connector.delete(*made)
        return lines


def script(kinds: str, user: str, password: str, url: str) -> str:
    given = f"{kinds}, {json.dumps(user)}, {json.dumps(password)}"
    return f"var r = new HttpRequest(); r.setHttpAuth({given}); return r.get({json.dumps(url)}) + r.getStatus();"
