//! Rows on their way to a store: values of records, by table.

use history::{Error, Result};
use journal::Lsn;
use model::record::{Num, RecordError, RecordView, TextRow, TrendRow};
use model::value::LogEntry;
use model::{ItemId, Retention, Time, ValueType};

/// A value or a trend's part with its place.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Row<T> {
    pub(crate) item: ItemId,
    pub(crate) time: Time,
    /// Place in the journal, and in which one ([`crate::positions`]): grows with it, and no two rows have the same.
    /// A record takes more bytes than it has rows, so positions of its bytes number them.
    pub(crate) seq: u64,
    pub(crate) retention: Retention,
    pub(crate) value: T,
}

/// Rows taken from some records.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Batch {
    pub(crate) floats: Vec<Row<f64>>,
    pub(crate) unsigned: Vec<Row<u64>>,
    pub(crate) chars: Vec<Row<String>>,
    pub(crate) texts: Vec<Row<String>>,
    pub(crate) binaries: Vec<Row<String>>,
    pub(crate) logs: Vec<Row<LogEntry>>,
    pub(crate) trends: Vec<Row<TrendRow>>,
}

impl Batch {
    pub(crate) fn n_rows(&self) -> usize {
        let [floats, unsigned, chars, texts, binaries, logs, trends] = self.lengths();
        floats + unsigned + chars + texts + binaries + logs + trends
    }

    /// Values, without parts of trends.
    pub(crate) fn n_values(&self) -> usize {
        self.n_rows() - self.trends.len()
    }

    /// Takes the rows of a record, all of them or none. `next_lsn` is the position after it, and `base` the
    /// place of the journal's beginning.
    ///
    /// # Errors
    /// The record can't be read.
    pub(crate) fn take(
        &mut self,
        record: &RecordView<'_>,
        (base, next_lsn): (u64, Lsn),
    ) -> Result<()> {
        let before = self.lengths();
        self.take_all(record, base.saturating_add(next_lsn.0)).map_err(|source| {
            self.cut(before);
            Error::Record { lsn: next_lsn, source }
        })
    }

    fn take_all(&mut self, record: &RecordView<'_>, next: u64) -> Result<(), RecordError> {
        let mut unstored = record.unstored().collect::<Result<Vec<_>, _>>()?;
        unstored.sort_unstable();
        let is_kept = |item: ItemId, retention| {
            retention != Retention::Nothing && unstored.binary_search(&item).is_err()
        };
        let mut seqs = next.saturating_sub(record.n_values().into())..;
        for (row, seq) in record.numbers().zip(seqs.by_ref()) {
            let row = row?;
            let (item, retention) = (row.item, row.classes.history);
            if !is_kept(item, retention) {
                continue;
            }
            let time = Time::from_millis(row.ms);
            match row.value {
                Num::Float(value) => self.floats.push(Row { item, time, seq, retention, value }),
                Num::Unsigned(value) => {
                    self.unsigned.push(Row { item, time, seq, retention, value });
                }
            }
        }
        for (row, seq) in record.texts().zip(seqs) {
            let row = row?;
            if is_kept(row.item, row.retention) {
                self.take_text(&row, seq);
            }
        }
        let first = self.trends.len();
        for row in record.trends() {
            let value = row?;
            if value.retention != Retention::Nothing {
                let (item, time, retention) = (value.item, value.hour.start(), value.retention);
                self.trends.push(Row { item, time, seq: 0, retention, value });
            }
        }
        let new = self.trends.get_mut(first..).unwrap_or_default();
        let seqs = next.saturating_sub(new.len() as u64)..;
        new.iter_mut().zip(seqs).for_each(|(row, seq)| row.seq = seq);
        Ok(())
    }

    fn take_text(&mut self, row: &TextRow<'_>, seq: u64) {
        let TextRow { item, time, retention, .. } = *row;
        let rows = match row.value_type {
            ValueType::Log => {
                let value = LogEntry {
                    value: row.text.to_owned(),
                    source: row.log.source.to_owned(),
                    timestamp: row.log.timestamp,
                    severity: row.log.severity,
                    logeventid: row.log.logeventid,
                };
                return self.logs.push(Row { item, time, seq, retention, value });
            }
            ValueType::Binary => &mut self.binaries,
            ValueType::Char => &mut self.chars,
            // The view gives no numbers here.
            ValueType::Text | ValueType::Float | ValueType::Unsigned => &mut self.texts,
        };
        rows.push(Row { item, time, seq, retention, value: row.text.to_owned() });
    }

    fn lengths(&self) -> [usize; 7] {
        [
            self.floats.len(),
            self.unsigned.len(),
            self.chars.len(),
            self.texts.len(),
            self.binaries.len(),
            self.logs.len(),
            self.trends.len(),
        ]
    }

    fn cut(&mut self, [floats, unsigned, chars, texts, binaries, logs, trends]: [usize; 7]) {
        self.floats.truncate(floats);
        self.unsigned.truncate(unsigned);
        self.chars.truncate(chars);
        self.texts.truncate(texts);
        self.binaries.truncate(binaries);
        self.logs.truncate(logs);
        self.trends.truncate(trends);
    }
}
