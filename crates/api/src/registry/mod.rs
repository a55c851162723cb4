//! All methods and objects, by name: what a call runs, and what `select…` parameters give.

mod absent;
pub(crate) mod documents;

use std::sync::OnceLock;

use model::map::Map;
use serde_json::{Value, json};

use crate::login;
use crate::method::{Method, ObjectEntry};
use crate::objects::common::document;
use crate::objects::hosts::interface_mass;
use crate::objects::hosts::mass;
use crate::objects::{
    administration, graphs, history, hosts, items, networkdiscovery, problems, triggers, users,
};
use crate::query::Output;
use crate::relation::Related;
use crate::shared::Ctx;

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
    hosts::group::HOST_GROUP_ENTRY.with(mass::HOST_GROUP),
    hosts::group::TEMPLATE_GROUP_ENTRY.with(mass::TEMPLATE_GROUP),
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

/// Rows as the object of this name writes them for others.
pub(crate) fn related<'a>(ctx: &'a Ctx, object: &str, rows: Related<'a>, output: &Output) -> Value {
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
