"""HTTP agent items, scenarios, scripts, webhooks and connectors with Kerberos: Debian's KDC, and MIT's library as the server."""

import pathlib
import signal
import subprocess

import pytest

from harness import Process, Server, free_ports, program, wait_for
from logins import Logins
from peers import accepts

SERVER = pathlib.Path(__file__).parent.parent / "kerberos_server.py"
KERBEROS = 3
REALM = "SAKER.TEST"


class Kdc:
    """A realm with the web server HTTP/localhost and the user saker, whose keytab is the server's."""

    def __init__(self, peers) -> None:
        folder = self.folder = peers.folder
        (self.port,) = free_ports(1)
        (folder / "krb5.conf").write_text(f"""
[libdefaults]
  default_realm = {REALM}
  dns_lookup_kdc = false
  dns_lookup_realm = false
  dns_canonicalize_hostname = false
  rdns = false
[realms]
  {REALM} = {{
    kdc = 127.0.0.1:{self.port}
  }}
[domain_realm]
  localhost = {REALM}
  .localhost = {REALM}
  127.0.0.1 = {REALM}
""")
        (folder / "kdc.conf").write_text(f"""
[realms]
  {REALM} = {{
    database_name = {folder}/principal
    key_stash_file = {folder}/stash
    acl_file = {folder}/acl
    kdc_listen = 127.0.0.1:{self.port}
    kdc_tcp_listen = 127.0.0.1:{self.port}
  }}
[logging]
  kdc = STDERR
""")
        self.env = {"KRB5_CONFIG": str(folder / "krb5.conf"), "KRB5_KDC_PROFILE": str(folder / "kdc.conf")}
        self._run("kdb5_util", "-r", REALM, "-P", "of the database", "create", "-s")
        for asked in [
            "addprinc -randkey HTTP/localhost", "addprinc -randkey HTTP/away.localhost", "addprinc -randkey saker",
            f"ktadd -k {folder}/http.keytab HTTP/localhost", f"ktadd -k {folder}/saker.keytab saker",
        ]:
            self._run("kadmin.local", "-r", REALM, "-q", asked)
        self.process = peers.start("kdc", [program("krb5kdc"), "-n", "-r", REALM], self.env)
        wait_for(lambda: accepts(self.port, self.process), "the KDC listens", self.process)

    def _run(self, name: str, *arguments: str) -> None:
        done = subprocess.run(
            [program(name), *arguments], env=self.env, capture_output=True, text=True, timeout=60,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def send(self, sent: signal.Signals) -> None:
        self.process.process.send_signal(sent)


@pytest.fixture
def kdc(peers):
    one = Kdc(peers)
    yield one
    one.send(signal.SIGCONT)


@pytest.fixture
def own(kdc, tmp_path):
    """A server with a keytab, and an empty cache for its tickets."""
    env = {
        "KRB5_CONFIG": kdc.env["KRB5_CONFIG"],
        "KRB5CCNAME": f"FILE:{kdc.folder}/tickets",
        "KRB5_CLIENT_KTNAME": f"FILE:{kdc.folder}/saker.keytab",
    }
    one = Server(tmp_path / "data", env=env)
    one.wait_until_ready()
    yield one
    assert one.end() == 0, one.last_lines()


def start(peers, kdc) -> int:
    (port,) = free_ports(1)
    env = {
        "KRB5_CONFIG": kdc.env["KRB5_CONFIG"],
        "KRB5_KTNAME": f"FILE:{kdc.folder}/http.keytab",
        "KRB5RCACHENAME": f"dfl:{kdc.folder}/replays",
    }
    # Debian's own, which has the module.
    process: Process = peers.start("kerberos", ["/usr/bin/python3", SERVER, str(port)], env)
    wait_for(lambda: accepts(port, process), "the server listens", process)
    return port


def test_kerberos(own, peers, kdc):
    port = start(peers, kdc)
    url, user = f"http://localhost:{port}", f"saker@{REALM}"
    asks = Logins(own, own.api(), "kerberos")

    def item(key: str, **fields) -> str:
        return asks.item(key, **{"authtype": KERBEROS, "url": f"{url}/{key}", **fields})

    get, post, liar, unknown, script, offered = asks.found(
        # libcurl ignores a login that it gets in addition to a ticket.
        item("get", username="nobody", password="x"),
        item("post", request_method=1, posts="a=b"),
        item("liar"),
        item("unknown", url=f"http://127.0.0.1:{port}/unknown"),
        asks.script("script", "HTTPAUTH_NEGOTIATE", "", "", f"{url}/script"),
        asks.script("offered", "HTTPAUTH_NEGOTIATE | HTTPAUTH_BASIC", "u", "p", f"{url}/offered"),
    )
    assert get == f"{user} GET /get"
    assert post == f"{user} POST /post a=b"
    assert "Kerberos: the server's answer is wrong: " in liar, liar
    assert "Kerberos: Server HTTP/127.0.0.1@SAKER.TEST not found in Kerberos database" in unknown, unknown
    assert script == f"{user} GET /script200"
    assert offered == f"{user} GET /offered200"
    asks.scenario(f"{url}/one", "saker", authentication=KERBEROS)
    result = asks.webhook("HTTPAUTH_NEGOTIATE", "", "", f"{url}/hook")
    assert result["error"] is None and f"{user} GET /hook" in str(result["exchange"]), result
    (line,) = asks.connector(url, authtype=KERBEROS)
    assert line.startswith(f"{user} {{") and '"value":7' in line, line

    # A KDC that hangs delays only requests that need a new ticket, and those only until their
    # timeout.
    kdc.send(signal.SIGSTOP)
    late, known = asks.found(
        item("late", url=f"http://away.localhost:{port}/late"),
        item("known"),
    )
    expected = "Kerberos: timeout was reached while waiting for a ticket; check that the KDC answers"
    assert late == f"Cannot perform request: {expected}", late
    assert known == f"{user} GET /known"


def test_a_server_without_a_ticket_says_which(kdc, peers, tmp_path):
    port = start(peers, kdc)
    env = {"KRB5_CONFIG": kdc.env["KRB5_CONFIG"], "KRB5CCNAME": f"FILE:{kdc.folder}/none"}
    own = Server(tmp_path / "without", env={**env, "KRB5_CLIENT_KTNAME": f"FILE:{kdc.folder}/none.keytab"})
    own.wait_until_ready()
    asks = Logins(own, own.api(), "kerberos")
    (found,) = asks.found(asks.item("a", authtype=KERBEROS, url=f"http://localhost:{port}/a"))
    assert found.startswith("Cannot perform request: Kerberos: No Kerberos credentials available"), found
    assert f"{kdc.folder}/none" in found, found
    assert own.end() == 0, own.last_lines()
