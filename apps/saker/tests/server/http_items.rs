//! HTTP agent items, rules and web scenarios with client certificates, against nginx that asks for
//! them.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use peers::{Certificates, Nginx};
use serde_json::{Value, json};

use crate::support::peer::Counts;
use crate::support::{Server, TEXT, UNSIGNED, now, program, wait_for, web};

const WAIT_MAX: Duration = Duration::from_secs(60);

/// The key as `encrypted.key`, with a password.
fn encrypt(key: &Path, to: &Path, password: &str) {
    let mut command = Command::new(program("openssl").unwrap());
    command.args(["pkey", "-aes256", "-passout", &format!("pass:{password}"), "-in"]).arg(key);
    let made = command.arg("-out").arg(to).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

fn nginx(certificates: &Certificates) -> Option<Nginx> {
    let Certificates { authority, certificate, key, .. } = certificates;
    let settings = format!(
        "ssl_certificate {};\nssl_certificate_key {};\nssl_client_certificate {};\nssl_verify_client on;\n\
         location / {{ return 200 '$ssl_client_s_dn'; }}\n\
         location /found {{ return 200 '[{{\"{{#NAME}}\":\"$ssl_client_verify\"}}]'; }}",
        certificate.display(),
        key.display(),
        authority.display()
    );
    Nginx::start("ssl", &settings)
}

/// Our certificate as `certs/poller.pem`, its key as `keys/poller.key` and, with the password `s3cret`, `keys/encrypted.key`;
/// and a server that knows these folders.
fn server_with(certificates: &Certificates, folder: &Path) -> Server {
    let at = |name: &str| folder.join(name);
    for name in ["certs", "keys"] {
        fs::create_dir(at(name)).unwrap();
    }
    let (certificate, key) = certificates.another("client", "/O=Saker/CN=poller");
    fs::copy(&certificate, at("certs/poller.pem")).unwrap();
    fs::copy(&key, at("keys/poller.key")).unwrap();
    encrypt(&key, &at("keys/encrypted.key"), "s3cret");
    let both = [fs::read(&certificate).unwrap(), fs::read(&key).unwrap()].concat();
    fs::write(at("certs/both.pem"), both).unwrap();
    let text = |name: &str| at(name).display().to_string();
    let authority = certificates.authority.display().to_string();
    Server::start_with(&[
        ("SAKER_OUTGOING_SSL_CERTS", &text("certs")),
        ("SAKER_OUTGOING_SSL_KEYS", &text("keys")),
        ("SAKER_OUTGOING_SSL_AUTHORITIES", &authority),
    ])
}

fn execute(server: &Server, item: &str) {
    server.call("task.create", &json!([{ "type": 6, "request": { "itemid": item } }]));
}

#[test]
fn servers_that_ask_for_a_certificate_get_the_items() {
    let Some(certificates) = Certificates::new() else { return };
    let Some(nginx) = nginx(&certificates) else { return };
    let folder = tempfile::tempdir().unwrap();
    let server = server_with(&certificates, folder.path());
    fs::copy(&certificates.key, folder.path().join("keys/other.key")).unwrap();
    let host = server.host("web");
    let port = nginx.address.port();
    let url = format!("https://localhost:{port}/");
    let item = |number: usize, tls: Value| {
        let mut item = json!({ "hostid": host, "name": format!("n{number}"), "key_": format!("web[{number}]"),
            "type": 19, "value_type": TEXT, "delay": "1h", "url": url, "verify_peer": 1, "verify_host": 1 });
        item.as_object_mut().unwrap().extend(tls.as_object().unwrap().clone());
        server.create("item.create", &item).remove(0)
    };
    let shown = Ok("CN=poller,O=Saker");
    let files = |cert: &str, key: &str, password: &str| json!({ "ssl_cert_file": cert, "ssl_key_file": key, "ssl_key_password": password });
    let rows = [
        (files("poller.pem", "poller.key", ""), shown),
        (files("poller.pem", "encrypted.key", "{$KEY}"), shown),
        (files("both.pem", "", ""), shown),
        // nginx answers requests without a certificate with an error.
        (json!({ "status_codes": "400" }), Err("400 No required SSL certificate was sent")),
        (
            files("poller.pem", "encrypted.key", "x"),
            Err("encrypted.key, or it has another password"),
        ),
        (files("poller.pem", "other.key", ""), Err("the key does not belong to the certificate")),
        (files("none.pem", "poller.key", ""), Err("none.pem cannot be read: entity not found")),
        (files("../keys/poller.key", "", ""), Err("\"../keys/poller.key\" is not a file name")),
    ];
    server.create(
        "usermacro.create",
        &json!({ "hostid": host, "macro": "{$KEY}", "value": "s3cret", "type": 1 }),
    );
    for (number, (tls, expected)) in rows.into_iter().enumerate() {
        let id = item(number, tls);
        execute(&server, &id);
        let found = wait_for("a value or a reason", WAIT_MAX, || {
            let item = server.item(&id);
            let error = item["error"].as_str().unwrap().to_owned();
            server.last(&id).or((!error.is_empty()).then_some(error))
        });
        match expected {
            Ok(value) => assert_eq!(found, value, "{number}"),
            Err(why) => assert!(found.contains(why), "{number}: {found}"),
        }
        assert!(!found.contains("s3cret"));
    }
    a_rule_and_a_scenario_show_it_as_well(&server, &host, &url);
}

fn a_rule_and_a_scenario_show_it_as_well(server: &Server, host: &str, url: &str) {
    let tls = json!({ "verify_peer": 1, "verify_host": 1, "ssl_cert_file": "poller.pem",
        "ssl_key_file": "encrypted.key", "ssl_key_password": "{$KEY}" });
    let with = |mut it: Value| {
        it.as_object_mut().unwrap().extend(tls.as_object().unwrap().clone());
        it
    };
    let rule =
        with(json!({ "hostid": host, "name": "rule", "key_": "rule", "type": 19, "delay": "1h",
        "url": format!("{url}found") }));
    let rule = server.create("discoveryrule.create", &rule).remove(0);
    let prototype = json!({ "hostid": host, "ruleid": rule, "name": "found {#NAME}", "key_": "found[{#NAME}]",
        "type": 2, "value_type": UNSIGNED });
    server.create("itemprototype.create", &prototype);
    execute(server, &rule);
    wait_for("an item is discovered", WAIT_MAX, || {
        let asked = json!({ "hostids": host, "filter": { "key_": "found[SUCCESS]" } });
        server.call("item.get", &asked).as_array().filter(|it| it.len() == 1).map(drop)
    });
    let steps = json!([{ "name": "page", "no": 1, "url": url, "required": "CN=poller", "status_codes": "200" }]);
    let scenario = with(json!({ "hostid": host, "name": "pages", "delay": "1h", "steps": steps }));
    server.create("httptest.create", &scenario);
    let asked = json!({ "hostids": [host], "webitems": true, "output": ["itemid", "key_"],
        "filter": { "key_": "web.test.fail[pages]" } });
    let id = server.call("item.get", &asked)[0]["itemid"].as_str().unwrap().to_owned();
    execute(server, &id);
    let failed = wait_for("the scenario has run", WAIT_MAX, || server.last(&id));
    assert_eq!(failed, "0");
}

#[test]
fn connectors_show_certificates_and_answer_digests() {
    let Some(certificates) = Certificates::new() else { return };
    let Some(nginx) = nginx(&certificates) else { return };
    let folder = tempfile::tempdir().unwrap();
    let server = server_with(&certificates, folder.path());
    let host = server.host("h");
    server.trapper_item(&host, "a", UNSIGNED);
    for (name, value) in [("{$KEY}", "s3cret"), ("{$CERT}", "poller.pem"), ("{$DIGEST}", "p")] {
        let secret = json!({ "macro": name, "value": value, "type": 1 });
        server.create("usermacro.createglobal", &secret);
    }
    let encrypted = format!("https://localhost:{}/", nginx.address.port());
    let digest = format!("http://127.0.0.1:{}/digest", web::start(None));
    let connector = |name: &str, fields: Value| {
        let mut it = json!({ "name": name });
        it.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let id = server.create("connector.create", &it).remove(0);
        format!("export connector {id}")
    };
    let login = |url: &str, password: &str| json!({ "url": url, "authtype": "4", "username": "u", "password": password });
    connector(
        "shown",
        json!({ "url": encrypted, "ssl_cert_file": "{$CERT}", "ssl_key_file": "encrypted.key",
            "ssl_key_password": "{$KEY}" }),
    );
    // nginx calls it a bad request.
    connector("not shown", json!({ "url": encrypted }));
    let missing = connector("missing", json!({ "url": encrypted, "ssl_cert_file": "none.pem" }));
    connector("digest", login(&digest, "{$DIGEST}"));
    let wrong = connector("wrong digest", login(&digest, "q"));
    assert_eq!(server.send("h", "a", "7", now()), Counts(1, 0, 1));
    wait_for("two get it, and one refuses it", WAIT_MAX, || {
        let counts = server.metrics();
        let is = |name: &str, n: u32| {
            let line = format!("saker_export_{name}_total{{target=\"connectors\"}} {n}\n");
            counts.contains(&line)
        };
        (is("rows", 2) && is("dropped_refused", 1)).then_some(())
    });
    for (part, why) in [(missing, "none.pem cannot be read"), (wrong, "the receiver answered 401")]
    {
        let issue = wait_for(why, WAIT_MAX, || server.health_issue(&part)).to_string();
        assert!(issue.contains(why), "{issue}");
    }
}
