//! Waits after failed logins.
//!
//! Zabbix counts failures by name: anyone who knows a name can lock its owner out for good. Here a
//! failure counts three times, and each count makes others wait:
//!
//! - by name and address, as Zabbix does by name: an attacker locks out only himself;
//! - by address, for those who try many names;
//! - by name, for those who try from many addresses. It keeps out strangers alone: an address from
//!   which the name has logged in before is bound by its own failures only.
//!
//! Names and addresses come from outsiders: names are cut, and all that is kept here is bounded.

use std::collections::BTreeMap;
use std::net::IpAddr;

use rt::places::owner;

/// How many failures cause a wait, and for how long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LockoutLimits {
    /// Failures in a row of a name from an address after which these two wait. As many by tenfold of
    /// an address, whatever the names, or of a name, wherever from, make these wait.
    pub(super) attempts: u32,
    pub(super) blocked_s: i64,
}

/// Failures of an address or name are forgotten this long after the last one.
const FORGOTTEN_S: i64 = 600;

/// Kept characters of a name; no user's name is longer.
const NAME_CHARS_MAX: usize = 100;

/// The most entries of each kind. It bounds the memory that clients with invented names or
/// addresses can take; beyond it the oldest half is forgotten.
const KEPT_MAX: usize = 10_000;

/// A name as it is kept and logged.
pub(super) fn cut(username: &str) -> &str {
    let end = username.char_indices().nth(NAME_CHARS_MAX).map_or(username.len(), |(at, _)| at);
    username.get(..end).unwrap_or_default()
}

/// An address, or for IPv6 the network that is one customer's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Origin(Option<IpAddr>);

impl Origin {
    fn of(ip: Option<IpAddr>) -> Self {
        Self(ip.map(owner))
    }
}

#[derive(Clone, Copy, Default, Debug)]
struct Failures {
    n: u32,
    last: i64,
}

impl Failures {
    fn count(&mut self, now: i64) {
        self.n = self.n.saturating_add(1);
        self.last = now;
    }

    fn count_recent(&mut self, now: i64) {
        if self.last + FORGOTTEN_S < now {
            self.n = 0;
        }
        self.count(now);
    }

    /// Until when to wait after `max` failures.
    fn blocked_until(&self, max: u32, blocked_s: i64, now: i64) -> Option<i64> {
        let until = self.last + blocked_s;
        (max <= self.n && now < until).then_some(until)
    }
}

/// A map that forgets what was not used for long: it has two generations, and when the younger one is
/// full the older one goes. No entry is looked for to make room. Keys come from outsiders: trees, which
/// none can be chosen to slow down.
#[derive(Debug)]
struct Recent<K, V> {
    young: BTreeMap<K, V>,
    old: BTreeMap<K, V>,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self { young: BTreeMap::new(), old: BTreeMap::new() }
    }
}

impl<K: Ord, V: Default> Recent<K, V> {
    fn get(&self, key: &K) -> Option<&V> {
        self.young.get(key).or_else(|| self.old.get(key))
    }

    /// The entry, made if there is none.
    fn entry(&mut self, key: K) -> &mut V {
        if KEPT_MAX / 2 <= self.young.len() && !self.young.contains_key(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        let old = self.old.remove(&key);
        self.young.entry(key).or_insert_with(|| old.unwrap_or_default())
    }

    fn remove(&mut self, key: &K) {
        self.young.remove(key);
        self.old.remove(key);
    }

    fn retain(&mut self, keep: impl Fn(&K) -> bool) {
        self.young.retain(|key, _| keep(key));
        self.old.retain(|key, _| keep(key));
    }
}

/// All that is known of logins.
#[derive(Default, Debug)]
pub(super) struct Lockout {
    pairs: Recent<(String, Origin), Failures>,
    addresses: Recent<Origin, Failures>,
    names: Recent<String, Failures>,
    /// Where names have logged in from.
    known: Recent<(String, Origin), ()>,
}

impl Lockout {
    /// The end of the wait after failed logins.
    pub(super) fn blocked_until(
        &self,
        (name, ip): (&str, Option<IpAddr>),
        limits: LockoutLimits,
        now: i64,
    ) -> Option<i64> {
        let (name, origin) = (cut(name).to_owned(), Origin::of(ip));
        let pair = (name, origin);
        let until = |it: &Failures, max| it.blocked_until(max, limits.blocked_s, now);
        let own = self.pairs.get(&pair).and_then(|it| until(it, limits.attempts));
        if own.is_some() || self.known.get(&pair).is_some() {
            return own;
        }
        let of_many = limits.attempts.saturating_mul(10);
        let by_address = self.addresses.get(&origin).and_then(|it| until(it, of_many));
        let by_name = self.names.get(&pair.0).and_then(|it| until(it, of_many));
        by_address.max(by_name)
    }

    /// Gives how many failures of this name from this address there were.
    pub(super) fn failed(&mut self, name: &str, ip: Option<IpAddr>, now: i64) -> u32 {
        let (name, origin) = (cut(name).to_owned(), Origin::of(ip));
        self.addresses.entry(origin).count_recent(now);
        self.names.entry(name.clone()).count_recent(now);
        let pair = self.pairs.entry((name, origin));
        pair.count(now);
        pair.n
    }

    pub(super) fn succeeded(&mut self, name: &str, ip: Option<IpAddr>) {
        let pair = (cut(name).to_owned(), Origin::of(ip));
        self.pairs.remove(&pair);
        self.known.entry(pair);
    }

    /// Forgets the failures of a name, wherever from.
    pub(super) fn forget(&mut self, name: &str) {
        let name = cut(name).to_owned();
        self.pairs.retain(|(it, _)| *it != name);
        self.names.remove(&name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_790_000_000;
    const LIMITS: LockoutLimits = LockoutLimits { attempts: 5, blocked_s: 30 };

    fn ip(text: &str) -> Option<IpAddr> {
        Some(text.parse().expect("an address"))
    }

    #[test]
    fn failed_login_delays_only_its_own_user() {
        let mut lockout = Lockout::default();
        for n in 1..=LIMITS.attempts {
            assert_eq!(lockout.blocked_until(("Admin", ip("192.0.2.1")), LIMITS, NOW), None);
            assert_eq!(lockout.failed("Admin", ip("192.0.2.1"), NOW), n);
        }
        let until = Some(NOW + LIMITS.blocked_s);
        assert_eq!(lockout.blocked_until(("Admin", ip("192.0.2.1")), LIMITS, NOW + 29), until);
        assert_eq!(lockout.blocked_until(("Admin", ip("::ffff:192.0.2.1")), LIMITS, NOW), until);
        assert_eq!(lockout.blocked_until(("Admin", ip("192.0.2.2")), LIMITS, NOW), None);
        assert_eq!(lockout.blocked_until(("guest", ip("192.0.2.1")), LIMITS, NOW), None);
        assert_eq!(
            lockout.blocked_until(("Admin", ip("192.0.2.1")), LIMITS, NOW + LIMITS.blocked_s),
            None
        );
        lockout.forget("Admin");
        assert_eq!(lockout.blocked_until(("Admin", ip("192.0.2.1")), LIMITS, NOW), None);
    }

    #[test]
    fn an_address_that_tries_many_names_waits_and_so_does_its_ipv6_network() {
        let mut lockout = Lockout::default();
        lockout.succeeded("Admin", ip("2001:db8::1"));
        for n in 0..10 * LIMITS.attempts {
            let from = format!("2001:db8::{n:x}");
            lockout.failed(&format!("user {n}"), ip(&from), NOW);
        }
        assert!(lockout.blocked_until(("another", ip("2001:db8::ffff")), LIMITS, NOW).is_some());
        assert_eq!(lockout.blocked_until(("another", ip("2001:db8:0:1::1")), LIMITS, NOW), None);
        assert_eq!(
            lockout.blocked_until(("Admin", ip("2001:db8::1")), LIMITS, NOW),
            None,
            "known here"
        );
        // Failures of long ago are no reason.
        let later = NOW + FORGOTTEN_S + 1;
        lockout.failed("another", ip("2001:db8::1"), later);
        assert_eq!(lockout.blocked_until(("another", ip("2001:db8::1")), LIMITS, later), None);
    }

    #[test]
    fn a_name_tried_from_everywhere_is_closed_for_strangers_alone() {
        let mut lockout = Lockout::default();
        lockout.succeeded("Admin", ip("198.51.100.7"));
        for n in 0..10 * LIMITS.attempts {
            lockout.failed("Admin", ip(&format!("192.0.2.{n}")), NOW);
        }
        assert!(lockout.blocked_until(("Admin", ip("203.0.113.1")), LIMITS, NOW).is_some());
        assert_eq!(lockout.blocked_until(("Admin", ip("198.51.100.7")), LIMITS, NOW), None);
        assert_eq!(lockout.blocked_until(("guest", ip("203.0.113.1")), LIMITS, NOW), None);
    }

    #[test]
    fn kept_entries_are_bounded_and_names_are_cut() {
        let mut lockout = Lockout::default();
        let long = "ä".repeat(1_000);
        assert_eq!(cut(&long).chars().count(), NAME_CHARS_MAX);
        for n in 0..3 * KEPT_MAX {
            let name = format!("{n}{long}");
            let octets = u32::try_from(n).expect("small").to_be_bytes();
            lockout.failed(&name, Some(IpAddr::from(octets)), NOW);
            lockout.succeeded(&name, None);
        }
        assert!(lockout.pairs.young.len() + lockout.pairs.old.len() <= KEPT_MAX);
        assert!(lockout.names.young.len() + lockout.names.old.len() <= KEPT_MAX);
        assert!(lockout.addresses.young.len() + lockout.addresses.old.len() <= KEPT_MAX);
        assert!(lockout.known.young.len() + lockout.known.old.len() <= KEPT_MAX);
        let longest = lockout.names.young.keys().map(|it| it.chars().count()).max();
        assert_eq!(longest, Some(NAME_CHARS_MAX));
        // Entries in use stay.
        lockout.failed("Admin", ip("192.0.2.1"), NOW);
        for n in 0..KEPT_MAX {
            lockout.failed(&n.to_string(), ip("192.0.2.9"), NOW);
            if n % 1_000 == 0 {
                lockout.failed("Admin", ip("192.0.2.1"), NOW);
            }
        }
        assert!(lockout.blocked_until(("Admin", ip("192.0.2.1")), LIMITS, NOW).is_some());
    }
}
