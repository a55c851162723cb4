//! `saker history export`: values or trends of a stopped server, with the names of their items.
//!
//! Series by series, in order of items, each from its oldest value to its newest: memory holds a
//! page of one series and the encoder's unwritten rows. A file gets its name when it is complete.

mod csv;
mod encoder;
mod ndjson;
mod output;
mod parquet;

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::PathBuf;

use history::{LiveStore, Pages, Series, SeriesRows, Trend, TrendQuery};
use model::record::{Hour, Sum};
use model::snapshot::Snapshot;
use model::{ItemId, Time, ValueType};
use rt::clock::Clock;
use thiserror::Error;

pub use self::encoder::ExportKind;
use self::encoder::{Encoder, ExportedItem, ExportedTrend, ExportedValue};
use self::output::Output;
use crate::stopped::{self, Installation, StoppedError};

/// Between two lines of progress.
const PROGRESS_NS: u64 = 2_000_000_000;
/// Hours of trends read at once: eleven years.
const TRENDS: u32 = 100_000;

/// How files are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportFormat {
    Csv,
    Ndjson,
    Parquet,
}

/// The contents and the target of an export.
#[derive(Clone, PartialEq, Debug)]
pub struct HistoryExportOptions {
    pub format: ExportFormat,
    pub kind: ExportKind,
    pub selection: Selection,
    pub from: Time,
    pub till: Time,
    /// None: standard output.
    pub output: Option<PathBuf>,
}

/// Which items: those that each of these allows; an empty one allows all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selection {
    pub items: BTreeSet<ItemId>,
    pub hosts: BTreeSet<String>,
    /// With `*` for anything.
    pub keys: Vec<String>,
}

/// Why nothing was exported.
#[derive(Debug, Error)]
pub enum HistoryExportError {
    #[error(transparent)]
    Stopped(#[from] StoppedError),
    #[error(transparent)]
    History(#[from] history::Error),
    #[error("{what}: {source}; nothing was exported")]
    Write { what: String, source: io::Error },
    #[error("Parquet is not for a terminal: name a file by -o, or redirect standard output")]
    Terminal,
}

/// Exports, with progress on standard error.
///
/// # Errors
/// [`HistoryExportError`], in words for the operator. There is no file then, or the former one.
pub fn run(
    from: &Installation<'_>,
    options: &HistoryExportOptions,
) -> Result<(), HistoryExportError> {
    let stopped = stopped::open(from.data)?;
    let db = stopped::open_configuration(&from.tables)?;
    let (store, snapshot) = (&*stopped.store, db.snapshot());
    let series = options.chosen(store, &snapshot)?;
    let (name, written) = (options.name(), |source| options.refused(source));
    let output = Output::open(options.output.as_deref()).map_err(written)?;
    if options.format == ExportFormat::Parquet && output.is_terminal() {
        return Err(HistoryExportError::Terminal);
    }
    let encoder = options.encoder(output);
    let mut export = Export {
        encoder: encoder.map_err(written)?,
        options,
        progress: Progress::new(series.len()),
    };
    let exported = series.iter().try_for_each(|(item, kind)| {
        export.progress.series();
        match options.kind {
            ExportKind::Values => export.values(store, (item, *kind)),
            ExportKind::Trends => export.trends(store, (item, *kind)),
        }
    });
    match exported.and_then(|()| {
        let output = export.encoder.finish().map_err(written)?;
        output.commit().map_err(written)
    }) {
        // `saker history export … | head` is no failure.
        Err(HistoryExportError::Write { source, .. })
            if source.kind() == io::ErrorKind::BrokenPipe =>
        {
            Ok(())
        }
        Err(error) => Err(error),
        Ok(()) => {
            export.progress.end(&name);
            Ok(())
        }
    }
}

impl HistoryExportOptions {
    fn name(&self) -> String {
        self.output.as_ref().map_or("standard output".to_owned(), |it| it.display().to_string())
    }

    fn refused(&self, source: io::Error) -> HistoryExportError {
        HistoryExportError::Write { what: format!("cannot write {}", self.name()), source }
    }

    fn encoder(&self, output: Output) -> io::Result<Box<dyn Encoder>> {
        Ok(match self.format {
            ExportFormat::Csv => Box::new(csv::Csv::new(output, self.kind)?),
            ExportFormat::Ndjson => Box::new(ndjson::Ndjson::new(output)),
            ExportFormat::Parquet => Box::new(parquet::Parquet::new(output, self.kind)?),
        })
    }

    /// The series to be written, in their order.
    fn chosen(
        &self,
        store: &dyn LiveStore,
        snapshot: &Snapshot,
    ) -> Result<Vec<(ExportedItem, ValueType)>, HistoryExportError> {
        let mut series = store.series()?;
        if self.kind == ExportKind::Trends {
            // Trends may be there when values of their type are not any more.
            let items: BTreeSet<_> = series.iter().map(|it| it.item).collect();
            let kinds = [ValueType::Float, ValueType::Unsigned];
            let both = |item| kinds.map(|kind| Series { item, kind });
            series = items.into_iter().flat_map(both).collect();
        }
        let chosen = series.into_iter().filter_map(|it| {
            let item = snapshot.item(it.item);
            let names = item.map(|(host, row)| (host.host.to_string(), row.key().into_owned()));
            let names_of = names.as_ref().map(|it| (it.0.as_str(), it.1.as_str()));
            let is_chosen = self.selection.allows(it.item, names_of);
            is_chosen.then_some((ExportedItem { id: it.item, names }, it.kind))
        });
        Ok(chosen.collect())
    }
}

impl Selection {
    fn allows(&self, item: ItemId, names: Option<(&str, &str)>) -> bool {
        let (host, key) = (names.map(|it| it.0), names.map(|it| it.1));
        (self.items.is_empty() || self.items.contains(&item))
            && (self.hosts.is_empty() || host.is_some_and(|it| self.hosts.contains(it)))
            && (self.keys.is_empty()
                || key.is_some_and(|key| self.keys.iter().any(|it| matches(it, key))))
    }
}

/// Whether a pattern with `*` for anything means all of a text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut left) = text.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let tail = parts.pop().unwrap_or("");
    for part in parts {
        // The first match leaves the longest rest.
        let Some((_, behind)) = left.split_once(part) else { return false };
        left = behind;
    }
    left.ends_with(tail)
}

struct Export<'a> {
    encoder: Box<dyn Encoder>,
    options: &'a HistoryExportOptions,
    progress: Progress,
}

impl Export<'_> {
    fn values(
        &mut self,
        store: &dyn LiveStore,
        of: (&ExportedItem, ValueType),
    ) -> Result<(), HistoryExportError> {
        let series = Series { item: of.0.id, kind: of.1 };
        let mut pages = Pages::new(series, (self.options.from, self.options.till));
        while let Some(rows) = pages.next(store)? {
            self.page(of, &rows).map_err(|source| self.options.refused(source))?;
            self.progress.rows(rows.len());
        }
        Ok(())
    }

    fn page(&mut self, of: (&ExportedItem, ValueType), rows: &SeriesRows) -> io::Result<()> {
        let encoder = &mut *self.encoder;
        match rows {
            SeriesRows::Float(rows) => rows.iter().try_for_each(|(time, value)| {
                encoder.value(of, *time, ExportedValue::Float(*value))
            }),
            SeriesRows::Unsigned(rows) => rows.iter().try_for_each(|(time, value)| {
                encoder.value(of, *time, ExportedValue::Unsigned(*value))
            }),
            SeriesRows::Other(rows) => rows.iter().try_for_each(|sample| {
                let value = match &sample.value {
                    model::Value::Float(value) => ExportedValue::Float(*value),
                    model::Value::Unsigned(value) => ExportedValue::Unsigned(*value),
                    model::Value::Text(text) => ExportedValue::Text(text),
                    model::Value::Log(entry) => ExportedValue::Log(entry),
                };
                encoder.value(of, sample.time, value)
            }),
        }
    }

    fn trends(
        &mut self,
        store: &dyn LiveStore,
        of: (&ExportedItem, ValueType),
    ) -> Result<(), HistoryExportError> {
        let hour = |time: Time| Hour::of(time);
        let (mut from, till) = (hour(self.options.from), hour(self.options.till));
        let mut rows = Vec::new();
        while from <= till {
            let last = Hour(from.0.saturating_add(TRENDS.cast_signed().into())).min(till);
            let query = TrendQuery { item: of.0.id, kind: of.1, from, till: last };
            rows.extend(store.trends(&[query])?.into_iter().flatten());
            from = Hour(last.0.saturating_add(1));
        }
        let written = rows.iter().try_for_each(|it| self.encoder.trend(of, &ExportedTrend::of(it)));
        self.progress.rows(rows.len());
        written.map_err(|source| self.options.refused(source))
    }
}

impl ExportedTrend {
    #[expect(clippy::cast_precision_loss, reason = "an average is a number with a point")]
    fn of(trend: &Trend) -> Self {
        let count = trend.count.max(1) as f64;
        let avg = match trend.sum {
            Sum::Float(sum) => sum / count,
            Sum::Unsigned(sum) => sum as f64 / count,
        };
        let (min, max) = (trend.min, trend.max);
        Self { clock: trend.hour.start().clock(), count: trend.count, min, avg, max }
    }
}

/// Writes its progress to standard error.
struct Progress {
    clock: Clock,
    reported_ns: u64,
    n_series: usize,
    n_series_all: usize,
    n_rows: usize,
}

impl Progress {
    fn new(n_series_all: usize) -> Self {
        Self { clock: Clock::real(), reported_ns: 0, n_series: 0, n_series_all, n_rows: 0 }
    }

    fn series(&mut self) {
        self.n_series += 1;
        self.report();
    }

    fn rows(&mut self, n: usize) {
        self.n_rows += n;
        self.report();
    }

    fn report(&mut self) {
        let now_ns = self.clock.mono_ns();
        if PROGRESS_NS <= now_ns.saturating_sub(self.reported_ns) {
            self.reported_ns = now_ns;
            let Self { n_series, n_series_all, n_rows, .. } = self;
            // Standard error may be closed: the export continues.
            drop(writeln!(io::stderr(), "{n_rows} rows, {n_series} of {n_series_all} series"));
        }
    }

    fn end(&self, name: &str) {
        let Self { n_series_all, n_rows, .. } = self;
        drop(writeln!(io::stderr(), "{n_rows} rows of {n_series_all} series are in {name}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_whole_keys() {
        for (pattern, text, expected) in [
            ("system.cpu.load", "system.cpu.load", true),
            ("system.cpu", "system.cpu.load", false),
            ("system.*", "system.cpu.load", true),
            ("*load", "system.cpu.load", true),
            ("*cpu*", "system.cpu.load", true),
            ("s*c*l*d", "system.cpu.load", true),
            ("net.if[*]", "net.if[eth0]", true),
            ("net.if[*]", "net.if[eth0", false),
            ("*", "", true),
            ("a*a", "a", false),
            ("a*b*b", "ab", false),
            ("", "", true),
            ("", "x", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn options_of_selection_are_combined() {
        let items = BTreeSet::from([ItemId(1), ItemId(2)]);
        let hosts = BTreeSet::from(["h".to_owned()]);
        let selection = Selection { items, hosts, keys: vec!["a*".to_owned(), "b".to_owned()] };
        for (item, names, expected) in [
            (1, Some(("h", "ax")), true),
            (2, Some(("h", "b")), true),
            (3, Some(("h", "b")), false),
            (1, Some(("other", "b")), false),
            (1, Some(("h", "bx")), false),
            (1, None, false),
        ] {
            assert_eq!(selection.allows(ItemId(item), names), expected, "{item} {names:?}");
        }
        assert!(Selection::default().allows(ItemId(1), None));
    }
}
