//! User roles: the rules that their description does not have.

use model::RoleId;
use model::content::{Granted, RoleAction, RoleElement, RoleType, ServiceAccess, UiElement};
use model::document::Document;
use model::field_path::FieldPath;
use serde_json::{Value, json};

use crate::describe::Select;
use crate::error::ApiError;
use crate::json::{self, Fields};
use crate::objects::common::document::Special;
use crate::query::Output;
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::Mode;

pub(crate) const SPECIAL: Special = Special { may_read, check, select, ..Special::NOTHING };

/// Rules that are replaced together: omitted members of a given section get their defaults.
const SECTIONS: &[&[&str]] = &[
    &["ui", "ui.default_access"],
    &["modules", "modules.default_access"],
    &["actions", "actions.default_access"],
];

fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, _: &FieldPath) -> Result<(), ApiError> {
    let id = json::id_of(fields, "roleid").unwrap_or_default();
    let old = ctx.snapshot.documents.get("role", id).filter(|_| mode == Mode::Update);
    if let Some(old) = old {
        check_own(ctx, fields, old)?;
    }
    let kind = fields.get("type").and_then(Value::as_str);
    let kind = kind.or_else(|| old.map(|it| it.text("type"))).and_then(|it| it.parse().ok());
    let kind = kind.and_then(RoleType::from_code).unwrap_or(RoleType::User);
    let name = match fields.get("name").and_then(Value::as_str) {
        Some(it) => it.to_owned(),
        None => old.map_or("", |it| it.text("name")).to_owned(),
    };
    let Some(Value::Object(rules)) = fields.get_mut("rules") else { return Ok(()) };
    let least = |name: &str| UiElement::named(name).map(UiElement::least);
    check_elements(rules, ("ui", "UI element", &name), kind, least)?;
    let least = |name: &str| RoleAction::named(name).map(RoleAction::least);
    check_elements(rules, ("actions", "Action", &name), kind, least)?;
    check_methods(rules)?;
    if let Some(Value::Object(old)) = old.and_then(|it| it.body.get("rules")) {
        keep_rules(rules, old);
    }
    Ok(())
}

/// Users cannot change the type of their own role: one who gave up permissions could not take them back.
fn check_own(ctx: &Ctx, fields: &Fields, old: &Document) -> Result<(), ApiError> {
    let is_own = ctx.caller.identity.roleid == RoleId(old.id);
    let is_changed = fields.get("type").is_some_and(|it| it != old.text("type"));
    if is_own && is_changed {
        return Err(ApiError::params("User cannot change the user type of own role."));
    }
    Ok(())
}

fn check_elements(
    rules: &Fields,
    (list, noun, role): (&str, &str, &str),
    kind: RoleType,
    least: impl Fn(&str) -> Option<RoleType>,
) -> Result<(), ApiError> {
    let mut names = json::list_of(rules, list).map(|it| json::str_of(it, "name"));
    match names.find(|it| least(it).is_none_or(|it| kind < it)) {
        Some(name) => Err(ApiError::params(format!(
            "{noun} \"{name}\" is not available for user role \"{role}\"."
        ))),
        None => Ok(()),
    }
}

/// Masks have to match an existing method, here or in Zabbix.
fn check_methods(rules: &Fields) -> Result<(), ApiError> {
    let masks = rules.get("api").and_then(Value::as_array).into_iter().flatten();
    let is_word =
        |it: &str| it == "*" || !it.is_empty() && it.bytes().all(|it| it.is_ascii_alphabetic());
    for mask in masks.filter_map(Value::as_str) {
        let is_good = mask == "*"
            || mask.split_once('.').is_some_and(|(object, verb)| is_word(object) && is_word(verb));
        if !is_good {
            return Err(ApiError::params(format!("Invalid API method \"{mask}\".")));
        }
    }
    Ok(())
}

/// Rules that an update does not speak of stay.
fn keep_rules(rules: &mut Fields, old: &Fields) {
    let is_given: Vec<bool> =
        SECTIONS.iter().map(|it| it.iter().any(|name| rules.contains_key(*name))).collect();
    for (name, value) in old {
        let section = SECTIONS.iter().position(|it| it.contains(&name.as_str()));
        let is_replaced = section.and_then(|it| is_given.get(it)).is_some_and(|it| *it);
        let is_default = name.ends_with(".default_access");
        if !rules.contains_key(name) && (!is_replaced || is_default) {
            rules.insert(name.clone(), value.clone());
        }
    }
}

/// Super admins see all, others their own.
fn may_read(ctx: &Ctx, role: &Document) -> bool {
    ctx.is_super_admin() || ctx.caller.identity.roleid == RoleId(role.id)
}

fn select(ctx: &Ctx, role: &Document, select: &Select, output: &Output) -> Option<Value> {
    match select.param {
        "selectRules" => {
            let mut rules = rules(ctx, role);
            if let Value::Object(rules) = &mut rules {
                rules.retain(|name, _| output.wants(name));
            }
            Some(rules)
        }
        "selectUsers" => {
            let users = ctx.snapshot.access.users.values();
            let of_role = users.filter(|it| it.roleid == RoleId(role.id));
            Some(ctx.related(select, Related::Users(of_role.collect()), output))
        }
        _ => None,
    }
}

/// All that Zabbix has.
fn rules(ctx: &Ctx, role: &Document) -> Value {
    let Some(of) = ctx.snapshot.access.roles.get(&RoleId(role.id)) else { return json!({}) };
    let by_default = |list: &str| {
        let rules = role.body.get("rules");
        let rule = rules.and_then(|it| it.get(format!("{list}.default_access")));
        rule.cloned().unwrap_or_else(|| json!("1"))
    };
    let (read, write) = (&of.services_read, &of.services_write);
    json!({
        "ui": elements(of.ui, of.kind),
        "ui.default_access": by_default("ui"),
        "services.read.mode": json::flag(read.all),
        "services.read.list": services(read),
        "services.read.tag": tag(read),
        "services.write.mode": json::flag(write.all),
        "services.write.list": services(write),
        "services.write.tag": tag(write),
        "modules": [],
        "modules.default_access": by_default("modules"),
        "api.access": json::flag(of.api_access),
        "api.mode": json::flag(of.api_methods.is_allow_list),
        "api": of.api_methods.masks,
        "actions": elements(of.actions, of.kind),
        "actions.default_access": by_default("actions"),
    })
}

/// All that users of a kind may have, each with whether the role has it.
fn elements<E: RoleElement>(of: Granted<E>, kind: RoleType) -> Value {
    let may_have = E::ALL.iter().filter(|it| it.least() <= kind);
    let each = may_have.map(|it| json!({"name": it.name(), "status": json::flag(of.has(*it))}));
    each.collect()
}

fn services(access: &ServiceAccess) -> Value {
    access.ids.iter().map(|it| json!({"serviceid": it.to_string()})).collect()
}

fn tag(access: &ServiceAccess) -> Value {
    let (tag, value) = access.tag.clone().unwrap_or_default();
    json!({"tag": tag, "value": value})
}
