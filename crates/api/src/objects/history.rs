//! `history.get` and `trend.get`.

use model::value::Sample;
use model::{HostId, ItemId, Time, Value as ItemValue, ValueType};
use serde_json::{Value, json};

use super::holder;
use super::scope::Get;
use super::{Entry, Method};
use crate::describe::{Field, Kind, Object, Rule, Select};
use crate::error::ApiError;
use crate::json::{empty, flag, item_value, number, text};
use crate::ports::{HistoryError, RangeQuery};
use crate::query::{self, Output, Rows};
use crate::shared::Ctx;

const TEXT: Kind = Kind::Text { max: 65_535 };

const LOG_FIELDS: &[Field] = &[
    Field::new("itemid", Kind::Id, Rule::ReadOnly, "Item"),
    Field::new("clock", Kind::Timestamp, Rule::ReadOnly, "When it was collected"),
    Field::new("ns", Kind::Int { min: 0, max: 999_999_999 }, Rule::ReadOnly, "… nanoseconds"),
    Field::new("value", TEXT, Rule::ReadOnly, "The value"),
    Field::new("timestamp", Kind::Timestamp, Rule::ReadOnly, "Of logs: time that the log says"),
    Field::new("source", TEXT, Rule::ReadOnly, "Of logs"),
    Field::new("severity", Kind::Int { min: 0, max: 255 }, Rule::ReadOnly, "Of logs"),
    Field::new("logeventid", Kind::Id, Rule::ReadOnly, "Of logs"),
];
const FIELDS: &[Field] = &[LOG_FIELDS[0], LOG_FIELDS[1], LOG_FIELDS[2], LOG_FIELDS[3]];

const LOG: Object = Object {
    name: "history",
    type_name: "HistoryValue",
    id: "itemid",
    ids: "itemids",
    fields: LOG_FIELDS,
    selects: &[],
    sort: &["itemid", "clock", "ns"],
    doc: "Values as they were collected",
};
const HISTORY: Object = Object { fields: FIELDS, ..LOG };

const TREND: Object = Object {
    name: "trend",
    type_name: "Trend",
    id: "itemid",
    ids: "itemids",
    fields: &[
        Field::new("itemid", Kind::Id, Rule::ReadOnly, "Item"),
        Field::new("clock", Kind::Timestamp, Rule::ReadOnly, "Start of the hour"),
        Field::new("num", Kind::Int { min: 0, max: i64::MAX }, Rule::ReadOnly, "Values in it"),
        Field::new("value_min", Kind::Float, Rule::ReadOnly, "Smallest value"),
        Field::new("value_avg", Kind::Float, Rule::ReadOnly, "Average"),
        Field::new("value_max", Kind::Float, Rule::ReadOnly, "Largest value"),
    ],
    selects: &[],
    sort: &["itemid", "clock"],
    doc: "Values by the hour; none yet",
};

pub(crate) const ENTRY: Entry =
    Entry { object: &LOG, methods: &[Method::read("history.get", get)] };
pub(crate) const TREND_ENTRY: Entry =
    Entry { object: &TREND, methods: &[Method::read("trend.get", get_trends)] };

/// Values that one answer may hold: some 100 MB of text.
const VALUES_MAX: usize = 1_000_000;

impl From<HistoryError> for ApiError {
    fn from(error: HistoryError) -> Self {
        tracing::error!(%error, "history cannot be read");
        Self::new(crate::error::Class::System, format!("Cannot read history: {error}."))
    }
}

struct ValueRows;

impl Rows for ValueRows {
    type Row = (ItemId, Sample);

    fn field(&self, (item, sample): &Self::Row, name: &str) -> Value {
        let log = match &sample.value {
            ItemValue::Log(it) => Some(it),
            _ => None,
        };
        match name {
            "itemid" => number(item),
            "clock" => number(sample.time.clock()),
            "ns" => number(sample.time.ns()),
            "value" => text(item_value(&sample.value)),
            "timestamp" => number(log.map_or(0, |it| it.timestamp)),
            "source" => log.map_or_else(empty, |it| text(it.source.as_str())),
            "severity" => number(log.map_or(0, |it| it.severity)),
            "logeventid" => number(log.map_or(0, |it| it.logeventid)),
            _ => Value::Null,
        }
    }

    fn select(&self, _: &Self::Row, _: &Select, _: &Output) -> Result<Value, ApiError> {
        Ok(json!([]))
    }
}

fn get(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let kind = params.get("history").and_then(crate::validate::number).unwrap_or(3);
    let kind = ValueType::from_code(kind)
        .ok_or_else(|| ApiError::field("/history", "value must be one of 0, 1, 2, 3, 4, 5"))?;
    let object = if kind == ValueType::Log { &LOG } else { &HISTORY };
    let get = Get::new(ctx, object, params)?;
    let options = &get.options;
    let is_filtered = !options.filter.is_empty() || !options.search.is_empty();
    // By default, and by clock, the nearest values of each item are enough.
    let by_clock = options.sort.iter().find(|(field, _)| field == "clock");
    let limit = options.limit.filter(|_| !is_filtered).unwrap_or(usize::MAX);
    let from = get.number("time_from")?.map_or(Time(i64::MIN), |it| Time::from_clock(it, 0));
    let till = get.number("time_till")?;
    let till = till.map_or(Time::MAX, |it| Time::from_clock(it, 999_999_999));
    let mut rows: Vec<(ItemId, Sample)> = Vec::new();
    for item in items(&get, kind)? {
        let room = VALUES_MAX - rows.len();
        let query = RangeQuery {
            item,
            kind,
            from,
            till,
            limit: limit.min(room + 1),
            newest_first: by_clock.is_some_and(|(_, falls)| *falls),
        };
        let found = ctx.ports().history.range(&query)?;
        if room < found.len() {
            let what = "Too many values: ask for a shorter time, fewer items, or with a limit.";
            return Err(ApiError::application(what));
        }
        rows.extend(found.into_iter().map(|it| (item, it)));
        let is_enough = options.sort.is_empty() && limit <= rows.len();
        if is_enough {
            break;
        }
    }
    query::answer(object, &ValueRows, rows.into_iter(), options)
}

/// The items that are asked for and the user may see.
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
        .filter(|it| holder::is_item(it.flags) && it.content.value_type == kind)
        .map(|it| it.id)
        .collect())
}

fn get_trends(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let get = Get::new(ctx, &TREND, params)?;
    Ok(if get.options.count { flag(false) } else { json!([]) })
}
