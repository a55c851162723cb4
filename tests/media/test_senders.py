"""Media types send to real receivers, and bear with those that do not answer as they should."""

import email
import email.policy
import ssl
import stat
import subprocess
import time
import urllib.request
import json

import pytest
from harness import Server
from receivers import Mail, Silent, Web, nobody

SMTP_SECONDS = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("alertscripts")


@pytest.fixture(scope="module")
def own(tmp_path_factory, folder):
    data = tmp_path_factory.mktemp("media") / "data"
    one = Server(data, "--alerting-scripts", str(folder), env={
        "SAKER_ALERTING_SMTP_TIMEOUT_MS": str(SMTP_SECONDS * 1000),
        "SAKER_ALERTING_SCRIPT_TIMEOUT_MS": "4000",
    })
    one.wait_until_ready()
    yield one
    assert one.end() == 0


@pytest.fixture(scope="module")
def client(own):
    client = own.api()
    yield client
    client.logout()


@pytest.fixture
def receiver(request):
    """Makes receivers that end with the test."""
    made = []

    def make(kind, *args, **named):
        made.append(kind(*args, **named))
        return made[-1]

    yield make
    for one in made:
        one.end()


def tried(own, client, kind: dict, **message) -> dict:
    """The result of the test of a media type, which is created for it."""
    made = client.mediatype.create(name=f"for a test {time.monotonic_ns()}", **kind)
    message["mediatypeid"] = made["mediatypeids"][0]
    asked = urllib.request.Request(
        f"{own.url}/api/v1/test/mediatype", json.dumps(message).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {client._ZabbixAPI__session_id}"},
    )
    with urllib.request.urlopen(asked, timeout=60) as answer:
        result = json.load(answer)
    client.mediatype.delete(message["mediatypeid"])
    return result


def said(result: dict, by: str) -> list[str]:
    return [it["text"] for it in result["exchange"] if it["by"] == by]


def mail_type(port: int, **more) -> dict:
    return {
        "type": 0, "smtp_server": "127.0.0.1", "smtp_port": port,
        "smtp_email": "Säker <ops@example.com>", "message_format": 0, **more,
    }


def read(envelope):
    return email.message_from_bytes(envelope.content, policy=email.policy.default)


def test_an_email_reaches_all_addresses_as_it_was_written(own, client, receiver):
    mail = receiver(Mail)
    text = "Größe: 5\n.\n..dots\n" + "long " * 300
    result = tried(own, client, mail_type(mail.port), sendto="A <a@example.com>, b@example.com",
                 subject="Plätze\r\nBcc: x@example.com", message=text)
    assert result["error"] is None, result
    [envelope] = mail.envelopes
    assert envelope.rcpt_tos == ["a@example.com", "b@example.com"]
    assert envelope.mail_from == "ops@example.com"
    message = read(envelope)
    assert message["Subject"] == "Plätze  Bcc: x@example.com" and message["Bcc"] is None
    assert message["From"] == "Säker <ops@example.com>" and message["Message-ID"] and message["Date"]
    assert message.get_content_type() == "text/plain"
    assert message.get_content().replace("\r\n", "\n").rstrip("\n") == text.rstrip("\n")
    assert said(result, "server")[0] == "EHLO example.com"
    assert said(result, "peer")[0].startswith("220 ")


def test_html_says_so(own, client, receiver):
    mail = receiver(Mail)
    kind = mail_type(mail.port, message_format=1)
    assert tried(own, client, kind, sendto="a@example.com", message="<b>x</b>")["error"] is None
    assert read(mail.envelopes[0]).get_content_type() == "text/html"


def test_password_is_used_and_never_shown(own, client, receiver):
    mail = receiver(Mail, "ops", "a secret")
    kind = mail_type(mail.port, smtp_authentication=1, username="ops", passwd="a secret")
    result = tried(own, client, kind, sendto="a@example.com")
    assert result["error"] is None and len(mail.envelopes) == 1, result
    shown = json.dumps(result)
    assert "******" in shown and "a secret" not in shown and "AG9wcwBhIHNlY3JldA" not in shown
    result = tried(own, client, {**kind, "passwd": "wrong"}, sendto="a@example.com")
    assert "refuses user name and password" in result["error"]


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    """A certificate that vouches for itself."""
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-keyout", folder / "key", "-out", folder / "cert"],
        check=True, capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert", folder / "key")
    return context


@pytest.mark.parametrize(("security", "starttls"), [(1, True), (2, False)])
def test_email_is_encrypted_and_a_certificate_checked_where_that_is_asked(
    own, client, receiver, tls, security, starttls
):
    mail = receiver(Mail, tls_context=tls, starttls=starttls)
    kind = mail_type(mail.port, smtp_security=security)
    result = tried(own, client, kind, sendto="a@example.com")
    assert result["error"] is None and len(mail.envelopes) == 1, result
    result = tried(own, client, {**kind, "smtp_verify_peer": 1}, sendto="a@example.com")
    assert "certificate verify failed" in result["error"], result
    assert len(mail.envelopes) == 1


def test_no_password_leaves_when_starttls_is_not_offered(own, client, receiver):
    mail = receiver(Mail)
    result = tried(own, client, mail_type(mail.port, smtp_security=1), sendto="a@example.com")
    assert result["error"] == "the SMTP server does not offer STARTTLS"


def test_silent_mail_servers_take_no_longer_than_the_timeout(own, client, receiver):
    for drips in (False, True):
        silent = receiver(Silent, drips)
        begun = time.monotonic()
        result = tried(own, client, mail_type(silent.port), sendto="a@example.com")
        assert "takes too long" in result["error"] or "no answer of an SMTP server" in result["error"]
        assert time.monotonic() - begun < SMTP_SECONDS + 20
    result = tried(own, client, mail_type(nobody()), sendto="a@example.com")
    assert "cannot connect to the SMTP server" in result["error"]
    result = tried(own, client, mail_type(nobody()), sendto="nobody")
    assert result["error"] == '"nobody" is no address'


def test_a_token_of_oauth_is_renewed_and_kept(own, client, receiver):
    web = receiver(Web)
    web.body = {"access_token": "new-token", "expires_in": 3600}
    mail = receiver(Mail)
    kind = mail_type(mail.port, smtp_authentication=2, client_id="id", client_secret="hidden",
                     token_url=f"{web.url}/token", refresh_token="refresh")
    made = client.mediatype.create(name="by token", **kind)["mediatypeids"][0]
    asked = urllib.request.Request(
        f"{own.url}/api/v1/test/mediatype",
        json.dumps({"mediatypeid": made, "sendto": "a@example.com"}).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {client._ZabbixAPI__session_id}"},
    )
    with urllib.request.urlopen(asked, timeout=60) as answer:
        result = json.load(answer)
    # This server offers no XOAUTH2: the token is there all the same.
    assert result["error"] == "the SMTP server does not offer XOAUTH2", result
    assert web.requests[0]["body"].startswith("grant_type=refresh_token&refresh_token=refresh&client_id=id")
    assert "hidden" not in json.dumps(result)
    row = client.mediatype.get(mediatypeids=made, output=["access_token", "access_expires_in"])[0]
    assert (row["access_token"], row["access_expires_in"]) == ("new-token", "3600")
    client.mediatype.delete(made)


def webhook(script: str, **more) -> dict:
    return {"type": 4, "script": script, "timeout": "2s", **more}


def test_webhook_posts_and_its_exchange_is_shown(own, client, receiver):
    web = receiver(Web)
    web.body = {"id": 7}
    script = """var p = JSON.parse(value), r = new HttpRequest();
        r.addHeader('Authorization: Bearer top-secret');
        Zabbix.log(3, 'begins');
        return r.post(p.url, p.text);"""
    parameters = [{"name": "url", "value": "{ALERT.SENDTO}"}, {"name": "text", "value": "{ALERT.SUBJECT}"}]
    result = tried(own, client, webhook(script, parameters=parameters), sendto=f"{web.url}/x",
                 subject="hello")
    assert (result["error"], result["result"]) == (None, '{"id": 7}')
    assert web.requests[0]["body"] == "hello" and said(result, "log") == ["begins"]
    assert web.requests[0]["headers"]["authorization"] == "Bearer top-secret"
    shown = json.dumps(result)
    assert f"POST {web.url}/x" in shown and "HTTP 200" in shown and "top-secret" not in shown


def test_scripts_that_throw_or_loop_or_are_sent_in_circles_end(own, client, receiver):
    assert "my reason" in tried(own, client, webhook("throw 'my reason';"))["error"]
    assert "SyntaxError" in tried(own, client, webhook("return (;"))["error"]
    begun = time.monotonic()
    result = tried(own, client, webhook("for (;;) {}"))
    assert "timeout" in result["error"] and time.monotonic() - begun < 30, result
    web = receiver(Web)
    web.location = f"{web.url}/again"
    result = tried(own, client, webhook(f"return new HttpRequest().get('{web.url}/');"))
    assert result["error"] and "redirect" in result["error"].lower(), result
    silent = receiver(Silent)
    begun = time.monotonic()
    result = tried(own, client, webhook(f"return new HttpRequest().get('http://127.0.0.1:{silent.port}/');"))
    assert result["error"] and time.monotonic() - begun < 30, result


def write(folder, name: str, text: str) -> None:
    path = folder / name
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def script_type(name: str, *arguments: str) -> dict:
    parameters = [{"sortorder": at, "value": it} for at, it in enumerate(arguments)]
    return {"type": 1, "exec_path": name, "parameters": parameters}


def test_script_gets_its_arguments_and_its_output_is_shown(own, client, folder):
    write(folder, "say.sh", '#!/bin/sh\nfor it in "$@"; do echo "[$it]"; done\necho odd >&2\n')
    result = tried(own, client, script_type("say.sh", "{ALERT.SENDTO}", "two words; $(id)", ""),
                 sendto="me")
    assert result["error"] is None
    assert sorted(result["result"].split("\n")[:3]) == sorted(["[me]", "[two words; $(id)]", "[]"])
    write(folder, "fail.sh", "#!/bin/sh\necho why\nexit 3\n")
    assert tried(own, client, script_type("fail.sh"))["error"] == '"fail.sh" ended with code 3: why'
    assert "cannot execute" in tried(own, client, script_type("missing.sh"))["error"]


def test_a_script_that_hangs_or_floods_is_ended_with_all_it_started(own, client, folder, tmp_path):
    write(folder, "hang.sh", f"#!/bin/sh\nsleep 1000 &\necho $! > {tmp_path}/child\nwait\n")
    assert "took longer than 4 s" in tried(own, client, script_type("hang.sh"))["error"]
    child = int((tmp_path / "child").read_text())
    states = subprocess.run(["ps", "-o", "stat=", "-p", str(child)], capture_output=True, text=True)
    assert states.stdout.strip()[:1] in ("", "Z"), states.stdout
    write(folder, "flood.sh", "#!/bin/sh\nyes\n")
    assert "took longer than 4 s" in tried(own, client, script_type("flood.sh"))["error"]


def test_sms_says_that_there_is_none(own, client):
    result = tried(own, client, {"type": 2, "gsm_modem": "/dev/ttyS0"}, sendto="123")
    assert result["error"].startswith("SMS is not supported")
