//! Columns of floats: whole numbers and an exponent where that is exact, else XOR.
//!
//! ```text
//! exponent u8 (0..=9) · column of whole numbers, each to be divided by 10^exponent
//! 255 · length varint · first value, 64 bits · per value:
//!     0                               as before
//!     1 0 bits                        differs within the bits that differed last time
//!     1 1 leading(6) width-1(6) bits  differs here
//! ```

use varint::{Bytes, put_varint};

use super::bits::{BitReader, BitWriter};
use super::ints;
use super::scratch::with_scratch;
use crate::series::Point;

const XOR: u8 = 255;
const EXPONENT_MAX: u8 = 9;
const POWERS: [f64; 10] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
/// Whole numbers below this are exact in a float, also after another multiplication.
const WHOLE_LIMIT: f64 = (1_u64 << 51) as f64;
/// Adding and taking away rounds to a whole number, far faster than `round()` (a library call).
const ROUNDER: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52

pub(crate) fn encode(values: &[Point], out: &mut Vec<u8>) {
    with_scratch(values.len(), |whole| match decimals(values, whole) {
        Some(exponent) => {
            out.push(exponent);
            ints::encode(whole, out);
        }
        None => encode_xor(values, out),
    });
}

/// Fills `whole` and returns the exponent, if all values are short decimals.
fn decimals(values: &[Point], whole: &mut [i64]) -> Option<u8> {
    let mut exponent = 0;
    for point in values {
        let value = f64::from_bits(point.bits);
        if exact(value, exponent).is_some() {
            continue;
        }
        exponent = (exponent + 1..=EXPONENT_MAX).find(|it| exact(value, *it).is_some())?;
    }
    // A value that is exact with a small exponent is so with a larger one, unless it gets too big.
    for (to, point) in whole.iter_mut().zip(values) {
        *to = exact(f64::from_bits(point.bits), exponent)?;
    }
    Some(exponent)
}

/// The whole number if dividing it by `10^exponent` gives back exactly `value`, bit by bit.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^51")]
#[expect(clippy::float_cmp, reason = "exactness is the point")]
fn exact(value: f64, exponent: u8) -> Option<i64> {
    let power = *POWERS.get(usize::from(exponent))?;
    let scaled = value * power;
    // Also false for NaN.
    if scaled.abs() < WHOLE_LIMIT {
        let whole = (scaled + ROUNDER) - ROUNDER;
        // The multiplication is off by a relative 2^-52 at most; cheaper than dividing each time.
        let near = (scaled - whole).abs() <= scaled.abs() * (1.0 / (1_u64 << 51) as f64);
        if near && whole / power == value && (whole != 0.0 || value.is_sign_positive()) {
            return Some(whole as i64);
        }
    }
    None
}

fn encode_xor(values: &[Point], out: &mut Vec<u8>) {
    let mut packed = Vec::with_capacity(values.len() * 8);
    let mut bits = BitWriter::new(&mut packed);
    let (mut previous, mut leading, mut width) = (0, 64, 0);
    for (row, point) in values.iter().enumerate() {
        let differs = point.bits ^ previous;
        previous = point.bits;
        if row == 0 {
            bits.put(point.bits, 64);
            continue;
        }
        if differs == 0 {
            bits.put(0, 1);
            continue;
        }
        let trailing = differs.trailing_zeros();
        let reusable = differs.leading_zeros() >= leading && trailing + width + leading >= 64;
        if width > 0 && reusable {
            bits.put(0b01, 2);
        } else {
            leading = differs.leading_zeros();
            width = 64 - leading - trailing;
            bits.put(0b11, 2);
            bits.put(leading.into(), 6);
            bits.put(u64::from(width) - 1, 6);
        }
        bits.put(differs >> (64 - leading - width), width);
    }
    bits.finish();
    out.push(XOR);
    put_varint(out, packed.len() as u64);
    out.extend_from_slice(&packed);
}

/// Fills `out` with the bits of the next column.
#[expect(clippy::cast_precision_loss, reason = "what was encoded is below 2^51")]
pub(crate) fn decode(bytes: &mut Bytes<'_>, out: &mut [i64]) -> Option<()> {
    match bytes.u8()? {
        XOR => {
            let n = bytes.small()?;
            decode_xor(bytes.take(n)?, out)
        }
        exponent => {
            let power = *POWERS.get(usize::from(exponent))?;
            ints::decode(bytes, out)?;
            for value in out {
                *value = (*value as f64 / power).to_bits().cast_signed();
            }
            Some(())
        }
    }
}

fn decode_xor(packed: &[u8], out: &mut [i64]) -> Option<()> {
    let mut bits = BitReader::new(packed);
    let mut value = 0;
    let (mut leading, mut width) = (0, 0);
    for (row, to) in out.iter_mut().enumerate() {
        if row == 0 {
            value = bits.get(64)?;
        } else if bits.get(1)? == 1 {
            if bits.get(1)? == 1 {
                leading = u32::try_from(bits.get(6)?).ok()?;
                width = u32::try_from(bits.get(6)?).ok()? + 1;
            }
            let trailing = 64_u32.checked_sub(leading + width)?;
            value ^= bits.get(width)?.checked_shl(trailing)?;
        }
        *to = value.cast_signed();
    }
    (bits.n_bytes() == packed.len()).then_some(())
}
