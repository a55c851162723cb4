//! `history.get` and `trend.get`.

use model::value::Sample;
use model::{HostId, ItemId, Time, Value as ItemValue, ValueType};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{Field, FieldType, Object, Params, Rule, Select};
use crate::error::ApiError;
use crate::json::{Scalar, flag, item_value, text};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::items;
use crate::objects::common::scope::Get;
use crate::ports::{HistoryError, RangeQuery};
use crate::query::{self, Output, Rows};
use crate::shared::Ctx;

const TEXT: FieldType = FieldType::Text { max: 65_535 };

const LOG_FIELDS: &[Field] = &[
    Field::new("itemid", FieldType::Id, Rule::ReadOnly, "Item"),
    Field::new("clock", FieldType::Timestamp, Rule::ReadOnly, "When it was collected"),
    Field::new(
        "timestamp",
        FieldType::Timestamp,
        Rule::ReadOnly,
        "Of logs: time that the log says",
    ),
    Field::new("source", TEXT, Rule::ReadOnly, "Of logs"),
    Field::new("severity", FieldType::Int { min: 0, max: 255 }, Rule::ReadOnly, "Of logs"),
    Field::new("value", TEXT, Rule::ReadOnly, "The value"),
    Field::new("logeventid", FieldType::Id, Rule::ReadOnly, "Of logs"),
    Field::new("ns", FieldType::Int { min: 0, max: 999_999_999 }, Rule::ReadOnly, "… nanoseconds"),
];
const FIELDS: &[Field] = &[LOG_FIELDS[0], LOG_FIELDS[1], LOG_FIELDS[5], LOG_FIELDS[7]];

const LOG: Object = Object {
    name: "history",
    type_name: "HistoryValue",
    id: "itemid",
    ids: "itemids",
    fields: LOG_FIELDS,
    selects: &[],
    params: Params::of(&["history", "hostids", "itemids", "time_from", "time_till"]).strict(),
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
        Field::new("itemid", FieldType::Id, Rule::ReadOnly, "Item"),
        Field::new("clock", FieldType::Timestamp, Rule::ReadOnly, "Start of the hour"),
        Field::new("num", FieldType::Int { min: 0, max: i64::MAX }, Rule::ReadOnly, "Values in it"),
        Field::new("value_min", FieldType::Float, Rule::ReadOnly, "Smallest value"),
        Field::new("value_avg", FieldType::Float, Rule::ReadOnly, "Average"),
        Field::new("value_max", FieldType::Float, Rule::ReadOnly, "Largest value"),
    ],
    selects: &[],
    params: Params::of(&["trend", "itemids", "time_from", "time_till"]),
    sort: &["itemid", "clock"],
    doc: "Values by the hour; none yet",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(&LOG, &[Method::get("history.get", get)]);
pub(crate) const TREND_ENTRY: ObjectEntry =
    ObjectEntry::new(&TREND, &[Method::read("trend.get", get_trends)]);

/// Values that are kept to be sorted: some 100 MB. Others are written as they are read.
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
        match name {
            "value" => text(item_value(&sample.value)),
            _ => other_field(*item, sample, name).value(),
        }
    }

    fn write(&self, (item, sample): &Self::Row, name: &str, out: &mut Vec<u8>) {
        match (name, &sample.value) {
            ("value", ItemValue::Unsigned(it)) => Scalar::Id(*it).put(out),
            ("value", ItemValue::Text(it)) => Scalar::Text(it).put(out),
            ("value", ItemValue::Log(it)) => Scalar::Text(&it.value).put(out),
            ("value", it @ ItemValue::Float(_)) => Scalar::Text(&item_value(it)).put(out),
            _ => other_field(*item, sample, name).put(out),
        }
    }

    fn select(&self, _: &Self::Row, _: &Select, _: &Output) -> Result<Value, ApiError> {
        Ok(json!([]))
    }
}

/// All but the value.
fn other_field<'a>(item: ItemId, sample: &'a Sample, name: &str) -> Scalar<'a> {
    let log = match &sample.value {
        ItemValue::Log(it) => Some(it),
        _ => None,
    };
    match name {
        "itemid" => Scalar::Id(item.0),
        "clock" => Scalar::Number(sample.time.clock()),
        "ns" => Scalar::Number(sample.time.ns().into()),
        "timestamp" => Scalar::Number(log.map_or(0, |it| it.timestamp)),
        "source" => Scalar::Text(log.map_or("", |it| it.source.as_str())),
        "severity" => Scalar::Number(log.map_or(0, |it| it.severity.into())),
        "logeventid" => Scalar::Number(log.map_or(0, |it| it.logeventid)),
        _ => Scalar::Unknown,
    }
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let kind = match params.get("history") {
        None => 3,
        Some(given) => crate::validate::number(given)
            .ok_or_else(|| ApiError::field("/history", "an integer is expected"))?,
    };
    let kind = ValueType::from_code(kind)
        .ok_or_else(|| ApiError::field("/history", "value must be one of 0, 1, 2, 3, 4, 5"))?;
    let object = if kind == ValueType::Log { &LOG } else { &HISTORY };
    let mut get = Get::new(ctx, object, params)?;
    let options = &get.options;
    let is_number = matches!(kind, ValueType::Float | ValueType::Unsigned);
    if is_number && !options.search.is_empty() {
        return Err(ApiError::field("/search", "should be empty"));
    }
    let is_filtered = !options.filter.is_empty() || !options.search.is_empty();
    // By default, and by clock, the nearest values of each item are enough.
    let by_clock = options.sort.iter().find(|(field, _)| field == "clock");
    let limit = options.limit.filter(|_| !is_filtered).unwrap_or(usize::MAX);
    let from = get.number("time_from")?.map_or(Time(i64::MIN), |it| Time::from_clock(it, 0));
    let till = get.number("time_till")?;
    let till = till.map_or(Time::MAX, |it| Time::from_clock(it, 999_999_999));
    let newest_first = by_clock.is_some_and(|(_, falls)| *falls);
    let items = items(&get, kind)?;
    let options = &mut get.options;
    if let [_] = items.as_slice()
        && let [(field, _), others @ ..] = options.sort.as_slice()
        && field == "clock"
        && others.iter().all(|(field, falls)| field == "itemid" || *falls == newest_first)
    {
        // Values of one item come in this order.
        options.sort.clear();
    }
    let is_kept = !options.sort.is_empty() && !options.count;
    let query = RangeQuery { item: ItemId::NONE, kind, from, till, limit: 0, newest_first };
    let mut values = Values {
        ctx,
        items: items.into_iter(),
        whole: query,
        of_each: limit,
        room: if is_kept { VALUES_MAX } else { usize::MAX },
        item: ItemPages::ended(query),
        page: Vec::new().into_iter(),
        failed: None,
    };
    let answer = query::answer(object, &ValueRows, values.by_ref(), &get.options);
    // Why there are no more values is told before what that led to.
    values.failed.map_or(answer, Err)
}

/// Values read at once: numbers, and texts, of which each may have 64 kB.
const PAGE_NUMBERS: usize = 20_000;
const PAGE_TEXTS: usize = 1_000;

/// The values of one item after the other, read as they are asked for.
struct Values<'a> {
    ctx: &'a Ctx,
    items: std::vec::IntoIter<ItemId>,
    /// What is wanted of each item, and how many values.
    whole: RangeQuery,
    of_each: usize,
    /// How many values there may yet be.
    room: usize,
    item: ItemPages,
    page: std::vec::IntoIter<Sample>,
    /// Why there are no more.
    failed: Option<ApiError>,
}

/// The values of one item, page by page.
struct ItemPages {
    /// What is not read yet.
    rest: RangeQuery,
    /// Values at the near end of it that are.
    n_seen: usize,
    /// How many more are wanted.
    left: usize,
}

impl ItemPages {
    fn ended(rest: RangeQuery) -> Self {
        Self { rest, n_seen: 0, left: 0 }
    }

    fn read(&mut self, ctx: &Ctx) -> Result<Vec<Sample>, ApiError> {
        let page = if self.rest.kind.is_numeric() { PAGE_NUMBERS } else { PAGE_TEXTS };
        let n_wanted = page.min(self.left);
        let limit = n_wanted.saturating_add(self.n_seen);
        let mut found = ctx.ports().history.range(&RangeQuery { limit, ..self.rest })?;
        let is_last = found.len() < limit;
        if let Some(end) = found.last().map(|it| it.time) {
            // The next page begins in the midst of the values of this time.
            let n_at_end = found.iter().rev().take_while(|it| it.time == end).count();
            let near =
                if self.rest.newest_first { &mut self.rest.till } else { &mut self.rest.from };
            *near = end;
            found.drain(..self.n_seen.min(found.len()));
            self.n_seen = n_at_end;
        }
        self.left = if is_last { 0 } else { self.left - n_wanted };
        Ok(found)
    }
}

impl Values<'_> {
    fn read(&mut self) -> Result<(), ApiError> {
        let found = self.item.read(self.ctx)?;
        let Some(room) = self.room.checked_sub(found.len()) else {
            let what =
                "Too many values to sort: ask for a shorter time, fewer items, or in no order.";
            return Err(ApiError::application(what));
        };
        self.room = room;
        self.page = found.into_iter();
        Ok(())
    }
}

impl Iterator for Values<'_> {
    type Item = (ItemId, Sample);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(it) = self.page.next() {
                return Some((self.item.rest.item, it));
            }
            if self.item.left == 0 {
                let rest = RangeQuery { item: self.items.next()?, ..self.whole };
                self.item = ItemPages { rest, n_seen: 0, left: self.of_each };
                continue;
            }
            if let Err(error) = self.read() {
                self.items = Vec::new().into_iter();
                self.item.left = 0;
                self.failed = Some(error);
            }
        }
    }
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
        .filter(|it| items::is_item(it.flags) && it.content.value_type == kind)
        .map(|it| it.id)
        .collect())
}

fn get_trends(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let get = Get::new(ctx, &TREND, params)?;
    Ok(if get.options.count { flag(false) } else { json!([]) })
}
