//! `task.create`: execute now.

use std::sync::atomic::{AtomicU64, Ordering};

use model::ItemId;
use model::content::{HostStatus, ItemStatus, ItemType, RoleAction, RoleType};
use model::snapshot::ItemRow;
use serde_json::Value;

use crate::describe::{Field, FieldType, Nouns, Object, Params, RoleRule, Rule};
use crate::error::ApiError;
use crate::json::{Fields, id_of};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::crud::answer;
use crate::objects::common::items;
use crate::ports::ControlError;
use crate::shared::Ctx;
use crate::validate::{self, Mode};

const REQUEST: &[Field] =
    &[Field::new("itemid", FieldType::Id, Rule::Required, "Item or discovery rule")];

const OBJECT: Object = Object {
    name: "task",
    type_name: "Task",
    nouns: Nouns { one: "a task", several: "tasks" },
    resource: None,
    role: RoleRule::ANY_PAGE,
    writes: None,
    id: "taskid",
    ids: "taskids",
    fields: &[
        Field::new("taskid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("type", FieldType::Code(&[6]), Rule::Required, "6: execute now"),
        Field::new("request", FieldType::Object(REQUEST), Rule::Required, "What to execute"),
    ],
    selects: &[],
    params: Params::of(&[]),
    sort: &[],
    doc: "Something to do once",
};

pub(crate) const ENTRY: ObjectEntry =
    ObjectEntry::new(&OBJECT, &[Method::edit("task.create", create).of(RoleType::User)]);

/// Tasks are done at once and not kept: their ids only have to differ.
static NEXT: AtomicU64 = AtomicU64::new(1);

fn create(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let tasks = validate::objects(OBJECT.fields, OBJECT.id, params, Mode::Create)?;
    let mut items = Vec::with_capacity(tasks.len());
    for task in &tasks {
        items.push(item_of(ctx, task)?);
    }
    items.sort_unstable();
    items.dedup();
    let sent = ctx.ports().control.execute_now(&items);
    sent.map_err(|error| ApiError::application(refusal(ctx, &error)))?;
    let n = u64::try_from(tasks.len()).unwrap_or(0);
    let first = NEXT.fetch_add(n, Ordering::Relaxed);
    Ok(answer(OBJECT.ids, &(first..first + n).collect::<Vec<u64>>()))
}

/// Items that are named in one refusal.
const NAMED_MAX: usize = 20;

fn refusal(ctx: &Ctx, error: &ControlError) -> String {
    let ControlError::Items(items) = error else { return format!("Cannot send request: {error}.") };
    if let [(_, why)] = items.as_slice() {
        return format!("Cannot send request: {why}.");
    }
    let named = items.iter().take(NAMED_MAX).map(|(id, why)| {
        let found = ctx.snapshot.item(*id);
        let name = found.map_or_else(String::new, |(_, row)| row.name().into_owned());
        let host = found.map_or("", |(holder, _)| &*holder.name);
        format!("item \"{name}\" on host \"{host}\": {why}")
    });
    let mut text = named.collect::<Vec<_>>().join("; ");
    if let Some(n_more @ 1..) = items.len().checked_sub(NAMED_MAX) {
        text.push_str(&format!("; and {n_more} more"));
    }
    format!("Cannot send request: {text}.")
}

/// The item that has to be polled: of a dependent one its master.
fn item_of(ctx: &Ctx, task: &Fields) -> Result<ItemId, ApiError> {
    let request = task.get("request").and_then(Value::as_object);
    let id = request.and_then(|it| id_of(it, "itemid")).unwrap_or_default();
    let found = ctx.snapshot.item(ItemId(id)).filter(|(holder, row)| {
        let is_live = row.is_live() && ctx.snapshot.hosts.contains_key(&holder.id);
        is_live && ctx.may_read(holder)
    });
    let (holder, row) = found.ok_or_else(ApiError::no_permissions)?;
    // On hosts that are the user's to write the role has no say.
    if !ctx.may_act(RoleAction::InvokeExecuteNow) && !ctx.may_write(holder) {
        return Err(ApiError::no_permissions());
    }
    let refuse = |why: &str| Err(ApiError::params(format!("Cannot send request: {why}.")));
    let noun = if row.flags.is_rule() { "discovery rule" } else { "item" };
    let is_polled = |it: &ItemRow| it.content.kind.is_polled() || items::is_web_scenario(it);
    let is_dependent = |it: &ItemRow| it.content.kind == ItemType::Dependent;
    if !is_polled(row) && !is_dependent(row) {
        return refuse(&format!("wrong {noun} type"));
    }
    if holder.status != HostStatus::Monitored || row.content.status == ItemStatus::Disabled {
        let name = row.name();
        return refuse(&format!("{noun} \"{name}\" on host \"{}\" is not monitored", holder.name));
    }
    let mut polled = row;
    while is_dependent(polled) {
        let master = polled.content.master_itemid;
        match ctx.snapshot.item_meant(holder, master, polled.discovered()) {
            Some((_, it)) if it.id != polled.id => polled = it,
            _ => return refuse("wrong master item type"),
        }
    }
    if !is_polled(polled) {
        return refuse("wrong master item type");
    }
    if polled.content.status == ItemStatus::Disabled {
        let name = polled.name();
        return refuse(&format!("item \"{name}\" on host \"{}\" is not monitored", holder.name));
    }
    Ok(polled.id)
}
