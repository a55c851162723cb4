//! `task.*`: execute now, and the server's figures (diagnostic information).

mod diagnostics;

use std::sync::atomic::{AtomicU64, Ordering};

use model::ItemId;
use model::content::{HostStatus, ItemStatus, ItemType, RoleAction, RoleType};
use model::field_path::FieldPath;
use model::map::Set;
use model::snapshot::ItemRow;
use serde_json::{Map, Value, json};

use self::diagnostics::REQUEST as DIAGNOSTICS;
use crate::answer::Answer;
use crate::describe::{Field, FieldType, Nouns, Object, Params, RoleRule, Rule};
use crate::error::{ApiError, param};
use crate::json::{Fields, id_of};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::crud::answer;
use crate::objects::common::items;
use crate::ports::ControlError;
use crate::shared::Ctx;
use crate::task_log::Task;
use crate::validate;

/// Kinds of tasks.
const DIAGNOSTIC: &str = "1";
const EXECUTE: &str = "6";
/// The codes of Zabbix's get for tasks of the first kind, and for finished ones.
const OF_DATA: &str = "7";
const DONE: &str = "3";
const TTL_S: &str = "3600";

const ITEM: Field = Field::new("itemid", FieldType::Id, Rule::Required, "Item or discovery rule");
const EXECUTION: &[Field] = &[ITEM];
const ANY: &[Field] = &[
    Field::new("itemid", FieldType::Id, Rule::Optional, "Type 6: item or discovery rule"),
    DIAGNOSTICS[0],
    DIAGNOSTICS[1],
    DIAGNOSTICS[2],
    DIAGNOSTICS[3],
    DIAGNOSTICS[4],
    DIAGNOSTICS[5],
];

const TYPE: Field = Field::new(
    "type",
    FieldType::Code(&[1, 6]),
    Rule::Required,
    "1 diagnostic information, 6 execute now; get returns 7 for the former and none of the latter",
);
const PROXY: Field =
    Field::new("proxyid", FieldType::Id, Rule::Default("0"), "Always 0: there are no proxies yet");

/// The parameters of `task.create`.
pub(crate) const GIVEN: &[Field] = &[TYPE, request(ANY), PROXY];

const fn request(fields: &'static [Field]) -> Field {
    Field::new(
        "request",
        FieldType::Object(fields),
        Rule::Required,
        "The object to execute, or the figures of the server to return",
    )
}

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
        TYPE,
        Field::new("status", FieldType::Code(&[3]), Rule::ReadOnly, "Always 3: done"),
        Field::new("clock", FieldType::Timestamp, Rule::ReadOnly, "When it was made"),
        Field::new(
            "ttl",
            FieldType::Int { min: 0, max: 3_600 },
            Rule::ReadOnly,
            "Seconds until it expires: an hour",
        ),
        PROXY,
        request(ANY),
        Field::new(
            "result",
            FieldType::Object(&[
                Field::new("data", FieldType::Object(&[]), Rule::ReadOnly, "What was asked for"),
                Field::new(
                    "status",
                    FieldType::Code(&[0]),
                    Rule::ReadOnly,
                    "Always 0: the figures are in the answer",
                ),
            ]),
            Rule::ReadOnly,
            "The result",
        ),
    ],
    selects: &[],
    params: Params::of(&["taskids"]).strict(),
    sort: &["taskid"],
    doc: "A one-time task. Only diagnostic information is kept for a while, the last 100",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[
        Method::get("task.get", get).of(RoleType::SuperAdmin),
        Method::edit("task.create", create).of(RoleType::User),
    ],
);

/// Tasks are done at once: their ids only have to differ.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A task of a request: its type decides about its `request`.
fn given(value: &Value, path: &FieldPath) -> Result<Fields, ApiError> {
    let kind = value.get("type").and_then(|it| validate::integer(it).ok());
    let fields = if kind == Some(1) {
        &[TYPE, request(DIAGNOSTICS), PROXY]
    } else {
        &[TYPE, request(EXECUTION), PROXY]
    };
    validate::part(fields, value, path)
}

fn create(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let list = validate::elements(params, false)
        .ok_or_else(|| ApiError::field(FieldPath::root(), "an array is expected"))?;
    if list.is_empty() {
        return Err(ApiError::field(FieldPath::root(), "cannot be empty"));
    }
    let mut tasks = Vec::with_capacity(list.len());
    for (at, it) in list.iter().enumerate() {
        tasks.push(given(it, &FieldPath::object(at))?);
    }
    let is = |task: &Fields, kind: &str| task.get("type").and_then(Value::as_str) == Some(kind);
    for (at, (task, given)) in tasks.iter().zip(&list).enumerate() {
        if is(task, DIAGNOSTIC) {
            diagnostics::check(given, &FieldPath::object(at).member("request"))?;
        }
    }
    if tasks.iter().any(|it| is(it, DIAGNOSTIC)) && !ctx.is_super_admin() {
        return Err(ApiError::application("You do not have permission to perform this operation."));
    }
    if tasks.iter().any(|it| id_of(it, "proxyid").is_some_and(|it| it != 0)) {
        return Err(ApiError::no_permissions());
    }
    let mut items = Vec::with_capacity(tasks.len());
    for task in tasks.iter().filter(|it| is(it, EXECUTE)) {
        items.push(item_of(ctx, task)?);
    }
    items.sort_unstable();
    items.dedup();
    if !items.is_empty() {
        let sent = ctx.ports().control.execute_now(&items);
        sent.map_err(|error| ApiError::application(refusal(ctx, &error)))?;
    }
    let n = u64::try_from(tasks.len()).unwrap_or(0);
    let first = NEXT.fetch_add(n, Ordering::Relaxed);
    for (taskid, mut task) in (first..).zip(tasks).filter(|(_, it)| is(it, DIAGNOSTIC)) {
        let request = task.remove("request").unwrap_or_default();
        let data = diagnostics::answer(ctx, &request);
        ctx.task_log().push(Task { taskid, clock: ctx.now.clock(), request, data });
    }
    Ok(answer(OBJECT.ids, &(first..first + n).collect::<Vec<u64>>()))
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let nothing = Map::new();
    let params = match params {
        Value::Object(it) => it,
        Value::Array(it) if it.is_empty() => &nothing,
        _ => return Err(ApiError::field(FieldPath::root(), "an array is expected")),
    };
    const KNOWN: [&str; 3] = ["taskids", "output", "preservekeys"];
    if let Some(name) = params.keys().find(|it| !KNOWN.contains(&it.as_str())) {
        return Err(ApiError::unexpected(FieldPath::root(), name));
    }
    let ids: Option<Set<u64>> = match params.get("taskids") {
        None | Some(Value::Null) => None,
        Some(Value::Array(it)) if it.is_empty() => Some(Set::default()),
        Some(it) => Some(validate::ids_at(it, &param("taskids"))?.into_iter().collect()),
    };
    let known: Vec<&str> = OBJECT.fields.iter().map(|it| it.name).collect();
    let wanted = match params.get("output") {
        None => known,
        Some(it) => validate::output(it, &known, &param("output"))?,
    };
    let by_id = match params.get("preservekeys") {
        None => false,
        Some(Value::Bool(it)) => *it,
        Some(_) => return Err(ApiError::field(param("preservekeys"), "a boolean is expected")),
    };
    let is_wanted = |it: &Task| ids.as_ref().is_none_or(|ids| ids.contains(&it.taskid));
    let rows =
        ctx.task_log().newest_first(is_wanted, |it| (it.taskid.to_string(), shown(it, &wanted)));
    let rows = rows.into_iter();
    Ok(Answer::Tree(if by_id {
        Value::Object(rows.collect())
    } else {
        rows.map(|it| it.1).collect()
    }))
}

fn shown(task: &Task, wanted: &[&str]) -> Value {
    let all = json!({
        "taskid": task.taskid.to_string(), "type": OF_DATA, "status": DONE, "clock": task.clock.to_string(), "ttl": TTL_S,
        "proxyid": "0", "request": task.request, "result": {"data": task.data, "status": "0"},
    });
    let Value::Object(mut all) = all else { return json!({}) };
    all.retain(|name, _| wanted.contains(&name.as_str()));
    Value::Object(all)
}

/// The most items that one error names.
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
