//! The contract of exports: official templates next to the checkout come back as they were, and go
//! from one installation into another without loss.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use db::{
    Actor, Db, DbSettings, ExportOptions, ImportFormat, ImportRules, Location, export, read_yaml,
    write,
};
use serde_json::{Map as JsonMap, Value as Json};

use crate::common::on_both;
use crate::official::files;

fn open(folder: &Path, name: &str) -> Db {
    Db::open(&DbSettings::new(Location::Sqlite(folder.join(name)))).unwrap()
}

fn parsed(text: &str) -> Json {
    let whole = read_yaml(text).unwrap();
    whole["zabbix_export"].clone()
}

fn names(of: &Json, list: &str, name: &str) -> BTreeSet<String> {
    let list = of[list].as_array().into_iter().flatten();
    list.map(|it| it[name].as_str().unwrap().to_owned()).collect()
}

/// The part of a configuration that a file is about.
fn chosen(db: &Db, source: &Json) -> ExportOptions {
    let snapshot = db.snapshot();
    let templates = names(source, "templates", "template");
    let media_types = names(source, "media_types", "name");
    let all = snapshot.documents.of("mediatype");
    ExportOptions {
        templates: templates.iter().map(|it| snapshot.template_named(it).unwrap().id.0).collect(),
        media_types: all
            .filter(|it| media_types.contains(it.text("name")))
            .map(|it| it.id)
            .collect(),
        ..ExportOptions::default()
    }
}

/// Fields that files have and that are not kept, by the list that they stand in: nothing else is lost.
const NOT_KEPT: &[(&str, &[&str])] = &[
    // Newer than 7.0, the version that is written.
    ("templates", &["wizard_ready", "readme"]),
    ("macros", &["config"]),
];

/// Lists whose order means something.
const ORDERED: &[&str] = &[
    "preprocessing",
    "parameters",
    "mappings",
    "overrides",
    "pages",
    "conditions",
    "query_fields",
    "headers",
    "steps",
];

/// Without what is not kept, and without what depends on who wrote it: lists in one order, texts of
/// what YAML takes for numbers.
fn normal(list: &str, value: &Json) -> Json {
    match value {
        Json::Object(fields) => {
            let mut kept = JsonMap::new();
            for (name, value) in fields {
                let is_left_out =
                    NOT_KEPT.iter().any(|it| it.0 == list && it.1.contains(&name.as_str()));
                // A step that needs none has no parameter or an empty one.
                let is_empty = name == "parameters" && *value == serde_json::json!([""]);
                if is_left_out || is_empty {
                    continue;
                }
                // Blanks before parameters of functions mean nothing.
                let value = match value {
                    Json::String(text) if name.ends_with("expression") => {
                        Json::from(text.replace(", ", ","))
                    }
                    other if name == "color" => Json::from(color(other)),
                    other => normal(name, other),
                };
                kept.insert(name.clone(), value);
            }
            Json::Object(kept)
        }
        Json::Array(entries) => {
            let mut entries: Vec<Json> = entries.iter().map(|it| normal(list, it)).collect();
            if !ORDERED.contains(&list) {
                entries.sort_by_key(ToString::to_string);
            }
            Json::Array(entries)
        }
        Json::String(text) => Json::from(text.as_str()),
        other => Json::from(other.to_string()),
    }
}

/// A reader of YAML that knows nothing of colours takes those of digits alone for numbers.
fn color(value: &Json) -> String {
    let text = match value {
        Json::String(text) => text.clone(),
        other => other.as_f64().unwrap_or_default().to_string(),
    };
    text.trim_start_matches('0').to_owned()
}

/// Where two values differ, by path.
fn differences(path: &str, one: &Json, two: &Json, found: &mut Vec<String>) {
    match (one, two) {
        (Json::Object(one), Json::Object(two)) => {
            let names: BTreeSet<&String> = one.keys().chain(two.keys()).collect();
            for name in names {
                let (one, two) = (one.get(name), two.get(name));
                let none = Json::Null;
                let (one, two) = (one.unwrap_or(&none), two.unwrap_or(&none));
                differences(&format!("{path}/{name}"), one, two, found);
            }
        }
        (Json::Array(one), Json::Array(two)) if one.len() == two.len() => {
            for (at, (one, two)) in one.iter().zip(two).enumerate() {
                differences(&format!("{path}[{at}]"), one, two, found);
            }
        }
        _ if one == two => {}
        _ => {
            let short = |it: &Json| it.to_string().chars().take(200).collect::<String>();
            found.push(format!("{path}: {} <> {}", short(one), short(two)));
        }
    }
}

fn round_trip(version: &str) {
    let files = files(version);
    if files.is_empty() {
        println!("skipped: there are no official templates of {version} next to the checkout");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (open(folder.path(), "one.db"), open(folder.path(), "two.db"));
    let formats = [ImportFormat::Yaml, ImportFormat::Json, ImportFormat::Xml];
    let mut lost = BTreeMap::new();
    for (path, format) in files.iter().zip(formats.iter().cycle()) {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(path).unwrap();
        one.import(Actor::System, &text, ImportFormat::Yaml, &ImportRules::ALL).unwrap();
        let source = parsed(&text);
        let first = export(&one.snapshot(), &chosen(&one, &source));
        let again = write(&first, *format, true);
        if let Err(error) = two.import(Actor::System, &again, *format, &ImportRules::ALL) {
            panic!("{file} as {format:?}: {}", error.text());
        }
        let second = export(&two.snapshot(), &chosen(&two, &source));
        let mut found = Vec::new();
        let exported = parsed(&write(&first, ImportFormat::Yaml, true));
        if first != second {
            let second = parsed(&write(&second, ImportFormat::Yaml, true));
            found.push(format!("after an import as {format:?}:"));
            differences("", &exported, &second, &mut found);
        }
        differences("", &normal("", &source), &normal("", &exported), &mut found);
        found.retain(|it| !it.starts_with("/version"));
        if !found.is_empty() {
            lost.insert(file, found);
        }
    }
    for (file, found) in &lost {
        println!("{file}: {} differences, {:#?}", found.len(), &found[..found.len().min(6)]);
    }
    assert!(lost.is_empty(), "{} of {} files differ", lost.len(), files.len());
}

#[test]
fn templates_of_7_0_come_back_as_they_were() {
    round_trip("v7.0");
}

#[test]
fn templates_of_7_4_come_back_as_they_were() {
    round_trip("v7.4");
}

/// A host with all that a file says of hosts.
const HOST: &str = r#"{"zabbix_export": {"version": "7.0",
    "host_groups": [{"uuid": "c0000000000000000000000000000001", "name": "Own"}],
    "hosts": [{
        "host": "router", "name": "Router", "description": "At the door", "status": "DISABLED",
        "ipmi_privilege": "ADMIN", "ipmi_username": "root", "ipmi_password": "secret",
        "groups": [{"name": "Own"}],
        "interfaces": [
            {"ip": "192.0.2.1", "interface_ref": "if1"},
            {"type": "SNMP", "ip": "192.0.2.1", "port": "161",
             "details": {"community": "public", "bulk": "NO"}, "interface_ref": "if2"},
            {"default": "NO", "type": "SNMP", "useip": "NO", "dns": "router.example", "port": "161",
             "details": {"version": "SNMPV3", "securityname": "u", "securitylevel": "AUTHPRIV",
                         "authprotocol": "SHA256", "authpassphrase": "12345678",
                         "privprotocol": "AES256", "privpassphrase": "87654321"},
             "interface_ref": "if3"}
        ],
        "items": [
            {"name": "Name", "type": "SNMP_AGENT", "snmp_oid": "get[1.3.6.1.2.1.1.5.0]", "key": "name",
             "history": "7d", "value_type": "CHAR", "inventory_link": "NAME", "interface_ref": "if3",
             "valuemap": {"name": "Names"},
             "triggers": [{"expression": "length(last(/router/name))=0", "name": "No name",
                           "priority": "HIGH", "tags": [{"tag": "scope", "value": "notice"}]}]},
            {"name": "Traffic", "type": "TRAP", "key": "traffic", "units": "bps"}
        ],
        "discovery_rules": [{
            "name": "Ports", "type": "TRAP", "key": "ports", "lifetime_type": "DELETE_NEVER", "lifetime": "0",
            "item_prototypes": [
                {"name": "In {#P}", "type": "TRAP", "key": "in[{#P}]", "discover": "NO_DISCOVER"},
                {"name": "Out {#P}", "type": "TRAP", "key": "out[{#P}]"}],
            "trigger_prototypes": [
                {"expression": "last(/router/in[{#P}])>last(/router/out[{#P}])", "name": "{#P} takes more"}],
            "graph_prototypes": [
                {"name": "{#P}", "graph_items": [
                    {"color": "009600", "item": {"host": "router", "key": "in[{#P}]"}}]}]
        }],
        "httptests": [{"name": "Page", "steps": [{"name": "first", "url": "http://192.0.2.1/"}]}],
        "tags": [{"tag": "site", "value": "a"}],
        "macros": [
            {"macro": "{$A}", "value": "1\r\n  2 & <3>"},
            {"macro": "{$SECRET}", "type": "SECRET_TEXT"}],
        "inventory": {"location": "Cellar"}, "inventory_mode": "AUTOMATIC",
        "valuemaps": [{"name": "Names", "mappings": [{"type": "REGEXP", "value": "^x", "newvalue": "x"}]}]
    }],
    "triggers": [
        {"expression": "last(/router/traffic)>1 and last(/router/name)<>\"\"", "name": "Both",
         "dependencies": [{"name": "No name", "expression": "length(last(/router/name))=0"}]}],
    "graphs": [
        {"name": "Traffic", "graph_items": [
            {"color": "FF0000", "item": {"host": "router", "key": "traffic"}}]}]
}}"#;

#[test]
fn hosts_come_with_everything_and_back() {
    let expected: Json = serde_json::from_str(HOST).unwrap();
    let expected = normal("", &expected["zabbix_export"]);
    for format in [ImportFormat::Yaml, ImportFormat::Json, ImportFormat::Xml] {
        on_both(|store| {
            store.db.import(Actor::System, HOST, ImportFormat::Json, &ImportRules::ALL).unwrap();
            let id = store.db.snapshot().host_named("router").unwrap().id;
            let options = ExportOptions { hosts: [id.0].into(), ..ExportOptions::default() };
            let document = export(&store.db.snapshot(), &options);
            let found = normal("", &parsed(&write(&document, ImportFormat::Yaml, true)));
            let mut different = Vec::new();
            differences("", &expected, &found, &mut different);
            assert!(different.is_empty(), "{different:#?}");
            // The same again changes nothing, whatever the format.
            let before = store.db.snapshot();
            let text = write(&document, format, format == ImportFormat::Xml);
            let report = store.db.import(Actor::System, &text, format, &ImportRules::ALL).unwrap();
            assert_eq!(report.hosts, ["router"]);
            assert!(std::sync::Arc::ptr_eq(&before, &store.db.snapshot()), "{:?}", report.changes);
        });
    }
}

#[test]
fn export_without_credential_permission_has_no_credentials() {
    on_both(|store| {
        store.db.import(Actor::System, HOST, ImportFormat::Json, &ImportRules::ALL).unwrap();
        let id = store.db.snapshot().host_named("router").unwrap().id.0;
        let mut options = ExportOptions { hosts: [id].into(), ..ExportOptions::default() };
        let whole = write(&export(&store.db.snapshot(), &options), ImportFormat::Json, false);
        options.without_credentials = [id].into();
        let closed = write(&export(&store.db.snapshot(), &options), ImportFormat::Json, false);
        for secret in ["secret", "public", "12345678", "87654321"] {
            let quoted = format!("\"{secret}\"");
            assert!(whole.contains(&quoted) && !closed.contains(&quoted), "{secret}");
        }
    });
}

#[test]
fn an_import_can_be_seen_before_it_is_done() {
    on_both(|store| {
        let compare = |text: &str| {
            let file = db::ImportFile::read(text, ImportFormat::Json).unwrap();
            store.db.try_out(Actor::System, |e| file.compare(e, &ImportRules::ALL)).unwrap()
        };
        let added = compare(HOST).changes;
        assert_eq!(added["hosts"]["added"][0]["after"]["name"], "Router");
        assert_eq!(added["hosts"]["added"][0]["items"]["added"][0]["after"]["key"], "name");
        assert_eq!(added["host_groups"]["added"][0]["after"]["name"], "Own");
        assert!(store.db.snapshot().host_named("router").is_none(), "nothing is imported");
        store.db.import(Actor::System, HOST, ImportFormat::Json, &ImportRules::ALL).unwrap();
        assert!(compare(HOST).changes.is_empty());

        let other = HOST.replace("\"units\": \"bps\"", "\"units\": \"B\"");
        let other = other.replace(
            "{\"name\": \"Out {#P}\", \"type\": \"TRAP\", \"key\": \"out[{#P}]\"}",
            "{\"name\": \"Off {#P}\", \"type\": \"TRAP\", \"key\": \"off[{#P}]\"}",
        );
        let other = other.replace("last(/router/out[", "last(/router/off[");
        let comparison = compare(&other);
        let host = &comparison.changes["hosts"]["updated"][0];
        let item = &host["items"]["updated"][0];
        assert_eq!(
            (&item["before"]["units"], &item["after"]["units"]),
            (&Json::from("bps"), &Json::from("B"))
        );
        let prototypes = &host["discovery_rules"]["updated"][0]["item_prototypes"];
        assert_eq!(prototypes["added"][0]["after"]["key"], "off[{#P}]");
        assert_eq!(prototypes["removed"][0]["before"]["key"], "out[{#P}]");
        let changes = comparison.report.changes["item_prototypes"];
        assert_eq!((changes.created, changes.updated, changes.deleted), (1, 0, 1));
    });
}

#[test]
fn an_import_of_an_export_keeps_secrets_that_are_there() {
    on_both(|store| {
        let value = |store: &crate::common::Store| {
            let snapshot = store.db.snapshot();
            let macros = &snapshot.host_named("router").unwrap().macros;
            macros.iter().find(|it| it.name == "{$SECRET}").unwrap().value.clone()
        };
        let known =
            HOST.replace(r#""type": "SECRET_TEXT""#, r#""type": "SECRET_TEXT", "value": "hidden""#);
        store.db.import(Actor::System, &known, ImportFormat::Json, &ImportRules::ALL).unwrap();
        assert_eq!(value(store), "hidden");
        let id = store.db.snapshot().host_named("router").unwrap().id.0;
        let options = ExportOptions { hosts: [id].into(), ..ExportOptions::default() };
        let text = write(&export(&store.db.snapshot(), &options), ImportFormat::Yaml, true);
        assert!(!text.contains("hidden"));
        store.db.import(Actor::System, &text, ImportFormat::Yaml, &ImportRules::ALL).unwrap();
        assert_eq!(value(store), "hidden");
    });
}
