"""HTTP agent items, scenarios, scripts, webhooks and connectors with NTLM: pyspnego is the server."""

import pathlib
import sys

from harness import free_ports, wait_for
from logins import Logins
from peers import accepts

SERVER = pathlib.Path(__file__).parent.parent / "ntlm_server.py"
NTLM, KERBEROS = 2, 3
ADA = ("SHOP\\ada", "pass word ä")


def start(peers) -> int:
    (port,) = free_ports(1)
    users = peers.folder / "users"
    users.write_text("SHOP:ada:pass word ä\n:bob:secret\n")
    process = peers.start("ntlm", [sys.executable, SERVER, str(port), users])
    wait_for(lambda: accepts(port, process), "the server listens", process)
    return port


def test_ntlm(server, api, peers):
    url = f"http://127.0.0.1:{start(peers)}"
    asks = Logins(server, api, "ntlm")

    def item(key: str, user: str, password: str, **fields) -> str:
        fields = {"authtype": NTLM, "url": f"{url}/{key}", **fields}
        return asks.item(key, username=user, password=password, **fields)

    domain, plain, post, wrong, kerberos, script, offered, refused = asks.found(
        item("domain", *ADA),
        item("plain", "bob", "secret"),
        item("post", *ADA, request_method=1, posts="a=b"),
        item("wrong", "SHOP\\ada", "other", status_codes="200"),
        item("kerberos", "ada", "x", authtype=KERBEROS),
        asks.script("script", "HTTPAUTH_NTLM", *ADA, f"{url}/script"),
        asks.script("offered", "HTTPAUTH_NTLM | HTTPAUTH_BASIC", *ADA, f"{url}/offered"),
        asks.script("refused", "HTTPAUTH_NTLM", "SHOP\\ada", "other", f"{url}/refused"),
    )
    assert domain == "SHOP\\ada GET /domain"
    assert plain.endswith("bob GET /plain")
    assert post == "SHOP\\ada POST /post a=b"
    assert "\"401\"" in wrong
    # Nobody has given this machine's server a ticket.
    assert kerberos.startswith("Cannot perform request: Kerberos: "), kerberos
    assert script == "SHOP\\ada GET /script200"
    assert offered == "SHOP\\ada GET /offered200"
    assert refused.endswith("401"), refused

    asks.scenario(f"{url}/one", "SHOP.*ada", authentication=NTLM, http_user=ADA[0], http_password=ADA[1])

    result = asks.webhook("HTTPAUTH_NTLM", *ADA, f"{url}/hook")
    assert result["error"] is None and "SHOP\\ada GET /hook" in str(result["exchange"][-1]["text"]), result
    assert ADA[1] not in str(result["exchange"][:1]), result

    (line,) = asks.connector(url, authtype=NTLM, username=ADA[0], password=ADA[1])
    assert line.startswith("SHOP\\ada {") and '"value":7' in line, line
