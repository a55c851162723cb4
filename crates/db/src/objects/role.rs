//! User roles.

use std::sync::Arc;

use model::RoleId;
use model::content::Role;
use model::describe::{FLAG, Field, FieldType, Gives, Object, Params, Rule, Select};
use model::document::{Body, Document};
use model::snapshot::Snapshot;
use serde_json::{Value as Json, json};

use super::{ChangeKind, Concerns, Stored};
use crate::ConfigError;

const RULES: &[Field] = &[
    Field::new("api.access", FLAG, Rule::Default("1"), "Whether users may call the API"),
    Field::new("api.mode", FLAG, Rule::Default("0"), "Only 0 yet"),
    Field::new("ui.default_access", FLAG, Rule::Default("1"), "Only 1 yet"),
    Field::new("services.read.mode", FLAG, Rule::Default("1"), "Only 1 yet"),
    Field::new("services.write.mode", FLAG, Rule::Default("0"), "Has no effect"),
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
/// would believe that it is forbidden. `services.write.mode` may be either, since nothing can change
/// services.
const NOT_ENFORCED: &[(&str, &str)] = &[
    ("api.mode", "0"),
    ("ui.default_access", "1"),
    ("services.read.mode", "1"),
    ("modules.default_access", "1"),
    ("actions.default_access", "1"),
];

/// Of the rules only the access to the API is kept.
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
    rules.retain(|name, _| name == "api.access");
    Ok(())
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
        serde_json::from_value(Json::Object(fields))
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
