//! Classes of the embedded store's files: what a file holds, and how long that is kept. The numbers
//! are part of the format: `docs/format/manifest.md`.

use model::Retention;
use tsdb::RetentionClass;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoredKind {
    Values,
    /// What the numbers of each hour come to.
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

/// What a class's segments hold, and for how long; for ever also those that nothing is known of.
pub(crate) fn kept(class: RetentionClass) -> (StoredKind, Retention) {
    let stored = if class.0 & TRENDS == 0 { StoredKind::Values } else { StoredKind::Trends };
    let known = Retention::from_code(class.0 & !TRENDS).filter(|it| *it != Retention::Nothing);
    (stored, known.unwrap_or(Retention::Forever))
}
