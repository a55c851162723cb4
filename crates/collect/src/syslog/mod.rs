//! Syslog: messages received by UDP and TCP become values of log items.
//!
//! A host takes messages with items of type Zabbix trapper whose key is `syslog[…]` ([`items`]). A
//! message belongs to the host that has an interface with the address of its sender; messages of
//! senders that the settings name as relays belong to the host named in the message.
//!
//! Received messages wait in a queue with a bound for a worker, which finds hosts and items and
//! hands values to the shards. Datagrams without room are lost and counted; streams wait. A host
//! has a limit of messages a second; further ones are counted and dropped. Messages that are too
//! long are cut. A message that causes a panic is lost alone.

mod hosts;
pub(crate) mod items;
mod receive;

use std::convert::Infallible;
use std::net::UdpSocket;
use std::sync::Arc;

use ingress::{Closed, Ingress, IngressRequest};
use jiff::tz::TimeZone;
use model::batch::{Extra, RawRef};
use model::map::Map;
use model::networks::Networks;
use model::value::LogEntry;
use model::{HostId, Now, Time};
use rt::clock::Clock;
use rt::lanes::Lanes;
use rt::metrics::Registry;
use rt::queue::{self, Receiver, Sender, WhenFull};
use rt::task::{TaskError, Tasks};
use rt::worker::{GroupContext, Next, OnPanic, Worker, WorkerFailure, WorkerGroup, WorkerRow};
use tokio::net::TcpListener;
use wire::syslog::{Stamp, SyslogMessage, parse};

use crate::resolve::Resolver;
use crate::{Configuration, Directory};
use hosts::Hosts;
use items::SyslogItem;
use receive::{Received, SyslogMetrics};

/// For the list of workers.
pub const ROW: WorkerRow = WorkerRow {
    name: "syslog",
    job: "passes syslog messages to items",
    woken_by: "messages",
    waits: "syslog messages wait",
    on_panic: OnPanic::Reload,
};

/// Messages that go to the shards in one request.
const MESSAGES_A_TURN: usize = 512;
/// Hosts that are counted at once for [`SyslogSettings::host_messages_per_second`]. With more, all
/// counts start again.
const COUNTED_HOSTS_MAX: usize = 1_000_000;

/// The operator's settings.
#[derive(Clone, Debug)]
pub struct SyslogSettings {
    /// Senders that relay messages of others: the host's name in the message counts.
    pub relays: Networks,
    pub message_bytes_max: usize,
    pub queue_max: usize,
    /// Limit of one host; zero: no messages at all.
    pub host_messages_per_second: u32,
    pub connections_max: usize,
}

/// The sockets of messages. Without either nothing is started.
#[derive(Debug, Default)]
pub struct SyslogSockets {
    pub udp: Option<UdpSocket>,
    pub tcp: Option<TcpListener>,
}

/// The parts to give messages to items with.
#[expect(missing_debug_implementations, reason = "holds trait objects; never printed")]
pub struct SyslogParts {
    pub settings: SyslogSettings,
    pub ingress: Ingress,
    pub configuration: Arc<dyn Configuration>,
    pub zone: TimeZone,
    pub clock: Clock,
    /// The lanes that serve connections; their listener belongs to the first.
    pub lanes: Lanes,
}

/// Receives until shutdown.
///
/// # Errors
/// If there is no thread.
pub fn start(
    parts: SyslogParts,
    sockets: SyslogSockets,
    (registry, context): (&Registry, &GroupContext),
) -> Result<(), TaskError> {
    if sockets.udp.is_none() && sockets.tcp.is_none() {
        return Ok(());
    }
    start_with(parse, parts, sockets, (registry, context))
}

/// Parses a message.
type Parse = for<'m> fn(&'m str) -> SyslogMessage<'m>;

fn start_with(
    parse: Parse,
    parts: SyslogParts,
    sockets: SyslogSockets,
    (registry, context): (&Registry, &GroupContext),
) -> Result<(), TaskError> {
    let tasks = &context.tasks;
    let metrics = SyslogMetrics::register(registry);
    let queue_max = parts.settings.queue_max.max(1);
    let (clock, max) = (&parts.clock, parts.settings.message_bytes_max);
    let open = |name, when_full| queue::bounded(name, queue_max, when_full, clock, registry);
    let ends: (Sender<Received>, Receiver<Received>) = open("syslog", WhenFull::Block);
    let (sender, receiver) = ends;
    let into = receive::Into { queue: sender, clock: clock.clone(), metrics: metrics.clone(), max };
    if let Some(socket) = sockets.udp {
        tasks.spawn("syslog udp", receive::udp(socket, into.clone(), tasks.shutdown().clone()));
    }
    if let Some(listener) = sockets.tcp {
        let connections_max = parts.settings.connections_max.max(1);
        let (accepting, lanes) = (parts.lanes.first().clone(), parts.lanes.clone());
        let _inside = accepting.enter();
        let serving = receive::tcp(listener, connections_max, into, (tasks.clone(), lanes));
        tasks.spawn("syslog tcp", serving);
    }
    let giver = Giver {
        parse,
        queue: receiver,
        handle: tokio::runtime::Handle::current(),
        tasks: tasks.clone(),
        hosts: Hosts::new(Resolver::new(parts.zone.clone())),
        sent: Map::default(),
        parts,
        metrics,
    };
    // A thread of its own: it waits for busy shards.
    let mut group = WorkerGroup::new(ROW.name, context);
    group.add(ROW, |wake| {
        giver.queue.wakes(wake);
        giver
    });
    group.start()
}

/// Passes messages to items.
struct Giver {
    parse: Parse,
    queue: Receiver<Received>,
    handle: tokio::runtime::Handle,
    tasks: Tasks,
    parts: SyslogParts,
    hosts: Hosts,
    metrics: SyslogMetrics,
    /// The second for which messages of a host are counted, and their number.
    sent: Map<HostId, (i64, u32)>,
}

impl Worker for Giver {
    type Error = Infallible;

    fn turn(&mut self, _: Now) -> Result<Next, Infallible> {
        let mut batch = Vec::new();
        if self.queue.drain(MESSAGES_A_TURN, &mut batch) == 0 {
            return Ok(Next::WhenWoken);
        }
        Ok(match self.give(&batch) {
            Ok(()) => Next::More,
            // The receiver of values is gone: the process is stopping.
            Err(Closed) => Next::Ended,
        })
    }

    /// The hosts are read again.
    fn reload(&mut self, _: WorkerFailure) -> Result<(), Infallible> {
        self.hosts = Hosts::new(Resolver::new(self.parts.zone.clone()));
        Ok(())
    }
}

impl Giver {
    fn give(&mut self, batch: &[Received]) -> Result<(), Closed> {
        let snapshot = self.parts.configuration.snapshot();
        self.hosts.follow(&snapshot, self.parts.clock.mono_ns());
        let directory = self.parts.configuration.directory();
        let mut request = self.parts.ingress.request(directory.epoch());
        for received in batch {
            let tasks = self.tasks.clone();
            let give = || self.give_one(received, &*directory, &mut request);
            // Counted and logged there.
            drop(tasks.contain_sync("syslog message", received.from, give));
            if request.is_full() {
                let next = self.parts.ingress.request(directory.epoch());
                self.post(std::mem::replace(&mut request, next))?;
            }
        }
        if request.is_empty() { Ok(()) } else { self.post(request) }
    }

    /// Nothing is acknowledged to senders, so this does not wait for the journal: messages received
    /// while a shard writes are posted meanwhile.
    fn post(&self, request: IngressRequest) -> Result<(), Closed> {
        self.handle.block_on(self.parts.ingress.post(request))
    }

    fn give_one(
        &mut self,
        received: &Received,
        directory: &dyn Directory,
        request: &mut IngressRequest,
    ) {
        let text = lang::text::repair_utf8(&received.bytes);
        let message = (self.parse)(&text);
        for item in self.takers(&message, received) {
            let found = directory.item(item).filter(|it| it.enabled);
            let value = RawRef::Text(&message.text);
            let pushed = found.map(|it| (it.target, request.push(it.target, received.time, value)));
            let Some((target, Ok(()))) = pushed else {
                request.refuse();
                continue;
            };
            self.metrics.values_total.inc();
            request.extra(target, self.extra(&message, received.time));
        }
    }

    /// The items that take a message.
    fn takers(&mut self, message: &SyslogMessage<'_>, received: &Received) -> Vec<model::ItemId> {
        let by_name = self.parts.settings.relays.contains(received.from);
        let hosts = if by_name {
            self.hosts.named(message.hostname.unwrap_or_default())
        } else {
            self.hosts.at(received.from)
        };
        if hosts.is_empty() {
            self.metrics.unknown_total.inc();
            return Vec::new();
        }
        let mut takers = Vec::new();
        for host in hosts {
            if !self.is_within_limit(host, received.time.clock()) {
                self.metrics.limited_total.inc();
                continue;
            }
            let items = self.hosts.items(host);
            let _turn = formats::regexp::MatchTurn::begin();
            let takes = |it: &&SyslogItem| it.takes(message, received.from);
            let before = takers.len();
            takers.extend(items.iter().filter(|it| !it.is_fallback).filter(takes).map(|it| it.id));
            if takers.len() == before {
                takers
                    .extend(items.iter().filter(|it| it.is_fallback).filter(takes).map(|it| it.id));
            }
            if takers.len() == before {
                self.metrics.unmatched_total.inc();
            }
        }
        takers
    }

    fn is_within_limit(&mut self, host: HostId, second: i64) -> bool {
        if COUNTED_HOSTS_MAX <= self.sent.len() {
            self.sent.clear();
        }
        let counted = self.sent.entry(host).or_default();
        if counted.0 != second {
            *counted = (second, 0);
        }
        counted.1 = counted.1.saturating_add(1);
        counted.1 <= self.parts.settings.host_messages_per_second
    }

    fn extra(&self, message: &SyslogMessage<'_>, arrived: Time) -> Extra {
        let timestamp = message.time.and_then(|it| seconds(it, arrived, &self.parts.zone));
        Extra {
            row: 0,
            lastlogsize: None,
            mtime: None,
            log: Some(LogEntry {
                value: String::new(),
                source: message.app.unwrap_or_default().to_owned(),
                timestamp: timestamp.unwrap_or(0),
                severity: message.severity.into(),
                logeventid: 0,
            }),
        }
    }
}

/// The time in a message, in seconds since 1970. One without a year is within the last twelve
/// months.
fn seconds(time: Stamp<'_>, arrived: Time, zone: &TimeZone) -> Option<i64> {
    match time {
        Stamp::Whole(text) => text.parse::<jiff::Timestamp>().ok().map(|it| it.as_second()),
        Stamp::Short([month, day, hour, minute, second]) => {
            let now = jiff::Timestamp::from_second(arrived.clock()).ok()?.to_zoned(zone.clone());
            let of_year = |year: i16| {
                let part = |it: u8| i8::try_from(it).unwrap_or(0);
                let civil = jiff::civil::DateTime::new(
                    year,
                    part(month),
                    part(day),
                    part(hour),
                    part(minute),
                    part(second.min(59)),
                    0,
                );
                Some(civil.ok()?.to_zoned(zone.clone()).ok()?.timestamp().as_second())
            };
            // Clocks may differ by a day, and zones by nearly two.
            let latest = arrived.clock().saturating_add(2 * 86_400);
            let this_year = of_year(now.year()).filter(|it| *it <= latest);
            this_year.or_else(|| of_year(now.year() - 1))
        }
    }
}

#[cfg(test)]
mod tests;
