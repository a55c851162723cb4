//! The bundled templates: consistent, within the features of the server, and their agent keys
//! answered, by us and by the real agent.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use agent::{Agent, AgentSettings, KeyAnswer};
use model::key::ItemKey;
use serde_json::Value;

use crate::golden::{Golden, now};

const ITEM_TYPES: &[&str] =
    &["ZABBIX_PASSIVE", "SIMPLE", "SNMP_AGENT", "INTERNAL", "DEPENDENT", "CALCULATED"];
const VALUE_TYPES: &[&str] = &["UNSIGNED", "FLOAT", "CHAR", "TEXT", "LOG"];
const STEPS: &[&str] = &[
    "MULTIPLIER",
    "REGEX",
    "JSONPATH",
    "CHANGE_PER_SECOND",
    "SIMPLE_CHANGE",
    "DISCARD_UNCHANGED",
    "DISCARD_UNCHANGED_HEARTBEAT",
    "TRIM",
    "LTRIM",
    "RTRIM",
];
const FUNCTIONS: &[&str] =
    &["last", "min", "max", "avg", "sum", "count", "change", "changecount", "nodata", "find"];
const SEVERITIES: &[&str] = &["NOT_CLASSIFIED", "INFO", "WARNING", "AVERAGE", "HIGH", "DISASTER"];

struct Template {
    name: String,
    /// The whole export.
    export: Value,
}

fn templates() -> Vec<Template> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../templates");
    let mut templates = Vec::new();
    for entry in fs::read_dir(folder).expect("there are templates") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|it| it != "json") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a template is text");
        let export: Value = serde_json::from_str(&text).expect("a template is JSON");
        let name = export["zabbix_export"]["templates"][0]["template"].as_str().expect("a name");
        templates.push(Template { name: name.to_owned(), export: export.clone() });
    }
    assert_eq!(templates.len(), 4, "all templates are read");
    templates
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_default()
}

impl Template {
    fn body(&self) -> &Value {
        &self.export["zabbix_export"]["templates"][0]
    }

    fn rules(&self) -> &[Value] {
        list(&self.body()["discovery_rules"])
    }

    /// Items and item prototypes.
    fn items(&self) -> Vec<&Value> {
        let prototypes = self.rules().iter().flat_map(|it| list(&it["item_prototypes"]));
        list(&self.body()["items"]).iter().chain(prototypes).collect()
    }

    fn triggers(&self) -> Vec<&Value> {
        let below_items = self
            .items()
            .into_iter()
            .flat_map(|it| list(&it["triggers"]).iter().chain(list(&it["trigger_prototypes"])));
        let below_rules = self.rules().iter().flat_map(|it| list(&it["trigger_prototypes"]));
        let at_top = list(&self.export["zabbix_export"]["triggers"]);
        below_items.chain(below_rules).chain(at_top).collect()
    }

    /// Keys of agent items; in prototypes an example replaces the macro.
    fn agent_keys(&self) -> Vec<String> {
        let examples = [
            ("{#FSNAME}", "/"),
            ("{#IFNAME}", "lo"),
            ("{#CPU.NUMBER}", "0"),
            ("{#DEVNAME}", "all"),
        ];
        let rules = self.rules().iter();
        let passive =
            self.items().into_iter().chain(rules).filter(|it| item_type(it) == ITEM_TYPES[0]);
        passive
            .map(|it| {
                let key = text(it, "key").to_owned();
                examples.iter().fold(key, |key, (from, to)| key.replace(from, to))
            })
            .collect()
    }
}

fn item_type(item: &Value) -> &str {
    item["type"].as_str().unwrap_or(ITEM_TYPES[0])
}

/// Function and key of each `function(/host/key` in an expression; an empty host is this host.
fn references<'a>(expression: &'a str, host: &str) -> Vec<(&'a str, &'a str)> {
    let mut references = Vec::new();
    let start = format!("(/{host}/");
    for (at, _) in expression.match_indices(&start) {
        let (before, after) = (&expression[..at], &expression[at + start.len()..]);
        let function = before.rsplit(|it: char| !it.is_ascii_lowercase()).next();
        let mut depth = 0;
        let end = after.find(|it| {
            match it {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            depth == 0 && matches!(it, ',' | ')')
        });
        let end = end.expect("a function is closed");
        references.push((function.expect("a function has a name"), &after[..end]));
    }
    references
}

#[test]
fn identifiers_are_version_4_and_used_once() {
    let mut seen = BTreeSet::new();
    fn collect(value: &Value, name: &str, seen: &mut BTreeSet<String>) {
        if let Some(uuid) = value["uuid"].as_str() {
            let bytes = uuid.as_bytes();
            assert!(uuid.len() == 32 && bytes.iter().all(u8::is_ascii_hexdigit), "{uuid}");
            assert!(bytes[12] == b'4' && b"89ab".contains(&bytes[16]), "{uuid}");
            // Groups are shared between files.
            let is_new = seen.insert(uuid.to_owned());
            assert!(is_new || text(value, "name").starts_with("Templates/"), "{name}: {uuid}");
        }
        let members = value.as_object().into_iter().flat_map(|it| it.values());
        members.chain(list(value)).for_each(|it| collect(it, name, seen));
    }
    for template in templates() {
        collect(&template.export, &template.name, &mut seen);
    }
}

#[test]
fn templates_use_only_features_of_the_server() {
    for template in templates() {
        for item in template.items().into_iter().chain(template.rules()) {
            let key = text(item, "key");
            assert!(ITEM_TYPES.contains(&item_type(item)), "{key}");
            let value_type = item["value_type"].as_str().unwrap_or("UNSIGNED");
            assert!(VALUE_TYPES.contains(&value_type), "{key}");
            assert_eq!(item["trends"] == "0", matches!(value_type, "CHAR" | "TEXT"), "{key}");
            assert_eq!(item["snmp_oid"].is_string(), item_type(item) == "SNMP_AGENT", "{key}");
            for step in list(&item["preprocessing"]) {
                assert!(STEPS.contains(&text(step, "type")), "{key}");
            }
        }
        for trigger in template.triggers() {
            let name = text(trigger, "name");
            assert!(SEVERITIES.contains(&text(trigger, "priority")), "{name}");
            for (function, _) in references(text(trigger, "expression"), &template.name) {
                assert!(FUNCTIONS.contains(&function), "{name}: {function}");
            }
        }
    }
}

#[test]
fn every_reference_has_its_object() {
    for template in templates() {
        let keys: BTreeSet<_> = template.items().into_iter().map(|it| text(it, "key")).collect();
        assert_eq!(keys.len(), template.items().len(), "{}: keys are unique", template.name);
        for key in &keys {
            ItemKey::parse(&key.replace(['{', '}', '#'], "")).expect("keys can be parsed");
        }
        for trigger in template.triggers() {
            let recovery = text(trigger, "recovery_expression");
            let expression = text(trigger, "expression");
            let found = references(expression, &template.name);
            assert!(!found.is_empty(), "{expression}");
            for (_, key) in found.into_iter().chain(references(recovery, &template.name)) {
                assert!(keys.contains(key), "{expression}: {key}");
            }
        }
        let value_maps = list(&template.body()["valuemaps"]);
        for item in template.items() {
            for (_, key) in references(text(item, "params"), "") {
                assert!(keys.contains(key), "{}: {key}", text(item, "key"));
            }
            let map = text(&item["valuemap"], "name");
            let has_map = value_maps.iter().any(|it| text(it, "name") == map);
            assert!(map.is_empty() || has_map, "{}: {map}", text(item, "key"));
        }
    }
}

#[test]
fn triggers_of_several_items_are_not_below_one_item() {
    for template in templates() {
        for item in template.items() {
            let own = text(item, "key");
            for trigger in list(&item["triggers"]).iter().chain(list(&item["trigger_prototypes"])) {
                for (_, key) in references(text(trigger, "expression"), &template.name) {
                    assert_eq!(key, own, "{}", text(trigger, "name"));
                }
            }
        }
    }
}

#[test]
fn every_macro_is_defined_and_used() {
    for template in templates() {
        let body = template.body();
        let export = template.export.to_string();
        let mut defined = BTreeSet::new();
        for entry in list(&body["macros"]) {
            let name = text(entry, "macro").trim_end_matches('}');
            assert!(!text(entry, "description").is_empty(), "{name}");
            // Once where it is defined, again where it is used, with or without context.
            assert!(export.matches(name).count() > 1, "{}: {name} is used", template.name);
            defined.insert(name);
        }
        for (at, _) in export.match_indices("{$") {
            let rest = &export[at..];
            let end = rest.find([':', '}']).expect("a macro is closed");
            assert!(defined.contains(&rest[..end]), "{}: {}", template.name, &rest[..end]);
        }
    }
}

#[test]
fn objects_have_a_description_and_a_component_tag() {
    let components = ["cpu", "memory", "storage", "network", "system"];
    let scopes = ["availability", "performance", "capacity", "notice"];
    for template in templates() {
        for item in template.items() {
            assert!(!text(item, "description").is_empty(), "{}", text(item, "key"));
            let tag = &item["tags"][0];
            let is_known = components.contains(&text(tag, "value"));
            assert!(tag["tag"] == "component" && is_known, "{}", text(item, "key"));
        }
        for trigger in template.triggers() {
            let tag = &trigger["tags"][0];
            let is_known = scopes.contains(&text(tag, "value"));
            assert!(tag["tag"] == "scope" && is_known, "{}", text(trigger, "name"));
            assert!(!text(trigger, "description").is_empty(), "{}", text(trigger, "name"));
        }
    }
}

#[test]
fn our_agent_answers_every_key_also_inside_the_server() {
    let agent = Agent::new(AgentSettings::inside_server(model::networks::Destinations::default()));
    agent.sample(now());
    let mut n_keys = 0;
    for key in templates().iter().flat_map(Template::agent_keys) {
        let answer = agent.get(&ItemKey::parse(&key).expect("a key"), now());
        assert!(matches!(answer, KeyAnswer::Value(_)), "{key}: {answer:?}");
        n_keys += 1;
    }
    assert!(n_keys > 60, "only {n_keys} keys");
}

peers::with_each_agent!(agents_of_zabbix_answer_every_key);

fn agents_of_zabbix_answer_every_key(kind: peers::AgentKind) {
    let Some(golden) = Golden::start_kind(kind) else { return };
    for key in templates().iter().flat_map(Template::agent_keys) {
        let answer = golden.get(&key);
        assert!(!answer.starts_with("ZBX_NOTSUPPORTED"), "{key}: {answer}");
    }
}
