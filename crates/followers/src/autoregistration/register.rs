//! Which agents are known, by name, and how many new ones an address may name.
//!
//! Of each agent a number stands for what it said, so that memory does not grow with what agents say. Names are kept in
//! two generations: those heard in the present one, and those of the one before that were not heard since. A generation
//! ends when it is full or old, and the names that were not heard in it are forgotten: a client
//! that names agents which do not exist causes at worst that others are forgotten; these register
//! again with their next request.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;

use collect::ports::Registration;
use model::map::Map;
use rt::places::owner;

/// The most names of a generation, 20 MB of memory; there are two. A full generation ends.
const GENERATION_MAX: usize = 100_000;
/// A generation lasts so long at most: an agent that is not heard for one or two of them is forgotten.
const GENERATION_S: i64 = 31 * 86_400;
/// The time after which an agent without a host registers again, as in Zabbix.
const AGAIN_S: i64 = 120;
/// Registrations that an address may make at once: agents behind one address that start together.
const BURST: u64 = 500;
/// From then on it may make one each half second. Agents ask again every few minutes, so that those left out come later.
const EACH_MS: u64 = 500;
/// The most addresses whose registrations are counted separately; all others share one count.
const ADDRESSES_MAX: usize = 10_000;
/// The most rows to be deleted that are remembered; others are found at the next start.
const FORGOTTEN_MAX: usize = 1_000_000;

/// Known data of an agent.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Of its row; 0 until it is given one.
    id: u64,
    /// Stands for what it said.
    said: u64,
    /// When its last event was made.
    reported_at: i64,
}

/// The sender of a request, and its time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) from: IpAddr,
    /// Seconds since 1970.
    pub(super) now: i64,
    /// By a clock that never goes back.
    pub(super) now_ms: u64,
    /// Whether the configuration has a host of this name.
    pub(super) is_host: bool,
}

/// Whether a request becomes an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    No,
    Yes,
    /// It is not, but its time has come again: for those who wait for it.
    Again,
    /// It is, but its address has made too many.
    Limited,
}

/// A row as it is read at the start.
pub(super) struct KnownAgent {
    pub(super) id: u64,
    pub(super) host: String,
    pub(super) said: u64,
}

/// Makes the numbers that stand for what agents say. Nobody outside can choose texts of one number.
#[derive(Clone, Debug, Default)]
pub(super) struct Sayings(RandomState);

impl Sayings {
    /// The data by which a registration differs, as in Zabbix: metadata, and the interface that the
    /// agent names. By which address and how it comes counts for nothing: machines behind several
    /// addresses would register without end.
    pub(super) fn of(&self, said: &Registration) -> u64 {
        let interface = match said.flags {
            1 => Some((said.ip.as_str(), said.port)),
            2 => Some((said.dns.as_str(), said.port)),
            _ => None,
        };
        self.0.hash_one((said.flags, said.metadata.as_str(), interface))
    }
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Register {
    heard: Map<String, Known>,
    before: Map<String, Known>,
    /// When the present generation began.
    began_at: i64,
    /// Of rows.
    last_id: u64,
    /// Ids of rows to be deleted.
    forgotten: Vec<u64>,
    sayings: Sayings,
    rates: Rates,
}

impl Register {
    /// Of the rows of the database, in order of ids. The newest ones are kept if there are too many.
    pub(super) fn of_rows(rows: Vec<KnownAgent>, sayings: Sayings, now: i64) -> Self {
        let mut register = Self { sayings, began_at: now, ..Self::default() };
        register.last_id = rows.last().map_or(0, |it| it.id);
        let n_forgotten = rows.len().saturating_sub(GENERATION_MAX);
        for (n, KnownAgent { id, host, said }) in rows.into_iter().enumerate() {
            // Two rows of one name are left by a crash between a deletion and an insertion.
            let replaced = if n < n_forgotten {
                Some(id)
            } else {
                let known = Known { id, said, reported_at: now };
                register.before.insert(host, known).map(|it| it.id)
            };
            register.forgotten.extend(replaced);
        }
        register
    }

    pub(super) fn len(&self) -> usize {
        self.heard.len() + self.before.len()
    }

    /// Whether what an agent says is to become an event.
    pub(super) fn hear(&mut self, said: &Registration, asked: Asked) -> Verdict {
        let number = self.sayings.of(said);
        let mut verdict = Verdict::Yes;
        if let Some(known) = self.known_mut(&said.host).filter(|it| it.said == number) {
            let is_due = !asked.is_host && known.reported_at.saturating_add(AGAIN_S) <= asked.now;
            // A clock that was set back keeps no agent waiting.
            let is_due = is_due || !asked.is_host && asked.now < known.reported_at;
            if !is_due {
                return Verdict::No;
            }
            verdict = Verdict::Again;
        }
        if self.rates.has_room(asked.from, asked.now_ms) { verdict } else { Verdict::Limited }
    }

    /// An event is made of it.
    pub(super) fn note(&mut self, said: &Registration, asked: Asked) {
        self.rates.count(asked.from, asked.now_ms);
        self.remember(said, asked.now);
    }

    /// An event is made of it, which was counted before.
    pub(super) fn remember(&mut self, said: &Registration, now: i64) {
        let number = self.sayings.of(said);
        match self.known_mut(&said.host) {
            Some(known) => (known.said, known.reported_at) = (number, now),
            None => {
                let known = Known { id: 0, said: number, reported_at: now };
                self.heard.insert(said.host.clone(), known);
            }
        }
    }

    /// The agent of this name, which is heard now.
    fn known_mut(&mut self, host: &str) -> Option<&mut Known> {
        if let Some((name, known)) = self.before.remove_entry(host) {
            self.heard.insert(name, known);
        }
        self.heard.get_mut(host)
    }

    /// The id of the row of an agent that was noted; a new one if it has none.
    pub(super) fn id_of(&mut self, host: &str) -> Option<u64> {
        let last_id = &mut self.last_id;
        let known = self.heard.get_mut(host).or_else(|| self.before.get_mut(host))?;
        if known.id == 0 {
            *last_id += 1;
            known.id = *last_id;
        }
        Some(known.id)
    }

    /// Ends the generation if its time has passed; returns how many agents were forgotten, if it
    /// was full.
    pub(super) fn sweep(&mut self, now: i64) -> Option<usize> {
        // A clock that was set back makes no agent old: this happens after most starts of machines.
        self.began_at = self.began_at.min(now);
        let is_full = GENERATION_MAX <= self.heard.len();
        let is_old = self.began_at.saturating_add(GENERATION_S) <= now;
        if !is_full && !is_old {
            return None;
        }
        self.began_at = now;
        let forgotten = std::mem::replace(&mut self.before, std::mem::take(&mut self.heard));
        let room = FORGOTTEN_MAX.saturating_sub(self.forgotten.len());
        // Later ids are known by the last one.
        let last_id = self.last_id;
        let ids = forgotten.values().map(|it| it.id).filter(|it| *it != 0 && *it != last_id);
        self.forgotten.extend(ids.take(room));
        is_full.then_some(forgotten.len())
    }

    /// Ids of some rows to be deleted.
    pub(super) fn take_forgotten(&mut self, n_max: usize) -> Vec<u64> {
        let from = self.forgotten.len().saturating_sub(n_max);
        self.forgotten.split_off(from)
    }

    pub(super) fn put_back(&mut self, ids: Vec<u64>) {
        self.forgotten.extend(ids);
    }
}

/// How many registrations each address made lately: for each the time at which it may make all of [`BURST`] again.
#[derive(Debug, Default)]
struct Rates {
    free_at_ms: Map<IpAddr, u64>,
    of_others_ms: u64,
}

impl Rates {
    fn has_room(&mut self, from: IpAddr, now_ms: u64) -> bool {
        self.of(from, now_ms).saturating_sub(now_ms) <= (BURST - 1) * EACH_MS
    }

    fn count(&mut self, from: IpAddr, now_ms: u64) {
        let free_at = self.of(from, now_ms);
        *free_at = (*free_at).max(now_ms) + EACH_MS;
    }

    fn of(&mut self, from: IpAddr, now_ms: u64) -> &mut u64 {
        let from = owner(from);
        let is_new = !self.free_at_ms.contains_key(&from);
        if is_new && ADDRESSES_MAX <= self.free_at_ms.len() {
            // At most once a count's time for each address that is dropped: each had made a registration.
            self.free_at_ms.retain(|_, free_at| now_ms < *free_at);
            if ADDRESSES_MAX <= self.free_at_ms.len() {
                return &mut self.of_others_ms;
            }
        }
        self.free_at_ms.entry(from).or_insert(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const B: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    fn said(host: &str) -> Registration {
        Registration { host: host.to_owned(), port: 10_050, ..Registration::default() }
    }

    fn at(from: IpAddr, now: i64) -> Asked {
        Asked { from, now, now_ms: now.unsigned_abs() * 1_000, is_host: false }
    }

    /// The verdict on a request, with its event if it becomes one.
    fn ask(register: &mut Register, said: &Registration, asked: Asked) -> Verdict {
        let verdict = register.hear(said, asked);
        if matches!(verdict, Verdict::Yes | Verdict::Again) {
            register.note(said, asked);
            register.id_of(&said.host).expect("noted");
        }
        verdict
    }

    #[test]
    fn an_address_counts_only_where_the_agent_names_an_interface() {
        let mut register = Register::default();
        let of_host = |from, now| Asked { is_host: true, ..at(from, now) };
        let from = |ip: &str, port, flags, dns: &str| Registration {
            ip: ip.to_owned(),
            dns: dns.to_owned(),
            port,
            flags,
            ..said("web")
        };
        let mut verdict =
            |it: &Registration, address, now| ask(&mut register, it, of_host(address, now));
        assert_eq!(verdict(&from("192.0.2.1", 10_050, 0, ""), A, 1), Verdict::Yes);
        // Two machines of one name, or two addresses of one: 200 requests make no event.
        for n in 0..100 {
            assert_eq!(verdict(&from("192.0.2.2", 10_050, 0, ""), B, n), Verdict::No);
            assert_eq!(verdict(&from("192.0.2.1", 10_051, 0, ""), A, n + 1_000), Verdict::No);
        }
        // How it is connected is not what it says.
        let encrypted = Registration { tls_accepted: 2, ..from("192.0.2.1", 10_050, 0, "") };
        assert_eq!(verdict(&encrypted, A, 5), Verdict::No);
        // A named interface is.
        assert_eq!(verdict(&from("192.0.2.1", 10_050, 1, ""), A, 6), Verdict::Yes);
        assert_eq!(verdict(&from("192.0.2.1", 10_050, 1, "other"), A, 6), Verdict::No);
        assert_eq!(verdict(&from("192.0.2.9", 10_050, 1, ""), A, 7), Verdict::Yes);
        assert_eq!(verdict(&from("192.0.2.9", 10_051, 1, ""), A, 7), Verdict::Yes);
        assert_eq!(verdict(&from("192.0.2.9", 10_051, 2, "web.example"), A, 8), Verdict::Yes);
        assert_eq!(verdict(&from("192.0.2.7", 10_051, 2, "web.example"), A, 8), Verdict::No);
        assert_eq!(verdict(&from("192.0.2.7", 10_051, 2, "db.example"), A, 8), Verdict::Yes);
        let metadata = Registration { metadata: "Linux".to_owned(), ..from("", 1, 0, "") };
        assert_eq!(verdict(&metadata, A, 9), Verdict::Yes);
    }

    #[test]
    fn an_agent_without_a_host_registers_again_after_two_minutes() {
        let mut register = Register::default();
        for (now, verdict) in
            [(0, Verdict::Yes), (119, Verdict::No), (120, Verdict::Again), (121, Verdict::No)]
        {
            assert_eq!(ask(&mut register, &said("web"), at(A, now)), verdict, "{now}");
        }
        let of_host = Asked { is_host: true, ..at(A, 10_000) };
        assert_eq!(ask(&mut register, &said("web"), of_host), Verdict::No);
        // The clock was set back.
        assert_eq!(ask(&mut register, &said("web"), at(A, 60)), Verdict::Again);
    }

    #[test]
    fn an_address_makes_so_many_and_keeps_no_other_one_out() {
        let mut register = Register::default();
        let mut made = |from, n: u32, now: i64| {
            let asked = (0..n).map(|it| said(&format!("{from} {now} {it}")));
            asked.filter(|it| ask(&mut register, it, at(from, now)) == Verdict::Yes).count()
        };
        assert_eq!(made(A, 1_000, 10), 500);
        assert_eq!(made(A, 1_000, 11), 2);
        assert_eq!(made(B, 10, 11), 10);
        assert_eq!(made(A, 1_000, 71), 120);
        // All addresses of a network of IPv6 are one machine's.
        let v6 = |n: u128| IpAddr::V6(std::net::Ipv6Addr::from(0x2001_0db8_u128 << 96 | n));
        let all: usize = (0..600).map(|n| made(v6(n), 1, 100)).sum();
        assert_eq!(all, 500);
        assert_eq!(made(v6(1 << 64), 1, 100), 1);
        // Known agents are not held up by new ones.
        assert_eq!(ask(&mut register, &said("192.0.2.1 10 0"), at(B, 71)), Verdict::No);
    }

    #[test]
    fn addresses_beyond_the_limit_share_one_count_and_rates_take_bounded_memory() {
        let mut rates = Rates::default();
        let address = |n: u32| IpAddr::V4((0x0a00_0000 + n).into());
        for n in 0..20_000 {
            assert_eq!(rates.has_room(address(n), 1_000), n < 10_500, "{n}");
            if rates.has_room(address(n), 1_000) {
                rates.count(address(n), 1_000);
            }
        }
        assert_eq!(rates.free_at_ms.len(), ADDRESSES_MAX);
        // Those that have not made any for a while make room.
        assert!(rates.has_room(address(30_000), 10_000));
        assert_eq!(rates.free_at_ms.len(), 1);
    }

    /// Far more names than there is room for, while two agents ask as they do: one of them was there first.
    #[test]
    fn names_without_end_lock_nobody_out_and_take_bounded_memory() {
        let mut register = Register::default();
        let known = said("known");
        assert_eq!(ask(&mut register, &known, at(A, 0)), Verdict::Yes);
        let mut n_most = 0;
        for n in 0..500_000_u32 {
            let from = IpAddr::V4((0x0a00_0000 + n / 400).into());
            assert_eq!(
                ask(&mut register, &said(&format!("made up {n}")), at(from, 100)),
                Verdict::Yes
            );
            if n % 20_000 == 0 {
                // It is there, as a host: an unchanged request is no event.
                let asked = Asked { is_host: true, ..at(A, 100) };
                assert_eq!(ask(&mut register, &known, asked), Verdict::No);
            }
            register.sweep(100);
            n_most = n_most.max(register.len());
        }
        assert!(n_most <= 2 * GENERATION_MAX, "{n_most}");
        assert_eq!(ask(&mut register, &said("honest"), at(B, 100)), Verdict::Yes);
        // Rows of what is forgotten are deleted, but for the last one.
        let mut deleted = Vec::new();
        loop {
            let some = register.take_forgotten(1_000);
            if some.is_empty() {
                break;
            }
            deleted.extend(some);
        }
        assert!(deleted.len() + register.len() >= 500_001, "{}", deleted.len());
        assert!(!deleted.contains(&1), "the agent that was heard all the time");
    }

    #[test]
    fn agents_that_are_not_heard_for_long_are_forgotten() {
        let mut register = Register::default();
        register.sweep(0);
        for name in ["gone", "stays"] {
            assert_eq!(ask(&mut register, &said(name), at(A, 0)), Verdict::Yes);
        }
        for months in 1..=3 {
            let now = months * GENERATION_S;
            let asked = Asked { is_host: true, ..at(A, now - 1) };
            assert_eq!(ask(&mut register, &said("stays"), asked), Verdict::No);
            assert_eq!(register.sweep(now), None, "not because it was full");
        }
        assert_eq!((register.len(), register.take_forgotten(10)), (1, vec![1]));
    }

    #[test]
    fn a_start_keeps_the_newest_names_and_goes_on_behind_the_last_id() {
        let sayings = Sayings::default();
        let number = sayings.of(&said("any"));
        let row = |id: u64| KnownAgent { id, host: format!("host {id}"), said: number };
        let rows = (1..=100_010).map(row).collect();
        let mut register = Register::of_rows(rows, sayings, 50);
        assert_eq!(register.len(), GENERATION_MAX);
        let mut forgotten = register.take_forgotten(100);
        forgotten.sort_unstable();
        assert_eq!(forgotten, Vec::from_iter(1..=10));
        assert_eq!(ask(&mut register, &said("host 11"), at(A, 60)), Verdict::No);
        assert_eq!(ask(&mut register, &said("host 10"), at(A, 60)), Verdict::Yes);
        assert_eq!(register.id_of("host 10"), Some(100_011));
    }
}
