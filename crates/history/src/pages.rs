//! Going through the values of a series, whatever their number.

use model::{Time, Value};

use crate::query::{RangeQuery, Series, SeriesRows};
use crate::{Result, Store};

/// Numbers read at once: 1.6 MB.
const NUMBERS: usize = 100_000;
/// Texts read at once, as long as nothing is known of their length: it is 64 KiB at most for most items,
/// and 64 MiB for some.
const FIRST_TEXTS: usize = 16;
/// Texts are read by as many as came to about so many bytes before.
const TEXT_BYTES: usize = 4 << 20;

/// The values of a series from the oldest to the newest, in pages of bounded size. Values of the same time
/// come in the order of the store; it must not change meanwhile before where the pages are.
#[derive(Debug)]
pub struct Pages {
    query: RangeQuery,
    /// Values at `query.from` that were given already.
    n_seen: usize,
    size: usize,
    is_over: bool,
}

impl Pages {
    /// Pages of values with times in `from..=till`.
    #[must_use]
    pub fn new(series: Series, (from, till): (Time, Time)) -> Self {
        let Series { item, kind } = series;
        let query = RangeQuery { item, kind, from, till, limit: 0, newest_first: false };
        let size = if kind.is_numeric() { NUMBERS } else { FIRST_TEXTS };
        Self { query, n_seen: 0, size, is_over: false }
    }

    /// For tests: pages of so many values.
    #[cfg(test)]
    pub(crate) fn resized(self, size: usize) -> Self {
        Self { size, ..self }
    }

    /// The next page, with a value at least; `None` after the last.
    ///
    /// # Errors
    /// As [`Store::range`]. The same page can be asked for again.
    pub fn next<S: Store + ?Sized>(&mut self, store: &S) -> Result<Option<SeriesRows>> {
        if self.is_over {
            return Ok(None);
        }
        let limit = self.size.saturating_add(self.n_seen);
        let mut rows = store.range(&RangeQuery { limit, ..self.query })?.rows;
        self.is_over = rows.len() < limit;
        let n_seen = self.n_seen;
        let last = match &mut rows {
            SeriesRows::Float(rows) => self.go_on(rows, n_seen, |it| it.0),
            SeriesRows::Unsigned(rows) => self.go_on(rows, n_seen, |it| it.0),
            SeriesRows::Other(rows) => {
                let last = self.go_on(rows, n_seen, |it| it.time);
                let n_bytes: usize = rows.iter().map(|it| bytes_of(&it.value)).sum();
                let average = (n_bytes / rows.len().max(1)).max(1);
                // Not much more at once than has been seen to be short.
                self.size =
                    (TEXT_BYTES / average).clamp(1, self.size.saturating_mul(4)).min(NUMBERS);
                last
            }
        };
        Ok(last.map(|()| rows))
    }

    /// Leaves out what was given before, and remembers the end. `None` if nothing is left.
    fn go_on<T>(
        &mut self,
        rows: &mut Vec<T>,
        n_seen: usize,
        time: impl Fn(&T) -> Time,
    ) -> Option<()> {
        let last = time(rows.last()?);
        self.n_seen = rows.iter().rev().take_while(|it| time(it) == last).count();
        self.query.from = last;
        rows.drain(..n_seen.min(rows.len()));
        (!rows.is_empty()).then_some(())
    }
}

fn bytes_of(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Log(entry) => entry.value.len() + entry.source.len(),
        Value::Float(_) | Value::Unsigned(_) => size_of::<u64>(),
    }
}
