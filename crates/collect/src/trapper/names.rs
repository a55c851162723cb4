//! Addresses of the DNS names in the lists of allowed hosts of items.
//!
//! A request never waits in the runtime's threads for a resolver: names are looked up in the pool
//! for blocking work, the first request that needs one waits for it, and from then on they are kept
//! and looked up again each minute, as long as they are used. If the resolver fails, the addresses
//! are kept for an hour, so that values are not refused while DNS is down.

use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use model::map::LookupMap;
use rt::clock::{Clock, nanos};
use tokio::net::lookup_host;
use tokio::time::timeout;

use crate::allowed::is_same;

/// How often names are looked up again.
const REFRESH_EACH: Duration = Duration::from_secs(60);
/// How long an answer is valid while the resolver gives no other.
const KEPT_MAX: Duration = Duration::from_secs(3_600);
/// A name unused for this long is forgotten.
const UNUSED_MAX: Duration = Duration::from_secs(3_600);
/// Names known at once; further names cover no peer.
const NAMES_MAX: usize = 10_000;
/// Time for one look-up.
const ANSWER_MAX: Duration = Duration::from_secs(3);
/// Look-ups under way at once. Further ones wait.
const LOOKUPS_MAX: usize = 32;

#[derive(Debug)]
struct Known {
    addresses: Vec<IpAddr>,
    answered_ns: u64,
    used_ns: u64,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Names {
    clock: Clock,
    known: Mutex<LookupMap<Box<str>, Known>>,
}

impl Names {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, known: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, LookupMap<Box<str>, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a name resolves to an address; `None`: [`Self::learn`] it first.
    pub(super) fn is_of(&self, name: &str, peer: IpAddr) -> Option<bool> {
        let now_ns = self.clock.mono_ns();
        let mut known = self.lock();
        let known = known.get_mut(name)?;
        known.used_ns = now_ns;
        Some(known.addresses.iter().any(|it| is_same(*it, peer)))
    }

    /// Resolves names; a name without an answer covers no peer until it has one.
    pub(super) async fn learn(&self, names: &[String]) {
        for some in names.chunks(LOOKUPS_MAX) {
            let answers = join_all(some.iter().map(|it| addresses(it))).await;
            let now_ns = self.clock.mono_ns();
            let mut known = self.lock();
            for (name, answer) in some.iter().zip(answers) {
                if let Some(known) = known.get_mut(name.as_str()) {
                    known.take(answer, now_ns);
                } else if known.len() < NAMES_MAX {
                    let addresses = answer.unwrap_or_default();
                    let new = Known { addresses, answered_ns: now_ns, used_ns: now_ns };
                    known.insert(name.as_str().into(), new);
                }
            }
        }
    }

    /// Keeps the known names up to date, for ever.
    pub(super) async fn refresh(&self) {
        loop {
            self.clock.sleep(REFRESH_EACH).await;
            let names = {
                let now_ns = self.clock.mono_ns();
                let mut known = self.lock();
                known.retain(|_, it| now_ns.saturating_sub(it.used_ns) < nanos(UNUSED_MAX));
                known.keys().map(ToString::to_string).collect::<Vec<String>>()
            };
            self.learn(&names).await;
        }
    }
}

impl Known {
    fn take(&mut self, answer: Option<Vec<IpAddr>>, now_ns: u64) {
        if let Some(addresses) = answer {
            self.addresses = addresses;
            self.answered_ns = now_ns;
        } else if nanos(KEPT_MAX) < now_ns.saturating_sub(self.answered_ns) {
            self.addresses.clear();
        }
    }
}

async fn addresses(name: &str) -> Option<Vec<IpAddr>> {
    let found = timeout(ANSWER_MAX, lookup_host((name, 0))).await;
    Some(found.ok()?.ok()?.map(|it| it.ip()).collect())
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use model::Time;

    use super::*;

    const HOME: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    #[tokio::test]
    async fn a_name_is_known_once_it_was_learned() {
        let names = Names::new(Clock::manual(Time::from_clock(1_700_000_000, 0)));
        assert_eq!(names.is_of("localhost", HOME), None);
        names.learn(&["localhost".to_owned(), "no such name".to_owned()]).await;
        assert_eq!(names.is_of("localhost", HOME), Some(true));
        assert_eq!(names.is_of("localhost", Ipv4Addr::new(192, 0, 2, 1).into()), Some(false));
        assert_eq!(names.is_of("no such name", HOME), Some(false));
    }

    #[test]
    fn addresses_outlive_a_resolver_that_is_down_for_an_hour() {
        let hour_ns = nanos(KEPT_MAX);
        let mut known = Known { addresses: vec![HOME], answered_ns: 5, used_ns: 5 };
        known.take(None, hour_ns);
        assert_eq!(known.addresses, [HOME]);
        known.take(None, 6 + hour_ns);
        assert!(known.addresses.is_empty());
    }
}
