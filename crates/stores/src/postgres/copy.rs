//! Rows as COPY's text format has them: fields between tabs, a row a line.

use std::fmt::Write as _;

use model::record::{Num, Sum, TrendRow};
use model::value::LogEntry;

use super::schema::days;
use crate::batch::Row;

/// Lines being written.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub(super) text: String,
    /// Characters that PostgreSQL's texts cannot hold, replaced.
    pub(super) n_replaced: u64,
}

impl Lines {
    /// `false`, and nothing is written, if the item's id cannot be stored.
    pub(super) fn row<T: Fields>(&mut self, row: &Row<T>) -> bool {
        let (Ok(item), Ok(seq)) = (i64::try_from(row.item.0), i64::try_from(row.seq)) else {
            return false;
        };
        let (clock, micros) = (row.time.clock(), row.time.ns() / 1_000);
        let ns = row.time.ns() % 1_000;
        let days = days(row.retention);
        // Writing to a text does not fail. A time is sent as an interval since 1970.
        _ = write!(self.text, "{item}\t{}\t{ns}\t{seq}\t{days}\t", timestamp(clock, micros));
        row.value.put(self);
        self.text.push('\n');
        true
    }

    fn float(&mut self, value: f64) {
        // As Rust writes it, the shortest that reads back; infinities have another name there.
        _ = if value.is_infinite() {
            write!(self.text, "{}Infinity", if value < 0.0 { "-" } else { "" })
        } else {
            write!(self.text, "{value:e}")
        };
    }

    fn text(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '\\' => self.text.push_str("\\\\"),
                '\t' => self.text.push_str("\\t"),
                '\n' => self.text.push_str("\\n"),
                '\r' => self.text.push_str("\\r"),
                '\0' => {
                    self.n_replaced += 1;
                    self.text.push(char::REPLACEMENT_CHARACTER);
                }
                other => self.text.push(other),
            }
        }
    }
}

/// UTC, of any year that a [`model::Time`] can have.
fn timestamp(clock: i64, micros: u32) -> String {
    let at = jiff::Timestamp::from_second(clock).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let civil = at.to_zoned(jiff::tz::TimeZone::UTC).datetime();
    format!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{micros:06}+00",
        civil.year(),
        civil.month(),
        civil.day(),
        civil.hour(),
        civil.minute(),
        civil.second()
    )
}

/// The fields of a value.
pub(super) trait Fields {
    fn put(&self, lines: &mut Lines);
}

impl Fields for f64 {
    fn put(&self, lines: &mut Lines) {
        lines.float(*self);
    }
}

impl Fields for u64 {
    fn put(&self, lines: &mut Lines) {
        _ = write!(lines.text, "{self}");
    }
}

impl Fields for String {
    fn put(&self, lines: &mut Lines) {
        lines.text(self);
    }
}

impl Fields for LogEntry {
    fn put(&self, lines: &mut Lines) {
        lines.text(&self.value);
        lines.text.push('\t');
        lines.text(&self.source);
        let Self { timestamp, severity, logeventid, .. } = self;
        _ = write!(lines.text, "\t{timestamp}\t{severity}\t{logeventid}");
    }
}

impl Fields for TrendRow {
    fn put(&self, lines: &mut Lines) {
        _ = write!(lines.text, "{}", self.count);
        for value in [self.min, self.max] {
            lines.text.push('\t');
            match value {
                Num::Float(value) => lines.float(value),
                Num::Unsigned(value) => _ = write!(lines.text, "{value}"),
            }
        }
        lines.text.push('\t');
        match self.sum {
            Sum::Float(value) => lines.float(value),
            Sum::Unsigned(value) => _ = write!(lines.text, "{value}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use model::{ItemId, Retention, Time};

    use super::*;

    fn line<T: Fields>(value: T) -> String {
        let time = Time(1_790_000_000_123_456_789);
        let row = Row { item: ItemId(7), time, seq: 9, retention: Retention::Forever, value };
        let mut lines = Lines::default();
        assert!(lines.row(&row));
        lines.text
    }

    #[test]
    fn fields_are_escaped_and_numbers_exact() {
        let place = "7\t2026-09-21 14:13:20.123456+00\t789\t9\t0\t";
        assert_eq!(line(0.1), format!("{place}1e-1\n"));
        assert_eq!(line(f64::NEG_INFINITY), format!("{place}-Infinity\n"));
        assert_eq!(line(f64::NAN), format!("{place}NaN\n"));
        assert_eq!(line(u64::MAX), format!("{place}18446744073709551615\n"));
        let text = "a\tb\\N\r\nc\0".to_owned();
        assert_eq!(line(text), format!("{place}a\\tb\\\\N\\r\\nc\u{fffd}\n"));
    }

    #[test]
    fn any_time_can_be_written() {
        for time in [Time(i64::MIN), Time::MAX, Time(-1)] {
            let row =
                Row { item: ItemId(1), time, seq: 1, retention: Retention::Day, value: 1_u64 };
            assert!(Lines::default().row(&row));
        }
        assert_eq!(timestamp(-1, 999_999), "1969-12-31 23:59:59.999999+00");
    }
}
