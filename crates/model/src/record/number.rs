//! Numbers in as few bytes as they need: monitoring values are short decimals.
//!
//! A number is a nibble for the meaning of the bytes, a nibble with their count, and the bytes. A float that
//! is exactly `m / 10^e` for a small `m` is stored as `m`; others as their bits, most significant byte first
//! so that trailing zeros vanish.

use super::Num;
use varint::{Bytes, unzigzag, zigzag};

/// Meanings 0..=13 are decimal exponents.
pub(crate) const BITS: u8 = 14;
pub(crate) const UNSIGNED: u8 = 15;
/// Counts above 8 mark values that are no numbers.
pub(crate) const COUNT_MAX: u8 = 8;

/// The largest exponent tried when writing: nine digits after the point are the most that agents print; each
/// further one costs a nanosecond with values that have no short decimal form.
const EXPONENT_MAX: u8 = 9;

const POWERS: [f64; 14] =
    [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13];

/// Mantissas below this fit seven bytes with their sign; larger ones gain nothing over the bits.
const MANTISSA_LIMIT: f64 = (1_u64 << 51) as f64;

/// Adding and taking away rounds to a whole number, far faster than `round()` (a library call).
const ROUNDER: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52

/// A number as bytes want it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed {
    pub(crate) meaning: u8,
    pub(crate) count: u8,
    pub(crate) bits: u64,
}

/// How many bytes a number needs; 0 for 0.
pub(crate) fn count_of(bits: u64) -> u8 {
    let n = (64 - bits.leading_zeros()).div_ceil(8);
    n.to_le_bytes()[0]
}

/// Packs floats; remembers which exponent fitted last, because neighbors are alike.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Packer {
    exponent: u8,
}

impl Packer {
    #[inline]
    pub(crate) fn pack(&mut self, value: Num) -> Packed {
        let (meaning, bits) = match value {
            Num::Unsigned(value) => (UNSIGNED, value),
            Num::Float(value) => match self.decimal(value) {
                Some((exponent, mantissa)) => (exponent, zigzag(mantissa)),
                None => (BITS, value.to_bits().swap_bytes()),
            },
        };
        Packed { meaning, count: count_of(bits), bits }
    }

    #[inline]
    fn decimal(&mut self, value: f64) -> Option<(u8, i64)> {
        if let Some(whole) = exact(value, 0) {
            return Some((0, whole));
        }
        let hint = self.exponent;
        if hint > 0
            && let Some(mantissa) = exact(value, hint)
            // A smaller exponent may do as well: 0.5 after 0.123456.
            && mantissa % 10 != 0
        {
            return Some((hint, mantissa));
        }
        for exponent in 1..=EXPONENT_MAX {
            if let Some(mantissa) = exact(value, exponent) {
                self.exponent = exponent;
                return Some((exponent, mantissa));
            }
        }
        None
    }
}

/// The mantissa if `mantissa / 10^exponent` gives back exactly `value`, bit by bit.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^51")]
#[expect(clippy::float_cmp, reason = "exactness is the point")]
fn exact(value: f64, exponent: u8) -> Option<i64> {
    let power = POWERS[usize::from(exponent)];
    let scaled = value * power;
    // Also false for NaN.
    if scaled.abs() < MANTISSA_LIMIT {
        let mantissa = (scaled + ROUNDER) - ROUNDER;
        // The multiplication is off by a relative 2^-52 at most; cheaper than dividing each time.
        let near = (scaled - mantissa).abs() <= scaled.abs() * (1.0 / (1_u64 << 51) as f64);
        if near && mantissa / power == value && (mantissa != 0.0 || value.is_sign_positive()) {
            return Some(mantissa as i64);
        }
    }
    None
}

/// Writes meaning and count, then the number.
pub(crate) fn put_packed(out: &mut Vec<u8>, packed: Packed) {
    debug_assert!(packed.meaning <= UNSIGNED && BITS < UNSIGNED, "a nibble");
    out.push(packed.meaning << 4 | packed.count);
    out.extend_from_slice(&packed.bits.to_le_bytes()[..usize::from(packed.count)]);
}

/// The number of `count` bytes of `bits` with a meaning.
#[inline]
#[expect(clippy::cast_precision_loss, reason = "what was packed is below 2^53")]
pub(crate) fn unpack(meaning: u8, bits: u64) -> Num {
    match meaning {
        UNSIGNED => Num::Unsigned(bits),
        BITS => Num::Float(f64::from_bits(bits.swap_bytes())),
        exponent => {
            let power = POWERS.get(usize::from(exponent)).copied().unwrap_or(1.0);
            Num::Float(unzigzag(bits) as f64 / power)
        }
    }
}

/// Reads meaning and count, then the number.
pub(crate) fn read(tag: u8, bytes: &mut Bytes<'_>) -> Option<Num> {
    let (meaning, count) = (tag >> 4, tag & 15);
    if count > COUNT_MAX {
        return None;
    }
    Some(unpack(meaning, bytes.number(count.into())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: f64, bytes: u8) {
        let packed = Packer::default().pack(Num::Float(value));
        let Num::Float(back) = unpack(packed.meaning, packed.bits) else { panic!("a float") };
        assert_eq!(back.to_bits(), value.to_bits(), "{value}");
        assert_eq!(packed.count, bytes, "{value}: {packed:?}");
    }

    #[test]
    fn short_decimals_take_few_bytes_and_others_none_too_many() {
        check(0.0, 0);
        check(1.0, 1);
        check(-64.0, 1);
        check(12.34, 2);
        check(0.1, 1);
        check(-273.15, 2);
        check(99.999_999, 4);
        check(1e9, 4);
        check(1e15, 7);
        check(0.5, 1);
        check(1.0 / 3.0, 8);
        check(std::f64::consts::PI, 8);
        check(-0.0, 1);
        check(f64::INFINITY, 2);
        check(f64::NAN, 2);
        check(f64::MAX, 8);
        check(f64::MIN_POSITIVE, 2);
        check(5e-324, 8);
    }

    #[test]
    fn the_remembered_exponent_changes_no_value() {
        let mut packer = Packer::default();
        for n in 0..200_000_u32 {
            let value = f64::from(n.wrapping_mul(2_654_435_761)) / POWERS[(n % 12) as usize];
            let packed = packer.pack(Num::Float(value));
            assert_eq!(unpack(packed.meaning, packed.bits), Num::Float(value));
        }
    }
}
