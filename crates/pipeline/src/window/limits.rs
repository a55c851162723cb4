//! What a function over a window can give at all, by the bounds of the values that the ring holds.
//!
//! Most values of most items lie far from what triggers ask for. Where the least and the greatest
//! possible answer say the same to a comparison, the windows need not be looked at.

use lang::expression::{Comparison, Op};
use lang::number::EPSILON;

use super::fold::{Compare, CompareOp, Fold, as_f64};
use super::ring::Ring;

/// Averages and sums are within a few roundings of the exact ones, relative to their greatest value.
const ROUNDING: f64 = 1e-12;

/// The least and the greatest answer over any window of the ring with at least one value.
#[inline]
pub(crate) fn limits(fold: Fold, ring: &Ring) -> Option<[f64; 2]> {
    let numbers = ring.numbers()?;
    let [low, high] = numbers.bounds();
    // Also of those to come before there is new memory.
    let n = as_f64(numbers.capacity() as u64);
    let slack = ROUNDING * low.abs().max(high.abs());
    Some(match fold {
        Fold::Min | Fold::Max => [low, high],
        Fold::Avg => [low - slack, high + slack],
        // Sums of whole numbers wrap.
        Fold::Sum if numbers.is_unsigned && 1e18 < high * n => return None,
        Fold::Sum => [low.min(low * n) - slack * n, high.max(high * n) + slack * n],
        Fold::Count(Some(it)) if matches_none(it, [low, high]) => [0.0, 0.0],
        Fold::Count(_) => [0.0, n],
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

/// What a comparison gives if it gives the same for all numbers within limits.
#[inline]
pub(crate) fn decided(op: Op, [low, high]: [f64; 2], right: f64) -> Option<bool> {
    match op {
        Op::Gt | Op::Ge | Op::Lt | Op::Le => {
            let least = Comparison::is_true(op, low, right)?;
            (Comparison::is_true(op, high, right)? == least).then_some(least)
        }
        Op::Eq | Op::Ne => {
            let is_apart = Comparison::is_true(Op::Lt, high, right)?
                || Comparison::is_true(Op::Gt, low, right)?;
            if is_apart {
                return Some(op == Op::Ne);
            }
            let is_one = low.to_bits() == high.to_bits();
            if is_one { Comparison::is_true(op, low, right) } else { None }
        }
        _ => None,
    }
}
