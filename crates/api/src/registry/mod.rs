//! All methods and objects, by name: the code that a call runs, and the rows of `select…` parameters.

mod absent;
pub(crate) mod documents;

use std::sync::OnceLock;

use db::objects::ABSENT;
use model::content::RoleType;
use model::describe::{Nouns, RoleRule};
use model::map::Map;
use model::version::Version;
use serde_json::{Value, json};

use crate::login;
use crate::method::{Method, ObjectEntry};
use crate::objects::common::document;
use crate::objects::hosts::group_mass;
use crate::objects::hosts::interface_mass;
use crate::objects::hosts::mass;
use crate::objects::{
    administration, graphs, history, hosts, items, networkdiscovery, problems, triggers, users,
};
use crate::query::Output;
use crate::relation::Related;
use crate::shared::{Ctx, ObjectsByName};

/// Objects whose methods are written by hand. To add one: its file and a line here; most need only a
/// description (docs/adding.md).
pub(crate) const TABLE: &[ObjectEntry] = &[
    administration::auditlog::ENTRY,
    administration::configuration::ENTRY,
    administration::hanode::ENTRY,
    problems::alert::ENTRY,
    networkdiscovery::dcheck::ENTRY,
    networkdiscovery::found::HOST_ENTRY,
    networkdiscovery::found::SERVICE_ENTRY,
    items::discoveryrule::ENTRY,
    items::discoveryruleprototype::ENTRY,
    graphs::graph::ENTRY,
    graphs::graphitem::ENTRY,
    graphs::graphprototype::ENTRY,
    history::ENTRY,
    history::TREND_ENTRY,
    hosts::group::HOST_GROUP_ENTRY.with(group_mass::HOST_GROUP),
    hosts::group::TEMPLATE_GROUP_ENTRY.with(group_mass::TEMPLATE_GROUP),
    hosts::host::ENTRY.with(mass::HOST),
    hosts::hostprototype::ENTRY,
    hosts::interface::ENTRY.with(interface_mass::METHODS),
    items::httptest::ENTRY,
    items::item::ENTRY,
    items::itemprototype::ENTRY,
    problems::problem::EVENT_ENTRY,
    problems::problem::PROBLEM_ENTRY,
    administration::task::ENTRY,
    hosts::template::ENTRY.with(mass::TEMPLATE),
    users::token::ENTRY,
    triggers::trigger::ENTRY,
    triggers::triggerprototype::ENTRY,
    users::user::ENTRY.with(login::METHODS),
    users::usergroup::ENTRY,
    hosts::usermacro::ENTRY,
    hosts::usermacro::GLOBAL_ENTRY,
];

/// All objects of the API.
pub(crate) fn all() -> impl Iterator<Item = &'static ObjectEntry> {
    TABLE.iter().chain(documents::entries())
}

/// All methods that need a session.
pub(crate) fn methods() -> impl Iterator<Item = &'static Method> {
    all().flat_map(ObjectEntry::methods).chain(absent::methods())
}

/// The method of this name in lower case.
pub(crate) fn method(name: &str) -> Option<&'static Method> {
    static BY_NAME: OnceLock<Map<String, &'static Method>> = OnceLock::new();
    let by_name =
        BY_NAME.get_or_init(|| methods().map(|it| (it.name.to_ascii_lowercase(), it)).collect());
    by_name.get(name).copied()
}

/// The object of this name.
pub(crate) fn entry(object: &str) -> Option<&'static ObjectEntry> {
    static BY_NAME: OnceLock<Map<&'static str, &'static ObjectEntry>> = OnceLock::new();
    let by_name = BY_NAME.get_or_init(|| {
        let mut by_name = Map::default();
        for it in all() {
            by_name.entry(it.object.name).or_insert(it);
        }
        by_name
    });
    by_name.get(object).copied()
}

/// The relations between objects.
pub(crate) const BY_NAME: ObjectsByName =
    ObjectsByName { related, resource, lacking, methods: knows_methods };

/// The words for an existing or absent object, by its name in methods.
pub(crate) fn nouns(object: &str) -> Option<Nouns> {
    let absent = || ABSENT.iter().find(|it| it.name == object).map(|it| it.nouns);
    entry(object).map(|it| it.object.nouns).or_else(absent)
}

/// The object's code in the audit log; 0 where there is no such object.
fn resource(object: &str) -> i64 {
    entry(object).and_then(|it| it.object.resource).unwrap_or_default()
}

/// Fields of the object that a version does not have.
fn lacking(object: &str, version: Version) -> Vec<&'static str> {
    let fields = entry(object).map_or(&[][..], |it| it.object.fields);
    fields.iter().filter(|it| !it.versions.has(version)).map(|it| it.name).collect()
}

/// Whether users of a kind may call methods of a name or mask.
fn knows_methods(mask: &str, kind: RoleType) -> bool {
    let Some((object, verb)) = mask.split_once('.') else { return false };
    let fits = |mask: &str, name: &str| mask == "*" || mask == name;
    let is_of =
        |name: &str| name.split_once('.').is_some_and(|it| fits(object, it.0) && fits(verb, it.1));
    let is_absent = ABSENT.iter().any(|it| fits(object, it.name))
        && matches!(verb, "*" | "get" | "create" | "update" | "delete");
    is_absent
        || is_of("user.login")
        || is_of("user.checkauthentication")
        || methods().any(|it| it.role <= kind && is_of(it.name))
}

/// The permissions that a role needs for a method.
pub(crate) fn role_rule(method: &str) -> Option<&'static RoleRule> {
    static BY_METHOD: OnceLock<Map<&'static str, &'static RoleRule>> = OnceLock::new();
    let by_method = BY_METHOD.get_or_init(|| {
        let rules = |it: &'static ObjectEntry| it.methods().map(|of| (of.name, &it.object.role));
        all().flat_map(rules).collect()
    });
    by_method.get(method).copied()
}

/// Rows as the object of this name writes them for others.
fn related<'a>(ctx: &'a Ctx, object: &str, rows: Related<'a>, output: &Output) -> Value {
    let Some(entry) = entry(object) else { return json!([]) };
    match (entry.relate, rows) {
        (Some(relate), rows) => relate(ctx, rows, output),
        (None, Related::Documents(rows)) if *output == Output::Count => {
            json!(rows.len().to_string())
        }
        (None, Related::Documents(rows)) => {
            let written = rows.iter().map(|it| document::related(ctx, entry.object, it, output));
            written.map(Value::Object).collect()
        }
        (None, _) => json!([]),
    }
}

#[cfg(test)]
mod tests {
    use model::describe::ChangedFrom;

    use super::*;

    /// Of the API's reference of 7.4. Objects that do not exist here (proxies, user directories, reports) are
    /// left out.
    #[test]
    fn resources_have_the_numbers_of_zabbix() {
        for (number, kind) in [
            (0, "user"),
            (3, "mediatype"),
            (4, "host"),
            (5, "action"),
            (6, "graph"),
            (11, "usergroup"),
            (13, "trigger"),
            (14, "hostgroup"),
            (15, "item"),
            (16, "image"),
            (17, "valuemap"),
            (18, "service"),
            (19, "map"),
            (22, "httptest"),
            (23, "drule"),
            (25, "script"),
            (27, "maintenance"),
            (28, "regexp"),
            (29, "usermacro"),
            (30, "template"),
            (31, "triggerprototype"),
            (32, "iconmap"),
            (33, "dashboard"),
            (34, "correlation"),
            (35, "graphprototype"),
            (36, "itemprototype"),
            (37, "hostprototype"),
            (38, "autoregistration"),
            (40, "settings"),
            (41, "housekeeping"),
            (42, "authentication"),
            (43, "templatedashboard"),
            (44, "role"),
            (45, "token"),
            (48, "sla"),
            (50, "templategroup"),
            (51, "connector"),
            (52, "discoveryrule"),
            (56, "discoveryruleprototype"),
        ] {
            assert_eq!(resource(kind), number, "{kind}");
        }
    }

    #[test]
    fn written_objects_have_write_rules_and_an_audit_code() {
        for entry in all() {
            let object = entry.object;
            let is_verb = |name: &str| {
                let verb = name.split_once('.').map_or("", |it| it.1);
                matches!(verb.strip_suffix("global").unwrap_or(verb), "create" | "update")
            };
            let is_written = entry.methods().any(|it| is_verb(it.name)) && object.name != "task";
            assert_eq!(object.writes.is_some(), is_written, "{}", object.type_name);
            assert_eq!(object.resource.is_some(), is_written, "{}", object.type_name);
            for fields in object.writes.iter().flat_map(|it| it.unique) {
                for name in *fields {
                    assert!(object.field(name).is_some(), "{}: {name}", object.type_name);
                }
            }
        }
    }

    #[test]
    fn each_object_says_from_where_it_is_changed() {
        for entry in all() {
            let (object, rule) = (entry.object, entry.object.role);
            let verbs: Vec<&str> =
                entry.methods().filter_map(|it| Some(it.name.split_once('.')?.1)).collect();
            let is_changed = verbs.iter().any(|it| !it.starts_with("get"));
            let is_open = verbs.iter().any(|it| rule.pages_of(it) != ChangedFrom::Nowhere);
            assert!(is_open, "{}: its methods are refused to all pages", object.type_name);
            assert_eq!(
                is_changed,
                rule.changed_from != ChangedFrom::Nowhere,
                "{}: from where is it changed?",
                object.type_name
            );
            for (verb, _) in rule.exceptions {
                assert!(verbs.contains(verb), "{}: {verb} is a method", object.type_name);
            }
        }
    }
}
