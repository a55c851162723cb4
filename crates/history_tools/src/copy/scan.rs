//! Through a source in a fixed order: values by item, type and time, then trends by item, type and hour.

use std::collections::VecDeque;

use history::{Pages, Result, Series, SeriesRows, Trend, TrendQuery};
use model::content::ItemContent;
use model::record::{Hour, LogRef, RecordBuilder, RecordHead, TrendRow};
use model::snapshot::Snapshot;
use model::{Classes, ItemId, Retention, Time, Value, ValueType};
use stores::Table;

use super::remote_store::Source;

/// Trends of a piece.
const TRENDS: usize = 100_000;

/// Rows of one series that go to the target together.
pub(super) struct Piece {
    item: ItemId,
    kind: ValueType,
    retention: Retention,
    rows: PieceRows,
}

enum PieceRows {
    Values(SeriesRows),
    Trends(Vec<Trend>),
}

pub(super) struct Scan<'a> {
    source: &'a Source,
    snapshot: &'a Snapshot,
    values: VecDeque<Series>,
    pages: Option<(Series, Pages)>,
    trends: VecDeque<Series>,
    /// Of the series of which not all is given.
    left: Option<(Series, VecDeque<Trend>)>,
}

impl<'a> Scan<'a> {
    /// # Errors
    /// The source can't be read.
    pub(super) fn new(source: &'a Source, snapshot: &'a Snapshot) -> Result<Self> {
        let contents = source.contents()?;
        let both = |item| [ValueType::Float, ValueType::Unsigned].map(|kind| Series { item, kind });
        Ok(Self {
            source,
            snapshot,
            values: contents.values.into_iter().collect(),
            pages: None,
            trends: contents.trends.into_iter().flat_map(both).collect(),
            left: None,
        })
    }

    /// The next piece, with a row at least.
    ///
    /// # Errors
    /// The source can't be read.
    pub(super) fn next(&mut self) -> Result<Option<Piece>> {
        loop {
            if let Some((series, pages)) = &mut self.pages {
                let series = *series;
                match pages.next(self.source.store())? {
                    Some(rows) => return Ok(Some(self.piece(series, PieceRows::Values(rows)))),
                    None => self.pages = None,
                }
            } else if let Some(series) = self.values.pop_front() {
                self.pages = Some((series, Pages::new(series, (Time(i64::MIN), Time::MAX))));
            } else if let Some((series, trends)) = &mut self.left {
                let series = *series;
                let n = trends.len().min(TRENDS);
                let rows: Vec<_> = trends.drain(..n).collect();
                if rows.is_empty() {
                    self.left = None;
                    continue;
                }
                return Ok(Some(self.piece(series, PieceRows::Trends(rows))));
            } else if let Some(series) = self.trends.pop_front() {
                let (from, till) = (Hour::of(Time(i64::MIN)), Hour::of(Time::MAX));
                let query = TrendQuery { item: series.item, kind: series.kind, from, till };
                let found = self.source.store().trends(&[query])?.into_iter().flatten();
                self.left = Some((series, found.collect()));
            } else {
                return Ok(None);
            }
        }
    }

    fn piece(&self, series: Series, rows: PieceRows) -> Piece {
        let Series { item, kind } = series;
        let content = self.snapshot.item(item).map(|it| &*it.1.content);
        let period = |of: fn(&ItemContent) -> &str| content.map_or("", of);
        let retention = match rows {
            PieceRows::Values(_) => kept(period(|it| &it.history), 31),
            PieceRows::Trends(_) => kept(period(|it| &it.trends), 365),
        };
        Piece { item, kind, retention, rows }
    }
}

/// The class of a period as it is configured. Values of a deleted item, and of one whose period is
/// in a macro, are kept; values of an item without history are not.
fn kept(period: &str, default_days: u64) -> Retention {
    let seconds = match (period, formats::number::parse_duration_s(period)) {
        (_, Some(seconds)) => seconds,
        ("", None) => default_days * 86_400,
        (_, None) => return Retention::Forever,
    };
    let class = Retention::for_seconds(i64::try_from(seconds).unwrap_or(i64::MAX));
    class.max(Retention::Day)
}

impl Piece {
    pub(super) fn table(&self) -> Table {
        match self.rows {
            PieceRows::Values(_) => Table::Values(self.kind),
            PieceRows::Trends(_) => Table::Trends(self.kind),
        }
    }

    /// How long its rows are kept; 0: for ever.
    pub(super) fn days(&self) -> u32 {
        self.retention.days().unwrap_or(0)
    }

    pub(super) fn n_rows(&self) -> u64 {
        match &self.rows {
            PieceRows::Values(rows) => rows.len() as u64,
            PieceRows::Trends(rows) => rows.len() as u64,
        }
    }

    /// Leaves out rows by period and time; how many.
    pub(super) fn retain(&mut self, is_wanted: impl Fn(u32, Time) -> bool) -> u64 {
        let (days, before) = (self.days(), self.n_rows());
        match &mut self.rows {
            PieceRows::Values(SeriesRows::Float(rows)) => rows.retain(|it| is_wanted(days, it.0)),
            PieceRows::Values(SeriesRows::Unsigned(rows)) => {
                rows.retain(|it| is_wanted(days, it.0));
            }
            PieceRows::Values(SeriesRows::Other(rows)) => {
                rows.retain(|it| is_wanted(days, it.time));
            }
            PieceRows::Trends(rows) => rows.retain(|it| is_wanted(days, it.hour.start())),
        }
        before - self.n_rows()
    }

    /// Days since 1970 of the rows.
    pub(super) fn each_day(&self, mut each: impl FnMut(i64)) {
        let mut day = |time: Time| each(time.clock().div_euclid(86_400));
        match &self.rows {
            PieceRows::Values(SeriesRows::Float(rows)) => rows.iter().for_each(|it| day(it.0)),
            PieceRows::Values(SeriesRows::Unsigned(rows)) => rows.iter().for_each(|it| day(it.0)),
            PieceRows::Values(SeriesRows::Other(rows)) => rows.iter().for_each(|it| day(it.time)),
            PieceRows::Trends(rows) => rows.iter().for_each(|it| day(it.hour.start())),
        }
    }

    /// As a record of the journal.
    pub(super) fn record(&self) -> Vec<u8> {
        let mut record = RecordBuilder::new();
        record.start(RecordHead::default());
        record.classes(Classes { history: self.retention, trends: self.retention });
        match &self.rows {
            PieceRows::Values(SeriesRows::Float(rows)) => {
                rows.iter().for_each(|it| record.float(self.item, it.0, it.1));
            }
            PieceRows::Values(SeriesRows::Unsigned(rows)) => {
                rows.iter().for_each(|it| record.unsigned(self.item, it.0, it.1));
            }
            PieceRows::Values(SeriesRows::Other(rows)) => {
                for row in rows {
                    if let Value::Log(entry) = &row.value {
                        let log = LogRef {
                            source: &entry.source,
                            timestamp: entry.timestamp,
                            severity: entry.severity,
                            logeventid: entry.logeventid,
                        };
                        record.log(self.item, row.time, &entry.value, log);
                    } else {
                        record.value(self.item, row.time, self.kind, &row.value);
                    }
                }
            }
            PieceRows::Trends(rows) => rows.iter().for_each(|it| record.trend(&self.trend(it))),
        }
        record.finish().to_vec()
    }

    fn trend(&self, trend: &Trend) -> TrendRow {
        let Trend { hour, count, min, max, sum } = *trend;
        let (item, retention) = (self.item, self.retention);
        // An hour has 3,600,000 milliseconds.
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        TrendRow { item, hour, retention, count, min, max, sum }
    }
}
