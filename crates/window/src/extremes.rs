//! For how long the least or greatest value of a window stays on its side of a number: see [`StableUntil`].
//!
//! It is known which value decides, and when it leaves.

use super::aggregate::{WindowFunction, WindowSpan};
use super::bits::as_f64;
use super::compared::Compared;
use super::stable_until::{Side, StableUntil, margin, same_side};

/// Which numbers are certainly beyond the right side of a comparison.
#[derive(Clone, Copy)]
pub(super) struct Beyond {
    is_above: bool,
    edge: f64,
    is_unsigned: bool,
}

impl Beyond {
    #[inline]
    pub(super) fn has(self, bits: u64) -> bool {
        let it = if self.is_unsigned { as_f64(bits) } else { f64::from_bits(bits) };
        if self.is_above { self.edge < it } else { it < self.edge }
    }
}

/// The condition by which an extreme is on its side.
#[derive(Clone, Copy)]
pub(super) enum Decides {
    /// One value beyond, whatever else comes.
    One(Beyond),
    /// All values: none may be out of these bounds, whatever leaves.
    All([f64; 2]),
}

/// `known`: the extreme; where it is not said, only what one value decides is found out.
#[inline]
pub(super) fn decides(
    aggregate: WindowFunction,
    Compared { op, right, is_true }: Compared,
    (known, is_unsigned): (Option<f64>, bool),
) -> Option<Decides> {
    let is_max = aggregate == WindowFunction::Max;
    let (below, above) = (right - margin(right), right + margin(right));
    let side = Side::of(op, is_true)?;
    let one_decides = match (side, known) {
        (Side::Above, _) => is_max,
        (Side::Below, _) => !is_max,
        (Side::Outside, Some(known)) if above < known => is_max,
        (Side::Outside, Some(known)) if known < below => !is_max,
        (Side::Outside, _) => return None,
    };
    if one_decides {
        let edge = if is_max { above } else { below };
        return Some(Decides::One(Beyond { is_above: is_max, edge, is_unsigned }));
    }
    let known = known?;
    Some(Decides::All(match side {
        Side::Outside if known < below => [f64::NEG_INFINITY, below],
        Side::Outside => [above, f64::INFINITY],
        _ => same_side(op, is_true, (known, right)),
    }))
}

/// As long as a value is in the window whose time is known, and how many values have come from it on.
#[inline]
pub(super) fn while_in_window(
    span: WindowSpan,
    (ms, n_behind): (i64, u64),
    end_ms: i64,
) -> StableUntil {
    match span {
        WindowSpan::Period { ms: span } => {
            let until_ms = ms.saturating_add(span) - 1;
            let n_values = if until_ms < end_ms { 0 } else { u32::MAX };
            StableUntil { n_values, until_ms, ..StableUntil::UNLIMITED }
        }
        WindowSpan::Count(count) => {
            let n_values = u64::from(count).saturating_sub(n_behind);
            StableUntil {
                n_values: u32::try_from(n_values).unwrap_or(u32::MAX),
                ..StableUntil::UNLIMITED
            }
        }
    }
}
