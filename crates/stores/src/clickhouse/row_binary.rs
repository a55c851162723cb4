//! ClickHouse's format `RowBinary`: fields one after the other, little-endian, texts with their length as a
//! varint before them.

use history::{Error, Result};
use model::Time;

use crate::batch::Row;
use crate::error::away;

/// Rows being written.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) bytes: Vec<u8>,
}

impl Rows {
    /// The first columns of all tables of values. `false`, and nothing is written, if a `DateTime`
    /// can't hold the time.
    pub(super) fn place<T>(&mut self, row: &Row<T>) -> bool {
        let Ok(clock) = u32::try_from(row.time.clock()) else { return false };
        self.u64(row.item.0);
        self.u32(clock);
        self.u32(row.time.ns());
        self.u64(row.seq);
        let days = row.retention.days().and_then(|it| u16::try_from(it).ok()).unwrap_or(0);
        self.bytes.extend_from_slice(&days.to_le_bytes());
        true
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn i32(&mut self, value: i32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn i64(&mut self, value: i64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn f64(&mut self, value: f64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn text(&mut self, text: &str) {
        let mut n = text.len();
        while n >= 0x80 {
            self.bytes.push(low_byte(n) | 0x80);
            n >>= 7;
        }
        self.bytes.push(low_byte(n));
        self.bytes.extend_from_slice(text.as_bytes());
    }
}

fn low_byte(n: usize) -> u8 {
    n.to_le_bytes()[0]
}

/// An answer being read.
#[derive(Debug)]
pub(super) struct Answer<'a> {
    left: &'a [u8],
}

impl<'a> Answer<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { left: bytes }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.left.is_empty()
    }

    fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let (taken, left) = self.left.split_at_checked(n).ok_or_else(cut)?;
        self.left = left;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.take(N)?.try_into().map_err(|_wrong_length| cut())
    }

    pub(super) fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn i32(&mut self) -> Result<i32> {
        self.array().map(i32::from_le_bytes)
    }

    pub(super) fn i64(&mut self) -> Result<i64> {
        self.array().map(i64::from_le_bytes)
    }

    pub(super) fn f64(&mut self) -> Result<f64> {
        self.array().map(f64::from_le_bytes)
    }

    /// Seconds and nanoseconds.
    pub(super) fn time(&mut self) -> Result<Time> {
        let clock = self.u32()?;
        Ok(Time::from_clock(clock.into(), self.u32()?))
    }

    pub(super) fn text(&mut self) -> Result<&'a str> {
        let mut n = 0_usize;
        for shift in (0..=35).step_by(7) {
            let [byte] = self.array()?;
            n |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                let bytes = self.take(n)?;
                return std::str::from_utf8(bytes).map_err(|_not_utf8| away("a text is not UTF-8"));
            }
        }
        Err(cut())
    }
}

fn cut() -> Error {
    away("its answer is cut off")
}

#[cfg(test)]
mod tests {
    use model::{ItemId, Retention};

    use super::*;

    #[test]
    fn written_bytes_read_back_and_truncated_ones_are_errors() {
        let mut rows = Rows::default();
        let time = Time::from_clock(1_790_000_000, 123_456_789);
        let long = "ü".repeat(200);
        let row = Row { item: ItemId(7), time, seq: 9, retention: Retention::Forever, value: () };
        assert!(rows.place(&row));
        rows.f64(-0.5);
        rows.i64(-3);
        rows.i32(-4);
        rows.text(&long);
        let mut answer = Answer::new(&rows.bytes);
        assert_eq!(answer.u64().expect("the item"), 7);
        assert_eq!(answer.time().expect("the time"), time);
        assert_eq!(answer.u64().expect("the place"), 9);
        assert_eq!(answer.take(2).expect("days"), [0, 0]);
        assert_eq!(answer.f64().expect("a number").to_bits(), (-0.5_f64).to_bits());
        assert_eq!((answer.i64().expect("whole"), answer.i32().expect("whole")), (-3, -4));
        assert_eq!(answer.text().expect("a text"), long);
        assert!(answer.is_at_end() && answer.u32().is_err() && answer.text().is_err());
        let cut = rows.bytes.get(..rows.bytes.len() - 1).expect("not empty");
        let mut answer = Answer { left: cut.get(cut.len() - 401..).expect("the text") };
        assert!(answer.text().is_err());
        let of_1960 = Row { time: Time::from_clock(-315_000_000, 0), ..row };
        assert!(!Rows::default().place(&of_1960));
    }
}
