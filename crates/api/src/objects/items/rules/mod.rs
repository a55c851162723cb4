//! Rules of create and update of items, discovery rules and item prototypes beyond the description: fields by
//! type of check and of value, periods, steps.

mod by_type;
mod lifetimes;
pub(crate) mod single;
mod steps;

use std::sync::Arc;

use model::content::{ItemFlags, ItemType};
use model::field_path::FieldPath;
use model::snapshot::{HolderKind, Host, ItemRow};
use model::{HostId, ItemId};
use serde_json::Value;

use self::by_type::ItemRequest;
use self::single::{HOUR_S, PERIOD_MAX_S};
use crate::error::{ApiError, ErrorClass};
use crate::json::{Fields, id_of, text};
use crate::objects::common::access;
use crate::objects::common::checks;
use crate::shared::Ctx;
use crate::validate::Mode;

const DAY_S: i64 = 86_400;

/// A new item or rule names its host or template.
pub(crate) fn check_holder(fields: &Fields, mode: Mode, path: &FieldPath) -> Result<(), ApiError> {
    if mode == Mode::Create && id_of(fields, "hostid").is_none() {
        return Err(ApiError::missing(path, "hostid"));
    }
    Ok(())
}

/// The holder of a new prototype's rule, if the user may change it and the request names no other. A
/// prototype keeps its rule for ever.
///
/// # Errors
/// If the user may not change the rule, or it is on another holder than the named one.
pub(crate) fn check_rule_of(
    ctx: &Ctx,
    fields: &mut Fields,
    mode: Mode,
) -> Result<Option<HostId>, ApiError> {
    if mode == Mode::Update {
        fields.remove("ruleid");
        return Ok(None);
    }
    let rule = id_of(fields, "ruleid").unwrap_or_default();
    // A wrong parameter here, as in Zabbix.
    let holder = access::holder_of_rule(ctx, rule)
        .map_err(|error| error.of_class(ErrorClass::InvalidParams))?;
    if id_of(fields, "hostid").is_some_and(|it| HostId(it) != holder) {
        return Err(ApiError::no_permissions());
    }
    Ok(Some(holder))
}

/// Checks the given fields, before defaults fill the rest, and converts them to the stored form.
///
/// # Errors
/// In Zabbix's words, for the first wrong field.
pub(crate) fn check(
    ctx: &Ctx,
    fields: &mut Fields,
    mode: Mode,
    flags: ItemFlags,
    path: &FieldPath,
) -> Result<(), ApiError> {
    let found = id_of(fields, "itemid").and_then(|it| ctx.snapshot.item(ItemId(it)));
    let holder = match id_of(fields, "hostid") {
        Some(it) => Some(access::writable(ctx, it)?),
        None => found.map(|(holder, _)| holder),
    };
    if let Some(uuid) = fields.get("uuid").and_then(Value::as_str) {
        let is_template = holder.is_some_and(|it| it.kind == HolderKind::Template);
        let wrong = |what: &str| Err(ApiError::field(path.member("uuid"), what));
        match (is_template, uuid.is_empty()) {
            (true, true) => return wrong("cannot be empty"),
            (false, false) => return wrong("value must be empty"),
            _ => {}
        }
    }
    let id = found.map(|(_, row)| row.id);
    checks::free_uuid(fields, (path, noun(flags)), |uuid| {
        let mut all = ctx.snapshot.templates.values();
        let is_taken = |it: &ItemRow| {
            it.flags == flags && it.source.is_none() && Some(it.id) != id && it.content.uuid == uuid
        };
        all.any(|it| it.items.iter().any(is_taken))
    })?;
    if let Some(key) = fields.get("key_").and_then(Value::as_str) {
        check_key(key, &path.member("key_"))?;
    }
    let kind = match fields.get("type").and_then(Value::as_str) {
        Some(it) => it.parse().ok().and_then(ItemType::from_code),
        None => found.map(|(_, row)| row.content.kind),
    };
    let mut steps = fields.remove("preprocessing");
    let request = ItemRequest {
        fields,
        mode,
        kind: kind.unwrap_or(ItemType::Trapper),
        flags,
        old: found.map(|(_, row)| &*row.content),
        on_template: holder.is_some_and(|it| it.kind == HolderKind::Template),
        path,
    };
    if flags.has_prototypes() {
        lifetimes::check(&request)?;
    } else {
        check_values(&request)?;
    }
    checks::unique_tags(fields, path)?;
    steps::check(steps.as_mut(), flags, path)?;
    request.check()?;
    check_formula(&request)?;
    if let Some(steps) = steps {
        fields.insert("preprocessing".to_owned(), steps);
    }
    fill(fields, mode, flags, found);
    Ok(())
}

/// The noun in errors.
const fn noun(flags: ItemFlags) -> &'static str {
    match flags {
        ItemFlags::Plain | ItemFlags::Discovered => "item",
        ItemFlags::Rule | ItemFlags::DiscoveredRule => "LLD rule",
        ItemFlags::RulePrototype => "LLD rule prototype",
        ItemFlags::Prototype => "item prototype",
    }
}

/// Rules that depend on the type of values.
fn check_values(request: &ItemRequest<'_>) -> Result<(), ApiError> {
    let value_type = request.now("value_type");
    let is = |types: &[&str]| types.contains(&&*value_type);
    if is(&["5"]) && request.kind != ItemType::Dependent {
        request.one_of("value_type", &["0", "1", "2", "3", "4"])?;
    }
    let is_number = is(&["0", "3"]);
    request.empty_unless("units", is_number)?;
    let macros = request.macros();
    if let Some(it) = request.given("history") {
        single::period(it, true, (HOUR_S, PERIOD_MAX_S), macros, &request.at("history"))?;
    }
    if let Some(it) = request.given("trends") {
        if is_number {
            single::period(it, true, (DAY_S, PERIOD_MAX_S), macros, &request.at("trends"))?;
        } else {
            request.no_time("trends", it)?;
        }
    }
    if !is(&["0", "1", "3"]) {
        request.one_of("valuemapid", &["0"])?;
    }
    if !is(&["0", "1", "3", "4"]) {
        request.one_of("inventory_link", &["0"])?;
    }
    request.empty_unless("logtimefmt", is(&["2"]))
}

/// The formula of a calculated item.
fn check_formula(request: &ItemRequest<'_>) -> Result<(), ApiError> {
    let formula = request.given("params").filter(|_| request.kind == ItemType::Calculated);
    let Some(formula) = formula else { return Ok(()) };
    let wrong = |what: &str| ApiError::field(request.at("params"), what);
    let ast = lang::expression::parse(formula).map_err(|it| wrong(&it.to_string()))?;
    lang::expression::check(&ast, lang::expression::Usage::Formula)
        .map_err(|it| wrong(&it.to_string()))
}

/// Fills in fields that follow from others.
fn fill(fields: &mut Fields, mode: Mode, flags: ItemFlags, found: Option<(&Arc<Host>, &ItemRow)>) {
    if fields.get("delay").is_some_and(|it| it == "") {
        fields.insert("delay".to_owned(), text("0"));
    }
    if flags.has_prototypes() {
        lifetimes::fill(fields, found.map(|(_, row)| &*row.content));
        return;
    }
    let is_number = matches!(crate::json::str_of(fields, "value_type"), "0" | "3");
    if mode == Mode::Create && !is_number {
        // Only numbers have trends.
        fields.insert("trends".to_owned(), text("0"));
    }
}

/// # Errors
/// If it is no item key; it may contain macros anywhere.
pub(crate) fn check_key(key: &str, path: &FieldPath) -> Result<(), ApiError> {
    if key.is_empty() {
        return Err(ApiError::field(path, "cannot be empty"));
    }
    match model::key::ItemKey::parse(key) {
        Ok(_) => Ok(()),
        Err(error) => {
            let rest: String = key.get(error.position..).unwrap_or_default().to_owned();
            let what = format!("incorrect syntax near \"{rest}\"");
            Err(ApiError::field(path, &what))
        }
    }
}
