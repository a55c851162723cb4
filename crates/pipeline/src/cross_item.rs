//! Computations beyond a shard's own windows: functions over many items of whatever shards, and
//! over months of one item.
//!
//! A shard asks with a [`CrossItemQuery`]; a thread that reads history answers with [`CrossItemAnswer`], by a
//! [`CrossItemReader`]. Why these values are read and not forwarded:
//! `docs/decisions/0007-functions-over-many-items.md`.

use std::sync::Arc;

use directory::{Directory, ForeachMember, ItemTarget};
use jiff::tz::TimeZone;
use lang::expression::Value as Computed;
use lang::functions::{Call, Collected, Foreach, FunctionContext, Needs, Sample, SampleValue};
pub use lang::functions::{HourlyTrend, Hours};
use model::map::Map;
use model::time::NANOS;
use model::{HostId, ItemId, Time, Value, ValueType};
use window::Samples;

/// Why a fetch has no answer; shown as the error of triggers that wait.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("history cannot be read: {reason}")]
pub struct FetchFailed {
    pub reason: Arc<str>,
    /// It would be more than is read: to ask the same again is no use.
    pub is_too_much: bool,
}

impl FetchFailed {
    /// It may go better another time.
    #[must_use]
    pub fn because(reason: impl Into<Arc<str>>) -> Self {
        Self { reason: reason.into(), is_too_much: false }
    }
}

/// A query of a shard.
#[derive(Clone, Debug)]
pub struct CrossItemQuery {
    /// Names the query until the process ends.
    pub ticket: u64,
    /// The point in time of the evaluation.
    pub time: Time,
    pub what: CrossItemRequest,
    /// Its values are written: of a trend, past hours may still be open in the shard that owns the
    /// item. That has to end them first ([`crate::Input::EndHours`]).
    pub is_written: bool,
}

impl CrossItemQuery {
    /// The item whose hours have to end before this is answered.
    #[must_use]
    pub fn unwritten(&self) -> Option<ItemId> {
        match &self.what {
            CrossItemRequest::Trend { item, .. } if !self.is_written => Some(*item),
            CrossItemRequest::Trend { .. } | CrossItemRequest::Many { .. } => None,
        }
    }
}

#[derive(Clone, Debug)]
pub enum CrossItemRequest {
    /// Functions over many items, of a formula of this host.
    Many { host: HostId, functions: Vec<Arc<Foreach>> },
    /// A trend function of one item.
    Trend { item: ItemId, kind: ValueType, call: Call },
}

/// The answer: a value for each function, or the reason why it has none.
#[derive(Clone, PartialEq, Debug)]
pub struct CrossItemAnswer {
    pub ticket: u64,
    /// An error means that the store can't answer now.
    pub values: Result<Vec<Result<Computed, String>>, FetchFailed>,
}

/// Where a [`CrossItemReader`] reads values.
pub trait Source {
    /// Values with `from < time <= until`, ascending by time: the newest `max` of them.
    ///
    /// # Errors
    /// If the store can't answer now.
    fn read(&mut self, of: (ItemId, ValueType), range: ReadRange) -> Result<Samples, FetchFailed>;

    /// The trends of an item in these hours, ascending. Where there are values only, they are made of those.
    ///
    /// # Errors
    /// If the store can't answer now.
    fn trends(
        &mut self,
        of: (ItemId, ValueType),
        hours: Hours,
    ) -> Result<Vec<HourlyTrend>, FetchFailed> {
        let read = self.read(of, range_of_hours(hours))?;
        Ok(HourlyTrend::from_samples(&samples_of(&read)))
    }

    /// The newest values that are known of an item in addition to stored ones, ascending, two at
    /// most. Items that keep no history have only these.
    fn newest(&mut self, _item: &ItemTarget) -> Option<Samples> {
        None
    }

    /// Whether an item is not supported at present.
    fn is_unsupported(&mut self, item: &ItemTarget) -> bool;
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadRange {
    pub from: Time,
    pub until: Time,
    pub max: usize,
}

/// The most values of one range; of more, only the newest count.
const VALUES_MAX: usize = 1_000_000;

/// Answers queries, and remembers which items are meant for as long as the configuration stays.
#[derive(Debug)]
pub struct CrossItemReader {
    zone: TimeZone,
    epoch: u64,
    /// By address of the function, which is kept alive, and host.
    known: Map<(usize, HostId), Meant>,
}

/// A function and its items.
type Meant = (Arc<Foreach>, Arc<[ForeachMember]>);

impl CrossItemReader {
    #[must_use]
    pub fn new(zone: TimeZone) -> Self {
        Self { zone, epoch: 0, known: Map::default() }
    }

    /// Answers a query. Takes as long as reading takes.
    pub fn answer(
        &mut self,
        query: &CrossItemQuery,
        directory: &Directory,
        source: &mut dyn Source,
    ) -> CrossItemAnswer {
        let values = match &query.what {
            CrossItemRequest::Many { host, functions } => functions
                .iter()
                .map(|it| self.many(it, (*host, query.time), directory, source))
                .collect(),
            CrossItemRequest::Trend { item, kind, call } => {
                self.trend((*item, *kind), call, query.time, source).map(|it| vec![it])
            }
        };
        CrossItemAnswer { ticket: query.ticket, values }
    }

    fn members(
        &mut self,
        function: &Arc<Foreach>,
        host: HostId,
        directory: &Directory,
    ) -> Arc<[ForeachMember]> {
        if self.epoch != directory.epoch() {
            self.epoch = directory.epoch();
            self.known.clear();
        }
        let key = (Arc::as_ptr(function).addr(), host);
        let find = || (Arc::clone(function), directory.members(function, host).into());
        Arc::clone(&self.known.entry(key).or_insert_with(find).1)
    }

    fn many(
        &mut self,
        function: &Arc<Foreach>,
        (host, time): (HostId, Time),
        directory: &Directory,
        source: &mut dyn Source,
    ) -> Result<Result<Computed, String>, FetchFailed> {
        let members = self.members(function, host, directory);
        let mut collected = Collected::default();
        for member in members.iter() {
            let kind = member.target.value_type;
            let context = FunctionContext::new(time, &self.zone, kind);
            let range = function.call().and_then(|it| range_of(it, time, &self.zone));
            let is_left_out = range.is_none() || source.is_unsupported(&member.target);
            let read = match range.filter(|_| !is_left_out) {
                Some(range) => Some(read_or_newest(&member.target, range, source)?),
                None => None,
            };
            let samples = read.as_ref().map(samples_of);
            function.add(&mut collected, &member.key, samples.as_deref(), &context);
        }
        Ok(function.finish(collected).map_err(|error| error.to_string()))
    }

    fn trend(
        &self,
        (item, kind): (ItemId, ValueType),
        call: &Call,
        time: Time,
        source: &mut dyn Source,
    ) -> Result<Result<Computed, String>, FetchFailed> {
        let Some(trend) = call.trend() else { return Ok(Err("no trend function".to_owned())) };
        let mut rows: Vec<HourlyTrend> = Vec::new();
        for hours in trend.hours(time, &self.zone).unwrap_or_default() {
            rows.extend(source.trends((item, kind), hours)?);
        }
        rows.sort_by_key(|it| it.clock);
        rows.dedup_by_key(|it| it.clock);
        let context = FunctionContext::new(time, &self.zone, kind);
        Ok(trend.eval(&rows, &context).map_err(|error| error.to_string()))
    }
}

/// The range of an item that a function needs at a point in time.
fn range_of(call: &Call, time: Time, zone: &TimeZone) -> Option<ReadRange> {
    let until = call.period().shift.apply(time, zone)?;
    Some(match call.needs() {
        Needs::Seconds(seconds) => ReadRange {
            from: Time(until.0.saturating_sub(seconds.saturating_mul(NANOS))),
            until,
            max: VALUES_MAX,
        },
        Needs::Values(count) => ReadRange { from: Time(i64::MIN), until, max: count },
    })
}

/// Stored values; where none are, the newest known ones of the range.
fn read_or_newest(
    item: &ItemTarget,
    range: ReadRange,
    source: &mut dyn Source,
) -> Result<Samples, FetchFailed> {
    let stored = source.read((item.item, item.value_type), range)?;
    if !stored.is_empty() {
        return Ok(stored);
    }
    Ok(source.newest(item).map_or(stored, |it| within(it, range)))
}

fn within(samples: Samples, range: ReadRange) -> Samples {
    fn cut<T>(mut rows: Vec<(Time, T)>, range: ReadRange) -> Vec<(Time, T)> {
        rows.retain(|it| range.from < it.0 && it.0 <= range.until);
        rows.drain(..rows.len().saturating_sub(range.max));
        rows
    }
    match samples {
        Samples::Float(it) => Samples::Float(cut(it, range)),
        Samples::Unsigned(it) => Samples::Unsigned(cut(it, range)),
        Samples::Text(it) => Samples::Text(cut(it, range)),
    }
}

fn range_of_hours(hours: Hours) -> ReadRange {
    const HOUR_S: i64 = 3_600;
    ReadRange {
        from: Time(Time::from_clock(hours.start, 0).0.saturating_sub(1)),
        until: Time(Time::from_clock(hours.end + HOUR_S, 0).0.saturating_sub(1)),
        max: VALUES_MAX,
    }
}

fn samples_of(samples: &Samples) -> Vec<Sample<'_>> {
    match samples {
        Samples::Float(it) => it
            .iter()
            .map(|(time, it)| Sample { time: *time, value: SampleValue::Float(*it) })
            .collect(),
        Samples::Unsigned(it) => it
            .iter()
            .map(|(time, it)| Sample { time: *time, value: SampleValue::Unsigned(*it) })
            .collect(),
        Samples::Text(it) => it
            .iter()
            .map(|(time, it)| {
                let value = match it {
                    Value::Log(it) => SampleValue::Log(it),
                    other => SampleValue::Text(other.as_text().unwrap_or_default()),
                };
                Sample { time: *time, value }
            })
            .collect(),
    }
}
