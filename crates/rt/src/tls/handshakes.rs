//! Handshakes under way: each takes some 50 KB, and anybody may begin one.
//!
//! There are [`HANDSHAKES_MAX`] at once. Where all are under way, for an address that has fewer of them than another the
//! oldest of the address with most ends; else the oldest of all if it is under way for long. Where neither is found a
//! connection waits: it has taken next to nothing yet.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::places::owner;

/// So many at once on one port.
const HANDSHAKES_MAX: usize = 512;
/// One that is under way for so long gives way: it takes a few round trips.
const LONG: Duration = Duration::from_secs(2);
/// How often those that wait look again.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// Those of one port; a clone is of the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Handshakes(Arc<Mutex<Under>>);

#[derive(Debug, Default)]
struct Under {
    next_id: u64,
    way: BTreeMap<u64, Handshake>,
    counts: BTreeMap<IpAddr, usize>,
}

#[derive(Debug)]
struct Handshake {
    from: IpAddr,
    began: Instant,
    gone: Arc<Notify>,
}

/// A handshake under way, until this is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    handshakes: Handshakes,
    id: u64,
    gone: Arc<Notify>,
}

impl Handshakes {
    /// Waits until one may begin. Time is the caller's to limit.
    pub(super) async fn begin(&self, from: IpAddr) -> Turn {
        let from = owner(from);
        loop {
            if let Some(turn) = self.try_begin(from, Instant::now()) {
                return turn;
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    fn try_begin(&self, from: IpAddr, now: Instant) -> Option<Turn> {
        let mut under = self.lock();
        if HANDSHAKES_MAX <= under.way.len() {
            let id = under.crowded(from).or_else(|| under.long(now))?;
            let ended = under.remove(id)?;
            ended.gone.notify_one();
        }
        let (id, gone) = (under.next_id, Arc::new(Notify::new()));
        under.next_id += 1;
        under.way.insert(id, Handshake { from, began: now, gone: Arc::clone(&gone) });
        *under.counts.entry(from).or_default() += 1;
        Some(Turn { handshakes: self.clone(), id, gone })
    }

    fn lock(&self) -> MutexGuard<'_, Under> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn n(&self) -> usize {
        self.lock().way.len()
    }
}

impl Under {
    /// The oldest of the address with most, if it has more than this one will have.
    fn crowded(&self, from: IpAddr) -> Option<u64> {
        let own = self.counts.get(&from).copied().unwrap_or(0);
        let (most, n) = self.counts.iter().max_by_key(|(_, n)| **n)?;
        let mut ids = self.way.iter().filter(|(_, it)| it.from == *most);
        if own + 1 < *n { ids.next().map(|(id, _)| *id) } else { None }
    }

    /// The oldest, if it is under way for long.
    fn long(&self, now: Instant) -> Option<u64> {
        let (id, oldest) = self.way.first_key_value()?;
        (LONG <= now.saturating_duration_since(oldest.began)).then_some(*id)
    }

    fn remove(&mut self, id: u64) -> Option<Handshake> {
        let ended = self.way.remove(&id)?;
        match self.counts.get_mut(&ended.from) {
            Some(n) if 1 < *n => *n -= 1,
            _ => drop(self.counts.remove(&ended.from)),
        }
        Some(ended)
    }
}

impl Turn {
    /// The result of a handshake; `None` if its place was needed.
    pub(super) async fn run<T>(self, handshake: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            done = handshake => Some(done),
            () = self.gone.notified() => None,
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.handshakes.lock().remove(self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[tokio::test]
    async fn handshakes_that_do_not_go_on_keep_nobody_out() {
        let handshakes = Handshakes::default();
        let now = Instant::now();
        let mut many = Vec::new();
        for _ in 0..HANDSHAKES_MAX {
            many.push(handshakes.try_begin(address(1), now).expect("a place"));
        }
        assert!(handshakes.try_begin(address(1), now).is_none(), "it has all of them");
        // Others have their turn at once, up to half of them.
        let mut others = Vec::new();
        for _ in 0..HANDSHAKES_MAX / 2 {
            others.push(handshakes.try_begin(address(2), now).expect("a place"));
        }
        assert!(handshakes.try_begin(address(2), now).is_none());
        assert_eq!(handshakes.n(), HANDSHAKES_MAX);
        let oldest = many.remove(0);
        assert_eq!(oldest.run(std::future::pending::<()>()).await, None);
        // Where nobody has more, the oldest gives way after a while.
        let later = now + LONG;
        let third = handshakes.try_begin(address(2), later).expect("a place");
        assert_eq!(handshakes.n(), HANDSHAKES_MAX);
        assert_eq!(third.run(async { 1 }).await, Some(1));
        drop((many, others));
        assert_eq!(handshakes.n(), 0);
        assert!(handshakes.lock().counts.is_empty());
    }
}
