//! Fields of protobuf messages, one after another.
//!
//! ```text
//! message: { key varint = number << 3 | type, value }*
//! type 0: varint   1: 8 bytes, little-endian   2: length varint, bytes   5: 4 bytes
//! ```

use super::SeriesError;

/// The content of a field.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Field<'a> {
    Varint(u64),
    Fixed64(u64),
    Bytes(&'a [u8]),
    Fixed32(u32),
}

impl<'a> Field<'a> {
    pub(super) fn bytes(self) -> Result<&'a [u8], SeriesError> {
        match self {
            Self::Bytes(it) => Ok(it),
            _ => Err(SeriesError::Message),
        }
    }

    pub(super) fn text(self) -> Result<&'a str, SeriesError> {
        super::text(self.bytes()?)
    }

    pub(super) fn double(self) -> Result<f64, SeriesError> {
        match self {
            Self::Fixed64(it) => Ok(f64::from_bits(it)),
            _ => Err(SeriesError::Message),
        }
    }

    /// A number in any form.
    pub(super) fn integer(self) -> Result<i64, SeriesError> {
        match self {
            Self::Varint(it) | Self::Fixed64(it) => Ok(it.cast_signed()),
            Self::Fixed32(it) => Ok(it.into()),
            Self::Bytes(_) => Err(SeriesError::Message),
        }
    }
}

/// The fields of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    pub(super) fn of(message: &'a [u8]) -> Self {
        Self(message)
    }

    /// The next one with its number; `None`: there are no more.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Field<'a>)>, SeriesError> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let key = self.varint()?;
        let field = match key & 7 {
            0 => Field::Varint(self.varint()?),
            1 => Field::Fixed64(u64::from_le_bytes(self.array()?)),
            2 => {
                let length = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
                Field::Bytes(self.take(length)?)
            }
            5 => Field::Fixed32(u32::from_le_bytes(self.array()?)),
            _ => return Err(SeriesError::Message),
        };
        Ok(Some((key >> 3, field)))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], SeriesError> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(SeriesError::Message)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], SeriesError> {
        self.take(N)?.try_into().map_err(|_length| SeriesError::Message)
    }

    pub(super) fn varint(&mut self) -> Result<u64, SeriesError> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let (first, rest) = self.0.split_first().ok_or(SeriesError::Message)?;
            self.0 = rest;
            value |= u64::from(first & 0x7f) << shift;
            if first & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(SeriesError::Message)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
