//! Requests of scripts to real servers: TLS, a proxy, redirects, limits, authentication.

use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::Command;
use std::time::Duration;

use crate::support::peer::Counts;
use crate::support::web::{self, Identity};
use crate::support::{Process, Server, UNSIGNED, now, program, wait_until};
use serde_json::json;

const WAIT_MAX: Duration = Duration::from_secs(60);

/// A server whose scripts trust `identity`.
fn trusting(identity: &Identity) -> Server {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.keep().join("trusted.pem");
    fs::write(&file, identity.certificate.to_pem().unwrap()).unwrap();
    let env = [("SSL_CERT_FILE", file.to_str().unwrap()), ("SAKER_SCRIPT_TIMEOUT_MS", "3000")];
    Server::start_with(&env)
}

/// Runs a script for each row at once; each has to result in the text, or in an error that begins
/// so.
fn check(server: &Server, host: &str, rows: &[(&str, String, &str)]) {
    let body = |it: &str| format!("var r = new HttpRequest(); {it}");
    let items: Vec<String> =
        rows.iter().map(|(key, source, _)| server.scripted(host, key, &body(source))).collect();
    for (key, ..) in rows {
        assert_eq!(server.send("h", key, "1", now()), Counts(1, 0, 1), "{key}");
    }
    for (id, (key, source, expected)) in items.iter().zip(rows) {
        let mut seen = String::new();
        let is_so = crate::support::wait_up_to(WAIT_MAX, || {
            let item = server.item(id);
            seen = match server.last(id) {
                Some(text) => text,
                None => item["error"].as_str().unwrap_or("").to_owned(),
            };
            !seen.is_empty()
        });
        assert!(is_so && seen.contains(expected), "{key}: {source}\nexpected {expected}\n{seen}");
    }
}

#[test]
fn plain_requests_meet_servers_as_they_are() {
    let mut server = Server::start_with(&[("SAKER_SCRIPT_TIMEOUT_MS", "3000")]);
    let host = server.host("h");
    let url = format!("http://127.0.0.1:{}", web::start(None));
    let get = |path: &str| format!("return r.get('{url}{path}') + ' ' + r.getStatus()");
    let with_auth =
        |kind: &str, path: &str| format!("r.setHttpAuth({kind}, 'u', 'p'); {}", get(path));
    let length = |n: usize| format!("return r.get('{url}/big/{n}').length");
    check(
        &server,
        &host,
        &[
            ("get", get("/a?b=c#d"), "GET /a?b=c HTTP/1.1| 200"),
            ("post", format!("return r.post('{url}/x', 'é')"), "POST /x HTTP/1.1|é"),
            ("own", format!("return r.customRequest('PURGE', '{url}/x')"), "PURGE /x HTTP/1.1|"),
            ("hops", get("/hop/10"), "GET /hop/0 HTTP/1.1| 200"),
            ("many_hops", get("/hop/11"), "Error: Maximum (10) redirects followed"),
            ("round", get("/round"), "Error: Maximum (10) redirects followed"),
            ("chunked", get("/chunked"), "abcde 200"),
            ("cut", get("/cut"), "Error: "),
            ("nonsense", get("/nonsense"), "Error: "),
            ("silent", get("/silent"), "Timeout was reached"),
            ("trickle", get("/trickle"), "Timeout was reached"),
            ("big", length(8 << 20), "8388608"),
            ("too_big", length((64 << 20) + 1), "the answer is longer than 67108864 bytes"),
            ("closed", "return r.get('http://127.0.0.1:1/')".to_owned(), "Could not connect"),
            ("unknown", "return r.get('http://none.invalid/')".to_owned(), "Could not resolve"),
            ("basic", with_auth("HTTPAUTH_BASIC", "/basic"), "basic 200"),
            ("basic_url", get("/basic").replace("://", "://u:p@"), "basic 200"),
            ("no_auth", get("/basic"), " 401"),
            ("digest", with_auth("HTTPAUTH_DIGEST", "/digest/1?q=%20"), "digest 200"),
            ("any", with_auth("HTTPAUTH_BASIC | HTTPAUTH_DIGEST", "/digest"), "digest 200"),
            ("offered", with_auth("HTTPAUTH_BASIC | HTTPAUTH_NTLM", "/basic"), "basic 200"),
            ("other", with_auth("16", "/basic"), "other than basic, digest, NTLM and Kerberos is"),
        ],
    );
    server.stop();
}

#[test]
fn certificates_are_checked() {
    let (trusted, unknown) = (Identity::new(), Identity::new());
    let mut server = trusting(&trusted);
    let host = server.host("h");
    let (good, bad) = (web::start(Some(&trusted)), web::start(Some(&unknown)));
    let plain = web::start(None);
    let get = |url: String| format!("return r.get('{url}') + ' ' + r.getStatus()");
    check(
        &server,
        &host,
        &[
            ("good", get(format!("https://localhost:{good}/x")), "GET /x HTTP/1.1| 200"),
            ("name", get(format!("https://127.0.0.1:{good}/x")), "SSL certificate problem: IP"),
            ("unknown", get(format!("https://localhost:{bad}/")), "SSL certificate problem: self"),
            ("plain", get(format!("https://localhost:{plain}/")), "Error: "),
        ],
    );
    server.stop();

    // Without verification every server is accepted.
    server.set_env("SAKER_SCRIPT_TLS_VERIFY", "false");
    server.start_again();
    for (key, port) in [("name", good), ("unknown", bad)] {
        assert_eq!(server.send("h", key, "1", now()), Counts(1, 0, 1), "{key} {port}");
    }
    let params = serde_json::json!({"filter": {"key_": ["name", "unknown"]}, "output": "extend"});
    wait_until("both have a value", WAIT_MAX, || {
        let items = server.call("item.get", &params);
        let items = items.as_array().unwrap();
        items.len() == 2
            && items.iter().all(|it| it["lastvalue"].as_str().unwrap().ends_with(" 200"))
    });
    server.stop();
}

#[test]
fn requests_go_through_a_proxy() {
    let Some(tinyproxy) = program("tinyproxy") else { return };
    let identity = Identity::new();
    let mut server = trusting(&identity);
    let host = server.host("h");
    let (plain, tls) = (web::start(None), web::start(Some(&identity)));
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let config = server.dir().join("tinyproxy.conf");
    let text = format!(
        "Port {port}\nListen 127.0.0.1\nTimeout 30\nMaxClients 20\nAllow 127.0.0.1\n\
         BasicAuth who pass\nConnectPort {tls}\n"
    );
    fs::write(&config, text).unwrap();
    let log = server.dir().join("tinyproxy.log");
    let _proxy = Process::start(Command::new(tinyproxy).arg("-d").arg("-c").arg(&config), log);
    wait_until("the proxy listens", WAIT_MAX, || {
        TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
    });
    let get = |proxy: &str, url: String| {
        format!("r.setProxy('{proxy}'); return r.get('{url}') + ' ' + r.getStatus()")
    };
    let known = format!("http://who:pass@127.0.0.1:{port}");
    let other = format!("http://127.0.0.1:{port}");
    // The response shows the request line.
    let origin = format!("http://127.0.0.1:{plain}");
    let (http, https) =
        (|| format!("http://localhost:{plain}/p"), || format!("https://localhost:{tls}/t"));
    check(
        &server,
        &host,
        &[
            ("plain", get(&known, http()), "GET /p HTTP/1.1| 200"),
            ("tunnel", get(&known, https()), "GET /t HTTP/1.1| 200"),
            ("no_auth", get(&other, http()), " 407"),
            ("direct", get(&origin, http()), &format!("GET {} HTTP/1.1| 200", http())),
            (
                "posted",
                format!("r.setProxy('{known}'); return r.post('{}', 'é')", http()),
                "POST /p HTTP/1.1|é",
            ),
            (
                "long",
                format!(
                    "r.setProxy('{known}'); return r.post('{}', 'x'.repeat(1e6)).length",
                    http()
                ),
                "1000017",
            ),
            ("unknown", get(&known, "http://none.invalid/".to_owned()), " 500"),
            ("no_auth_tls", get(&other, https()), "Error: "),
            ("closed", get("http://127.0.0.1:1", http()), "Could not connect to server"),
            ("bad", get("no proxy", http()), "Unsupported proxy syntax"),
        ],
    );
    // A connector's digest goes the same way.
    server.trapper_item(&host, "sent", UNSIGNED);
    let connector = json!({ "name": "c", "url": format!("http://localhost:{plain}/digest"),
        "authtype": "4", "username": "u", "password": "p", "http_proxy": known, "item_value_type": "8" });
    let connector = server.create("connector.create", &connector).remove(0);
    assert_eq!(server.send("h", "sent", "7", now()), Counts(1, 0, 1));
    wait_until("it is delivered", WAIT_MAX, || {
        server.metrics().contains("saker_export_rows_total{target=\"connectors\"} 1\n")
    });
    assert_eq!(server.health_issue(&format!("export connector {connector}")), None);
    server.stop();
}

#[test]
fn no_name_and_no_redirect_leads_to_what_is_denied() {
    let denied = "169.254.0.0/16, 127.0.0.1";
    let mut server = Server::start_with(&[
        ("SAKER_OUTGOING_DENIED", denied),
        ("SAKER_OUTGOING_ALLOWED", "127.0.0.2"),
    ]);
    let host = server.host("h");
    let port = web::start_on("127.0.0.2".parse().unwrap());
    let get = |url: &str| format!("return r.get('{url}') + ' ' + r.getStatus()");
    let to = |host: &str| get(&format!("http://127.0.0.2:{port}/to/{host}"));
    let denied = "The setting outgoing.denied forbids this address";
    check(
        &server,
        &host,
        &[
            ("allowed", get(&format!("http://127.0.0.2:{port}/a")), "GET /a HTTP/1.1| 200"),
            ("literal", get("http://169.254.169.254/latest/meta-data/"), denied),
            ("name", get(&format!("http://localhost:{port}/")), denied),
            ("redirect", to("169.254.169.254"), denied),
            ("number", to("2852039166"), denied),
            ("back", to(&format!("127.0.0.2:{port}/b")), "GET /b/ HTTP/1.1| 200"),
        ],
    );
    server.stop();
}
