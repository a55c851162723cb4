"""Values of one's own by zabbix_sender: one, many from a file, and what is not taken."""

import time

from harness import wait_for
from peers import zabbix_sender
from steps import FLOAT, TEXT, create_host, items


def test_sender(server, api, tmp_path):
    hostid = create_host(api, "shop")
    orders, state = api.item.create([
        {"hostid": hostid, "name": "Orders", "key_": "app.orders", "type": 2, "value_type": FLOAT},
        {"hostid": hostid, "name": "State", "key_": "app.state", "type": 2, "value_type": TEXT},
    ])["itemids"]

    def sent() -> bool:
        code, said = zabbix_sender(server, "-s", "shop", "-k", "app.orders", "-o", "17")
        return code == 0 and "processed: 1; failed: 0; total: 1" in said

    wait_for(sent, "the new item takes values", server)
    wait_for(lambda: items(api, hostid)["app.orders"]["lastvalue"] == "17", "the value", server)

    now = int(time.time())
    lines = [f'shop app.orders {now - 300 + at} {at}.5' for at in range(250)]
    lines.append(f'shop app.state {now} "all \\"is\\" well"')
    file = tmp_path / "values"
    file.write_text("\n".join(lines) + "\n")
    code, said = zabbix_sender(server, "-T", "-i", str(file), "-vv")
    assert code == 0, said
    assert "sent: 251" in said, said

    def history(item: str, kind: int, **more) -> list[dict]:
        return api.history.get(
            itemids=item, history=kind, sortfield="clock", sortorder="ASC", **more
        )

    # Values that were acknowledged as processed are there.
    rows = history(orders, FLOAT, time_till=now - 1)
    assert [(int(it["clock"]), float(it["value"])) for it in rows] == [
        (now - 300 + at, at + 0.5) for at in range(250)
    ]
    assert [it["value"] for it in history(state, TEXT)] == ['all "is" well']

    code, said = zabbix_sender(server, "-s", "shop", "-k", "no.such.key", "-o", "1")
    assert code == 2, said
    assert "processed: 0; failed: 1; total: 1" in said
