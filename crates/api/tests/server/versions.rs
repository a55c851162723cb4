//! Versions of Zabbix that the server speaks: checks before a method runs, and calls of the pages. Effects of
//! methods are in `tests/rules/version-*.json`.

use std::collections::BTreeSet;

use api::ServeSettings;
use model::version::Version;
use serde_json::{Value, json};

use crate::fake::Server;

fn server(version: Version) -> Server {
    let serving = ServeSettings { connections_max: 100, ..ServeSettings::default() };
    Server::start_set(serving, |it| it.zabbix_version = version)
}

fn sent(server: &Server, body: &Value) -> Value {
    let headers = [("Content-Type", "application/json-rpc")];
    server.post("/api_jsonrpc.php", &headers, body.to_string().as_bytes()).json()
}

#[test]
fn the_version_is_returned_by_the_method_and_the_document() {
    for version in Version::ALL {
        let server = server(version);
        let answer = server.call_as(None, "apiinfo.version", json!([]));
        assert_eq!(answer["result"], version.patch());
        let document = server.get("/docs/api/openrpc.json", &[]).json();
        assert_eq!(document["info"]["version"], version.patch());
        let discovered = server.call_as(None, "rpc.discover", json!([]));
        assert_eq!(discovered["result"], document);
    }
}

#[test]
fn auth_in_the_body_is_refused_by_newer_versions() {
    for version in Version::ALL {
        let server = server(version);
        let session = server.login().id;
        for method in ["host.get", "apiinfo.version", "user.login", "no.method"] {
            let body = json!({"jsonrpc": "2.0", "method": method, "params": {}, "id": 7,
                "auth": session});
            let answer = sent(&server, &body);
            let is_refused = answer["error"]["data"]
                == "Invalid parameter \"/\": unexpected parameter \"auth\".";
            assert_eq!(is_refused, version != Version::V7_0, "{version} {method}: {answer}");
            if is_refused {
                assert_eq!(answer["error"]["code"], -32_600);
                assert_eq!(answer["error"]["message"], "Invalid request.");
            }
        }
        let by_header = server.call_as(Some(&session), "host.get", json!({"countOutput": true}));
        assert_eq!(by_header["result"], "0", "{version}");
    }
}

/// The pages are written for the reference version, whatever version programs get.
#[test]
fn pages_get_the_reference_version_with_any_setting() {
    let server = server(Version::V7_4);
    let cookie = format!("saker_session={}", server.login().id);
    let page = [
        ("Content-Type", "application/json"),
        ("X-Requested-With", "saker"),
        ("Cookie", cookie.as_str()),
    ];
    let call = json!({"jsonrpc": "2.0", "method": "hostgroup.get", "id": 1,
        "params": {"output": ["name"], "filter": {"name": []}, "limit": 1}});
    let of_page = server.post("/api_jsonrpc.php", &page, call.to_string().as_bytes()).json();
    assert_eq!(of_page["result"].as_array().map(Vec::len), Some(1), "{of_page}");
    let of_program = server.login().call("hostgroup.get", call["params"].clone());
    assert_eq!(of_program, json!([]));
}

/// The parameters of a method in the documents of two versions.
#[test]
fn the_document_has_the_parameters_of_its_version() {
    let has = |version: Version, pointer: &str| {
        let document = server(version).get("/docs/api/openrpc.json", &[]).json();
        document.pointer(pointer).is_some()
    };
    for (pointer, expected) in [
        ("/components/schemas/Host/properties/groups", [true, false, false]),
        ("/components/schemas/Host/properties/hostgroups", [true, true, true]),
        ("/components/schemas/Host/properties/discoveryData", [false, false, true]),
        ("/components/schemas/Host/properties/hostDiscovery", [true, true, true]),
    ] {
        assert_eq!(Version::ALL.map(|it| has(it, pointer)), expected, "{pointer}");
    }
}

/// The methods in the document of a version are those that its server runs.
#[test]
fn methods_of_other_versions_are_refused_and_not_in_the_document() {
    let servers = Version::ALL.map(server);
    let documented = |server: &Server| -> BTreeSet<String> {
        let document = server.get("/docs/api/openrpc.json", &[]).json();
        let methods = document["methods"].as_array().unwrap();
        methods.iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect()
    };
    let methods = servers.each_ref().map(documented);
    let all: BTreeSet<&String> = methods.iter().flatten().collect();
    for ((version, server), own) in Version::ALL.iter().zip(&servers).zip(&methods) {
        let session = server.login().id;
        // It would end the session of the other calls.
        for name in all.iter().filter(|it| **it != "user.logout") {
            let answer = server.call_as(Some(&session), name, json!({}));
            let error = &answer["error"];
            let is_refused = error["code"] == -32_601;
            assert_eq!(is_refused, !own.contains(*name), "{version} {name}: {answer}");
            if is_refused {
                assert_eq!(error["data"], format!("Incorrect method \"{name}\"."), "{version}");
            }
        }
    }
}
