//! Columns of whole numbers: the difference from a guess, packed in as many bits as most need.
//!
//! ```text
//! mode u8 (guess, +8 if there are exceptions) · width u8 · parameters · packed differences
//! [ number of exceptions u8 · position u8 each · bits above the width, varint each ]
//! ```
//!
//! | guess | parameters | stored |
//! |---|---|---|
//! | 0 level | minimum (zigzag) | value − minimum |
//! | 1 step | first, minimum step (zigzag) | step − minimum step, one fewer |
//! | 2 same | first (zigzag) | zigzag of the step, one fewer |
//! | 3 line | first, last − first (zigzag) | zigzag of value − point on the line |
//!
//! All arithmetic wraps, so that any 64 bits survive. Exceptions keep one outlier (a gap, a reset)
//! from widening all others.

use varint::{Bytes, put_varint, unzigzag, varint_len, zigzag};

use super::bits::{BitWriter, mask, unpack};
use super::scratch::{CHUNK_MAX, with_scratch};

const EXCEPTIONS: u8 = 8;
/// Below this many values exceptions do not pay for finding them.
const EXCEPTIONS_FROM: usize = 16;
/// From so many values on a guess that is right for all of them needs no better one.
const EXACT_FROM: usize = 8;
/// A line's slope is computed with a product that must not wrap.
const LINE_MAX: u64 = 1 << 54;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guess {
    Level,
    Step,
    Same,
    Line,
}

const GUESSES: [Guess; 4] = [Guess::Level, Guess::Step, Guess::Same, Guess::Line];

/// The cost of a guess, and its encoding.
#[derive(Clone, Copy, Debug)]
struct Plan {
    guess: Guess,
    first: i64,
    second: i64,
    width: u32,
    n_exceptions: u8,
    bits: u32,
}

/// Limits of values and of steps.
#[derive(Clone, Copy, Debug)]
struct Limits {
    min: i64,
    min_step: i64,
}

fn limits(values: &[i64]) -> Limits {
    let mut limits = Limits { min: i64::MAX, min_step: i64::MAX };
    for value in values {
        limits.min = limits.min.min(*value);
    }
    for pair in values.windows(2) {
        if let [a, b] = pair {
            limits.min_step = limits.min_step.min(b.wrapping_sub(*a));
        }
    }
    limits
}

pub(crate) fn encode(values: &[i64], out: &mut Vec<u8>) {
    debug_assert!(!values.is_empty() && values.len() <= CHUNK_MAX);
    let limits = limits(values);
    with_scratch(values.len(), |buffer| {
        let mut best: Option<Plan> = None;
        for guess in GUESSES {
            let Some((first, second)) = parameters(guess, values, limits) else { continue };
            let n = residuals(guess, (first, second), values, buffer);
            let plan = plan(guess, (first, second), buffer.get(..n).unwrap_or_default());
            if best.is_none_or(|it| plan.bits < it.bits) {
                best = Some(plan);
            }
            if plan.width == 0 && values.len() >= EXACT_FROM {
                break;
            }
        }
        let plan = best.expect("a level can always be found");
        let n = residuals(plan.guess, (plan.first, plan.second), values, buffer);
        write(&plan, buffer.get(..n).unwrap_or_default(), out);
    });
}

fn parameters(guess: Guess, values: &[i64], limits: Limits) -> Option<(i64, i64)> {
    let first = *values.first()?;
    match guess {
        Guess::Level => Some((limits.min, 0)),
        Guess::Step => (values.len() > 1).then_some((first, limits.min_step)),
        Guess::Same => Some((first, 0)),
        Guess::Line => {
            let rise = values.last()?.checked_sub(first)?;
            (values.len() > 2 && rise.unsigned_abs() < LINE_MAX).then_some((first, rise))
        }
    }
}

/// The point on the line: wraps for bytes that nobody wrote.
#[inline]
fn on_line((first, rise): (i64, i64), at: i64, last: i64) -> i64 {
    first.wrapping_add(at.wrapping_mul(rise) / last.max(1))
}

fn last_index(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX).saturating_sub(1)
}

fn residuals(guess: Guess, (first, second): (i64, i64), values: &[i64], out: &mut [u64]) -> usize {
    match guess {
        Guess::Level => {
            for (to, value) in out.iter_mut().zip(values) {
                *to = value.wrapping_sub(first).cast_unsigned();
            }
            values.len()
        }
        Guess::Step => {
            for (to, pair) in out.iter_mut().zip(values.windows(2)) {
                if let [a, b] = pair {
                    *to = b.wrapping_sub(*a).wrapping_sub(second).cast_unsigned();
                }
            }
            values.len() - 1
        }
        Guess::Same => {
            for (to, pair) in out.iter_mut().zip(values.windows(2)) {
                if let [a, b] = pair {
                    *to = zigzag(b.wrapping_sub(*a));
                }
            }
            values.len() - 1
        }
        Guess::Line => {
            let last = last_index(values.len());
            for ((to, value), at) in out.iter_mut().zip(values).zip(0..) {
                *to = zigzag(value.wrapping_sub(on_line((first, second), at, last)));
            }
            values.len()
        }
    }
}

fn bits_of(value: u64) -> u32 {
    64 - value.leading_zeros()
}

fn plan(guess: Guess, (first, second): (i64, i64), residuals: &[u64]) -> Plan {
    let all = residuals.iter().fold(0, |all, it| all | it);
    let n = u32::try_from(residuals.len()).unwrap_or(0);
    let mut head = varint_len(zigzag(first)) * 8;
    if matches!(guess, Guess::Step | Guess::Line) {
        head += varint_len(zigzag(second)) * 8;
    }
    let widest = bits_of(all);
    let bits = head + n * widest;
    let mut plan = Plan { guess, first, second, width: widest, n_exceptions: 0, bits };
    if residuals.len() >= EXCEPTIONS_FROM && widest > 0 {
        allow_exceptions(&mut plan, residuals, head);
    }
    plan
}

/// Looks for a smaller width that most values fit.
fn allow_exceptions(plan: &mut Plan, residuals: &[u64], head: u32) {
    let mut n_of_width = [0_u32; 65];
    for residual in residuals {
        if let Some(n) = n_of_width.get_mut(bits_of(*residual) as usize) {
            *n += 1;
        }
    }
    let n = u32::try_from(residuals.len()).unwrap_or(0);
    let widest = plan.width;
    let mut n_above = 0;
    for width in (0..widest).rev() {
        n_above += n_of_width.get(width as usize + 1).copied().unwrap_or(0);
        let Ok(n_exceptions) = u8::try_from(n_above) else { break };
        let each = 8 + 8 * (widest - width).div_ceil(7);
        let bits = head + n * width + 8 + n_above * each;
        if bits < plan.bits {
            *plan = Plan { width, n_exceptions, bits, ..*plan };
        }
    }
}

fn write(plan: &Plan, residuals: &[u64], out: &mut Vec<u8>) {
    let exceptions = if plan.n_exceptions > 0 { EXCEPTIONS } else { 0 };
    out.push(plan.guess as u8 | exceptions);
    out.push(plan.width.to_le_bytes()[0]);
    put_varint(out, zigzag(plan.first));
    if matches!(plan.guess, Guess::Step | Guess::Line) {
        put_varint(out, zigzag(plan.second));
    }
    let mask = mask(plan.width);
    if plan.width > 0 {
        let mut bits = BitWriter::new(out);
        for residual in residuals {
            bits.put(residual & mask, plan.width);
        }
        bits.finish();
    }
    if plan.n_exceptions > 0 {
        out.push(plan.n_exceptions);
        let above = || residuals.iter().zip(0_u8..=255).filter(|(it, _)| **it > mask);
        out.extend(above().map(|(_, at)| at));
        for (residual, _) in above() {
            put_varint(out, residual >> plan.width);
        }
    }
}

/// Fills `out` with the next column.
pub(crate) fn decode(bytes: &mut Bytes<'_>, out: &mut [i64]) -> Option<()> {
    let mode = bytes.u8()?;
    let width = u32::from(bytes.u8()?);
    let guess = *GUESSES.get(usize::from(mode & 7))?;
    if width > 64 || mode & !(EXCEPTIONS | 7) != 0 {
        return None;
    }
    let first = bytes.signed()?;
    let second = if matches!(guess, Guess::Step | Guess::Line) { bytes.signed()? } else { 0 };
    let n = match guess {
        Guess::Level | Guess::Line => out.len(),
        Guess::Step | Guess::Same => out.len().checked_sub(1)?,
    };
    with_scratch(n, |residuals| {
        unpack(bytes, width, residuals)?;
        if mode & EXCEPTIONS != 0 {
            read_exceptions(bytes, width, residuals)?;
        }
        restore(guess, (first, second), residuals, out);
        Some(())
    })
}

fn read_exceptions(bytes: &mut Bytes<'_>, width: u32, residuals: &mut [u64]) -> Option<()> {
    let n = bytes.u8()?;
    for position in bytes.take(n.into())? {
        let high = bytes.varint()?;
        *residuals.get_mut(usize::from(*position))? |= high.checked_shl(width)?;
    }
    Some(())
}

fn restore(guess: Guess, (first, second): (i64, i64), residuals: &[u64], out: &mut [i64]) {
    match guess {
        Guess::Level => {
            for (to, residual) in out.iter_mut().zip(residuals) {
                *to = first.wrapping_add(residual.cast_signed());
            }
        }
        Guess::Step | Guess::Same => {
            let mut value = first;
            let Some((to_first, rest)) = out.split_first_mut() else { return };
            *to_first = first;
            for (to, residual) in rest.iter_mut().zip(residuals) {
                let step = if guess == Guess::Step {
                    residual.cast_signed().wrapping_add(second)
                } else {
                    unzigzag(*residual)
                };
                value = value.wrapping_add(step);
                *to = value;
            }
        }
        Guess::Line => {
            let last = last_index(out.len());
            for ((to, residual), at) in out.iter_mut().zip(residuals).zip(0..) {
                *to = on_line((first, second), at, last).wrapping_add(unzigzag(*residual));
            }
        }
    }
}
