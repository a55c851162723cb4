//! Encryption of hosts and of autoregistration: fields that belong together, refused ones, and keys, which
//! are never returned.

use serde_json::{Value, json};

use crate::fake::{Server, Session};

const KEY: &str = "00112233445566778899AABBccddeeff";
const OTHER: &str = "ffeeddccbbaa99887766554433221100";

fn encryption(admin: &Session<'_>, host: &str) -> Value {
    let mut it = admin.call("host.get", json!({"hostids": [host], "output": "extend"}))[0].clone();
    let fields = it.as_object_mut().unwrap();
    fields.retain(|name, _| name.starts_with("tls_"));
    it
}

fn plain() -> Value {
    json!({"tls_connect": "1", "tls_accept": "1", "tls_issuer": "", "tls_subject": ""})
}

#[test]
fn encryption_of_a_host_is_stored_and_its_key_never_returned() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("a");
    assert_eq!(encryption(&admin, &host), plain());
    admin.call(
        "host.update",
        json!({"hostid": host, "tls_connect": 2, "tls_accept": 3, "tls_psk_identity": "of a",
            "tls_psk": KEY}),
    );
    let with_key =
        json!({"tls_connect": "2", "tls_accept": "3", "tls_issuer": "", "tls_subject": ""});
    assert_eq!(encryption(&admin, &host), with_key);
    let output = json!(["hostid", "tls_psk", "tls_psk_identity"]);
    let asked = json!({"hostids": [host], "output": output});
    assert_eq!(admin.call("host.get", asked), json!([{"hostid": host}]));
    assert_eq!(server.db.snapshot().psk("of a"), Some(&*KEY.to_lowercase()));
    // Omitted fields keep their values.
    admin.call("host.update", json!({"hostid": host, "description": "x", "tls_accept": "2"}));
    assert_eq!(server.db.snapshot().psk("of a"), Some(&*KEY.to_lowercase()));
    // By certificate, in both directions: the key goes.
    let names = json!({"hostid": host, "tls_connect": 4, "tls_accept": 4, "tls_issuer": "CN=ca",
        "tls_subject": "CN=a"});
    admin.call("host.update", names);
    let by_certificate = json!({"tls_connect": "4", "tls_accept": "4", "tls_issuer": "CN=ca",
        "tls_subject": "CN=a"});
    assert_eq!(encryption(&admin, &host), by_certificate);
    assert_eq!(server.db.snapshot().psk("of a"), None);
    admin.call("host.update", json!({"hostid": host, "tls_connect": 1, "tls_accept": 1}));
    assert_eq!(encryption(&admin, &host), plain());

    let records = admin.call("auditlog.get", json!({})).to_string();
    assert!(records.contains("tls_psk"), "{records}");
    assert!(!records.contains("of a") && !records.contains(KEY), "{records}");
}

#[test]
fn an_identity_has_one_key_everywhere() {
    let server = Server::start();
    let admin = server.login();
    let psk = |name: &str, identity: &str, key: &str| {
        json!({"host": name, "groups": [{"groupid": "2"}], "tls_connect": 2,
            "tls_psk_identity": identity, "tls_psk": key})
    };
    let one = admin.create("host.create", psk("one", "shared", KEY));
    let two = admin.create("host.create", psk("two", "shared", &KEY.to_lowercase()));
    let another = "Invalid parameter \"/1/tls_psk\": another tls_psk value is already associated with \
                   given tls_psk_identity.";
    assert_eq!(admin.error("host.create", psk("three", "shared", OTHER)), another);
    assert_eq!(admin.error("host.update", json!({"hostid": one, "tls_psk": OTHER})), another);
    let both = json!([psk("three", "new", KEY), psk("four", "new", OTHER)]);
    assert_eq!(admin.error("host.create", both), another.replace("/1", "/2"));
    // All of them at once get a new one.
    let hosts = json!([{"hostid": one}, {"hostid": two}]);
    let new = json!({"hosts": hosts, "tls_connect": 2, "tls_accept": 2,
        "tls_psk_identity": "shared", "tls_psk": OTHER});
    admin.call("host.massupdate", new);
    assert_eq!(server.db.snapshot().psk("shared"), Some(OTHER));

    let of_agents =
        |key: &str| json!({"tls_accept": 3, "tls_psk_identity": "shared", "tls_psk": key});
    assert_eq!(admin.error("autoregistration.update", of_agents(KEY)), another.replace("/1", ""));
    admin.call("autoregistration.update", of_agents(OTHER));
    admin.call("host.delete", json!([one, two]));
    assert_eq!(server.db.snapshot().psk("shared"), Some(OTHER), "of autoregistration");
    assert_eq!(admin.error("host.create", psk("three", "shared", KEY)), another);
    admin.call("autoregistration.update", json!({"tls_accept": 1}));
    assert_eq!(server.db.snapshot().psk("shared"), None);
    admin.create("host.create", psk("three", "shared", KEY));
}

#[test]
fn autoregistration_returns_accepted_modes_without_the_key() {
    let server = Server::start();
    let admin = server.login();
    let get = || admin.call("autoregistration.get", json!({"output": "extend"}));
    assert_eq!(get(), json!({"tls_accept": "1"}));
    let given = json!({"tls_accept": "2", "tls_psk_identity": "new ones", "tls_psk": KEY});
    admin.call("autoregistration.update", given);
    assert_eq!(get(), json!({"tls_accept": "2"}));
    assert_eq!(server.db.snapshot().psk("new ones"), Some(&*KEY.to_lowercase()));
    let error = admin.error("autoregistration.get", json!({"output": ["tls_psk"]}));
    assert!(error.contains("value must be \"tls_accept\"."), "{error}");
    assert!(admin.error("autoregistration.update", json!({"tls_accept": 4})).contains("1-3"));
    let records = admin.call("auditlog.get", json!({"filter": {"resourcetype": "38"}})).to_string();
    assert!(records.contains("tls_accept") && !records.contains("new ones"), "{records}");
    assert!(!records.contains(KEY), "{records}");
}

#[test]
fn incomplete_encryption_is_refused_with_zabbix_errors() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("a");
    for (given, error) in [
        (
            json!({"tls_connect": 2, "tls_psk": KEY}),
            "\"/1\": the parameter \"tls_psk_identity\" is missing.",
        ),
        (
            json!({"tls_accept": 6, "tls_psk_identity": "i"}),
            "\"/1\": the parameter \"tls_psk\" is missing.",
        ),
        (
            json!({"tls_connect": 2, "tls_psk_identity": "", "tls_psk": KEY}),
            "\"/1/tls_psk_identity\": cannot be empty.",
        ),
        (json!({"tls_psk_identity": "i"}), "\"/1/tls_psk_identity\": value must be empty."),
        (json!({"tls_psk": KEY}), "\"/1/tls_psk\": value must be empty."),
        (json!({"tls_issuer": "CN=ca"}), "\"/1/tls_issuer\": value must be empty."),
        (
            json!({"tls_connect": 2, "tls_psk_identity": "i", "tls_psk": "00ff"}),
            "\"/1/tls_psk\": minimum length is 32 characters.",
        ),
        (
            json!({"tls_connect": 2, "tls_psk_identity": "i", "tls_psk": format!("{KEY}0")}),
            "\"/1/tls_psk\": an even number of hexadecimal characters is expected.",
        ),
        (
            json!({"tls_connect": 2, "tls_psk_identity": "i", "tls_psk": "no".repeat(16)}),
            "\"/1/tls_psk\": an even number of hexadecimal characters is expected.",
        ),
        (json!({"tls_connect": 3}), "\"/1/tls_connect\": value must be one of 1, 2, 4."),
        (json!({"tls_accept": 8}), "\"/1/tls_accept\": value must be one of 1-7."),
        (json!({"tls_accept": 0}), "\"/1/tls_accept\": value must be one of 1-7."),
    ] {
        let mut update = given.clone();
        update["hostid"] = json!(host);
        let refused = admin.error("host.update", update);
        assert_eq!(refused, format!("Invalid parameter {error}"), "{given}");
    }
    assert_eq!(encryption(&admin, &host), plain());
}
