//! The data of the engine: samples of series.

/// How a series' values are represented. The engine knows floats, whole numbers, and what they come to over
/// some time; all other kinds are bytes whose meaning is the user's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SeriesKind(pub u8);

impl SeriesKind {
    pub const FLOAT: Self = Self(0);
    pub const UNSIGNED: Self = Self(1);
    /// The first of the kinds that are no numbers: of bytes, unless it is said otherwise.
    pub const BYTES: Self = Self(2);
    /// Aggregates of floats: [`AggregatePart`].
    pub const FLOAT_AGGREGATE: Self = Self(64);
    /// Aggregates of whole numbers.
    pub const UNSIGNED_AGGREGATE: Self = Self(65);

    #[must_use]
    pub fn is_number(self) -> bool {
        self < Self::BYTES
    }

    #[must_use]
    pub fn is_aggregate(self) -> bool {
        self == Self::FLOAT_AGGREGATE || self == Self::UNSIGNED_AGGREGATE
    }
}

/// How long samples are kept, as far as the engine knows: samples of one class lie in files of their
/// own. The meaning of the numbers is the user's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RetentionClass(pub u8);

impl RetentionClass {
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

/// A part of what the numbers of a span come to; parts of one series and time add up. Numbers are
/// bits of the type that the series' kind says: of floats the sum's are in the lower half.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AggregatePart {
    pub count: u64,
    pub min: u64,
    pub max: u64,
    pub sum: u128,
}

impl AggregatePart {
    #[must_use]
    pub fn of_floats(count: u64, (min, max): (f64, f64), sum: f64) -> Self {
        let (min, max) = (min.to_bits(), max.to_bits());
        Self { count, min, max, sum: sum.to_bits().into() }
    }

    /// The sum of floats.
    #[must_use]
    pub fn float_sum(&self) -> f64 {
        f64::from_bits(self.sum_halves().0)
    }

    /// The lower and the upper half of the sum's bits.
    pub(crate) fn sum_halves(&self) -> (u64, u64) {
        let half = |it: u128| u64::try_from(it & u128::from(u64::MAX)).unwrap_or(0);
        (half(self.sum), half(self.sum >> 64))
    }

    pub(crate) fn from_halves((count, min, max): (u64, u64, u64), (low, high): (u64, u64)) -> Self {
        Self { count, min, max, sum: u128::from(high) << 64 | u128::from(low) }
    }

    /// Adds another part of a series of this kind.
    pub(crate) fn add(&mut self, kind: SeriesKind, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        if kind == SeriesKind::FLOAT_AGGREGATE {
            self.min = f64::from_bits(self.min).min(f64::from_bits(other.min)).to_bits();
            self.max = f64::from_bits(self.max).max(f64::from_bits(other.max)).to_bits();
            self.sum = (self.float_sum() + other.float_sum()).to_bits().into();
        } else {
            self.min = self.min.min(other.min);
            self.max = self.max.max(other.max);
            self.sum = self.sum.saturating_add(other.sum);
        }
    }
}

/// A value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum PointValue<'a> {
    Float(f64),
    Unsigned(u64),
    Bytes(&'a [u8]),
    Aggregate(AggregatePart),
}

/// Which end of a range comes first, and is kept when there is a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    Ascending,
    Descending,
}

/// The range of a read of one series: times in `from..=to`, at most `limit` from the end that
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
pub struct StoredSamples {
    pub(crate) kind: SeriesKind,
    pub(crate) points: Vec<Point>,
    /// Of bytes, a point's bits are where they start and end here.
    pub(crate) bytes: Vec<u8>,
    /// Of aggregates, a point's bits are the place here.
    pub(crate) aggregates: Vec<AggregatePart>,
    pub(crate) position: Option<u64>,
}

impl StoredSamples {
    pub(crate) fn new(kind: SeriesKind) -> Self {
        Self { kind, points: Vec::new(), bytes: Vec::new(), aggregates: Vec::new(), position: None }
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
    pub fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = (i64, PointValue<'_>)> + ExactSizeIterator {
        self.points.iter().map(|point| (point.ms, self.value(point.bits)))
    }

    /// Adds a copy of some bytes and returns the reference to it.
    pub(crate) fn keep(&mut self, bytes: &[u8]) -> u64 {
        let bytes = bytes.get(..BYTES_MAX).unwrap_or(bytes);
        let start = self.bytes.len() as u64;
        self.bytes.extend_from_slice(bytes);
        start << LEN_BITS | bytes.len() as u64
    }

    fn value(&self, bits: u64) -> PointValue<'_> {
        match self.kind {
            SeriesKind::FLOAT => PointValue::Float(f64::from_bits(bits)),
            SeriesKind::UNSIGNED => PointValue::Unsigned(bits),
            kind if kind.is_aggregate() => PointValue::Aggregate(self.aggregate_of(bits)),
            _ => PointValue::Bytes(self.bytes_of(bits)),
        }
    }

    pub(crate) fn bytes_of(&self, bits: u64) -> &[u8] {
        let start = usize::try_from(bits >> LEN_BITS).unwrap_or(usize::MAX);
        let len = len_of(bits);
        self.bytes.get(start..start.saturating_add(len)).unwrap_or_default()
    }

    /// Adds up parts of the same time, of which none before the point `from` is to be compared with
    /// any but the ones from there on. Points ascend by time; returns how many went.
    pub(crate) fn add_up(&mut self, from: usize) -> usize {
        let parts = self.points.split_off(from.min(self.points.len()));
        let mut n_gone = 0;
        for part in parts {
            let whole = self.points.last().filter(|it| it.ms == part.ms).map(|it| it.bits);
            let Some(whole) = whole else {
                self.points.push(part);
                continue;
            };
            let other = self.aggregate_of(part.bits);
            if let Some(whole) =
                usize::try_from(whole).ok().and_then(|it| self.aggregates.get_mut(it))
            {
                whole.add(self.kind, &other);
            }
            n_gone += 1;
        }
        n_gone
    }

    /// The aggregate that a point's bits mean.
    pub(crate) fn aggregate_of(&self, bits: u64) -> AggregatePart {
        let at = usize::try_from(bits).ok();
        at.and_then(|it| self.aggregates.get(it)).copied().unwrap_or_default()
    }

    /// Lets go of aggregates that no point means any more.
    pub(crate) fn forget_aggregates(&mut self) {
        let left = std::mem::take(&mut self.aggregates);
        for (point, to) in self.points.iter_mut().zip(0_u64..) {
            let at = usize::try_from(std::mem::replace(&mut point.bits, to)).ok();
            self.aggregates.push(at.and_then(|it| left.get(it)).copied().unwrap_or_default());
        }
    }

    /// Adds a point with its aggregate.
    pub(crate) fn push_aggregate(&mut self, ms: i64, aggregate: AggregatePart) {
        let bits = self.aggregates.len() as u64;
        self.aggregates.push(aggregate);
        self.points.push(Point { ms, bits });
    }
}
