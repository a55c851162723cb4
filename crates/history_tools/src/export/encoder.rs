//! Common parts of the formats.

use std::io;

use model::record::Num;
use model::value::LogEntry;
use model::{ItemId, Time, ValueType};

use super::output::Output;

/// The kind of exported rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportKind {
    Values,
    Trends,
}

/// An item as it is written.
pub(super) struct ExportedItem {
    pub(super) id: ItemId,
    /// Host and key; `None` of one that is not in the configuration any more.
    pub(super) names: Option<(String, String)>,
}

/// A value as it is written.
#[derive(Clone, Copy)]
pub(super) enum ExportedValue<'a> {
    Float(f64),
    Unsigned(u64),
    Text(&'a str),
    Log(&'a LogEntry),
}

/// A trend as it is written.
pub(super) struct ExportedTrend {
    pub(super) clock: i64,
    pub(super) count: u64,
    pub(super) min: Num,
    pub(super) avg: f64,
    pub(super) max: Num,
}

/// Writes a format.
pub(super) trait Encoder {
    fn value(
        &mut self,
        of: (&ExportedItem, ValueType),
        time: Time,
        value: ExportedValue<'_>,
    ) -> io::Result<()>;

    fn trend(&mut self, of: (&ExportedItem, ValueType), trend: &ExportedTrend) -> io::Result<()>;

    /// Writes the rest, and returns the output.
    fn finish(self: Box<Self>) -> io::Result<Output>;
}
