//! `task.*`: execute now, and the server's figures (diagnostic information).

mod diagnostics;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use model::ItemId;
use model::content::{HostStatus, ItemStatus, ItemType, RoleAction, RoleType};
use model::field_path::FieldPath;
use model::map::{Map, Set};
use model::snapshot::{Host, ItemRow};
use serde_json::{Value, json};

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
const PROXIES: &str = "2";
/// The codes of Zabbix's get for tasks of the first kind, and for finished ones.
const OF_DATA: &str = "7";
const DONE: &str = "3";
const TTL_S: &str = "3600";

const ITEM: Field = Field::new("itemid", FieldType::Id, Rule::Required, "Item or discovery rule");
const EXECUTION: &[Field] = &[ITEM];
const REFRESH: &[Field] = &[Field::new("proxyids", IDS, Rule::Required, "Proxies").judged_later()];
const IDS: FieldType = FieldType::Texts { max: 20 };
const ANY: &[Field] = &[
    Field::new("itemid", FieldType::Id, Rule::Optional, "Type 6: item or discovery rule"),
    Field::new("proxyids", IDS, Rule::Optional, "Type 2: proxies; there are none yet"),
    DIAGNOSTICS[0],
    DIAGNOSTICS[1],
    DIAGNOSTICS[2],
    DIAGNOSTICS[3],
    DIAGNOSTICS[4],
    DIAGNOSTICS[5],
];

const TYPE: Field = Field::new(
    "type",
    FieldType::Code(&[1, 2, 6]),
    Rule::Required,
    "1 diagnostic information, 2 refresh of the configuration of proxies, 6 execute now; get returns 7 for the \
     former and none of the latter",
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
    let of_kind = match kind {
        Some(1) => request(DIAGNOSTICS),
        Some(2) => request(REFRESH),
        _ => request(EXECUTION),
    };
    let task = validate::part(&[TYPE, of_kind, PROXY], value, path)?;
    let path = path.member("request");
    match kind {
        Some(1) => diagnostics::check(value, &path)?,
        Some(2) => {
            let ids = value.get("request").and_then(|it| it.get("proxyids"));
            let ids = ids.filter(|it| it.is_array() || it.is_object());
            let path = path.member("proxyids");
            let ids = ids.ok_or_else(|| ApiError::field(&path, "an array is expected"))?;
            validate::ids_at(ids, &path)?;
        }
        _ => {}
    }
    Ok(task)
}

fn create(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let list = validate::elements(params, false)
        .ok_or_else(|| ApiError::field(FieldPath::root(), "an array is expected"))?;
    if list.is_empty() {
        return Err(ApiError::field(FieldPath::root(), "cannot be empty"));
    }
    let each = list.iter().enumerate().map(|(at, it)| given(it, &FieldPath::object(at)));
    let tasks: Vec<Fields> = each.collect::<Result<_, _>>()?;
    let is = |task: &Fields, kind: &str| task.get("type").and_then(Value::as_str) == Some(kind);
    if tasks.iter().any(|it| !is(it, EXECUTE)) && !ctx.is_super_admin() {
        return Err(ApiError::application("You do not have permission to perform this operation."));
    }
    let has_proxy = |it: &Fields| match it.get("type").and_then(Value::as_str) {
        Some(DIAGNOSTIC) => id_of(it, PROXY.name).is_some_and(|it| it != 0),
        kind => kind == Some(PROXIES),
    };
    if tasks.iter().any(has_proxy) {
        return Err(ApiError::no_permissions());
    }
    let asked: Vec<ItemId> = tasks.iter().filter(|it| is(it, EXECUTE)).map(item).collect();
    let polled = polled_for(ctx, &asked)?;
    let mut items = polled.clone();
    items.sort_unstable();
    items.dedup();
    if !items.is_empty() {
        let sent = ctx.ports().control.execute_now(&items);
        sent.map_err(|error| ApiError::application(refusal(ctx, &error)))?;
    }
    let n = u64::try_from(tasks.len()).unwrap_or(0);
    let mut next = NEXT.fetch_add(n, Ordering::Relaxed);
    let mut polled = polled.into_iter();
    // One poll is one task, as often as it is asked for.
    let mut of_items: Map<ItemId, u64> = Map::default();
    let mut ids = Vec::with_capacity(tasks.len());
    for mut task in tasks {
        let of_item = if is(&task, EXECUTE) { polled.next() } else { None };
        if let Some(known) = of_item.and_then(|it| of_items.get(&it)) {
            ids.push(*known);
            continue;
        }
        let taskid = next;
        next += 1;
        ids.push(taskid);
        if let Some(item) = of_item {
            of_items.insert(item, taskid);
        } else {
            let request = task.remove("request").unwrap_or_default();
            let data = diagnostics::answer(ctx, &request);
            ctx.task_log().push(Task { taskid, clock: ctx.now.clock(), request, data });
        }
    }
    Ok(answer(OBJECT.ids, &ids))
}

fn item(task: &Fields) -> ItemId {
    let request = task.get("request").and_then(Value::as_object);
    ItemId(request.and_then(|it| id_of(it, ITEM.name)).unwrap_or_default())
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let nothing = Fields::new();
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

type Found<'a> = (&'a Arc<Host>, &'a ItemRow);

fn refused<T>(why: &str) -> Result<T, ApiError> {
    Err(ApiError::params(format!("Cannot send request: {why}.")))
}

fn is_polled(row: &ItemRow) -> bool {
    row.content.kind.is_polled() || items::is_web_scenario(row)
}

fn is_dependent(row: &ItemRow) -> bool {
    row.content.kind == ItemType::Dependent
}

/// The items that have to be polled for these: of a dependent one its master. All have to be there and the user's
/// before their types are judged, and masters are judged last.
fn polled_for(ctx: &Ctx, asked: &[ItemId]) -> Result<Vec<ItemId>, ApiError> {
    let found = asked.iter().map(|it| executable(ctx, *it));
    let found: Vec<Found<'_>> =
        found.collect::<Option<_>>().ok_or_else(ApiError::no_permissions)?;
    for (holder, row) in &found {
        let noun = if row.flags.is_rule() { "discovery rule" } else { "item" };
        if !is_polled(row) && !is_dependent(row) {
            return refused(&format!("wrong {noun} type"));
        }
        check_monitored(noun, holder, row)?;
    }
    found.into_iter().map(|it| master_of(ctx, it)).collect()
}

/// The item or rule of a host that the user may poll. On hosts that are the user's to write the role has no say.
fn executable(ctx: &Ctx, id: ItemId) -> Option<Found<'_>> {
    ctx.snapshot.item(id).filter(|(holder, row)| {
        let is_live = row.is_live() && ctx.snapshot.hosts.contains_key(&holder.id);
        let may_act = ctx.may_act(RoleAction::InvokeExecuteNow) && ctx.may_read(holder);
        is_live && (may_act || ctx.may_write(holder))
    })
}

fn check_monitored(noun: &str, holder: &Host, row: &ItemRow) -> Result<(), ApiError> {
    if holder.status == HostStatus::Monitored && row.content.status != ItemStatus::Disabled {
        return Ok(());
    }
    refused(&format!("{noun} \"{}\" on host \"{}\" is not monitored", row.name(), holder.name))
}

fn master_of(ctx: &Ctx, (holder, row): Found<'_>) -> Result<ItemId, ApiError> {
    let mut polled = row;
    while is_dependent(polled) {
        let master = polled.content.master_itemid;
        match ctx.snapshot.item_meant(holder, master, polled.discovered()) {
            Some((_, it)) if it.id != polled.id => polled = it,
            _ => return refused("wrong master item type"),
        }
        if !is_polled(polled) && !is_dependent(polled) {
            return refused("wrong master item type");
        }
        check_monitored("item", holder, polled)?;
    }
    Ok(polled.id)
}
