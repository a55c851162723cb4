//! What the engine stores: samples of series.

/// How a series' values are represented. The engine knows floats and whole numbers; all other
/// kinds are bytes whose meaning is the user's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SeriesKind(pub u8);

impl SeriesKind {
    pub const FLOAT: Self = Self(0);
    pub const UNSIGNED: Self = Self(1);
    /// The first of the kinds that are bytes.
    pub const BYTES: Self = Self(2);

    #[must_use]
    pub fn is_number(self) -> bool {
        self < Self::BYTES
    }
}

/// How long samples are kept, as far as the engine knows: samples of one class lie in files of their
/// own. What the numbers mean is the user's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Class(pub u8);

impl Class {
    /// Of files from before there were classes.
    pub const UNKNOWN: Self = Self(0);
}

/// A series. Series of one id are neighbors on disk.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SeriesKey {
    pub id: u64,
    pub kind: SeriesKind,
}

/// A sample: its time in milliseconds, and the bits of a number or a reference to bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Point {
    pub(crate) ms: i64,
    pub(crate) bits: u64,
}

/// A value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value<'a> {
    Float(f64),
    Unsigned(u64),
    Bytes(&'a [u8]),
}

/// Which end of a range comes first, and is kept when there is a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    Ascending,
    Descending,
}

/// What a read of one series wants: times in `from..=to`, at most `limit` from the end that
/// `order` begins with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) from: i64,
    pub(crate) to: i64,
    pub(crate) limit: usize,
    pub(crate) order: Order,
}

impl Wanted {
    pub(crate) const ALL: Self =
        Self { from: i64::MIN, to: i64::MAX, limit: usize::MAX, order: Order::Ascending };

    pub(crate) fn overlaps(&self, min: i64, max: i64) -> bool {
        min <= self.to && max >= self.from
    }
}

/// Bits of a reference that hold the length; the others reach over 256 GiB of one answer.
const LEN_BITS: u32 = 26;
/// The longest value that is bytes.
pub const BYTES_MAX: usize = (1 << LEN_BITS) - 1;

/// The length of the bytes that a reference means.
pub(crate) fn len_of(bits: u64) -> usize {
    usize::try_from(bits & BYTES_MAX as u64).unwrap_or(0)
}

/// Samples of one series, as read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Samples {
    pub(crate) kind: SeriesKind,
    pub(crate) points: Vec<Point>,
    /// Of bytes, a point's bits are where they start and end here.
    pub(crate) bytes: Vec<u8>,
    pub(crate) position: Option<u64>,
}

impl Samples {
    pub(crate) fn new(kind: SeriesKind) -> Self {
        Self { kind, points: Vec::new(), bytes: Vec::new(), position: None }
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.points.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The position of the journal that these samples stand for: all that came before it is in them
    /// as far as it was asked for, and nothing that came after it. `None` if that is not known
    /// because the series has several writers.
    #[must_use]
    pub fn position(&self) -> Option<u64> {
        self.position
    }

    /// Times and values in the order that was asked for.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (i64, Value<'_>)> + ExactSizeIterator {
        self.points.iter().map(|point| (point.ms, self.value(point.bits)))
    }

    /// Adds a copy of some bytes and returns the reference to it.
    pub(crate) fn keep(&mut self, bytes: &[u8]) -> u64 {
        let bytes = bytes.get(..BYTES_MAX).unwrap_or(bytes);
        let start = self.bytes.len() as u64;
        self.bytes.extend_from_slice(bytes);
        start << LEN_BITS | bytes.len() as u64
    }

    fn value(&self, bits: u64) -> Value<'_> {
        match self.kind {
            SeriesKind::FLOAT => Value::Float(f64::from_bits(bits)),
            SeriesKind::UNSIGNED => Value::Unsigned(bits),
            _ => Value::Bytes(self.bytes_of(bits)),
        }
    }

    pub(crate) fn bytes_of(&self, bits: u64) -> &[u8] {
        let start = usize::try_from(bits >> LEN_BITS).unwrap_or(usize::MAX);
        let len = len_of(bits);
        self.bytes.get(start..start.saturating_add(len)).unwrap_or_default()
    }
}
