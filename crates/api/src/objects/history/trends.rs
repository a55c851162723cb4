//! `trend.get`: statistics of the numbers of each hour.

use model::record::{Hour, Num, Sum};
use model::{ItemId, Time, ValueType};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{Field, FieldType, Nouns, Object, Params, RoleRule, Rule, Select};
use crate::error::ApiError;
use crate::json::Scalar;
use crate::method::{Method, ObjectEntry};
use crate::objects::common::items;
use crate::objects::common::scope::Get;
use crate::ports::{Trend, TrendQuery};
use crate::query::table::{self, PartColumn};
use crate::query::{self, Output, Rows};
use crate::shared::Ctx;

type TrendOf = (ItemId, Trend);
type TrendColumn = PartColumn<TrendOf>;

/// Trends that are kept to be sorted otherwise than they come.
const TRENDS_MAX: usize = 1_000_000;

fn number(value: Num) -> Scalar<'static> {
    match value {
        Num::Float(it) => Scalar::Float(it),
        Num::Unsigned(it) => Scalar::Id(it),
    }
}

/// Of unsigned numbers the average is one as well.
fn average(trend: &Trend) -> Num {
    match trend.sum {
        Sum::Float(_) => Num::Float(trend.mean()),
        Sum::Unsigned(sum) => {
            let mean = sum / u128::from(trend.count.max(1));
            Num::Unsigned(u64::try_from(mean).unwrap_or(u64::MAX))
        }
    }
}

const COLUMNS: &[TrendColumn] = &[
    TrendColumn::of_content(Field::new("itemid", FieldType::Id, Rule::ReadOnly, "Item"), |it| {
        Scalar::Id(it.0.0)
    }),
    TrendColumn::of_content(
        Field::new("clock", FieldType::Timestamp, Rule::ReadOnly, "Start of the hour"),
        |it| Scalar::Number(it.1.hour.start().clock()),
    ),
    TrendColumn::of_content(
        Field::new("num", FieldType::Int { min: 0, max: i64::MAX }, Rule::ReadOnly, "Values in it"),
        |it| Scalar::Id(it.1.count),
    ),
    TrendColumn::of_content(
        Field::new("value_min", FieldType::Float, Rule::ReadOnly, "Smallest value"),
        |it| number(it.1.min),
    ),
    TrendColumn::of_content(
        Field::new(
            "value_avg",
            FieldType::Float,
            Rule::ReadOnly,
            "Average; of unsigned numbers without its decimals",
        ),
        |it| number(average(&it.1)),
    ),
    TrendColumn::of_content(
        Field::new("value_max", FieldType::Float, Rule::ReadOnly, "Largest value"),
        |it| number(it.1.max),
    ),
];
const FIELDS: [Field; COLUMNS.len()] = table::fields(COLUMNS);

const TREND: Object = Object {
    name: "trend",
    type_name: "Trend",
    nouns: Nouns { one: "a trend", several: "trends" },
    resource: None,
    role: RoleRule::READ_ONLY,
    writes: None,
    id: "itemid",
    ids: "itemids",
    fields: &FIELDS,
    selects: &[],
    params: Params::of(&["trend", "itemids", "time_from", "time_till"]),
    sort: &["itemid", "clock"],
    doc: "Minimum, average, maximum and number of values of each hour; hours that have not ended are not returned",
};

pub(crate) const TREND_ENTRY: ObjectEntry =
    ObjectEntry::new(&TREND, &[Method::get("trend.get", get)]);

struct TrendRows;

impl Rows for TrendRows {
    type Row = TrendOf;

    fn field(&self, row: &Self::Row, name: &str) -> Value {
        table::scalar(COLUMNS, &(), row, name).value()
    }

    fn write(&self, row: &Self::Row, name: &str, out: &mut Vec<u8>) {
        table::scalar(COLUMNS, &(), row, name).put(out);
    }

    fn select(&self, _: &Self::Row, _: &Select, _: &Output) -> Result<Value, ApiError> {
        Ok(json!([]))
    }
}

/// Trends of one item after the other, read on demand.
struct Trends<'a> {
    ctx: &'a Ctx,
    items: std::vec::IntoIter<(ItemId, ValueType)>,
    hours: (Hour, Hour),
    current: (ItemId, std::vec::IntoIter<Trend>),
    /// The most trends; further ones are an error.
    room: usize,
    /// Why there are no more.
    failed: Option<ApiError>,
}

impl Trends<'_> {
    fn read(&mut self) -> Result<Option<TrendOf>, ApiError> {
        loop {
            if let Some(it) = self.current.1.next() {
                return Ok(Some((self.current.0, it)));
            }
            let Some((item, kind)) = self.items.next() else { return Ok(None) };
            let (from, till) = self.hours;
            let query = TrendQuery { item, kind, from, till };
            let found = self.ctx.ports().history.trends(&[query])?;
            let found: Vec<Trend> = found.into_iter().flatten().collect();
            self.room = self.room.checked_sub(found.len()).ok_or_else(|| {
                ApiError::application(
                    "Too many trends to sort: ask for a shorter time or fewer items.",
                )
            })?;
            self.current = (item, found.into_iter());
        }
    }
}

impl Iterator for Trends<'_> {
    type Item = TrendOf;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed.is_some() {
            return None;
        }
        self.read().unwrap_or_else(|error| {
            self.failed = Some(error);
            None
        })
    }
}

/// The requested items with numbers that the user may see.
fn numeric_items(get: &Get<'_>) -> Result<Vec<(ItemId, ValueType)>, ApiError> {
    let ctx = get.ctx;
    let found: Vec<_> = match get.ids("itemids")? {
        Some(ids) => {
            let found = ids.into_iter().filter_map(|it| ctx.snapshot.item(ItemId(it)));
            found
                .filter(|(holder, row)| row.is_live() && ctx.may_read(holder))
                .map(|it| it.1)
                .collect()
        }
        None => {
            let holders = ctx.snapshot.hosts.values().filter(|it| ctx.may_read(it));
            holders.flat_map(|it| it.items.iter()).collect()
        }
    };
    let items = found.into_iter().filter(|it| items::is_item(it.flags));
    let mut items: Vec<_> = items.map(|it| (it.id, it.content.value_type)).collect();
    items.retain(|it| it.1.is_numeric());
    items.sort_unstable_by_key(|it| it.0);
    items.dedup();
    Ok(items)
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let mut get = Get::new(ctx, &TREND, params)?;
    // As in Zabbix, whose database reads a time that is no number as 0.
    let time = |name: &str| get.number(name).unwrap_or(Some(0));
    // Hours are named by their start.
    let from = time("time_from").map_or(0, |it| it.saturating_add(3_599));
    let till = time("time_till").map_or(Time::MAX, |it| Time::from_clock(it, 0));
    let items = numeric_items(&get)?;
    let sort: Vec<&str> = get.options.sort.iter().map(|it| it.0.as_str()).collect();
    let rises = get.options.sort.iter().all(|it| !it.1);
    if rises && matches!(sort.as_slice(), [] | ["itemid"] | ["itemid", "clock"]) {
        // They come as they are wanted.
        get.options.sort.clear();
    }
    let room = if get.options.sort.is_empty() { usize::MAX } else { TRENDS_MAX };
    let hours = (Hour::of(Time::from_clock(from, 0)), Hour::of(till));
    let current = (ItemId::NONE, Vec::new().into_iter());
    let mut trends = Trends { ctx, items: items.into_iter(), hours, current, room, failed: None };
    let answer = query::answer(&TREND, &TrendRows, trends.by_ref(), &get.options);
    // The error that ended the hours comes before one that followed from it.
    trends.failed.map_or(answer, Err)
}
