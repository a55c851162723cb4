//! User roles.

use std::sync::Arc;

use model::RoleId;
use model::content::{Role, RoleType, ServiceAccess};
use model::describe::{FLAG, Field, FieldType, Gives, Object, Params, Rule, Select};
use model::document::{Body, Document};
use model::snapshot::Snapshot;
use serde_json::{Value as Json, json};

use super::{ChangeKind, Concerns, Stored};
use crate::ConfigError;

const SERVICES: &[Field] = &[Field::new("serviceid", FieldType::Id, Rule::Required, "Service")];

const SERVICE_TAG: &[Field] = &[
    Field::new(
        "tag",
        FieldType::Text { max: 255 },
        Rule::Default(""),
        "Services with this tag; empty: none by tag",
    ),
    Field::new(
        "value",
        FieldType::Text { max: 255 },
        Rule::Default(""),
        "Value of the tag; empty: any",
    ),
];

pub const RULES: &[Field] = &[
    Field::new("api.access", FLAG, Rule::Default("1"), "Whether users may call the API"),
    Field::new("api.mode", FLAG, Rule::Default("0"), "Only 0 yet"),
    Field::new("ui.default_access", FLAG, Rule::Default("1"), "Only 1 yet"),
    Field::new(
        "services.read.mode",
        FLAG,
        Rule::Default("1"),
        "1 all services may be read, 0 those of list and tag with those below them",
    ),
    Field::new("services.read.list", FieldType::List(SERVICES), Rule::Optional, "Services to read")
        .answered(),
    Field::new(
        "services.read.tag",
        FieldType::Object(SERVICE_TAG),
        Rule::Optional,
        "Services to read, by tag",
    ),
    Field::new(
        "services.write.mode",
        FLAG,
        Rule::Optional,
        "1 all services may be written, 0 those of list and tag with those below them; without it, 0 for \
         users and 1 for admins",
    ),
    Field::new(
        "services.write.list",
        FieldType::List(SERVICES),
        Rule::Optional,
        "Services to write",
    )
    .answered(),
    Field::new(
        "services.write.tag",
        FieldType::Object(SERVICE_TAG),
        Rule::Optional,
        "Services to write, by tag",
    ),
    Field::new("modules.default_access", FLAG, Rule::Default("1"), "Only 1 yet"),
    Field::new("actions.default_access", FLAG, Rule::Default("1"), "Only 1 yet"),
];

const OBJECT: Object = Object {
    name: "role",
    type_name: "Role",
    id: "roleid",
    ids: "roleids",
    fields: &[
        Field::new("roleid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("name", FieldType::Text { max: 255 }, Rule::Required, "Name"),
        Field::new(
            "type",
            FieldType::Code(&[1, 2, 3]),
            Rule::Required,
            "1 user, 2 admin, 3 super admin",
        ),
        Field::new("readonly", FLAG, Rule::ReadOnly, "1: the role cannot be changed"),
        Field::new(
            "rules",
            FieldType::Object(RULES),
            Rule::WriteOnly,
            "What users of the role may do",
        ),
    ],
    selects: &[
        Select::new("selectRules", "rules", Gives::Part(RULES)),
        Select::new("selectUsers", "users", Gives::Objects("user")).countable(),
    ],
    params: Params::of(&["roleids"]).strict(),
    sort: &["roleid", "name"],
    doc: "What kind of user someone is",
};

const SAMPLE: &str = r#"{"name": "Operators", "type": "1", "rules": {"api.access": "0"}}"#;

pub static ROLE: Stored = Stored {
    resource: 44,
    made_with: &[("readonly", "0")],
    upgrades: &[with_rules],
    check: |_, body| check(body),
    guard,
    project,
    concerns: Concerns::Access,
    ..Stored::new(OBJECT, &["name"], "User role with name \"{}\" already exists.", SAMPLE)
};

/// Roles had a table of their own, and one rule beside the others.
fn with_rules(body: &mut Body) {
    body.remove("roleid");
    let access = body.remove("api_access").unwrap_or_else(|| json!("1"));
    body.insert("rules".to_owned(), json!({ "api.access": access }));
}

/// Rules that are not enforced yet, with the one value that they may have: whoever forbids something
/// would believe that it is forbidden.
const NOT_ENFORCED: &[(&str, &str)] = &[
    ("api.mode", "0"),
    ("ui.default_access", "1"),
    ("modules.default_access", "1"),
    ("actions.default_access", "1"),
];

/// Of the rules those are kept that are enforced.
fn check(body: &mut Body) -> Result<(), ConfigError> {
    let Some(Json::Object(rules)) = body.get_mut("rules") else { return Ok(()) };
    for (name, only) in NOT_ENFORCED {
        if rules.get(*name).is_some_and(|it| it != only) {
            return Err(ConfigError::invalid(
                format_args!("/1/rules/{name}"),
                format_args!("value must be {only}: this rule is not enforced yet"),
            ));
        }
    }
    rules.retain(|name, _| name == "api.access" || name.starts_with("services."));
    Ok(())
}

/// Which services `read` or `write` names.
fn services(rules: Option<&Json>, what: &str, default: bool) -> ServiceAccess {
    let rule = |name: &str| rules.and_then(|it| it.get(format!("services.{what}.{name}")));
    let text =
        |of: &Json, name: &str| of.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
    let ids = rule("list").and_then(Json::as_array).into_iter().flatten();
    ServiceAccess {
        all: rule("mode").and_then(Json::as_str).map_or(default, |it| it == "1"),
        ids: ids.filter_map(|it| text(it, "serviceid").parse().ok()).collect(),
        tag: rule("tag")
            .map(|it| (text(it, "tag"), text(it, "value")))
            .filter(|it| !it.0.is_empty()),
    }
}

fn guard(snapshot: &Snapshot, role: &Document, change: ChangeKind) -> Result<(), ConfigError> {
    let name = role.text("name");
    if role.text("readonly") == "1" {
        let what = if change == ChangeKind::Update { "update" } else { "delete" };
        return Err(ConfigError::parameters(format_args!(
            "Cannot {what} readonly user role \"{name}\"."
        )));
    }
    let mut users = snapshot.access.users.values();
    if change == ChangeKind::Delete && users.any(|it| it.roleid == RoleId(role.id)) {
        return Err(ConfigError::parameters(format_args!(
            "Cannot delete assigned user role \"{name}\"."
        )));
    }
    Ok(())
}

/// Rights are found by it at each call.
fn project(snapshot: &mut Snapshot, id: u64, body: Option<&Body>) -> Result<(), serde_json::Error> {
    let made = body.map(|it| {
        let mut fields = it.clone();
        if let Some(access) = it.get("rules").and_then(|it| it.get("api.access")) {
            fields.insert("api_access".to_owned(), access.clone());
        }
        let mut role: Role = serde_json::from_value(Json::Object(fields))?;
        let rules = it.get("rules");
        let is_admin = role.kind != RoleType::User;
        role.services_read = services(rules, "read", true);
        role.services_write = services(rules, "write", is_admin);
        Ok(role)
    });
    let roles = &mut Arc::make_mut(&mut snapshot.access).roles;
    match made.transpose()? {
        Some(made) => {
            roles.insert(RoleId(id), Arc::new(Role { roleid: RoleId(id), ..made }));
        }
        None => {
            roles.remove(&RoleId(id));
        }
    }
    Ok(())
}
