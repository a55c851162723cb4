//! The memory that packets of all connections may take together.
//!
//! A packet gets its room when its header has said how large it is, before it is read, and gives it
//! back when it is answered. Who finds none waits, first come first served. Small packets have a
//! quarter of it for themselves: what agents and senders send is not held up by few that are large.

use std::sync::Arc;

use rt::metrics::Gauge;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What is counted in one permit: semaphores have 2^32 of them at most.
const UNIT: u64 = 1 << 10;
/// Packets up to this size are small.
const SMALL_BYTES_MAX: u64 = 64 << 10;
/// Of all room, small packets have one in so many parts.
const SMALL_SHARE: u64 = 4;
/// Its values are copied on their way to the shards: a packet takes its size so many times.
const COPIES: u64 = 2;

#[derive(Debug)]
pub(super) struct Budget {
    small: Quota,
    large: Quota,
    taken: Gauge,
}

#[derive(Debug)]
struct Quota {
    permits: Arc<Semaphore>,
    n_units: u32,
}

impl Quota {
    fn new(bytes: u64) -> Self {
        let n_units = u32::try_from(bytes / UNIT).unwrap_or(u32::MAX);
        let permits = usize::try_from(n_units).unwrap_or(usize::MAX);
        Self { permits: Arc::new(Semaphore::new(permits.min(Semaphore::MAX_PERMITS))), n_units }
    }
}

/// Room of one packet.
#[derive(Debug)]
pub(super) struct Room {
    _permit: OwnedSemaphorePermit,
    bytes: u64,
    taken: Gauge,
}

impl Drop for Room {
    fn drop(&mut self) {
        self.taken.add(-(self.bytes as f64));
    }
}

impl Budget {
    /// `taken` shows what is given out.
    pub(super) fn new(bytes_max: u64, taken: Gauge) -> Self {
        let small = bytes_max / SMALL_SHARE;
        Self { small: Quota::new(small), large: Quota::new(bytes_max - small), taken }
    }

    /// Waits for room. A packet that would need more than there is waits for all of it. Cancel-safe.
    pub(super) async fn room(&self, packet_bytes: u64) -> Room {
        let line = if packet_bytes <= SMALL_BYTES_MAX { &self.small } else { &self.large };
        let units = packet_bytes.saturating_mul(COPIES).div_ceil(UNIT);
        let units = u32::try_from(units).unwrap_or(u32::MAX).min(line.n_units).max(1);
        let permit = Arc::clone(&line.permits).acquire_many_owned(units).await;
        let permit = permit.expect("it is never closed");
        let bytes = u64::from(units) * UNIT;
        self.taken.add(bytes as f64);
        Room { _permit: permit, bytes, taken: self.taken.clone() }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};

    use rt::metrics::Registry;

    use super::*;

    fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    #[tokio::test]
    async fn large_packets_wait_for_one_another_and_small_ones_for_neither() {
        let registry = Registry::new();
        let metrics = super::super::TrapperMetrics::register(&registry);
        let taken = || registry.value("collect_trapper_packet_bytes", None);
        let budget = Budget::new(4 << 20, metrics.packet_bytes.clone());
        // More than there is: all of it.
        let whole = budget.room(1 << 40).await;
        assert_eq!(taken(), Some(f64::from(3 << 20)));
        let mut other = pin!(budget.room(1 << 20));
        assert!(matches!(poll(other.as_mut()), Poll::Pending));
        let small = budget.room(1_000).await;
        assert_eq!(taken(), Some(f64::from((3 << 20) + 2_048)));
        drop(whole);
        let Poll::Ready(other) = poll(other.as_mut()) else { panic!("there is room") };
        drop((small, other));
        assert_eq!(taken(), Some(0.0));
        // Zero means zero.
        let none = Budget::new(0, metrics.packet_bytes.clone());
        assert!(matches!(poll(pin!(none.room(1))), Poll::Pending));
    }
}
