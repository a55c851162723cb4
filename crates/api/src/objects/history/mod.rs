//! `history.get` and `history.clear`; `history.push` and `trend.get` in files of their own.

mod order;
pub(crate) mod push;
pub(crate) mod pushed;
mod trends;
mod values;

use db::{Act, AuditAction};
use model::value::{LogEntry, Sample};
use model::{HostId, ItemId, Time, Value as ItemValue, ValueType};
use serde_json::{Map, Value, json};

pub(crate) use trends::TREND_ENTRY;

use crate::answer::Answer;
use crate::describe::{Field, FieldType, Nouns, Object, Params, RoleRule, Rule, Select};
use crate::error::{ApiError, param};
use crate::json::Scalar;
use crate::method::{Method, ObjectEntry};
use crate::objects::common::crud::answer;
use crate::objects::common::items;
use crate::objects::common::scope::Get;
use crate::objects::history::order::Order;
use crate::objects::history::values::{Values, Wanted};
use crate::ports::{HistoryError, RangeQuery};
use crate::query::table::{self, PartColumn};
use crate::query::{self, Output, Rows};
use crate::shared::Ctx;
use crate::validate;

const TEXT: FieldType = FieldType::Text { max: 65_535 };

/// A value and its item.
type ItemValueOf = (ItemId, Sample);
type ValueColumn = PartColumn<ItemValueOf>;

fn log(value: &ItemValue) -> Option<&LogEntry> {
    match value {
        ItemValue::Log(it) => Some(it),
        _ => None,
    }
}

const ITEMID: ValueColumn =
    ValueColumn::of_content(Field::new("itemid", FieldType::Id, Rule::ReadOnly, "Item"), |it| {
        Scalar::Id(it.0.0)
    });
const CLOCK: ValueColumn = ValueColumn::of_content(
    Field::new("clock", FieldType::Timestamp, Rule::ReadOnly, "When it was collected"),
    |(_, it)| Scalar::Number(it.time.clock()),
);
const VALUE: ValueColumn =
    ValueColumn::of_content(Field::new("value", TEXT, Rule::ReadOnly, "The value"), |(_, it)| {
        match &it.value {
            ItemValue::Unsigned(it) => Scalar::Id(*it),
            ItemValue::Text(it) => Scalar::Text(it),
            ItemValue::Log(it) => Scalar::Text(&it.value),
            ItemValue::Float(it) => Scalar::Float(*it),
        }
    });
const NS: ValueColumn = ValueColumn::of_content(
    Field::new("ns", FieldType::Int { min: 0, max: 999_999_999 }, Rule::ReadOnly, "… nanoseconds"),
    |(_, it)| Scalar::Number(it.time.ns().into()),
);
const LOG_COLUMNS: &[ValueColumn] = &[
    ITEMID,
    CLOCK,
    ValueColumn::of_content(
        Field::new(
            "timestamp",
            FieldType::Timestamp,
            Rule::ReadOnly,
            "Of logs: time of the log entry",
        ),
        |(_, it)| Scalar::Number(log(&it.value).map_or(0, |it| it.timestamp)),
    ),
    ValueColumn::of_content(Field::new("source", TEXT, Rule::ReadOnly, "Of logs"), |(_, it)| {
        Scalar::Text(log(&it.value).map_or("", |it| it.source.as_str()))
    }),
    ValueColumn::of_content(
        Field::new("severity", FieldType::Int { min: 0, max: 255 }, Rule::ReadOnly, "Of logs"),
        |(_, it)| Scalar::Number(log(&it.value).map_or(0, |it| it.severity.into())),
    ),
    VALUE,
    ValueColumn::of_content(
        Field::new("logeventid", FieldType::Id, Rule::ReadOnly, "Of logs"),
        |(_, it)| Scalar::Number(log(&it.value).map_or(0, |it| it.logeventid)),
    ),
    NS,
];
const LOG_FIELDS: [Field; LOG_COLUMNS.len()] = table::fields(LOG_COLUMNS);
const FIELDS: [Field; 4] = table::fields(&[ITEMID, CLOCK, VALUE, NS]);

const LOG: Object = Object {
    name: "history",
    type_name: "HistoryValue",
    nouns: Nouns { one: "a value", several: "collected values" },
    resource: None,
    role: RoleRule::ANY_PAGE,
    writes: None,
    id: "itemid",
    ids: "itemids",
    fields: &LOG_FIELDS,
    selects: &[],
    params: Params::of(&["history", "hostids", "itemids", "time_from", "time_till"])
        .strict()
        .without(&["preservekeys"])
        .without_id()
        .found_by(
            &["itemid", "clock", "timestamp", "source", "severity", "logeventid", "ns"],
            &["source", "value"],
        ),
    sort: &["itemid", "clock", "ns"],
    doc: "Values as they were collected",
};
const TEXTS: Object = Object {
    fields: &FIELDS,
    params: LOG.params.found_by(&["itemid", "clock", "ns"], &["value"]),
    ..LOG
};
const NUMBERS: Object =
    Object { params: TEXTS.params.found_by(&["itemid", "clock", "ns", "value"], &[]), ..TEXTS };

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &LOG,
    &[
        Method::get("history.get", get),
        Method::edit("history.clear", clear),
        Method::push(pushed::NAME, push::PUSHED),
    ],
);
/// Values that are kept to be sorted: some 100 MB. Only orders that values do not come in need that.
const VALUES_MAX: usize = 1_000_000;

impl From<HistoryError> for ApiError {
    fn from(error: HistoryError) -> Self {
        tracing::error!(%error, "history cannot be read");
        Self::new(crate::error::ErrorClass::System, format!("Cannot read history: {error}."))
    }
}

/// Deletes all values of items.
fn clear(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let ids = validate::ids(params)?;
    let mut cleared = Vec::with_capacity(ids.len());
    let mut acts = Vec::with_capacity(ids.len());
    for id in &ids {
        let found = ctx.snapshot.item(ItemId(*id)).filter(|(holder, row)| {
            row.is_live() && items::is_item(row.flags) && ctx.may_write(holder)
        });
        let (_, row) = found.ok_or_else(ApiError::no_permissions)?;
        cleared.push(row.id);
        acts.push(Act {
            action: AuditAction::HistoryClear,
            kind: "item",
            resourceid: row.id.0,
            name: row.name().into_owned(),
            details: Map::new(),
        });
    }
    ctx.ports().control.clear_history(&cleared).map_err(|error| {
        tracing::error!(%error, "history cannot be deleted");
        ApiError::new(crate::error::ErrorClass::System, format!("Cannot delete history: {error}."))
    })?;
    ctx.note_acts(acts);
    Ok(answer(LOG.ids, &ids))
}

struct ValueRows;

impl Rows for ValueRows {
    type Row = ItemValueOf;

    fn field(&self, row: &Self::Row, name: &str) -> Value {
        table::scalar(LOG_COLUMNS, &(), row, name).value()
    }

    fn write(&self, row: &Self::Row, name: &str, out: &mut Vec<u8>) {
        table::scalar(LOG_COLUMNS, &(), row, name).put(out);
    }

    fn select(&self, _: &Self::Row, _: &Select, _: &Output) -> Result<Value, ApiError> {
        Ok(json!([]))
    }
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let kind = match params.get("history") {
        None => 3,
        Some(given) => {
            validate::integer(given).map_err(|what| ApiError::field(param("history"), what))?
        }
    };
    let kind = ValueType::from_code(kind).ok_or_else(|| {
        ApiError::field(param("history"), "value must be one of 0, 1, 2, 3, 4, 5")
    })?;
    let object = match kind {
        ValueType::Log => &LOG,
        ValueType::Text | ValueType::Char => &TEXTS,
        _ => &NUMBERS,
    };
    let mut get = Get::new(ctx, object, params)?;
    let from = get.number("time_from")?.map_or(Time(i64::MIN), |it| Time::from_clock(it, 0));
    let till = get.number("time_till")?;
    let till = till.map_or(Time::MAX, |it| Time::from_clock(it, 999_999_999));
    let items = items(&get, kind)?;
    let options = &mut get.options;
    let order = if options.count { Some(Order::NATURAL) } else { Order::of(&options.sort, &items) };
    if order.is_some() {
        // Values come as they are wanted.
        options.sort.clear();
    }
    let is_filtered = !options.filter.is_empty() || !options.search.is_empty();
    let of_each =
        if is_filtered || options.count || order.is_none() { None } else { options.limit };
    let wanted = Wanted {
        whole: RangeQuery { item: ItemId::NONE, kind, from, till, limit: 0, newest_first: false },
        order: order.unwrap_or(Order::NATURAL),
        of_each: of_each.unwrap_or(usize::MAX),
        // Of a page, no more than twice as many as it holds are kept.
        room: if order.is_none() && options.limit.is_none_or(|it| VALUES_MAX / 2 < it) {
            VALUES_MAX
        } else {
            usize::MAX
        },
    };
    let mut values = Values::new(ctx, items, wanted);
    let answer = query::answer(object, &ValueRows, values.by_ref(), &get.options);
    // The error that ended the values comes before one that followed from it.
    values.failed.map_or(answer, Err)
}

/// The requested items that the user may see.
fn items(get: &Get<'_>, kind: ValueType) -> Result<Vec<ItemId>, ApiError> {
    let ctx = get.ctx;
    let hosts = get.ids("hostids")?;
    if let Some(ids) = get.ids("itemids")? {
        let found = ids.into_iter().filter_map(|it| ctx.snapshot.item(ItemId(it)));
        let found = found.filter(|(holder, row)| row.is_live() && ctx.may_read(holder));
        let of_hosts = |id: HostId| hosts.as_ref().is_none_or(|it| it.contains(&id.0));
        // An item that changed its type keeps its old history.
        return Ok(found.filter(|(holder, _)| of_hosts(holder.id)).map(|(_, it)| it.id).collect());
    }
    let holders = match hosts {
        Some(ids) => {
            ids.into_iter().filter_map(|it| ctx.snapshot.hosts.get(&HostId(it))).collect::<Vec<_>>()
        }
        None => ctx.snapshot.hosts.values().collect(),
    };
    let holders = holders.into_iter().filter(|it| ctx.may_read(it));
    let items = holders.flat_map(|it| it.items.iter());
    Ok(items
        .filter(|it| items::is_item(it.flags) && it.content.value_type == kind)
        .map(|it| it.id)
        .collect())
}
