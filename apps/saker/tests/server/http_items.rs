//! HTTP agent items, rules and web scenarios with certificates of ours, against nginx that asks for them.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use peers::{Certificates, Nginx};
use serde_json::{Value, json};

use crate::support::{Server, TEXT, UNSIGNED, program, wait_for};

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

fn execute(server: &Server, item: &str) {
    server.call("task.create", &json!([{ "type": 6, "request": { "itemid": item } }]));
}

#[test]
fn servers_that_ask_for_a_certificate_get_the_items() {
    let Some(certificates) = Certificates::new() else { return };
    let Some(nginx) = nginx(&certificates) else { return };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["certs", "keys"] {
        fs::create_dir(at(name)).unwrap();
    }
    let (certificate, key) = certificates.another("client", "/O=Saker/CN=poller");
    fs::copy(&certificate, at("certs/poller.pem")).unwrap();
    fs::copy(&key, at("keys/poller.key")).unwrap();
    encrypt(&key, &at("keys/encrypted.key"), "s3cret");
    fs::copy(&certificates.key, at("keys/other.key")).unwrap();
    let both = [fs::read(&certificate).unwrap(), fs::read(&key).unwrap()].concat();
    fs::write(at("certs/both.pem"), both).unwrap();
    let text = |name: &str| at(name).display().to_string();
    let authority = certificates.authority.display().to_string();
    let server = Server::start_with(&[
        ("SAKER_OUTGOING_SSL_CERTS", &text("certs")),
        ("SAKER_OUTGOING_SSL_KEYS", &text("keys")),
        ("SAKER_OUTGOING_SSL_AUTHORITIES", &authority),
    ]);
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
        // nginx answers those without a certificate, and says what it thinks of that.
        (json!({ "status_codes": "400" }), Err("400 No required SSL certificate was sent")),
        (
            files("poller.pem", "encrypted.key", "x"),
            Err("encrypted.key, or it has another password"),
        ),
        (files("poller.pem", "other.key", ""), Err("the key is not the certificate's")),
        (files("none.pem", "poller.key", ""), Err("none.pem cannot be read: entity not found")),
        (files("../keys/poller.key", "", ""), Err("\"../keys/poller.key\" is no file's name")),
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
