//! A store in memory with a connection that breaks: for tests of what stands in front of stores.

use std::sync::{Arc, Mutex, MutexGuard};

use journal::Lsn;
use model::record::{Num, RecordView, TrendRow};
use model::value::{LogEntry, Sample};
use model::{ItemId, Retention, Time, Value, ValueType};

use crate::{
    Error, Flush, FlushedValues, HistorySamples, RangeQuery, Result, SeriesRows, Store, Trend,
    TrendQuery,
};

/// The store; clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faulty(Arc<Mutex<FaultyState>>);

#[derive(Debug, Default)]
struct FaultyState {
    stored: StoredRows,
    /// Taken, not stored for good.
    taken: StoredRows,
    faults: Faults,
    n_calls: u64,
    journal_identity: u32,
}

#[derive(Clone, Debug, Default)]
struct StoredRows {
    rows: Vec<(ItemId, ValueType, Sample)>,
    trends: Vec<TrendRow>,
    lsn: Lsn,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    /// Nothing is taken or stored.
    pub(crate) is_away: bool,
    /// Nothing ever will be.
    pub(crate) refuses: bool,
    /// Stored, but the answer does not come.
    pub(crate) loses_answers: bool,
}

impl Faulty {
    pub(crate) fn set(&self, faults: Faults) {
        self.state().faults = faults;
    }

    /// The connection ends, and what was not stored for good with it.
    pub(crate) fn lose(&self) {
        let mut state = self.state();
        let lsn = state.stored.lsn;
        state.taken = StoredRows { lsn, ..StoredRows::default() };
    }

    /// Calls that came to it.
    pub(crate) fn n_calls(&self) -> u64 {
        self.state().n_calls
    }

    /// Everything stored for good, in the order in which it came.
    pub(crate) fn stored(&self) -> Vec<(ItemId, Value)> {
        self.state().stored.rows.iter().map(|it| (it.0, it.2.value.clone())).collect()
    }

    fn state(&self) -> MutexGuard<'_, FaultyState> {
        self.0.lock().expect("nobody panics with it")
    }
}

impl FaultyState {
    fn call(&mut self) -> Result<()> {
        self.n_calls += 1;
        if self.faults.refuses {
            return Err(Error::Refused { reason: "no such table".into() });
        }
        if self.faults.is_away {
            return Err(Error::Away { reason: "connection refused".into() });
        }
        Ok(())
    }

    fn applied(&self) -> Lsn {
        if self.taken.rows.is_empty() && self.taken.trends.is_empty() {
            self.taken.lsn.max(self.stored.lsn)
        } else {
            self.taken.lsn
        }
    }
}

impl Store for Faulty {
    fn apply(&self, record: &RecordView<'_>, next_lsn: Lsn) -> Result<()> {
        let mut state = self.state();
        state.call()?;
        assert!(state.applied() < next_lsn, "a record comes again");
        let unreadable = |source| Error::Record { lsn: next_lsn, source };
        let mut rows = Vec::new();
        for row in record.numbers() {
            let row = row.map_err(unreadable)?;
            let (kind, value) = match row.value {
                Num::Float(it) => (ValueType::Float, Value::Float(it)),
                Num::Unsigned(it) => (ValueType::Unsigned, Value::Unsigned(it)),
            };
            if row.classes.history != Retention::Nothing {
                rows.push((row.item, kind, Sample { time: Time::from_millis(row.ms), value }));
            }
        }
        for row in record.texts() {
            let row = row.map_err(unreadable)?;
            let value = if row.value_type == ValueType::Log {
                let entry = LogEntry {
                    value: row.text.to_owned(),
                    source: row.log.source.to_owned(),
                    timestamp: row.log.timestamp,
                    severity: row.log.severity,
                    logeventid: row.log.logeventid,
                };
                Value::Log(entry.into())
            } else {
                Value::Text(row.text.into())
            };
            if row.retention != Retention::Nothing {
                rows.push((row.item, row.value_type, Sample { time: row.time, value }));
            }
        }
        let trends: std::result::Result<Vec<_>, _> = record.trends().collect();
        let mut trends = trends.map_err(unreadable)?;
        trends.retain(|it| it.retention != Retention::Nothing);
        state.taken.rows.append(&mut rows);
        state.taken.trends.append(&mut trends);
        state.taken.lsn = next_lsn;
        Ok(())
    }

    fn applied(&self) -> Lsn {
        self.state().applied()
    }

    fn journal_identity(&self) -> u32 {
        self.state().journal_identity
    }

    fn set_journal_identity(&self, identity: u32) {
        self.state().journal_identity = identity;
    }

    fn cursor(&self) -> Lsn {
        self.state().stored.lsn
    }

    fn skip_to(&self, to: Lsn) -> Result<()> {
        self.flush_once()?;
        let mut state = self.state();
        state.stored.lsn = to;
        state.taken.lsn = to;
        Ok(())
    }

    fn trends(&self, queries: &[TrendQuery]) -> Result<Vec<Vec<Trend>>> {
        let state = self.state();
        let all = || state.stored.trends.iter().chain(&state.taken.trends);
        let of_query = |query: &TrendQuery| {
            let parts = all().filter(|it| {
                let is_float = matches!(it.sum, model::record::Sum::Float(_));
                it.item == query.item
                    && is_float == (query.kind == ValueType::Float)
                    && (query.from..=query.till).contains(&it.hour)
            });
            let mut parts: Vec<Trend> = parts.map(Trend::of).collect();
            parts.sort_by_key(|it| it.hour);
            parts.dedup_by(|part, whole| part.hour == whole.hour && whole.add(part));
            parts
        };
        Ok(queries.iter().map(of_query).collect())
    }

    fn range(&self, query: &RangeQuery) -> Result<HistorySamples> {
        let state = self.state();
        let all = state.stored.rows.iter().chain(&state.taken.rows);
        let mut rows: Vec<Sample> = all
            .filter(|it| it.0 == query.item && it.1 == query.kind)
            .map(|it| it.2.clone())
            .filter(|it| query.from <= it.time && it.time <= query.till)
            .collect();
        rows.sort_by_key(|it| it.time);
        if query.newest_first {
            rows.reverse();
        }
        rows.truncate(query.limit);
        let number = |it: &Sample| (it.time, it.value.clone());
        let rows = match query.kind {
            ValueType::Float => SeriesRows::Float(
                rows.iter()
                    .map(number)
                    .filter_map(|(time, value)| match value {
                        Value::Float(it) => Some((time, it)),
                        _ => None,
                    })
                    .collect(),
            ),
            ValueType::Unsigned => SeriesRows::Unsigned(
                rows.iter()
                    .map(number)
                    .filter_map(|(time, value)| match value {
                        Value::Unsigned(it) => Some((time, it)),
                        _ => None,
                    })
                    .collect(),
            ),
            _ => SeriesRows::Other(rows),
        };
        Ok(HistorySamples { rows, lsn: Some(state.applied()) })
    }
}

impl Flush for Faulty {
    fn flush_is_due(&self) -> bool {
        8 <= self.state().taken.rows.len()
    }

    fn flush_once(&self) -> Result<Option<FlushedValues>> {
        let mut state = self.state();
        state.call()?;
        if state.taken.lsn <= state.stored.lsn {
            return Ok(None);
        }
        let mut taken = std::mem::take(&mut state.taken);
        let n_values = taken.rows.len() as u64;
        state.stored.rows.append(&mut taken.rows);
        state.stored.trends.append(&mut taken.trends);
        state.stored.lsn = taken.lsn;
        state.taken.lsn = taken.lsn;
        if state.faults.loses_answers {
            return Err(Error::Away { reason: "no answer in time".into() });
        }
        Ok(Some(FlushedValues { cursor: taken.lsn, n_values, file_bytes: 0 }))
    }

    fn n_values_unflushed(&self) -> u64 {
        self.state().taken.rows.len() as u64
    }

    fn observe(&self) {}
}
