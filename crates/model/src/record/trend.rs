//! Parts of trends: statistics of an item's numbers within an hour.

use super::Num;
use super::number::{self, Packer, put_packed};
use crate::{ItemId, Retention, Time};
use varint::{Bytes, put_varint};

/// Nanoseconds.
const HOUR: i64 = 3_600_000_000_000;

/// An hour since 1970, UTC.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Hour(pub i64);

impl Hour {
    /// The hour of a time.
    #[must_use]
    pub fn of(time: Time) -> Self {
        Self(time.0.div_euclid(HOUR))
    }

    /// Where it begins.
    #[must_use]
    pub fn start(self) -> Time {
        Time(self.0.saturating_mul(HOUR))
    }
}

/// The sum of numbers; of whole ones, exactly.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Sum {
    Float(f64),
    Unsigned(u128),
}

impl Sum {
    /// Both sums together, if they are of one type.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Float(a), Self::Float(b)) => Some(Self::Float(a + b)),
            (Self::Unsigned(a), Self::Unsigned(b)) => Some(Self::Unsigned(a.saturating_add(b))),
            (Self::Float(_), Self::Unsigned(_)) | (Self::Unsigned(_), Self::Float(_)) => None,
        }
    }
}

impl Num {
    /// The nearest float.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "as near as a float comes")]
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Float(it) => it,
            Self::Unsigned(it) => it as f64,
        }
    }

    /// The smaller one, if they are of one type.
    #[must_use]
    pub fn least(self, other: Self) -> Option<Self> {
        self.either(other, f64::min, u64::min)
    }

    /// The larger one, if they are of one type.
    #[must_use]
    pub fn greatest(self, other: Self) -> Option<Self> {
        self.either(other, f64::max, u64::max)
    }

    fn either(
        self,
        other: Self,
        of_floats: fn(f64, f64) -> f64,
        of_unsigned: fn(u64, u64) -> u64,
    ) -> Option<Self> {
        match (self, other) {
            (Self::Float(a), Self::Float(b)) => Some(Self::Float(of_floats(a, b))),
            (Self::Unsigned(a), Self::Unsigned(b)) => Some(Self::Unsigned(of_unsigned(a, b))),
            (Self::Float(_), Self::Unsigned(_)) | (Self::Unsigned(_), Self::Float(_)) => None,
        }
    }
}

/// A part of an item's trend: numbers of one hour. The trend is the sum of all parts of the item, hour and
/// type: counts and sums add up, the least minimum, the largest maximum. Most hours have one part; values
/// that arrive late, or after a restart without their hour, make further ones.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TrendRow {
    pub item: ItemId,
    pub hour: Hour,
    /// How long it is kept.
    pub retention: Retention,
    pub count: u32,
    pub min: Num,
    pub max: Num,
    /// Of the same type as minimum and maximum.
    pub sum: Sum,
}

impl TrendRow {
    /// The sum of two parts of the same trend. Parts of different types do not belong together: `None`.
    #[must_use]
    pub fn with(self, other: &Self) -> Option<Self> {
        let (min, max) = (self.min.least(other.min)?, self.max.greatest(other.max)?);
        let sum = self.sum.plus(other.sum)?;
        let count = self.count.saturating_add(other.count);
        Some(Self { count, min, max, sum, retention: self.retention.max(other.retention), ..self })
    }
}

/// The fields after item and hour.
pub(super) fn put(out: &mut Vec<u8>, packer: &mut Packer, row: &TrendRow) {
    out.push(row.retention as u8);
    put_varint(out, row.count.into());
    put_packed(out, packer.pack(row.min));
    put_packed(out, packer.pack(row.max));
    match row.sum {
        Sum::Float(sum) => put_packed(out, packer.pack(Num::Float(sum))),
        Sum::Unsigned(sum) => {
            let bytes = sum.to_le_bytes();
            let n = bytes.iter().rposition(|it| *it != 0).map_or(0, |it| it + 1);
            put_varint(out, n as u64);
            out.extend_from_slice(bytes.get(..n).unwrap_or_default());
        }
    }
}

pub(super) fn read(bytes: &mut Bytes<'_>, item: ItemId, hour: Hour) -> Option<TrendRow> {
    let retention = Retention::from_code(bytes.u8()?)?;
    let count = bytes.small()?;
    let min = number::read(bytes.u8()?, bytes)?;
    let max = number::read(bytes.u8()?, bytes)?;
    let sum = match (min, max) {
        (Num::Float(_), Num::Float(_)) => match number::read(bytes.u8()?, bytes)? {
            Num::Float(it) => Sum::Float(it),
            Num::Unsigned(_) => return None,
        },
        (Num::Unsigned(_), Num::Unsigned(_)) => {
            let mut sum = [0; 16];
            let n: usize = bytes.small()?;
            sum.get_mut(..n)?.copy_from_slice(bytes.take(n)?);
            Sum::Unsigned(u128::from_le_bytes(sum))
        }
        _ => return None,
    };
    Some(TrendRow { item, hour, retention, count, min, max, sum })
}
