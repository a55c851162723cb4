"""A web server, nginx: its figures, pages behind a password and by HTTPS, and a web scenario."""

import json
import subprocess

from harness import FIRST_CHECK, free_ports, program, wait_for
from peers import accepts
from steps import FLOAT, TEXT, UNSIGNED, create_host, items, wait_for_values

HTTP_AGENT, DEPENDENT = 19, 18
REGEX, JSONPATH = 5, 12


def start_nginx(peers) -> tuple[int, int]:
    """Its ports: HTTP, and HTTPS with a certificate that nobody knows."""
    folder = peers.folder
    plain, secure = free_ports(2)
    subprocess.run(
        [
            program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-keyout", folder / "web.key", "-out", folder / "web.pem",
        ],
        check=True, capture_output=True,
    )
    # "secret"
    (folder / "users").write_text("watcher:{PLAIN}secret\n")
    (folder / "big.json").write_text(json.dumps({"orders": {"open": 17}, "pad": "x" * 20_000}))
    file = folder / "nginx.conf"
    file.write_text(f"""
user root;
daemon off;
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
    uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
    gzip on; gzip_types application/json; types {{ application/json json; }}
    server {{
        listen 127.0.0.1:{plain};
        listen 127.0.0.1:{secure} ssl;
        ssl_certificate {folder}/web.pem;
        ssl_certificate_key {folder}/web.key;
        root {folder};
        location = /status {{ stub_status; }}
        location = /old {{ return 302 /status; }}
        location = /gone {{ return 410; }}
        location = /who {{ default_type text/plain; return 200 "$request_method $http_x_token"; }}
        location = /big.json {{ auth_basic "orders"; auth_basic_user_file {folder}/users; }}
        location = /login {{ default_type text/html; return 200 "<b id=token>t-$arg_user</b>"; }}
        location = /home {{ default_type text/html; return 200 "welcome $arg_token"; }}
    }}
}}
""")
    process = peers.start("nginx", [program("nginx"), "-c", file, "-p", folder])
    for port in (plain, secure):
        wait_for(lambda port=port: accepts(port, process), "nginx listens", process)
    return plain, secure


def test_web_server(server, api, peers):
    plain, secure = start_nginx(peers)
    host = create_host(api, "web-server")

    def item(key: str, port: int, path: str, kind: int, **fields) -> str:
        scheme = "https" if port == secure else "http"
        return api.item.create(
            hostid=host, name=key, key_=key, type=HTTP_AGENT, value_type=kind, delay="5s",
            url=f"{scheme}://127.0.0.1:{port}{path}", **fields,
        )["itemids"][0]

    status = item("nginx.status", plain, "/status", TEXT)
    step = {"error_handler": 0, "error_handler_params": ""}
    api.item.create(
        hostid=host, name="Requests", key_="nginx.requests", type=DEPENDENT, value_type=UNSIGNED,
        master_itemid=status, preprocessing=[
            {**step, "type": REGEX, "params": "\\n\\s+\\d+ \\d+ (\\d+)\n\\1"},
        ],
    )
    item("redirected", plain, "/old", TEXT)
    item("not.followed", plain, "/old", TEXT, follow_redirects=0, status_codes="302", retrieve_mode=1)
    item("asked", plain, "/who", TEXT, request_method=1, posts="a=b",
         headers=[{"name": "X-Token", "value": "{HOST.HOST}"}])
    # Compressed, behind a password, by HTTPS.
    item("orders.open", secure, "/big.json", FLOAT, authtype=1, username="watcher", password="secret",
         preprocessing=[{**step, "type": JSONPATH, "params": "$.orders.open"}])
    found = wait_for_values(
        server, api, host, "nginx.status", "nginx.requests", "redirected", "not.followed", "asked",
        "orders.open",
    )
    assert found["nginx.status"]["lastvalue"].startswith("Active connections:")
    assert 0 < int(found["nginx.requests"]["lastvalue"])
    assert found["redirected"]["lastvalue"].startswith("Active connections:")
    assert "302" in found["not.followed"]["lastvalue"].splitlines()[0]
    assert "ocation: " in found["not.followed"]["lastvalue"]
    assert found["asked"]["lastvalue"] == "POST web-server"
    assert float(found["orders.open"]["lastvalue"]) == 17

    # A missing page is reported.
    item("gone", plain, "/gone", TEXT)
    item("no.password", secure, "/big.json", TEXT)
    item("unknown.certificate", secure, "/status", TEXT, verify_peer=1, verify_host=1)
    for key, why in (("gone", "410"), ("no.password", "401"), ("unknown.certificate", "certificate")):
        wait_for(
            lambda key=key: items(api, host)[key]["error"] != "",
            lambda key=key: f"an error of {key}: {items(api, host)[key]}", server, FIRST_CHECK,
        )
        assert why in items(api, host)[key]["error"], items(api, host)[key]


def test_web_scenario(server, api, peers):
    plain, _secure = start_nginx(peers)
    host = create_host(api, "web-pages")
    base = f"http://127.0.0.1:{plain}"
    api.httptest.create(
        hostid=host, name="Log in", delay="5s", steps=[
            {"no": 1, "name": "Form", "url": f"{base}/login?user=ada", "status_codes": "200",
             "variables": [{"name": "{token}", "value": "regex:<b id=token>(.+)</b>"}]},
            {"no": 2, "name": "Home", "url": f"{base}/home?token={{token}}", "status_codes": "200",
             "required": "welcome t-ada"},
        ],
    )

    def values() -> dict[str, dict]:
        got = api.item.get(hostids=host, webitems=True, output=["key_", "lastvalue", "lastclock"])
        return {it["key_"]: it for it in got}

    wait_for(
        lambda: values().get("web.test.fail[Log in]", {}).get("lastclock", "0") != "0",
        lambda: f"the scenario has run: {values()}", server, FIRST_CHECK,
    )
    found = values()
    assert found["web.test.fail[Log in]"]["lastvalue"] == "0"
    assert found["web.test.rspcode[Log in,Home]"]["lastvalue"] == "200"
