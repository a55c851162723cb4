//! The possible results of a function over a window, by the bounds of the values that the ring
//! holds.
//!
//! Most values of most items lie far from what triggers ask for. Where the least and the greatest
//! possible answer say the same to a comparison, the windows need not be looked at.

use formats::number::EPSILON;
use lang::expression::{Comparison, Op};

use super::aggregate::{Compare, CompareOp, WindowFunction};
use super::bits::as_f64;
use super::compared::Compared;
use super::numbers::Numbers;
use super::ring::Ring;
use super::stable_until::StableUntil;

/// Averages and sums are within a few roundings of the exact ones, relative to their greatest value.
const ROUNDING: f64 = 1e-12;

/// By what part of their range values are let come out of their bounds, the first that is possible.
const WIDER: [f64; 4] = [1.0, 0.25, 1.0 / 16.0, 0.0];

/// Whether all windows of the ring with at least one value give what is known to a comparison with
/// `right`: how far values may go that come.
#[inline]
pub fn no_change_bound(
    aggregate: WindowFunction,
    ring: &Ring,
    compared: Compared,
) -> Option<StableUntil> {
    let numbers = ring.numbers()?;
    let Compared { op, right, is_true } = compared;
    let gives = |bounds| limits(aggregate, bounds, numbers).and_then(|it| decided(op, it, right));
    let stays = |bounds: &[f64; 2]| gives(*bounds) == Some(is_true);
    let known = numbers.bounds();
    if !stays(&known) {
        return None;
    }
    let wider = WIDER.into_iter().map(|it| widened(known, it));
    Some(StableUntil { bounds: wider.into_iter().find(stays)?, ..StableUntil::UNLIMITED })
}

/// Bounds widened by this part of their range on either side.
#[inline]
pub(super) fn widened([low, high]: [f64; 2], part: f64) -> [f64; 2] {
    // Not 0 times infinite.
    let more = if part == 0.0 { 0.0 } else { (high - low) * part };
    [low - more, high + more]
}

/// The least and the greatest answer over any window with at least one value, all within bounds.
#[inline]
fn limits(aggregate: WindowFunction, [low, high]: [f64; 2], numbers: &Numbers) -> Option<[f64; 2]> {
    // Also of those to come before there is new memory.
    let n = as_f64(numbers.capacity() as u64);
    let slack = ROUNDING * low.abs().max(high.abs());
    Some(match aggregate {
        WindowFunction::Min | WindowFunction::Max => [low, high],
        WindowFunction::Avg => [low - slack, high + slack],
        // Sums of whole numbers wrap.
        WindowFunction::Sum if numbers.is_unsigned && 1e18 < high * n => return None,
        WindowFunction::Sum => [low.min(low * n) - slack * n, high.max(high * n) + slack * n],
        WindowFunction::Count(Some(it)) if matches_none(it, [low, high]) => [0.0, 0.0],
        WindowFunction::Count(_) => [0.0, n],
    })
}

/// Whether no number within bounds satisfies a comparison. Differences are taken as
/// [`Compare::matches`] takes them, and rounding keeps their order.
#[inline]
pub(super) fn matches_none(compare: Compare, [low, high]: [f64; 2]) -> bool {
    let (bottom, top) = (low - compare.right, high - compare.right);
    match compare.op {
        CompareOp::Gt => top <= EPSILON,
        CompareOp::Ge => top < -EPSILON,
        CompareOp::Lt => -EPSILON <= bottom,
        CompareOp::Le => EPSILON < bottom,
        CompareOp::Eq => top < -EPSILON || EPSILON < bottom,
        CompareOp::Ne => false,
    }
}

/// The result of a comparison if it is the same for all numbers within limits.
#[inline]
fn decided(op: Op, [low, high]: [f64; 2], right: f64) -> Option<bool> {
    match op {
        Op::Gt | Op::Ge | Op::Lt | Op::Le => {
            let least = Comparison::is_true(op, low, right)?;
            (Comparison::is_true(op, high, right)? == least).then_some(least)
        }
        Op::Eq | Op::Ne => {
            let is_outside = Comparison::is_true(Op::Lt, high, right)?
                || Comparison::is_true(Op::Gt, low, right)?;
            if is_outside {
                return Some(op == Op::Ne);
            }
            let is_one = low.to_bits() == high.to_bits();
            if is_one { Comparison::is_true(op, low, right) } else { None }
        }
        _ => None,
    }
}
