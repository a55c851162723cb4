//! Writing and reading the small things that rows are made of.

pub(crate) fn zigzag(value: i64) -> u64 {
    (value.cast_unsigned() << 1) ^ (value >> 63).cast_unsigned()
}

pub(crate) fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

/// The difference of two ids or times that survives any pair, wrapping around.
pub(crate) fn delta(value: u64, previous: u64) -> u64 {
    zigzag(value.wrapping_sub(previous).cast_signed())
}

pub(crate) fn undelta(delta: u64, previous: u64) -> u64 {
    previous.wrapping_add(unzigzag(delta).cast_unsigned())
}

pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// What is left to read; every method gives `None` when the bytes do not have it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bytes<'a> {
    pub(crate) left: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(left: &'a [u8]) -> Self {
        Self { left }
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        let (first, rest) = self.left.split_first()?;
        self.left = rest;
        Some(*first)
    }

    pub(crate) fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.left.split_at_checked(n)?;
        self.left = rest;
        Some(taken)
    }

    pub(crate) fn varint(&mut self) -> Option<u64> {
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

    pub(crate) fn signed(&mut self) -> Option<i64> {
        self.varint().map(unzigzag)
    }

    pub(crate) fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.varint()?).ok()
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        let n = self.small()?;
        std::str::from_utf8(self.take(n)?).ok()
    }

    /// `n` bytes as a little-endian number, `n` at most 8.
    pub(crate) fn number(&mut self, n: usize) -> Option<u64> {
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
