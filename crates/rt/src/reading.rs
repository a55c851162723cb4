//! Memory that answers of devices and servers take together while they are read.
//!
//! A [`Reading`] takes room as bytes come. Its first [`FREE_BYTES`] need none: the number of readings at once is bounded by
//! their owners. Where there is no room a reading waits; small ones end large ones, those of a source with less than its share
//! end those of a source with more, and those that do not move end first ([`crate::budget`]). A reading that was ended, or that
//! found no room in time, has [`NoRoom`] as its error.
//!
//! **Limits.** It measures nothing: its owner reports how many bytes have arrived.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use crate::budget::{Budget, BudgetMetrics, BudgetSettings, Hold, NoRoom, Owner};
use crate::clock::Clock;
use crate::metrics::{Counter, Gauge, Registry};

/// Why there is no answer, in words for users.
pub const NO_ROOM: &str = "The answer is too large for the memory that is free now: others take the rest of reading.memory_bytes_max.";
/// Bytes of one reading that need no room.
pub const FREE_BYTES: u64 = 64 << 10;
/// Room is taken in steps of so many bytes.
const STEP_BYTES: u64 = 256 << 10;
/// Read bytes are copied once on their way, or are in a buffer with room for twice as much.
const COPIES: u64 = 2;
/// A reading of at most this size ends those of twice its size.
const SMALL_BYTES: u64 = 4 << 20;
/// A source with less than one in so many parts ends readings of one with more.
const FAIR_SHARE: u64 = 8;
/// A reading waits so long for room.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// When others need the room, a reading is ended that got fewer than [`MOVED_BYTES`] in this time.
const STALL: Duration = Duration::from_secs(2);
const MOVED_BYTES: u64 = 16 << 10;

crate::metrics! {
    /// Memory of answers that are read.
    pub struct ReadingMetrics in "saker_reading", formerly "reading" {
        /// Memory in bytes that large answers of devices and servers take while they are read.
        pub bytes: Gauge,
        /// Answers whose reading was ended because others needed the memory.
        pub evicted_total: Counter,
        /// Answers that found no memory in time.
        pub refused_total: Counter,
    }
}

/// The memory; a clone is the same.
#[derive(Clone, Debug)]
pub struct Readings {
    budget: Budget,
    refused: Counter,
    wait: Duration,
}

impl Readings {
    #[must_use]
    pub fn new(bytes_max: u64, clock: &Clock, registry: &Registry) -> Self {
        let ReadingMetrics { bytes, evicted_total, refused_total } =
            ReadingMetrics::register(registry);
        let settings = BudgetSettings {
            bytes_max,
            stall: STALL,
            step_bytes: MOVED_BYTES,
            fair_bytes: bytes_max / FAIR_SHARE,
            small_bytes: SMALL_BYTES * COPIES,
        };
        let metrics = BudgetMetrics { taken: bytes, evicted: evicted_total };
        let budget = Budget::new(settings, clock.clone(), metrics);
        Self { budget, refused: refused_total, wait: WAIT_MAX }
    }

    /// With another time that a reading waits for room.
    #[must_use]
    pub fn waiting(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    /// A reading without bytes yet. `source`: whose answer it is; answers of one source have a share together.
    #[must_use]
    pub fn begin(&self, source: impl Hash) -> Reading {
        let mut hasher = DefaultHasher::new();
        source.hash(&mut hasher);
        let source = Owner::Source(hasher.finish());
        Reading { readings: self.clone(), source, hold: None, covered: 0 }
    }

    /// Memory that is taken.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.budget.taken()
    }
}

/// One answer; its room is given back when it is dropped.
#[derive(Debug)]
pub struct Reading {
    readings: Readings,
    source: Owner,
    /// With the signal that ends it. `None` while it needs no room.
    hold: Option<(Hold, Arc<Notify>)>,
    covered: u64,
}

impl Reading {
    /// Makes sure that there is room for so many bytes in all, and waits for it if need be. Cancel-safe.
    ///
    /// # Errors
    /// If there is none in time, or the reading was ended.
    pub async fn cover(&mut self, bytes: u64) -> Result<(), NoRoom> {
        if self.is_covered(bytes) {
            return Ok(());
        }
        let wanted = bytes.next_multiple_of(STEP_BYTES);
        let more = (wanted - self.covered).saturating_mul(COPIES);
        let wait = self.readings.wait;
        let hold = self.hold();
        hold.moved(bytes);
        let grown = hold.grow(more, wait).await;
        self.grown(wanted, grown)
    }

    /// As [`Reading::cover`], without waiting.
    ///
    /// # Errors
    /// If there is no room now, or the reading was ended.
    pub fn try_cover(&mut self, bytes: u64) -> Result<(), NoRoom> {
        if self.is_covered(bytes) {
            return Ok(());
        }
        let wanted = bytes.next_multiple_of(STEP_BYTES);
        let more = (wanted - self.covered).saturating_mul(COPIES);
        let hold = self.hold();
        hold.moved(bytes);
        let grown = hold.try_grow(more);
        self.grown(wanted, grown)
    }

    /// Whether there is room for so many bytes in all.
    #[must_use]
    pub fn is_covered(&self, bytes: u64) -> bool {
        bytes <= self.covered.max(FREE_BYTES)
    }

    /// How many bytes in all have room.
    #[must_use]
    pub fn covered(&self) -> u64 {
        self.covered.max(FREE_BYTES)
    }

    /// Waits for the peer.
    ///
    /// # Errors
    /// If the reading is ended meanwhile.
    pub async fn awaiting<T>(&self, waits: impl Future<Output = T>) -> Result<T, NoRoom> {
        let Some((hold, gone)) = &self.hold else { return Ok(waits.await) };
        let _awaits = Awaits::begin(hold);
        tokio::select! {
            done = waits => Ok(done),
            () = gone.notified() => Err(NoRoom),
        }
    }

    fn hold(&mut self) -> &Hold {
        let begin = || {
            let gone: Arc<Notify> = Arc::default();
            (self.readings.budget.hold(self.source, Arc::clone(&gone)), gone)
        };
        &self.hold.get_or_insert_with(begin).0
    }

    fn grown(&mut self, wanted: u64, grown: Result<(), NoRoom>) -> Result<(), NoRoom> {
        match grown {
            Ok(()) => self.covered = wanted,
            Err(NoRoom) => self.readings.refused.inc(),
        }
        grown
    }
}

/// The peer's turn, until it is dropped.
struct Awaits<'a>(&'a Hold);

impl<'a> Awaits<'a> {
    fn begin(hold: &'a Hold) -> Self {
        hold.awaits();
        Self(hold)
    }
}

impl Drop for Awaits<'_> {
    fn drop(&mut self) {
        self.0.got();
    }
}

#[cfg(test)]
mod tests {
    use model::Time;

    use super::*;

    const MIB: u64 = 1 << 20;

    fn open(bytes_max: u64) -> (Readings, Registry) {
        let registry = Registry::new();
        let clock = Clock::manual(Time::from_clock(1_790_000_000, 0));
        let readings = Readings::new(bytes_max, &clock, &registry);
        (readings.waiting(Duration::from_secs(60)), registry)
    }

    #[test]
    fn small_answers_need_no_room_and_large_ones_have_a_bound_in_sum() {
        let (readings, registry) = open(64 * MIB);
        let mut small = readings.begin("a");
        small.try_cover(FREE_BYTES).expect("free");
        assert_eq!(readings.taken(), 0);
        let mut large: Vec<Reading> = (0..40).map(|it| readings.begin(it % 4)).collect();
        for bytes in (1..=64).map(|it| it * MIB) {
            for it in &mut large {
                it.try_cover(bytes).ok();
                assert!(readings.taken() <= 64 * MIB);
            }
        }
        let shown = |name| registry.value(name, None);
        assert!(shown("saker_reading_refused_total").is_some_and(|it| 0.0 < it));
        assert_eq!(shown("saker_reading_bytes"), Some(readings.taken() as f64));
        drop(large);
        assert_eq!(readings.taken(), 0);
    }

    #[tokio::test]
    async fn a_small_answer_ends_a_large_one_that_waits_for_its_peer() {
        let (readings, _registry) = open(16 * MIB);
        let mut large = readings.begin("bomb");
        large.try_cover(8 * MIB).expect("room");
        let mut small = readings.begin("honest");
        let waits = async { large.awaiting(std::future::pending::<()>()).await };
        let others = async { small.cover(MIB).await };
        let large_ends = async {
            let ended = waits.await;
            assert_eq!(ended, Err(NoRoom));
        };
        // The large one gives its room back when its owner drops it.
        tokio::select! {
            () = large_ends => {}
            done = others => panic!("no room before the large one has gone: {done:?}"),
        }
        drop(large);
        small.cover(MIB).await.expect("room");
        assert_eq!(readings.taken(), 2 * MIB);
    }
}
