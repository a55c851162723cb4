//! Classes of the embedded store's files: the content of a file, and how long it is kept. The
//! numbers are part of the format: `docs/format/manifest.md`.

use model::Retention;
use tsdb::RetentionClass;

/// The content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoredKind {
    Values,
    /// Hourly aggregates of numbers.
    Trends,
}

/// In the class of segments that hold trends.
const TRENDS: u8 = 16;

/// The class of segments that hold values to be kept so long.
pub(crate) fn class(retention: Retention) -> RetentionClass {
    RetentionClass(retention as u8)
}

/// The class of segments that hold trends to be kept so long.
pub(crate) fn trends_class(retention: Retention) -> RetentionClass {
    RetentionClass(retention as u8 | TRENDS)
}

/// The content of a class's segments, and for how long they are kept; unknown classes are kept
/// forever.
pub(crate) fn kept(class: RetentionClass) -> (StoredKind, Retention) {
    let stored = if class.0 & TRENDS == 0 { StoredKind::Values } else { StoredKind::Trends };
    let known = Retention::from_code(class.0 & !TRENDS).filter(|it| *it != Retention::Nothing);
    (stored, known.unwrap_or(Retention::Forever))
}
