//! User roles.

use std::sync::Arc;

use model::RoleId;
use model::content::{
    ApiMethods, Granted, Role, RoleAction, RoleElement, RoleType, ServiceAccess, UiElement,
};
use model::describe::{
    FLAG, Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select,
    Unknown, Writes,
};
use model::document::{Body, Document};
use model::snapshot::Snapshot;
use serde_json::{Value as Json, json};

use super::{ChangeKind, Concerns, Edited, Stored};
use crate::error::ConfigError;

const SERVICES: &[Field] = &[Field::new("serviceid", FieldType::Id, Rule::Required, "Service")];

const SERVICE_TAG: &[Field] = &[
    Field::new(
        "tag",
        FieldType::Text { max: 255 },
        Rule::Required,
        "Services with this tag; empty: none by tag",
    )
    .or_empty(),
    Field::new(
        "value",
        FieldType::Text { max: 255 },
        Rule::Default(""),
        "Value of the tag; empty: any",
    ),
];

/// An element by its name.
const ELEMENT: &[Field] = &[
    Field::new("name", FieldType::Text { max: 255 }, Rule::Required, "Name, as in Zabbix"),
    Field::new("status", FLAG, Rule::Default("1"), "1 allowed, 0 denied"),
];

const MODULE: &[Field] = &[
    Field::new("moduleid", FieldType::Id, Rule::Required, "There are none"),
    Field::new("status", FLAG, Rule::Default("1"), "1 allowed, 0 denied"),
];

/// Rules that are left out have Zabbix's default: an update changes only given ones.
pub const RULES: &[Field] = &[
    Field::new("ui", FieldType::List(ELEMENT), Rule::Optional, "Parts of the pages").answered(),
    Field::new(
        "ui.default_access",
        FLAG,
        Rule::Optional,
        "1 (without the rule, too): parts of the pages that are not named are allowed",
    )
    .implied("1"),
    Field::new(
        "api.access",
        FLAG,
        Rule::Optional,
        "1 (without the rule, too): users may call the API",
    )
    .implied("1"),
    Field::new(
        "api.mode",
        FLAG,
        Rule::Optional,
        "0 the methods that are named are denied, 1 they alone are allowed; 0 without any",
    )
    .implied("0"),
    Field::new(
        "api",
        FieldType::Texts { max: 255 },
        Rule::Optional,
        "Methods of the API; `host.*`, `*.get` and `*` stand for many",
    )
    .each_once(),
    Field::new(
        "services.read.mode",
        FLAG,
        Rule::Optional,
        "1 all services may be read, 0 those of list and tag with those below them",
    )
    .implied("1"),
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
    Field::new("modules", FieldType::List(MODULE), Rule::Optional, "There are none").answered(),
    Field::new("modules.default_access", FLAG, Rule::Optional, "Kept: there are no modules")
        .implied("1"),
    Field::new("actions", FieldType::List(ELEMENT), Rule::Optional, "Actions").answered(),
    Field::new(
        "actions.default_access",
        FLAG,
        Rule::Optional,
        "1 (without the rule, too): actions that are not named are allowed",
    )
    .implied("1"),
];

const OBJECT: Object = Object {
    name: "role",
    type_name: "Role",
    nouns: Nouns { one: "a user role", several: "user roles" },
    resource: Some(44),
    role: RoleRule::one_of(&[UiElement::UserRoles]),
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Filled, unique: &[] }),
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
    params: Params::of(&["roleids"])
        .strict()
        .found_by(&["roleid", "name", "type", "readonly"], &["name"]),
    sort: &["roleid", "name"],
    doc: "What kind of user someone is",
};

const SAMPLE: &str = r#"{"name": "Operators", "type": "1", "rules": {"api.access": "0"}}"#;

pub static ROLE: Stored = Stored {
    made_with: &[("readonly", "0")],
    upgrades: &[with_rules],
    check: |_, body| check(body),
    guard,
    project,
    concerns: Concerns::Access,
    ..Stored::new(OBJECT, Edited::Plainly, &["name"], "User role \"{}\" already exists.", SAMPLE)
};

/// Roles had a table of their own, with one rule in a column of its own.
fn with_rules(body: &mut Body) {
    body.remove("roleid");
    let access = body.remove("api_access").unwrap_or_else(|| json!("1"));
    body.insert("rules".to_owned(), json!({ "api.access": access }));
}

/// Of the elements those are kept that users of the type may have. Names are those of elements.
fn check(body: &mut Body) -> Result<(), ConfigError> {
    let kind = kind_of(body);
    let name = body.get("name").and_then(Json::as_str).unwrap_or_default().to_owned();
    let Some(Json::Object(rules)) = body.get_mut("rules") else { return Ok(()) };
    let is_ui = |name: &str| UiElement::named(name).map(UiElement::least);
    let is_action = |name: &str| RoleAction::named(name).map(RoleAction::least);
    keep_elements(rules, ("ui", "UI element"), kind, is_ui)?;
    keep_elements(rules, ("actions", "Action"), kind, is_action)?;
    if let Some(module) = rules.get("modules").and_then(Json::as_array).and_then(|it| it.first()) {
        let id = module.get("moduleid").and_then(Json::as_str).unwrap_or_default();
        return Err(ConfigError::parameters(format_args!(
            "Module with ID \"{id}\" is not available for user role \"{name}\"."
        )));
    }
    if rules.get("api.access").is_some_and(|it| it == "0") {
        // Without access no methods are kept, as in Zabbix.
        rules.insert("api.mode".to_owned(), json!("0"));
        rules.insert("api".to_owned(), json!([]));
    }
    Ok(())
}

fn kind_of(body: &Body) -> RoleType {
    let code = body.get("type").and_then(Json::as_str).and_then(|it| it.parse().ok());
    code.and_then(RoleType::from_code).unwrap_or(RoleType::User)
}

fn keep_elements(
    rules: &mut Body,
    (list, noun): (&str, &str),
    kind: RoleType,
    least: impl Fn(&str) -> Option<RoleType>,
) -> Result<(), ConfigError> {
    let Some(Json::Array(elements)) = rules.get_mut(list) else { return Ok(()) };
    let name = |it: &Json| it.get("name").and_then(Json::as_str).unwrap_or_default().to_owned();
    if let Some(unknown) = elements.iter().map(name).find(|it| least(it).is_none()) {
        return Err(ConfigError::parameters(format_args!(
            "{noun} \"{unknown}\" is not available."
        )));
    }
    elements.retain(|it| least(&name(it)).is_some_and(|it| it <= kind));
    Ok(())
}

/// The elements that a list of rules allows.
fn granted<E: RoleElement>(rules: Option<&Json>, list: &str, kind: RoleType) -> Granted<E> {
    let rule = |name: &str| rules.and_then(|it| it.get(name));
    let by_default = rule(&format!("{list}.default_access")).is_none_or(|it| it != "0");
    let named = rule(list).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    Granted::of(kind, |element: E| {
        let rule =
            named.iter().rev().find(|it| it.get("name").is_some_and(|it| it == element.name()));
        rule.map_or(by_default, |it| it.get("status").is_none_or(|it| it != "0"))
    })
}

fn api_methods(rules: Option<&Json>) -> ApiMethods {
    let rule = |name: &str| rules.and_then(|it| it.get(name));
    let masks = rule("api").and_then(Json::as_array).into_iter().flatten();
    ApiMethods {
        is_allow_list: rule("api.mode").is_some_and(|it| it == "1"),
        masks: masks.filter_map(|it| it.as_str().map(str::to_owned)).collect(),
    }
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
        return Err(ConfigError::application(format_args!(
            "Cannot {what} readonly user role \"{name}\"."
        )));
    }
    let mut users = snapshot.access.users.values();
    if change == ChangeKind::Delete && users.any(|it| it.roleid == RoleId(role.id)) {
        return Err(ConfigError::application(format_args!(
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
        role.ui = granted(rules, "ui", role.kind);
        role.actions = granted(rules, "actions", role.kind);
        role.api_methods = api_methods(rules);
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
