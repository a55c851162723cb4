//! User roles: the rules that their description does not have.

use model::RoleId;
use model::content::{Granted, Role, RoleAction, RoleElement, RoleType, ServiceAccess, UiElement};
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

fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, _: &FieldPath) -> Result<(), ApiError> {
    let id = json::id_of(fields, "roleid").unwrap_or_default();
    let old = ctx.snapshot.documents.get("role", id).filter(|_| mode == Mode::Update);
    if let Some(old) = old {
        let name = old.text("name");
        if old.text("readonly") == "1" {
            let what = format!("Cannot update readonly user role \"{name}\".");
            return Err(ApiError::application(what));
        }
        check_own(ctx, fields, old)?;
    }
    let kind = fields.get("type").and_then(Value::as_str);
    let kind = kind.or_else(|| old.map(|it| it.text("type"))).and_then(|it| it.parse().ok());
    let kind = kind.and_then(RoleType::from_code).unwrap_or(RoleType::User);
    let name = match fields.get("name").and_then(Value::as_str) {
        Some(it) => it.to_owned(),
        None => old.map_or("", |it| it.text("name")).to_owned(),
    };
    if mode == Mode::Create && !fields.get("rules").is_some_and(Value::is_object) {
        fields.insert("rules".to_owned(), json!({}));
    }
    let Some(Value::Object(rules)) = fields.get_mut("rules") else { return Ok(()) };
    let before = old.map(|it| Before::of(ctx, it));
    let check = Check { ctx, role: &name, kind, before: before.as_ref() };
    check.elements::<UiElement>(rules, "ui", "UI element")?;
    check.any_part(rules)?;
    check.services(rules)?;
    check.methods(rules)?;
    check.elements::<RoleAction>(rules, "actions", "Action")?;
    check.compile::<UiElement>(rules, "ui");
    check.compile::<RoleAction>(rules, "actions");
    if let Some(Value::Object(old)) = old.and_then(|it| it.body.get("rules")) {
        // Rules that an update does not speak of stay.
        for (name, value) in old {
            rules.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    if mode == Mode::Create {
        // Services are changed by those only to whom the rules give them.
        rules.entry("services.write.mode").or_insert_with(|| json!("0"));
    }
    Ok(())
}

/// A role as it is, with its rules.
struct Before<'a> {
    role: &'a Role,
    rules: Option<&'a Value>,
}

impl<'a> Before<'a> {
    fn of(ctx: &'a Ctx, old: &'a Document) -> Self {
        let role = ctx.snapshot.access.roles.get(&RoleId(old.id));
        let role = role.expect("a role for each document of one");
        Self { role, rules: old.body.get("rules") }
    }

    /// Whether elements that are not named are allowed.
    fn default_of(&self, list: &str) -> bool {
        let rule = self.rules.and_then(|it| it.get(format!("{list}.default_access")));
        rule.is_none_or(|it| it != "0")
    }
}

/// Elements that a role names one by one.
trait Named: RoleElement {
    fn of(role: &Role) -> Granted<Self>;
}

impl Named for UiElement {
    fn of(role: &Role) -> Granted<Self> {
        role.ui
    }
}

impl Named for RoleAction {
    fn of(role: &Role) -> Granted<Self> {
        role.actions
    }
}

/// The data for the checks of a role's rules.
struct Check<'a> {
    ctx: &'a Ctx,
    role: &'a str,
    kind: RoleType,
    before: Option<&'a Before<'a>>,
}

impl Check<'_> {
    fn refuse<T>(&self, what: &str) -> Result<T, ApiError> {
        Err(ApiError::params(format!("{what} for user role \"{}\".", self.role)))
    }

    fn elements<E: Named>(&self, rules: &Fields, list: &str, noun: &str) -> Result<(), ApiError> {
        let mut names = json::list_of(rules, list).map(|it| json::str_of(it, "name"));
        let may_have = |it: &E| it.least() <= self.kind;
        let knows =
            |name: &str| E::ALL.iter().filter(|it| may_have(it)).any(|it| it.name() == name);
        match names.find(|it| !knows(it)) {
            Some(name) => self.refuse(&format!("{noun} \"{name}\" is not available")),
            None => Ok(()),
        }
    }

    /// Each element that users of the kind may have, and whether the role has it. Unnamed elements
    /// stay as they were; those that the old kind could not have follow the default.
    fn granted<E: Named>(&self, rules: &Fields, list: &str, by_default: bool) -> Vec<(E, bool)> {
        let status = |element: E| {
            let named = json::list_of(rules, list);
            let rules = named.filter(|it| json::str_of(it, "name") == element.name());
            if let Some(rule) = rules.last() {
                return json::str_of(rule, "status") != "0";
            }
            let before = self.before.filter(|it| element.least() <= it.role.kind);
            before.map_or(by_default, |it| E::of(it.role).has(element))
        };
        let of_kind = E::ALL.iter().filter(|it| it.least() <= self.kind);
        of_kind.map(|it| (*it, status(*it))).collect()
    }

    /// Whether elements that later versions bring are allowed.
    fn default_of(&self, rules: &Fields, list: &str) -> bool {
        match rules.get(&format!("{list}.default_access")) {
            Some(it) => it != "0",
            None => self.before.is_none_or(|it| it.default_of(list)),
        }
    }

    /// Users see a part of the pages at least.
    fn any_part(&self, rules: &Fields) -> Result<(), ApiError> {
        if !rules.contains_key("ui") {
            return Ok(());
        }
        let by_default = self.default_of(rules, "ui");
        if self.granted::<UiElement>(rules, "ui", by_default).iter().any(|(_, it)| *it) {
            return Ok(());
        }
        self.refuse("At least one UI element must be enabled")
    }

    /// Keeps of the elements those that are otherwise than by default.
    fn compile<E: Named>(&self, rules: &mut Fields, list: &str) {
        let by_default = self.default_of(rules, list);
        let old_default = self.before.is_none_or(|it| it.default_of(list));
        let all = self.granted::<E>(rules, list, old_default).into_iter();
        let named = all.filter(|(_, is)| *is != by_default);
        let named = named.map(|(it, is)| json!({"name": it.name(), "status": json::flag(is)}));
        let named: Vec<Value> = named.collect();
        rules.insert(list.to_owned(), Value::Array(named));
    }

    fn services(&self, rules: &Fields) -> Result<(), ApiError> {
        for (what, old) in [
            ("read", self.before.map(|it| &it.role.services_read)),
            ("write", self.before.map(|it| &it.role.services_write)),
        ] {
            self.services_to(rules, what, old)?;
        }
        for what in ["read", "write"] {
            for it in json::list_of(rules, &format!("services.{what}.list")) {
                let id = json::id_of(it, "serviceid").unwrap_or_default();
                if self.ctx.snapshot.services.get(id).is_none() {
                    return self.refuse(&format!("Service with ID \"{id}\" is not available"));
                }
            }
        }
        Ok(())
    }

    /// Where all services are, none are named.
    fn services_to(
        &self,
        rules: &Fields,
        what: &str,
        old: Option<&ServiceAccess>,
    ) -> Result<(), ApiError> {
        let [mode, list, tag] = ["mode", "list", "tag"].map(|it| format!("services.{what}.{it}"));
        if ![&mode, &list, &tag].iter().any(|it| rules.contains_key(it.as_str())) {
            return Ok(());
        }
        let of_tag = rules.get(&tag).and_then(Value::as_object);
        let all = match rules.get(&mode) {
            Some(it) => it == "1",
            None => old.is_none_or(|it| it.all),
        };
        if !all {
            let is_empty = |it: &Fields| json::str_of(it, "tag").is_empty();
            if of_tag.is_some_and(|it| is_empty(it) && !json::str_of(it, "value").is_empty()) {
                return self.refuse(&format!(
                    "Cannot have non-empty tag value while having empty tag in rule \"{tag}\""
                ));
            }
            return Ok(());
        }
        let has_list = match rules.get(&list).and_then(Value::as_array) {
            Some(it) => !it.is_empty(),
            None => old.is_some_and(|it| !it.ids.is_empty()),
        };
        let has_tag = match of_tag {
            Some(it) => !json::str_of(it, "tag").is_empty(),
            None => old.is_some_and(|it| it.tag.is_some()),
        };
        for (has, name) in [(has_list, &list), (has_tag, &tag)] {
            if has {
                return self.refuse(&format!(
                    "Cannot have non-default \"{name}\" rule while having \"{mode}\" set to 1"
                ));
            }
        }
        Ok(())
    }

    /// Masks are of methods that users of the kind may call.
    fn methods(&self, rules: &Fields) -> Result<(), ApiError> {
        let masks = rules.get("api").and_then(Value::as_array).into_iter().flatten();
        for mask in masks.filter_map(Value::as_str) {
            if !matches!(mask, "*" | "*.*") && !self.ctx.knows_methods(mask, self.kind) {
                return self.refuse(&format!("Invalid API method \"{mask}\""));
            }
        }
        Ok(())
    }
}

/// A user who gave up permissions could not take them back.
fn check_own(ctx: &Ctx, fields: &Fields, old: &Document) -> Result<(), ApiError> {
    let is_own = ctx.caller.identity.roleid == RoleId(old.id);
    let is_changed = fields.get("type").is_some_and(|it| it != old.text("type"));
    if is_own && is_changed {
        return Err(ApiError::application("Cannot change the user type of own role."));
    }
    Ok(())
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
