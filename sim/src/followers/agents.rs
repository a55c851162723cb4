//! Agents that register themselves, and the oracle that knows which of their requests had to become an event.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;

use collect::ports::Registration;
use db::{AutoregisteredHost, Db};
use model::record::EventKind;
use rusqlite::Connection;

use super::journal_events::JournalEvent;
use crate::random::Random;

/// Agents that ask now and then. The first one has a host.
const N_AGENTS: usize = 6;
/// An agent without a host registers again after so long.
const AGAIN_S: i64 = 120;
/// Requests so near to a limit have an open result, and are not made.
const NEAR_S: i64 = 5;
/// New agents that one address may name at once.
const BURST: usize = 500;

/// The state of an agent, by its last registration that the server took.
#[derive(Clone, Debug)]
struct Known {
    said: Registration,
    /// `None`: the server has been restarted since, and has not read it yet.
    reported_at: Option<i64>,
    /// It has asked since the server began, or since agents were forgotten.
    is_heard: bool,
}

/// All agents.
#[derive(Debug, Default)]
pub(super) struct Agents {
    known: BTreeMap<String, Known>,
    /// Of this process: registrations that have to become events, in order.
    due: VecDeque<Registration>,
    /// The contents of events: the id and the last registration of each agent.
    reported: BTreeMap<String, (u64, Registration)>,
    /// Those that this process has forgotten, whose rows may still be there.
    forgotten: BTreeMap<String, (u64, Registration)>,
    last_id: u64,
    /// The server has been restarted, and has not read the earlier registrations yet.
    is_unread: bool,
    /// Agents that asked once.
    n_others: usize,
    /// Those that their address had no room for.
    left_out: Vec<String>,
    pub(super) n_events: usize,
}

fn said(host: &str, metadata: &str) -> Registration {
    Registration {
        host: host.to_owned(),
        metadata: metadata.to_owned(),
        ip: "192.0.2.1".to_owned(),
        port: 10_050,
        tls_accepted: 1,
        ..Registration::default()
    }
}

impl Agents {
    /// The name of an agent; that of the first is the name of a host.
    fn name(index: usize) -> String {
        if index == 0 { "router".to_owned() } else { format!("agent {index}") }
    }

    /// The next registration of an agent, and its address; `None`: it does not ask now.
    pub(super) fn next(&self, random: &mut Random, now_s: i64) -> Option<(Registration, IpAddr)> {
        let index = random.below(N_AGENTS);
        let metadata = ["Linux", "Windows", ""][random.below(3)];
        let mut said = said(&Self::name(index), metadata);
        if random.once_in(3) {
            // It names the interface by which it wants to be reached.
            (said.flags, said.port) = (1, [10_050, 20_050][random.below(2)]);
        }
        if let Some(known) = self.known.get(&said.host).filter(|_| random.once_in(2)) {
            said = known.said.clone();
        }
        let reported_at = self.known.get(&said.host).and_then(|it| it.reported_at);
        let is_near = |at: i64| (now_s - at).abs() <= NEAR_S;
        if reported_at.is_some_and(|it| is_near(it) || is_near(it + AGAIN_S)) {
            return None;
        }
        let last = u8::try_from(index).expect("few");
        Some((said, IpAddr::from([10, 0, 0, last])))
    }

    /// So many new agents behind one address; those that there was no room for before are among them.
    pub(super) fn many(&mut self, n: usize) -> Vec<(Registration, IpAddr)> {
        let from = u32::try_from(self.n_others).expect("few") + 0x0a01_0000;
        let from = IpAddr::V4(Ipv4Addr::from(from));
        let mut names = std::mem::take(&mut self.left_out);
        while names.len() < n {
            self.n_others += 1;
            names.push(format!("one of many {}", self.n_others));
        }
        names.into_iter().map(|it| (said(&it, "many"), from)).collect()
    }

    /// An agent asks. `is_ready`: the server has read the earlier registrations.
    pub(super) fn ask(&mut self, said: &Registration, now_s: i64, is_ready: bool) {
        if !is_ready {
            return;
        }
        if let Some(known) = self.known.get_mut(&said.host) {
            known.is_heard = true;
        }
        let known = self.known.get(&said.host);
        let is_change = known.is_none_or(|it| !is_same(&it.said, said));
        let is_again = known.and_then(|it| it.reported_at).is_some_and(|reported_at| {
            said.host != Self::name(0) && (reported_at + AGAIN_S <= now_s || now_s < reported_at)
        });
        if is_change || is_again {
            self.due.push_back(said.clone());
            let known = Known { said: said.clone(), reported_at: Some(now_s), is_heard: true };
            self.known.insert(said.host.clone(), known);
        }
    }

    /// As [`Self::ask`], of many behind an address that has made none yet.
    pub(super) fn ask_many(
        &mut self,
        asked: &[(Registration, IpAddr)],
        now_s: i64,
        is_ready: bool,
    ) {
        for (said, _) in asked.iter().take(BURST) {
            self.ask(said, now_s, is_ready);
        }
        self.left_out.extend(asked.iter().skip(BURST).map(|it| it.0.host.clone()));
    }

    /// The server has read the earlier registrations.
    pub(super) fn are_read(&mut self, now_s: i64) {
        if !std::mem::take(&mut self.is_unread) {
            return;
        }
        for it in self.known.values_mut() {
            it.reported_at.get_or_insert(now_s);
        }
    }

    /// Takes in events. Each is the one that is due next, and of the same agent as its id.
    pub(super) fn take(&mut self, events: &mut VecDeque<JournalEvent>) {
        for event in events.drain(..) {
            let (kind, id) = event.about();
            let row = AutoregisteredHost::of_event(kind, id, &event.details).expect("an agent");
            assert_eq!(event.kind, EventKind::Problem, "{event:?}");
            let due = self.due.pop_front();
            let due = due.unwrap_or_else(|| panic!("an unexpected event: {event:?}"));
            assert_eq!(row, row_of(id, &due), "the next event of agents");
            match self.reported.get(&due.host) {
                Some((known, _)) => assert_eq!(id, *known, "an agent gets another id: {event:?}"),
                None => assert!(self.last_id < id, "an id comes again: {event:?}"),
            }
            self.last_id = self.last_id.max(id);
            self.reported.insert(due.host.clone(), (id, due));
            self.n_events += 1;
        }
    }

    /// Months have passed: the server forgets agents that have not asked since it began, or since it has forgotten some.
    pub(super) fn forget_silent(&mut self) {
        let (heard, silent): (BTreeMap<_, _>, BTreeMap<_, _>) =
            std::mem::take(&mut self.known).into_iter().partition(|it| it.1.is_heard);
        self.known = heard;
        self.known.values_mut().for_each(|it| it.is_heard = false);
        let forgotten = silent.into_keys().filter_map(|it| self.reported.remove_entry(&it));
        self.forgotten.extend(forgotten);
    }

    /// The server has ended: registrations without an event are unknown, and agents ask again. An
    /// agent that was forgotten and has a row in the database is known after all.
    pub(super) fn lose(&mut self, path: &Path) {
        self.due.clear();
        self.is_unread = true;
        if !self.forgotten.is_empty() {
            let rows = rows_in(path);
            for (host, it) in std::mem::take(&mut self.forgotten) {
                if rows.contains(&it.0) {
                    self.reported.entry(host).or_insert(it);
                }
            }
        }
        let known = |(host, it): (&String, &(u64, Registration))| {
            let known = Known { said: it.1.clone(), reported_at: None, is_heard: false };
            (host.clone(), known)
        };
        self.known = self.reported.iter().map(known).collect();
    }

    /// Asserts that nothing waits, and that the table has the last registrations.
    pub(super) fn check_settled(&mut self, db: &Db) {
        assert!(self.due.is_empty(), "no events of {:?}", self.due);
        let got = db.events().autoregistered_as(|it| it).expect("the database answers");
        let mut want: Vec<AutoregisteredHost> =
            self.reported.values().map(|(id, said)| row_of(*id, said)).collect();
        want.sort_by_key(|it| it.id);
        assert_eq!(got, want, "agents in the database");
        self.forgotten.clear();
    }
}

/// Ids of agents in the database.
fn rows_in(path: &Path) -> BTreeSet<u64> {
    let database = Connection::open(path).expect("the database");
    let mut statement =
        database.prepare("select autoreg_hostid from autoreg_hosts").expect("a statement");
    let rows = statement.query_map([], |row| row.get::<_, i64>(0)).expect("rows");
    rows.map(|it| it.expect("a row").unsigned_abs()).collect()
}

/// By which address an agent asks counts for nothing unless it names it.
fn is_same(a: &Registration, b: &Registration) -> bool {
    let named = |it: &Registration| (it.flags != 0).then_some((it.flags, it.port));
    a.metadata == b.metadata && named(a) == named(b)
}

fn row_of(id: u64, said: &Registration) -> AutoregisteredHost {
    AutoregisteredHost {
        id,
        host: said.host.clone(),
        listen_ip: said.ip.clone(),
        listen_dns: said.dns.clone(),
        listen_port: said.port,
        host_metadata: said.metadata.clone(),
        flags: said.flags,
        tls_accepted: said.tls_accepted,
    }
}
