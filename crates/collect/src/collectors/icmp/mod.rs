//! Pings: own packets, no external program.
//!
//! One task and one socket for each family of addresses. A raw socket needs CAP_NET_RAW; without it
//! a datagram socket does, where `net.ipv4.ping_group_range` permits it; without either the items
//! say so. Equal series to one target are sent once, whichever items want them.

mod echo;
mod key;
mod pinger;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use model::content::{ItemContent, ItemType};
use model::map::Map;
use rt::clock::nanos;
use rt::queue::Receiver;
use rt::task::Tasks;
use socket2::{Domain, Protocol, Type};
use wire::icmp::{Family, Framing, Received, parse};

pub(crate) use self::echo::{EchoRequest, answer_echoes};
use self::key::{Figure, Ping, Series};
use self::pinger::{Over, Pinger};
use super::collector::{Collector, Grouping, JobLimits};
use super::context::CollectorContext;
use super::datagrams::{Buffer, Datagrams};
use super::host_item::HostItem;
use super::request::{CheckResult, Finished, Reading};
use crate::dns_cache::DnsCache;

/// Packets sent before what arrived is looked at.
const SENDS_A_TURN: usize = 64;
/// A kernel without room is asked again after this time.
const RETRY: Duration = Duration::from_millis(1);

rt::section! {
    /// Pings.
    pub struct Settings in "collectors.icmp" {
        /// Most series of pings under way at once.
        pub series_max: NonZeroUsize = "10_000",
    }
}

pub(super) struct Icmp;

type Check = super::request::Check<Ping>;
type Request = super::request::Request<Ping>;

impl Collector for Icmp {
    type Settings = Settings;
    type Payload = Ping;

    const USES_INTERFACE: bool = true;

    fn takes(content: &ItemContent) -> Option<Grouping> {
        let is_ping = content.kind == ItemType::Simple && key::is_ping(&content.key_);
        is_ping.then_some(Grouping::Together)
    }

    fn limits(settings: &Settings) -> JobLimits {
        JobLimits { jobs_max: settings.series_max.get(), device_jobs_max: 4, job_checks_max: 64 }
    }

    fn prepare(item: &HostItem<'_>) -> Result<Ping, CheckResult> {
        Ping::parse(&item.key()?).map_err(CheckResult::Refused)
    }

    async fn run(shared: Arc<CollectorContext>, requests: Receiver<Request>) {
        let mut pings = Pings {
            pinger: Pinger::new(shared.secret.rotate_left(17)),
            sockets: Sockets {
                v4: Port::open(Family::V4, &shared.tasks),
                v6: Port::open(Family::V6, &shared.tasks),
            },
            by_series: Map::default(),
            requests: Map::default(),
            next_request: 0,
            shared: Arc::clone(&shared),
        };
        let mut resolving = FuturesUnordered::new();
        let mut buffers = <(Buffer, Buffer)>::default();
        let mut unsent = VecDeque::new();
        loop {
            let next_ns = pings.next_ns(&unsent);
            let mut arrived = Vec::new();
            let mut finished = Vec::new();
            tokio::select! {
                biased;
                () = pings.sockets.receive(&mut buffers, &shared.clock, &mut arrived) => {}
                () = shared.clock.sleep_until(next_ns.unwrap_or(0)), if next_ns.is_some() => {}
                Some(resolved) = resolving.next() => match resolved {
                    Ok((request, targets)) => finished.extend(pings.start(request, targets)),
                    Err(failed) => finished.push(failed),
                },
                request = requests.receive() => match request {
                    Some(request) => resolving.push({
                        shared.containing("ping", request, |it| resolve(&shared.dns, it))
                    }),
                    None => return,
                },
            }
            let mut over: Vec<Over> = Vec::new();
            for it in &arrived {
                let pinger = &mut pings.pinger;
                let take = || pinger.take(it.from, &it.payload, it.at_ns);
                over.extend(shared.tasks.contain_sync("datagram", it.from, take).ok().flatten());
            }
            if unsent.is_empty() {
                let todo = pings.pinger.step(shared.clock.mono_ns(), SENDS_A_TURN);
                unsent.extend(todo.send);
                over.extend(todo.over);
            }
            pings.sockets.send_all(&mut unsent);
            finished.extend(pings.finish(&over));
            for finished in finished {
                shared.finish(finished).await;
            }
        }
    }
}

/// The address that a check is about.
type Target = Result<IpAddr, String>;

async fn resolve(dns: &DnsCache, request: Request) -> (Request, Vec<Target>) {
    let mut targets = Vec::with_capacity(request.checks.len());
    for check in &request.checks {
        targets.push(target(dns, &request, check).await);
    }
    (request, targets)
}

async fn target(dns: &DnsCache, request: &Request, check: &Check) -> Target {
    let name = match (&check.payload.target, &request.endpoint) {
        (it, Some(endpoint)) if it.is_empty() => &endpoint.address,
        (it, None) if it.is_empty() => {
            return Err("Ping item must have target or host interface specified.".to_owned());
        }
        (it, _) => it,
    };
    dns.address(name, check.timeout).await
}

struct Pings {
    pinger: Pinger,
    sockets: Sockets,
    /// Who wants a series that runs.
    by_series: Map<u32, Vec<Wanted>>,
    requests: Map<u64, Waiting>,
    next_request: u64,
    shared: Arc<CollectorContext>,
}

/// A request, the place of its check, and what of the series it wants.
type Wanted = (u64, usize, Figure);

/// A request some of whose series still run.
struct Waiting {
    request: Request,
    readings: Vec<Reading>,
    /// Checks without reading.
    n_left: usize,
}

impl Pings {
    /// When there is something to do: a kernel without room is asked again soon.
    fn next_ns(&self, unsent: &Unsent) -> Option<u64> {
        if unsent.is_empty() {
            return self.pinger.next_ns();
        }
        Some(self.shared.clock.mono_ns().saturating_add(nanos(RETRY)))
    }

    /// Gives the request back if there is nothing to send.
    fn start(&mut self, mut request: Request, targets: Vec<Target>) -> Option<Finished> {
        let now = self.shared.clock.now();
        let id = self.next_request;
        self.next_request += 1;
        let mut readings = std::mem::take(&mut request.done);
        let mut series: BTreeMap<(IpAddr, Series), Vec<Wanted>> = BTreeMap::new();
        for (at, (check, target)) in request.checks.iter().zip(targets).enumerate() {
            let address = target.and_then(|address| {
                self.sockets.check(address).map(|()| address).map_err(str::to_owned)
            });
            let ping = &check.payload;
            match address {
                Ok(address) => {
                    series.entry((address, ping.series)).or_default().push((id, at, ping.figure));
                }
                Err(reason) => {
                    readings.push(check.reading(now.wall, CheckResult::Refused(reason)));
                }
            }
        }
        let n_left = series.values().map(Vec::len).sum();
        for ((address, what), wanted) in series {
            let serial = self.pinger.start(address, what, now.mono_ns);
            self.by_series.insert(serial, wanted);
        }
        let waiting = Waiting { request, readings, n_left };
        if n_left == 0 {
            return Some(waiting.finished());
        }
        self.requests.insert(id, waiting);
        None
    }

    /// Gives series that are over to who waits for them; returns what is complete.
    fn finish(&mut self, over: &[Over]) -> Vec<Finished> {
        let now = self.shared.clock.wall();
        let mut complete = Vec::new();
        for Over { series, tally } in over {
            for (id, at, figure) in self.by_series.remove(series).into_iter().flatten() {
                let Some(waiting) = self.requests.get_mut(&id) else { continue };
                if let Some(check) = waiting.request.checks.get(at) {
                    let answer = CheckResult::Answer(tally.value(figure));
                    waiting.readings.push(check.reading(now, answer));
                }
                waiting.n_left -= 1;
                if waiting.n_left == 0 {
                    complete.extend(self.requests.remove(&id));
                }
            }
        }
        complete
            .into_iter()
            .map(|it| Finished { job: it.request.job, readings: it.readings })
            .collect()
    }
}

impl Waiting {
    fn finished(self) -> Finished {
        Finished { job: self.request.job, readings: self.readings }
    }
}

/// Packets that the kernel has not taken yet.
type Unsent = VecDeque<(IpAddr, Vec<u8>)>;

/// A packet for the pinger.
struct Arrived {
    from: IpAddr,
    payload: Vec<u8>,
    at_ns: u64,
}

struct Sockets {
    v4: Result<Port, String>,
    v6: Result<Port, String>,
}

#[derive(Debug)]
struct Port {
    socket: Datagrams,
    family: Family,
    framing: Framing,
}

impl Port {
    fn open(family: Family, tasks: &Tasks) -> Result<Self, String> {
        let (domain, protocol) = match family {
            Family::V4 => (Domain::IPV4, Protocol::ICMPV4),
            Family::V6 => (Domain::IPV6, Protocol::ICMPV6),
        };
        let raw = Datagrams::open(domain, Type::RAW, protocol, tasks);
        let framing = if family == Family::V4 { Framing::WithIpHeader } else { Framing::Bare };
        let opened = match raw {
            Ok(socket) => Ok(Self { socket, family, framing }),
            Err(_not_permitted) => Datagrams::open(domain, Type::DGRAM, protocol, tasks)
                .map(|socket| Self { socket, family, framing: Framing::Bare }),
        };
        opened.map_err(|error| {
            format!(
                "Cannot send pings: {error}. The server needs CAP_NET_RAW, or its group in \
                 net.ipv4.ping_group_range."
            )
        })
    }

    async fn receive(&self, buffer: &mut Buffer, clock: &rt::clock::Clock, out: &mut Vec<Arrived>) {
        let take = |from: SocketAddr, packet: &[u8]| {
            // On the loopback interface a raw socket sees its own requests, too.
            if let Ok(Received::Reply(echo)) = parse(self.family, self.framing, packet) {
                let payload = echo.payload.get(..64).unwrap_or(echo.payload).to_vec();
                out.push(Arrived { from: from.ip(), payload, at_ns: clock.mono_ns() });
            }
        };
        self.socket.receive(buffer, take).await;
    }
}

impl Sockets {
    fn of(&self, address: IpAddr) -> Result<&Port, &str> {
        let port = if address.is_ipv4() { &self.v4 } else { &self.v6 };
        port.as_ref().map_err(String::as_str)
    }

    /// Whether this address can be pinged at all.
    fn check(&self, address: IpAddr) -> Result<(), &str> {
        self.of(address).map(|_| ())
    }

    /// Sends until the kernel has no room.
    fn send_all(&self, unsent: &mut Unsent) {
        while let Some((to, packet)) = unsent.pop_front() {
            let Ok(port) = self.of(to) else { continue };
            // What can't be sent for want of a route is a loss, as if a router had dropped it.
            let sent = port.socket.send((to, 0).into(), &packet);
            if sent.is_err_and(|it| it.kind() == io::ErrorKind::WouldBlock) {
                unsent.push_front((to, packet));
                return;
            }
        }
    }

    async fn receive(
        &self,
        buffers: &mut (Buffer, Buffer),
        clock: &rt::clock::Clock,
        out: &mut Vec<Arrived>,
    ) {
        let mut late = Vec::new();
        {
            let v4 = async {
                match &self.v4 {
                    Ok(port) => port.receive(&mut buffers.0, clock, out).await,
                    Err(_) => std::future::pending().await,
                }
            };
            let v6 = async {
                match &self.v6 {
                    Ok(port) => port.receive(&mut buffers.1, clock, &mut late).await,
                    Err(_) => std::future::pending().await,
                }
            };
            tokio::select! {
                () = v4 => {}
                () = v6 => {}
            }
        }
        out.append(&mut late);
    }
}
