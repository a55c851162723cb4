//! Numbers as varints, and the reading of bytes that anybody may have written: the common part of the formats
//! of journal, history and what they hold.
//!
//! A varint has seven bits a byte, lowest first; the top bit says that another one follows. At most ten
//! bytes; one that says more than 64 bits is none. Signed numbers are zigzagged first: 0, -1, 1, -2, …

/// A signed number as an unsigned one that is small if its amount is.
#[inline]
#[must_use]
pub fn zigzag(value: i64) -> u64 {
    (value.cast_unsigned() << 1) ^ (value >> 63).cast_unsigned()
}

/// Back from [`zigzag`].
#[inline]
#[must_use]
pub fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

/// Appends a varint.
#[inline]
pub fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// Bytes of a varint.
#[inline]
#[must_use]
pub fn varint_len(value: u64) -> u32 {
    (64 - (value | 1).leading_zeros()).div_ceil(7)
}

/// Appends a text after its length in bytes.
pub fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// The unread bytes; every method returns `None` when the bytes are too few, and then the position
/// is unspecified.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bytes<'a> {
    /// The unread bytes.
    pub left: &'a [u8],
}

impl<'a> Bytes<'a> {
    /// All of `left` is to be read.
    #[must_use]
    pub fn new(left: &'a [u8]) -> Self {
        Self { left }
    }

    /// The next byte.
    #[inline]
    pub fn u8(&mut self) -> Option<u8> {
        let (first, rest) = self.left.split_first()?;
        self.left = rest;
        Some(*first)
    }

    /// The next `n` bytes.
    #[inline]
    pub fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.left.split_at_checked(n)?;
        self.left = rest;
        Some(taken)
    }

    /// Four bytes, lowest first.
    #[inline]
    pub fn u32(&mut self) -> Option<u32> {
        let (taken, rest) = self.left.split_first_chunk()?;
        self.left = rest;
        Some(u32::from_le_bytes(*taken))
    }

    /// Eight bytes, lowest first.
    #[inline]
    pub fn u64(&mut self) -> Option<u64> {
        let (taken, rest) = self.left.split_first_chunk()?;
        self.left = rest;
        Some(u64::from_le_bytes(*taken))
    }

    /// A varint.
    #[inline]
    pub fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return None;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A zigzagged varint.
    #[inline]
    pub fn signed(&mut self) -> Option<i64> {
        self.varint().map(unzigzag)
    }

    /// A varint that is a number of this type.
    #[inline]
    pub fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.varint()?).ok()
    }

    /// A text after its length.
    pub fn text(&mut self) -> Option<&'a str> {
        let n = self.small()?;
        std::str::from_utf8(self.take(n)?).ok()
    }

    /// `n` bytes as a number, lowest first, `n` at most 8.
    #[inline]
    pub fn number(&mut self, n: usize) -> Option<u64> {
        if let Some(eight) = self.left.first_chunk::<8>() {
            // The usual case reads eight bytes and drops what is too much.
            let bits = u32::try_from(n.min(8)).ok()? * 8;
            let value = u64::from_le_bytes(*eight);
            self.left = self.left.get(n..)?;
            return Some(if bits == 64 { value } else { value & ((1 << bits) - 1) });
        }
        let taken = self.take(n)?;
        let mut eight = [0; 8];
        eight.get_mut(..n)?.copy_from_slice(taken);
        Some(u64::from_le_bytes(eight))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_come_back_and_take_what_is_said() {
        for shift in 0..64 {
            for value in [1_u64 << shift, (1 << shift) - 1, u64::MAX >> shift] {
                let mut out = Vec::new();
                put_varint(&mut out, value);
                assert_eq!(out.len(), varint_len(value) as usize, "{value}");
                let mut bytes = Bytes::new(&out);
                assert_eq!((bytes.varint(), bytes.left), (Some(value), &[][..]));
                assert_eq!(Bytes::new(&out[..out.len() - 1]).varint(), None);
            }
        }
    }

    #[test]
    fn more_than_64_bits_are_no_number() {
        assert_eq!(Bytes::new(&[0xff; 11]).varint(), None);
        assert_eq!(Bytes::new(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02").varint(), None);
        assert_eq!(
            Bytes::new(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01").varint(),
            Some(u64::MAX)
        );
        assert_eq!(Bytes::new(&[0x80, 0x02]).small::<u8>(), None);
    }

    #[test]
    fn signs_survive_and_small_amounts_stay_small() {
        for value in [0, -1, 1, i64::MIN, i64::MAX] {
            assert_eq!(unzigzag(zigzag(value)), value);
        }
        assert_eq!((zigzag(-1), zigzag(1)), (1, 2));
    }

    #[test]
    fn numbers_and_texts_are_read_up_to_the_last_byte() {
        let mut out = Vec::new();
        put_text(&mut out, "größer");
        out.extend_from_slice(&[1, 2, 3]);
        let mut bytes = Bytes::new(&out);
        assert_eq!(bytes.text(), Some("größer"));
        assert_eq!(bytes.number(3), Some(0x03_02_01));
        assert_eq!(
            (bytes.number(1), bytes.u8(), bytes.u32(), bytes.u64()),
            (None, None, None, None)
        );
        let eight = [1, 0, 0, 0, 0, 0, 0, 9];
        assert_eq!(Bytes::new(&eight).number(2), Some(1));
        assert_eq!(Bytes::new(&eight).number(8), Some(0x0900_0000_0000_0001));
        assert_eq!(Bytes::new(&eight).number(9), None);
        assert_eq!(Bytes::new(&[3, b'a', 0xff, b'b']).text(), None);
    }
}
