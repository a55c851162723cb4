//! Senders of values: senders that send them once, and agents that number their values within a
//! session and send again until they are acknowledged.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;

use engine::running::RunningConfiguration;
use ingress::{Closed, Ingress, Last, Outcome, Sessions, Target};
use model::batch::RawRef;
use model::{HostId, ItemId, Time};
use rt::clock::Clock;

use crate::oracle::Sent;

/// The way in, as connections have it.
#[derive(Clone, Debug)]
pub(crate) struct Door {
    pub(crate) ingress: Ingress,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) configuration: Arc<RunningConfiguration>,
    pub(crate) clock: Clock,
}

/// The work of one connection.
pub(crate) type Request = Pin<Box<dyn Future<Output = Result<Outcome, Closed>>>>;

/// A value as it is sent.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) host: String,
    pub(crate) key: String,
    pub(crate) time: Time,
    pub(crate) raw: Raw,
    pub(crate) sent: Sent,
}

#[derive(Clone, Debug)]
pub(crate) enum Raw {
    Float(f64),
    Unsigned(u64),
    Text(String),
}

impl Raw {
    fn as_ref(&self) -> RawRef<'_> {
        match self {
            Self::Float(it) => RawRef::Float(*it),
            Self::Unsigned(it) => RawRef::Unsigned(*it),
            Self::Text(it) => RawRef::Text(it),
        }
    }
}

/// Values of a sender.
pub(crate) fn send(door: Door, values: Vec<Value>) -> Request {
    Box::pin(async move {
        let directory = door.configuration.directory();
        let mut request = door.ingress.request(directory.epoch());
        for value in &values {
            match directory.lookup(&value.host, &value.key) {
                Some(target) => {
                    let to = Target { shard: target.shard, slot: target.slot };
                    request.push(to, value.time, value.raw.as_ref()).expect("room");
                }
                None => request.refuse(),
            }
        }
        door.ingress.submit(request).await
    })
}

/// An agent and its session.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    pub(crate) host: String,
    pub(crate) host_id: HostId,
    pub(crate) item: ItemId,
    pub(crate) token: String,
    /// Its values have no nanoseconds: a resend gives them others.
    has_no_ns: bool,
    next_id: u64,
    /// Not acknowledged yet: id, second, number.
    buffer: VecDeque<(u64, i64, u64)>,
    clock: i64,
}

/// Values of a session in one request.
#[derive(Clone, Debug)]
pub(crate) struct Packet {
    pub(crate) token: String,
    host: String,
    host_id: HostId,
    has_no_ns: bool,
    values: Vec<(u64, i64, u64)>,
    /// The request comes in two parts, the second one from here.
    split: usize,
    /// The defect that issue 11 names second: the mark moves before its values are journaled.
    pub(crate) marks_early: bool,
}

impl Packet {
    pub(crate) fn last_id(&self) -> u64 {
        self.values.last().map_or(0, |it| it.0)
    }

    pub(crate) fn numbers(&self) -> impl Iterator<Item = u64> {
        self.values.iter().map(|it| it.2)
    }
}

impl Agent {
    pub(crate) fn new((host, host_id): (String, HostId), item: ItemId, clock: i64) -> Self {
        let (token, buffer) = (String::new(), VecDeque::new());
        Self { host, host_id, item, token, has_no_ns: false, next_id: 1, buffer, clock }
    }

    /// It is restarted: another session, its memory is empty.
    pub(crate) fn restart(&mut self, n: u64, has_no_ns: bool) {
        self.token = format!("{n:032x}");
        self.has_no_ns = has_no_ns;
        self.next_id = 1;
        self.buffer.clear();
    }

    pub(crate) fn collect(&mut self, number: u64) {
        // Each value has a second of its own.
        self.clock += 1;
        self.buffer.push_back((self.next_id, self.clock, number));
        self.next_id += 1;
    }

    /// Everything that was not acknowledged.
    pub(crate) fn packet(&self, split: usize) -> Packet {
        let values: Vec<_> = self.buffer.iter().copied().collect();
        Packet {
            token: self.token.clone(),
            host: self.host.clone(),
            host_id: self.host_id,
            has_no_ns: self.has_no_ns,
            split: split.min(values.len()),
            values,
            marks_early: false,
        }
    }

    pub(crate) fn is_waiting(&self) -> bool {
        !self.buffer.is_empty()
    }

    pub(crate) fn acknowledged(&mut self, token: &str, last_id: u64) {
        if self.token == token {
            self.buffer.retain(|it| last_id < it.0);
        }
    }
}

/// As the trapper with the values of a session.
pub(crate) fn send_session(door: Door, packet: Packet) -> Request {
    Box::pin(async move {
        let now = door.clock.wall();
        let claim = door.sessions.claim(packet.host_id, &packet.token, now).await;
        let claim = Arc::new(claim.expect("a token"));
        let directory = door.configuration.directory();
        let target = directory.lookup(&packet.host, "log").expect("configured");
        let to = Target { shard: target.shard, slot: target.slot };
        let mut submission = door.ingress.submission();
        let mut request = door.ingress.request(directory.epoch());
        for (at, (id, clock, number)) in packet.values.iter().enumerate() {
            if at == packet.split && at != 0 {
                let next = door.ingress.request(directory.epoch());
                let part = std::mem::replace(&mut request, next);
                submission.add(part, Last::No).await?;
            }
            if *id <= claim.before() {
                continue;
            }
            let ns = if packet.has_no_ns { u32::try_from(at).expect("few") } else { 7 };
            let time = Time::from_clock(*clock, ns * 1_000_000);
            request.push(to, time, RawRef::Text(&number.to_string())).expect("room");
            if !packet.marks_early {
                request.mark(to, &claim, *id);
            }
        }
        if packet.marks_early {
            claim.written(packet.last_id());
            drop(claim);
        }
        submission.add(request, Last::Yes).await?;
        submission.wait().await
    })
}
