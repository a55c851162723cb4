//! Actions: the rules that their description does not have. As in Zabbix an action is visible to users who
//! may read all objects that it names. Users may send only to themselves or to members of their groups.

use std::collections::BTreeSet;

use alert::judging::{ConditionKind, EvalType, Formula, letter};
use db::Permission;
use db::objects::Stored;
use db::objects::action::{
    FILTER, Named, OPERATION, check_operations, named_in, operation_id, operations,
};
use db::objects::script::FOR_ACTIONS;
use model::content::RoleType;
use model::document::{Body, Document};
use model::field_path::FieldPath;
use model::{GroupId, HostId, TriggerId, UserGroupId, UserId};
use serde_json::{Value, json};

use crate::describe::{Field, Select};
use crate::error::ApiError;
use crate::json::{self, Fields, id_of, number, text};
use crate::objects::common::document::{DocumentList, Special};
use crate::objects::common::scope::Get;
use crate::objects::common::service_rights::service_rights;
use crate::query::Output;
use crate::shared::Ctx;
use crate::validate::Mode;
use alerting::judged_event::has_check;

const KIND: &str = "action";
const LISTS: [&str; 3] = ["operations", "recovery_operations", "update_operations"];
const OPERATION_ID: &str = "operationid";

/// Fields that operations have without a value of their own, by their list.
const WITHOUT_VALUE: [(&str, &[&str], &str); 5] = [
    ("esc_period", &["operations"], "0"),
    ("esc_step_from", &["operations"], "1"),
    ("esc_step_to", &["operations"], "1"),
    ("evaltype", &LISTS, "0"),
    ("opconditions", &["operations", "recovery_operations"], ""),
];

pub(crate) const SPECIAL: Special = Special {
    may_read,
    may_change,
    finds_first: Some(absent),
    check,
    candidates,
    select,
    ..Special::NOTHING
};

/// As in Zabbix an error of the parameters.
fn absent() -> ApiError {
    ApiError::params("No permissions to referred object or it does not exist!")
}

/// Whether something is there and the caller may read it.
fn is_visible(ctx: &Ctx, what: Named, id: u64) -> bool {
    let snapshot = &ctx.snapshot;
    match what {
        Named::HostGroup | Named::ChangedHostGroup => {
            let id = GroupId(id);
            let is_there = snapshot.host_groups.contains_key(&id);
            is_there && Permission::Read <= ctx.rights.host_group(id)
        }
        Named::Script => {
            let script = snapshot.documents.get("script", id);
            script.is_some_and(|it| it.text("scope") == FOR_ACTIONS && may_use(ctx, it))
        }
        Named::Service => service_rights(ctx).may_read(id),
        Named::DiscoveryRule | Named::DiscoveryCheck => {
            let is_there = match what {
                Named::DiscoveryRule => snapshot.documents.get("drule", id).is_some(),
                _ => has_check(snapshot, id),
            };
            is_there && RoleType::Admin <= ctx.caller.identity.role
        }
        Named::Host | Named::ChangedHost => {
            snapshot.hosts.get(&HostId(id)).is_some_and(|it| ctx.may_read(it))
        }
        Named::Template => snapshot.templates.get(&HostId(id)).is_some_and(|it| ctx.may_read(it)),
        Named::Trigger => {
            snapshot.trigger(TriggerId(id)).is_some_and(|(holder, _)| ctx.may_read(holder))
        }
        Named::User => sees_user(ctx, UserId(id)),
        Named::UserGroup => {
            let id = UserGroupId(id);
            let is_there = snapshot.access.groups.contains_key(&id);
            is_there && (ctx.is_super_admin() || is_own_group(ctx, id))
        }
    }
}

/// Whether the caller may name something: operations change hosts, which takes the permission to write them.
fn may_name(ctx: &Ctx, what: Named, id: u64) -> bool {
    is_visible(ctx, what, id)
        && match what {
            Named::ChangedHostGroup => Permission::Write <= ctx.rights.host_group(GroupId(id)),
            Named::ChangedHost => {
                let host = ctx.snapshot.hosts.get(&HostId(id));
                host.is_some_and(|it| Permission::Write <= ctx.rights.holder(it))
            }
            _ => true,
        }
}

/// Whether the caller may have actions execute a script: on all hosts, or on those that the caller sees.
fn may_use(ctx: &Ctx, script: &Document) -> bool {
    let group = GroupId(script.text("groupid").parse().unwrap_or(0));
    ctx.is_super_admin() || group.is_none() || Permission::Read <= ctx.rights.host_group(group)
}

/// Whether the caller may name a user as a recipient.
pub(super) fn sees_user(ctx: &Ctx, user: UserId) -> bool {
    let Some(user) = ctx.snapshot.access.users.get(&user) else { return false };
    ctx.is_super_admin() || user.groups.iter().any(|it| is_own_group(ctx, *it))
}

fn is_own_group(ctx: &Ctx, group: UserGroupId) -> bool {
    let caller = ctx.snapshot.access.users.get(&ctx.rights.userid);
    caller.is_some_and(|it| it.groups.contains(&group))
}

pub(crate) fn may_read(ctx: &Ctx, action: &Document) -> bool {
    ctx.is_super_admin()
        || named_in(&action.body).into_iter().all(|(what, id)| is_visible(ctx, what, id))
}

fn may_change(ctx: &Ctx, id: u64) -> bool {
    ctx.snapshot.documents.get(KIND, id).is_some_and(|it| may_read(ctx, it))
}

fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, path: &FieldPath) -> Result<(), ApiError> {
    for list in LISTS {
        // Answers have it; operations are named by their place.
        let given = operations(fields, list).position(|it| it.contains_key(OPERATION_ID));
        if let Some(at) = given {
            return Err(ApiError::unexpected(path.member(list).element(at), OPERATION_ID));
        }
    }
    let old = match mode {
        Mode::Create => None,
        Mode::Update => {
            let id = id_of(fields, "actionid").unwrap_or_default();
            ctx.snapshot.documents.get(KIND, id)
        }
    };
    if let (Some(old), Some(source)) = (old, fields.get("eventsource"))
        && old.text("eventsource") != source
    {
        let name = fields.get("name").and_then(Value::as_str).unwrap_or(old.text("name"));
        let what = format!("Cannot update \"eventsource\" for action \"{name}\".");
        return Err(ApiError::params(what));
    }
    let mut body = old.map(|it| it.body.clone()).unwrap_or_default();
    body.extend(fields.iter().map(|(name, value)| (name.clone(), value.clone())));
    check_operations(&body)?;
    // Objects named before may have been deleted since, and must not prevent a change of the action.
    let before = old.map(|it| named_in(&it.body)).unwrap_or_default();
    let new = named_in(fields);
    let wrong = new.difference(&before).find(|(what, id)| !may_name(ctx, *what, *id));
    match wrong {
        Some((Named::Script, _)) => Err(ApiError::params(Named::Script.error_text())),
        Some((what, _)) => Err(ApiError::application(what.error_text())),
        None => Ok(()),
    }
}

/// Groups and hosts select actions by their conditions, not by their operations.
fn candidates(ctx: &Ctx, get: &Get<'_>, _: &Stored) -> Result<DocumentList, ApiError> {
    let by_condition = [
        ("groupids", Named::HostGroup),
        ("hostids", Named::Host),
        ("scriptids", Named::Script),
        ("triggerids", Named::Trigger),
        ("userids", Named::User),
        ("usrgrpids", Named::UserGroup),
    ];
    let mut wanted = Vec::new();
    for (param, what) in by_condition {
        if let Some(ids) = get.id_set(param)? {
            wanted.push((what, ids));
        }
    }
    let media_types = get.id_set("mediatypeids")?;
    let is_wanted = |it: &Document| {
        let named = if wanted.is_empty() { BTreeSet::new() } else { named_in(&it.body) };
        let names = |what: Named, ids: &model::map::Set<u64>| {
            named.iter().any(|(of, id)| *of == what && ids.contains(id))
        };
        wanted.iter().all(|(what, ids)| names(*what, ids))
            && media_types
                .as_ref()
                .is_none_or(|ids| media_types_of(&it.body).any(|id| ids.contains(&id)))
    };
    let all = ctx.snapshot.documents.of(KIND);
    Ok(all.filter(|it| is_wanted(it)).cloned().collect())
}

fn media_types_of(body: &Body) -> impl Iterator<Item = u64> {
    let operations = LISTS.iter().flat_map(|list| operations(body, list));
    operations.filter_map(|it| id_of(it.get("opmessage")?.as_object()?, "mediatypeid"))
}

fn select(_: &Ctx, row: &Document, select: &Select, output: &Output) -> Option<Value> {
    match select.property {
        "filter" => Some(filter(&row.body, output)),
        list => {
            let at = LISTS.iter().position(|it| *it == list)?;
            // Lists follow one another in the numbers of operations.
            let before: usize =
                LISTS.iter().take(at).map(|it| operations(&row.body, it).count()).sum();
            Some(operations_of(row, list, before, output))
        }
    }
}

/// The fields of an operation's type and those of all types: Zabbix returns no message of an operation
/// without one.
fn operations_of(row: &Document, list: &str, before: usize, output: &Output) -> Value {
    if *output == Output::Count {
        return number(operations(&row.body, list).count());
    }
    let each = operations(&row.body, list).zip(before..);
    each.map(|(it, at)| {
        let mut part = Fields::new();
        for field in OPERATION.iter().filter(|it| output.wants(it.name)) {
            let value = match field.name {
                OPERATION_ID => {
                    let at = u64::try_from(at).unwrap_or_default();
                    Some(number(operation_id(row.id, at)))
                }
                name => it.get(name).cloned().or_else(|| without_value(list, name)),
            };
            if let Some(value) = value {
                part.insert(field.name.to_owned(), value);
            }
        }
        Value::Object(part)
    })
    .collect()
}

fn without_value(list: &str, name: &str) -> Option<Value> {
    let (_, lists, value) = WITHOUT_VALUE.iter().find(|it| it.0 == name)?;
    let value = || if value.is_empty() { json!([]) } else { text(*value) };
    lists.contains(&list).then(value)
}

fn filter(body: &Body, output: &Output) -> Value {
    let none = Body::new();
    let filter = body.get("filter").and_then(Value::as_object).unwrap_or(&none);
    let (formula, letters) = formula_of(filter);
    let part = |field: &Field| match field.name {
        "eval_formula" => text(formula.as_str()),
        "formula" => {
            let is_custom = json::str_of(filter, "evaltype") == "3";
            text(if is_custom { formula.as_str() } else { "" })
        }
        "conditions" => {
            let conditions = json::list_of(filter, "conditions").zip(&letters);
            conditions
                .map(|(it, letter)| {
                    let mut it = it.clone();
                    it.insert("formulaid".to_owned(), text(letter.as_str()));
                    Value::Object(it)
                })
                .collect()
        }
        name => filter.get(name).cloned().unwrap_or_else(|| json!("0")),
    };
    let wanted = FILTER.iter().filter(|it| output.wants(it.name));
    Value::Object(wanted.map(|it| (it.name.to_owned(), part(it))).collect())
}

/// The formula that conditions are joined by, and the letters of each. Where users wrote none they are
/// called by the order in which the formula has them.
fn formula_of(filter: &Body) -> (String, Vec<String>) {
    let conditions: Vec<&Body> = json::list_of(filter, "conditions").collect();
    let code = json::str_of(filter, "evaltype").parse().unwrap_or_default();
    let evaltype = EvalType::from_code(code).unwrap_or_default();
    if evaltype == EvalType::Custom {
        let letters = conditions.iter().map(|it| json::str_of(it, "formulaid").to_owned());
        return (json::str_of(filter, "formula").to_owned(), letters.collect());
    }
    let kind = |it: &&Body| {
        let code = json::str_of(it, "conditiontype").parse().unwrap_or_default();
        ConditionKind::from_code(code).unwrap_or(ConditionKind::HostGroup)
    };
    let kinds: Vec<ConditionKind> = conditions.iter().map(kind).collect();
    let Some(formula) = evaltype.formula(&kinds) else { return (String::new(), Vec::new()) };
    let mut letters = vec![String::new(); kinds.len()];
    let mut n_named = 0;
    formula.each(&mut |at| {
        letters[*at] = letter(n_named);
        n_named += 1;
    });
    let named = formula.map(&|at: &usize| Ok::<_, std::convert::Infallible>(letters[*at].clone()));
    let named = named.map(|it: Formula<String>| it.to_string()).unwrap_or_default();
    (named, letters)
}
