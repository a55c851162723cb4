//! Requests from outside: values are sent, by senders and by agents with sessions, problems are
//! closed, the configuration is edited.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::mpsc::{TryRecvError, sync_channel};

use engine::mailboxes::ShardMessage;
use ingress::Outcome;
use model::{EventId, ItemId, Time, TriggerId, UserId, ValueType};
use pipeline::CloseProblem;

use super::{Open, REQUESTS_MAX, What, World};
use crate::config::{Role, Rule};
use crate::outside::lock;
use crate::outside::senders::{self, Raw, Value};
use crate::world::Defect;

impl World {
    /// A sender sends values of some items.
    pub(super) fn send(&mut self) {
        if REQUESTS_MAX <= self.connections.len() {
            return;
        }
        if self.random.once_in(12) {
            let at = self.random.below(self.config.rules_of_discovery.len());
            let (host, item) = self.config.rules_of_discovery[at].clone();
            return self.send_alone(host, "rule", item);
        }
        if self.random.once_in(12) {
            let at = self.random.below(self.config.agents.len());
            let (host, id, _) = self.config.agents[at].clone();
            return self.send_alone(host, "extra", ItemId(id.0 + 31));
        }
        let mut values = Vec::new();
        for _ in 0..=self.random.below(12) {
            let value = if self.settings.has_work && self.random.once_in(3) {
                self.value_with_work()
            } else {
                self.plain_value()
            };
            values.push(value);
        }
        let sent: Vec<_> = values.iter().map(|it| it.sent).collect();
        self.summary.sent += sent.len();
        self.sent.extend(&sent);
        let request = senders::send(self.process().door.clone(), values);
        self.connections.push(Open { request, what: What::Values(sent) });
        self.poll();
    }

    /// One value that is judged in another way, or not at all.
    fn send_alone(&mut self, host: String, key: &str, item: ItemId) {
        self.next_number += 1;
        let (number, time) = (self.next_number, self.time_of_value());
        let text = if key == "rule" { discovered(number) } else { number.to_string() };
        let sent = (item, time.millis(), number);
        self.sent.insert(sent);
        let value = Value { host, key: key.to_owned(), time, raw: Raw::Text(text), sent };
        let request = senders::send(self.process().door.clone(), vec![value]);
        self.connections.push(Open { request, what: What::Extra });
        self.poll();
    }

    fn plain_value(&mut self) -> Value {
        let at = self.random.below(self.config.items.len());
        let (host, key, item, kind) = self.config.items[at].clone();
        self.next_number += 1;
        let time = self.time_of_value();
        // Numbers are small.
        let small = self.random.next() % 100;
        let (raw, bits) = match kind {
            ValueType::Float => {
                let number = f64::from(u32::try_from(small).expect("small"));
                (Raw::Float(number), number.to_bits())
            }
            ValueType::Unsigned => (Raw::Unsigned(small), small),
            _ => (Raw::Text(self.next_number.to_string()), self.next_number),
        };
        Value { host, key, time, raw, sent: (item, time.millis(), bits) }
    }

    /// A value that makes work.
    fn value_with_work(&mut self) -> Value {
        let at = self.random.below(self.config.work.len());
        let work = self.config.work[at].clone();
        let role = [Role::Master, Role::Delta, Role::Rows][self.random.below(3)];
        let (item, key) = work.target(role);
        self.next_number += 1;
        let (number, time) = (self.next_number, self.time_of_value());
        let text = match role {
            Role::Rows => self.document(number),
            Role::Master | Role::Delta => number.to_string(),
        };
        if role == Role::Master {
            lock(&self.bugs).masters.insert(number);
        }
        self.made.numbers.insert((item, time.millis()), number);
        let sent = (item, time.millis(), number);
        Value { host: work.host, key: key.to_owned(), time, raw: Raw::Text(text), sent }
    }

    /// A row for some of the hosts, one each.
    fn document(&mut self, number: u64) -> String {
        let mut text = format!("{{\"id\":{number},\"data\":[");
        let mut rows = Vec::new();
        for at in 0..self.config.work.len() {
            if !self.random.once_in(2) {
                continue;
            }
            let work = &self.config.work[at];
            let value = number * 100 + at as u64;
            let comma = if rows.is_empty() { "" } else { "," };
            let host = &work.host;
            write!(text, "{comma}{{\"host\":\"{host}\",\"v\":{value}}}").expect("a text");
            rows.push((work.taker, value));
        }
        self.summary.rows += rows.len();
        self.sent.extend(rows.iter().map(|it| (it.0, self.value_ms, it.1)));
        self.made.documents.insert(number, rows);
        // Some are too long for a shard to process itself.
        let rest = if self.random.once_in(4) { "x".repeat(70_000) } else { String::new() };
        text + "],\"rest\":\"" + &rest + "\"}"
    }

    /// A connection was answered.
    pub(super) fn answered(&mut self, what: What, outcome: Outcome) {
        let lsn = self.process().journal.next_lsn().0;
        match what {
            What::Values(sent) => {
                assert_eq!((outcome.processed as usize, outcome.failed), (sent.len(), 0));
                self.summary.acknowledged += sent.len();
                self.acknowledged.extend(sent.into_iter().map(|it| (it, lsn)));
            }
            What::Extra => {}
            What::Session(at, packet) => {
                assert_eq!(outcome.failed, 0, "all are taken");
                let numbers = packet.numbers().collect::<Vec<_>>();
                self.summary.acknowledged += numbers.len();
                self.sessions.acknowledged.extend(numbers.into_iter().map(|it| (it, lsn)));
                // Some responses are lost.
                if !self.is_resting && self.random.once_in(5) {
                    self.summary.lost_answers += 1;
                } else {
                    self.agents[at].acknowledged(&packet.token, packet.last_id());
                }
            }
        }
    }

    pub(super) fn restart_some_agent(&mut self) {
        let at = self.random.below(self.agents.len());
        self.restart_agent(at);
    }

    pub(super) fn restart_agent(&mut self, at: usize) {
        self.next_session += 1;
        let (n, has_no_ns) = (self.next_session, self.random.once_in(2));
        self.agents[at].restart(n, has_no_ns);
        self.sessions.numbers.insert(self.agents[at].token.clone(), Vec::new());
    }

    /// An agent sends its values, also without a response to earlier ones.
    pub(super) fn send_of_agent(&mut self) {
        let at = self.random.below(self.agents.len());
        for _ in 0..self.random.below(4) {
            self.next_number += 1;
            self.agents[at].collect(self.next_number);
            let token = &self.agents[at].token;
            let numbers = self.sessions.numbers.get_mut(token).expect("a known session");
            numbers.push(self.next_number);
        }
        self.send_session(at);
    }

    fn send_session(&mut self, at: usize) {
        if !self.agents[at].is_waiting() || REQUESTS_MAX <= self.connections.len() {
            return;
        }
        let split = self.random.below(6);
        let mut packet = self.agents[at].packet(split);
        packet.marks_early = self.settings.defect == Some(Defect::EarlyMark);
        let of_same = self.connections.iter();
        let of_same = of_same.filter(
            |it| matches!(&it.what, What::Session(_, other) if other.token == packet.token),
        );
        self.summary.parallel += usize::from(of_same.count() != 0);
        self.summary.sent += packet.numbers().count();
        let known: BTreeSet<u64> =
            packet.numbers().filter(|it| !self.sessions.sent.insert(*it)).collect();
        self.summary.resends += known.len();
        let request = senders::send_session(self.process().door.clone(), packet.clone());
        self.connections.push(Open { request, what: What::Session(at, packet) });
        self.poll();
    }

    /// At rest: agents whose answer was lost.
    pub(super) fn send_what_waits(&mut self) {
        for at in 0..self.agents.len() {
            let token = self.agents[at].token.clone();
            let is_under_way = self
                .connections
                .iter()
                .any(|it| matches!(&it.what, What::Session(_, other) if other.token == token));
            if !is_under_way {
                self.send_session(at);
            }
        }
    }

    /// A connection ends before it is answered.
    pub(super) fn cut_connection(&mut self) {
        if !self.connections.is_empty() {
            let at = self.random.below(self.connections.len());
            self.connections.remove(at);
            self.summary.cut_connections += 1;
        }
    }

    /// The configuration is edited.
    pub(super) fn edit(&mut self) {
        // Its editor waits for room.
        if !self.process().has_room() {
            return;
        }
        self.summary.edits += 1;
        let at = self.random.below(self.config.snapshot.hosts.len());
        let (snapshot, delta) = self.config.edit(at);
        self.snapshot = Arc::clone(&snapshot);
        self.database.with(|it| it.snapshot = Arc::clone(&snapshot));
        self.process().door.configuration.apply(&snapshot, &delta);
    }

    /// Somebody closes a problem that the database shows.
    pub(super) fn close(&mut self) {
        let is_closable = |trigger: TriggerId| {
            let rule = self.config.rules.iter().find(|it| it.0 == trigger);
            rule.is_some_and(|it| it.1.is_closable())
        };
        let reads_window = |trigger: TriggerId| {
            let rule = self.config.rules.iter().find(|it| it.0 == trigger);
            matches!(rule, Some((_, Rule::Window { .. })))
        };
        let mut open = self.database.open_problems();
        open.retain(|it| is_closable(it.0) && !self.closed.contains_key(&it.1.0));
        let process = self.process.as_ref().expect("the process runs");
        let has_waiting = process.shards.iter().any(|it| 0 < it.sizes().evaluations_deferred);
        // Those whose evaluations may be deferred matter most.
        if has_waiting && open.iter().any(|it| reads_window(it.0)) {
            open.retain(|it| reads_window(it.0));
        }
        if open.is_empty() || !process.has_room() {
            return;
        }
        let (trigger, event) = open[self.random.below(open.len())];
        let directory = self.process().door.configuration.directory();
        let (holder, _) = self.snapshot.trigger(trigger).expect("a known trigger");
        let shard = directory.shard_of_host(holder.id);
        let close = CloseProblem { trigger, event, user: UserId(1), time: Time::ZERO };
        let (answer, heard) = sync_channel(1);
        self.process().mailboxes.send(shard, ShardMessage::Close(close, answer));
        self.summary.closed += 1;
        self.summary.closed_waiting += usize::from(has_waiting);
        self.closings.push((event, heard));
    }

    pub(super) fn hear_of_closings(&mut self) {
        let lsn = self.process().journal.next_lsn().0;
        let closed = &mut self.closed;
        self.closings.retain(|(event, heard)| match heard.try_recv() {
            Ok(()) => {
                closed.insert(event.0, lsn);
                false
            }
            Err(TryRecvError::Empty) => true,
            Err(TryRecvError::Disconnected) => false,
        });
    }
}

/// A value of a discovery rule.
fn discovered(number: u64) -> String {
    format!("[{{\"{{#N}}\":\"{number}\"}}]")
}

/// Events of problems.
pub(super) fn ids(events: &[(TriggerId, EventId)]) -> BTreeSet<TriggerId> {
    events.iter().map(|it| it.0).collect()
}
