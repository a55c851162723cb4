//! Differences of ids and times that rows are made of.

use varint::{unzigzag, zigzag};

/// The difference of two ids or times that survives any pair, wrapping around.
pub(crate) fn delta(value: u64, previous: u64) -> u64 {
    zigzag(value.wrapping_sub(previous).cast_signed())
}

pub(crate) fn undelta(delta: u64, previous: u64) -> u64 {
    previous.wrapping_add(unzigzag(delta).cast_unsigned())
}
