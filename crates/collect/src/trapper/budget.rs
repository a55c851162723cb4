//! The memory of the packets of all connections together.
//!
//! A packet gets room as its bytes arrive, not by the size in its header, and gives it back when it
//! is answered. Small packets have a quarter of the memory for themselves: agents and senders are
//! not delayed by a few large packets. Without room, packets whose peers send nothing lose theirs
//! ([`rt::budget`]), and an address that has more than its share loses room to one that has less.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use rt::Clock;
use rt::budget::{Budget as Bytes, BudgetMetrics, BudgetSettings, Hold, NoRoom, Owner};
use rt::metrics::{Counter, Gauge};
use tokio::sync::Notify;

/// Packets up to this size are small.
pub(super) const SMALL_BYTES_MAX: u64 = 64 << 10;
/// Small packets have one in this many parts of all room.
const SMALL_SHARE: u64 = 4;
/// Its values are copied on their way to the shards: a packet takes this many times its size.
const COPIES: u64 = 2;
/// Room is taken in steps of this many bytes of a packet.
const STEP_BYTES: u64 = 16 << 10;
/// When others need the room, a peer that sent fewer than [`MOVED_BYTES`] in this time loses its
/// own.
const STALL: Duration = Duration::from_secs(1);
const MOVED_BYTES: u64 = 16 << 10;
/// An address with less than one in this many parts gets room from one that has more.
const FAIR_SHARE: u64 = 8;

#[derive(Debug)]
pub(super) struct Budget {
    small: Bytes,
    large: Bytes,
}

/// Room of one packet.
#[derive(Debug)]
pub(super) struct Room {
    hold: Hold,
    gone: Arc<Notify>,
    /// Bytes of the packet for which there is room.
    bytes: u64,
}

impl Budget {
    /// `taken` shows the room of small and large packets, `evicted` counts those that lost their
    /// room.
    pub(super) fn new(
        bytes_max: u64,
        clock: &Clock,
        (small_taken, large_taken): (Gauge, Gauge),
        evicted: &Counter,
    ) -> Self {
        let small = bytes_max / SMALL_SHARE;
        let quota = |bytes_max, taken| {
            let settings = BudgetSettings {
                bytes_max,
                stall: STALL,
                step_bytes: MOVED_BYTES,
                fair_bytes: bytes_max / FAIR_SHARE,
                small_bytes: 0,
            };
            Bytes::new(settings, clock.clone(), BudgetMetrics { taken, evicted: evicted.clone() })
        };
        let (small, large) = (quota(small, small_taken), quota(bytes_max - small, large_taken));
        Self { small, large }
    }

    /// Begins a packet that announces this size, without room yet.
    pub(super) fn open(&self, ip: IpAddr, packet_bytes: u64) -> Room {
        let is_large = SMALL_BYTES_MAX < packet_bytes;
        let quota = if is_large { &self.large } else { &self.small };
        let gone: Arc<Notify> = Arc::default();
        let hold = quota.hold(Owner::Address(ip), Arc::clone(&gone));
        Room { hold, gone, bytes: 0 }
    }

    /// Makes room for this many bytes of a packet in all. Cancel-safe.
    ///
    /// # Errors
    /// If there is none within `wait`.
    pub(super) async fn grow(
        &self,
        room: &mut Room,
        bytes: u64,
        wait: Duration,
    ) -> Result<(), NoRoom> {
        if bytes <= room.bytes {
            return Ok(());
        }
        let wanted = bytes.next_multiple_of(STEP_BYTES);
        let more = (wanted - room.bytes).saturating_mul(COPIES);
        room.hold.grow(more, wait).await?;
        room.bytes = wanted;
        Ok(())
    }
}

impl Room {
    /// Notes that the peer sent this many bytes.
    pub(super) fn moved(&self, bytes: usize) {
        self.hold.moved(u64::try_from(bytes).unwrap_or(u64::MAX));
    }

    /// Waits for the peer: `None` if the room was lost meanwhile.
    pub(super) async fn awaiting<T>(&self, waits: impl Future<Output = T>) -> Option<T> {
        let _awaits = Awaits::begin(&self.hold);
        tokio::select! {
            done = waits => Some(done),
            () = self.gone.notified() => None,
        }
    }
}

/// Marks the peer's turn, until it is dropped.
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
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};

    use model::Time;

    use super::*;

    const WAIT: Duration = Duration::from_secs(3_600);
    const ONE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const OTHER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    fn open(bytes_max: u64) -> (Budget, Clock, Gauge) {
        let clock = Clock::manual(Time::from_clock(1_790_000_000, 0));
        let taken = Gauge::default();
        let gauges = (Gauge::default(), taken.clone());
        (Budget::new(bytes_max, &clock, gauges, &Counter::default()), clock, taken)
    }

    #[tokio::test]
    async fn packet_takes_room_for_received_and_not_for_announced_bytes() {
        let (budget, _, taken) = open(4 << 20);
        let mut rooms: Vec<Room> = (0..64).map(|_| budget.open(ONE, 1 << 40)).collect();
        for room in &mut rooms {
            assert_eq!(budget.grow(room, 13, WAIT).await, Ok(()));
        }
        assert_eq!(budget.large.taken(), 64 * STEP_BYTES * COPIES);
        drop(rooms);
        assert!(taken.get() < 1.0);
        // Zero means zero.
        let (none, _, _) = open(0);
        let mut room = none.open(ONE, 1);
        assert!(poll(pin!(none.grow(&mut room, 1, WAIT))).is_pending());
    }

    #[tokio::test]
    async fn an_address_that_has_all_gives_way_to_another_though_it_sends() {
        let (budget, _, _) = open(4 << 20);
        let mut rooms: Vec<Room> = (0..3).map(|_| budget.open(ONE, 1 << 40)).collect();
        for room in &mut rooms {
            assert_eq!(budget.grow(room, 512 << 10, WAIT).await, Ok(()));
        }
        assert_eq!(budget.large.taken(), 3 << 20);
        let mut other = budget.open(OTHER, 1 << 20);
        let room = rooms.remove(0);
        {
            let mut lost = pin!(room.awaiting(std::future::pending::<()>()));
            assert!(poll(lost.as_mut()).is_pending());
            assert!(poll(pin!(budget.grow(&mut other, 100 << 10, WAIT))).is_pending());
            assert!(matches!(poll(lost.as_mut()), Poll::Ready(None)));
        }
        drop(room);
        assert_eq!(budget.grow(&mut other, 100 << 10, WAIT).await, Ok(()));
    }

    #[tokio::test]
    async fn stalled_packet_loses_its_room_to_an_arriving_one() {
        let (budget, clock, _) = open(4 << 20);
        let mut stopped = budget.open(ONE, 1 << 40);
        assert_eq!(budget.grow(&mut stopped, 2 << 20, WAIT).await, Ok(()));
        let mut comes = budget.open(OTHER, 1 << 20);
        {
            let mut lost = pin!(stopped.awaiting(std::future::pending::<()>()));
            assert!(poll(lost.as_mut()).is_pending());
            clock.advance(STALL);
            assert!(poll(pin!(budget.grow(&mut comes, 1 << 20, WAIT))).is_pending());
            assert!(matches!(poll(lost.as_mut()), Poll::Ready(None)));
        }
        drop(stopped);
        assert_eq!(budget.grow(&mut comes, 1 << 20, WAIT).await, Ok(()));
    }
}
