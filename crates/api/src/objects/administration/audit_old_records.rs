//! Records of the audit log from before details were stored as Zabbix writes them: they have the fields that
//! were given, and under a name of its own the previous values.

use db::AuditRecord;
use db::audit::{BEFORE, MASKED};
use serde_json::{Map, Value, json};

use crate::query;

/// Codes of actions on sessions, whose records have details of their own.
const SESSION_ACTIONS: [i64; 3] = [4, 8, 9];

/// The user, if the record has one: as typed at a login.
pub(super) fn username(record: &AuditRecord) -> Option<String> {
    SESSION_ACTIONS.contains(&record.action).then(|| record.name.clone())
}

/// From where a login was.
pub(super) fn ip(record: &AuditRecord) -> String {
    if !SESSION_ACTIONS.contains(&record.action) {
        return String::new();
    }
    let details: Value = serde_json::from_str(&record.details).unwrap_or_default();
    details["ip"].as_str().unwrap_or_default().to_owned()
}

/// As Zabbix writes them: `{"host.name": ["update", "new", "old"], "host.tags[1].tag": ["add", "os"]}`. Of
/// fields whose previous values are not stored all that was given is shown.
pub(super) fn details(record: &AuditRecord) -> String {
    if SESSION_ACTIONS.contains(&record.action) {
        return String::new();
    }
    let mut given: Value = serde_json::from_str(&record.details).unwrap_or_default();
    let before = given.as_object_mut().and_then(|it| it.remove(BEFORE)).unwrap_or_default();
    let done = if record.action == 0 { "add" } else { "update" };
    let (mut new, mut old) = (Map::new(), Map::new());
    flatten(&record.kind, &given, &mut new);
    flatten(&record.kind, &before, &mut old);
    let mut written = Map::new();
    for (path, value) in &new {
        let said = match old.get(path) {
            // A masked value may have changed.
            Some(old) if old == value && value != MASKED => continue,
            Some(old) => json!(["update", value, old]),
            None if is_part_of(&record.kind, path, &before) => json!(["add", value]),
            None => json!([done, value]),
        };
        written.insert(path.clone(), said);
    }
    for (path, value) in &old {
        // Of a remaining part, fields that are not given again keep their values.
        let part = path.rsplit_once('.').map_or("", |it| it.0);
        let is_there = part != record.kind && new.keys().any(|it| is_below(it, part));
        if !new.contains_key(path) && !is_there {
            written.insert(path.clone(), json!(["delete", value]));
        }
    }
    if written.is_empty() { String::new() } else { Value::Object(written).to_string() }
}

fn is_below(path: &str, part: &str) -> bool {
    path.strip_prefix(part).is_some_and(|it| it.starts_with('.'))
}

/// Whether a path leads into a field whose previous value is known.
fn is_part_of(kind: &str, path: &str, before: &Value) -> bool {
    let rest = path.strip_prefix(kind).and_then(|it| it.strip_prefix('.')).unwrap_or(path);
    let name = rest.split(['.', '[']).next().unwrap_or_default();
    before.get(name).is_some()
}

fn flatten(path: &str, given: &Value, written: &mut Map<String, Value>) {
    match given {
        Value::Object(fields) => {
            for (name, value) in fields {
                flatten(&format!("{path}.{name}"), value, written);
            }
        }
        Value::Array(list) => {
            for (at, value) in list.iter().enumerate() {
                flatten(&format!("{path}[{}]", at + 1), value, written);
            }
        }
        Value::Null => {}
        value => {
            written.insert(path.to_owned(), json!(query::text(value)));
        }
    }
}

#[cfg(test)]
mod tests {
    use model::UserId;

    use super::*;

    fn record(action: i64, name: &str, details: &Value) -> AuditRecord {
        AuditRecord {
            auditid: 5,
            clock: 1_700_000_000,
            userid: UserId(1),
            username: String::new(),
            ip: String::new(),
            action,
            kind: "host".to_owned(),
            resourceid: 7,
            name: name.to_owned(),
            recordsetid: 0,
            details: details.to_string(),
            scope: None,
        }
    }

    #[test]
    fn given_and_previous_values_become_one_entry() {
        let given =
            json!({"name": "b", "tags": [{"tag": "os"}], "$before": {"name": "a", "tags": []}});
        let written: Value = serde_json::from_str(&details(&record(1, "a", &given))).unwrap();
        let expected =
            json!({"host.name": ["update", "b", "a"], "host.tags[1].tag": ["add", "os"]});
        assert_eq!(written, expected);
        assert_eq!(details(&record(2, "a", &json!({}))), "");
    }

    #[test]
    fn logins_have_a_name_and_an_address() {
        let login = record(8, "ann", &json!({"ip": "192.0.2.1"}));
        assert_eq!((username(&login).as_deref(), &*ip(&login)), (Some("ann"), "192.0.2.1"));
        assert_eq!(details(&login), "");
        let change = record(1, "web", &json!({"name": "b"}));
        assert_eq!((username(&change), ip(&change)), (None, String::new()));
    }
}
