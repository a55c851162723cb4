//! Pings with packets of this process, without an external program.
//!
//! One task and one socket for each family of addresses: a datagram socket where
//! `net.ipv4.ping_group_range` permits it, to which the kernel passes its own replies and nothing
//! else, or a raw one, which gets a copy of every ICMP packet of the machine and needs CAP_NET_RAW;
//! without either the items say so. Equal series to one target are sent once, for all items that
//! want them.

mod due;
mod echo;
mod key;
mod pinger;
mod transcript;

use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use model::content::{ItemContent, ItemType};
use model::time::Now;
use rt::clock::{Clock, nanos};
use rt::queue::Receiver;
use rt::task::Tasks;
use socket2::{Domain, Protocol, SockFilter, Type};
use wire::icmp::{Family, Framing, Received, parse};

pub(crate) use self::echo::{EchoRequest, answer_echoes};
use self::key::{Figure, Ping, Series};
use self::pinger::{HEAD_LEN, Over, Pinger};
use super::collector::{Collector, Grouping, JobLimits};
use super::context::CollectorContext;
use super::datagrams::{Buffer, Datagram, Datagrams, RETRY};
use super::host_item::HostItem;
use super::request::{CheckResult, Finished, Reading};
use crate::dns_cache::DnsCache;

/// Packets sent before received ones are read.
const SENDS_A_TURN: usize = 64;
/// After so many requests or answers at once the following answers are read together, after a rest,
/// with the times that the kernel noted.
const MANY: usize = 4;
const REST: Duration = Duration::from_millis(1);
/// Largest age of a datagram by the kernel's time stamp. An older stamp is ignored: the wall clock
/// was set.
const WAITED_MAX_NS: i64 = 1_000_000_000;

rt::section! {
    /// Pings.
    pub struct Settings in "collectors.icmp" {
        /// Most series of pings at once.
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

    fn keep(ping: &Ping) -> Option<Ping> {
        Some(ping.clone())
    }

    async fn run(shared: Arc<CollectorContext>, requests: Receiver<Request>) {
        let pinger = Pinger::new(shared.secret.rotate_left(17));
        let mut pings = Pings {
            sockets: Sockets::open(pinger.identifier(), &shared.tasks),
            pinger,
            by_series: Vec::new(),
            requests: Requests::default(),
            begun: Vec::new(),
            shared: Arc::clone(&shared),
        };
        let mut resolving = FuturesUnordered::new();
        let mut buffers = <(Buffer, Buffer)>::default();
        let mut unsent = VecDeque::new();
        let (mut new, mut arrived, mut finished) = (Vec::new(), Vec::new(), Vec::new());
        // When replies are read that the runtime does not watch for; `None`: when one arrives.
        let mut read_at_ns: Option<u64> = None;
        // The last requests are finished: a trial has only one.
        let mut is_open = true;
        while is_open || !resolving.is_empty() || !pings.requests.is_empty() {
            let next_ns = pings.next_ns(&unsent).into_iter().chain(read_at_ns).min();
            tokio::select! {
                biased;
                () = pings.sockets.receive(&mut buffers, &shared.clock, &mut arrived), if read_at_ns.is_none() => {}
                () = shared.clock.sleep_until(next_ns.unwrap_or(0)), if next_ns.is_some() => {}
                Some(resolved) = resolving.next() => match resolved {
                    Ok((request, targets)) => finished.extend(pings.start_at(request, targets)),
                    Err(failed) => finished.push(failed),
                },
                request = requests.receive(), if is_open => match request {
                    Some(request) => new.push(request),
                    None => is_open = false,
                },
            }
            if read_at_ns.is_some_and(|it| it <= shared.clock.mono_ns()) {
                read_at_ns = None;
                pings.sockets.read(&mut buffers, &shared.clock, &mut arrived);
            }
            if MANY <= arrived.len() {
                pings.rest(&mut read_at_ns);
            }
            requests.drain(SENDS_A_TURN.saturating_sub(new.len()), &mut new);
            for request in new.drain(..) {
                // Mostly there is nothing to wait for: an address, or known names.
                if let Some(address) = address_of_all(&request) {
                    finished.extend(pings.start(request, || Ok(address)));
                } else if let Some(targets) = targets_at_once(&shared.dns, &request) {
                    finished.extend(pings.start_at(request, targets));
                } else {
                    let resolve = |it| resolve(&shared.dns, it);
                    resolving.push(shared.containing("ping", request, resolve));
                }
            }
            if pings.pinger.next_due_ns().is_some_and(|it| it <= shared.clock.mono_ns()) {
                // No series must end while its answer is already received.
                pings.sockets.read(&mut buffers, &shared.clock, &mut arrived);
            }
            let mut over: Vec<Over> = Vec::new();
            for it in arrived.drain(..) {
                let take = || pings.take(&it);
                over.extend(shared.tasks.contain_sync("datagram", it.from, take).ok().flatten());
            }
            if unsent.is_empty() {
                let todo = pings.pinger.step(shared.clock.mono_ns(), SENDS_A_TURN);
                unsent.extend(todo.send);
                over.extend(todo.over);
            }
            if MANY <= unsent.len() {
                // Their replies may arrive while the others are sent.
                pings.rest(&mut read_at_ns);
            }
            pings.sockets.send_all(&mut unsent);
            pings.finish(&over, &mut finished);
            shared.finish_all(&mut finished).await;
        }
    }
}

/// The target address of a check.
type Target = Result<IpAddr, String>;

/// The address of the request's interface, if it is the target of all checks.
fn address_of_all(request: &Request) -> Option<IpAddr> {
    let address = request.endpoint.as_ref()?.ip?;
    request.checks.iter().all(|it| it.payload.target.is_empty()).then_some(address)
}

/// `None`: a name has to be looked up first.
fn targets_at_once(dns: &DnsCache, request: &Request) -> Option<Vec<Target>> {
    let target = |check: &Check| match name(request, check) {
        Ok(name) => dns.address_at_once(name),
        Err(reason) => Some(Err(reason)),
    };
    request.checks.iter().map(target).collect()
}

async fn resolve(dns: &DnsCache, request: Request) -> (Request, Vec<Target>) {
    let mut targets = Vec::with_capacity(request.checks.len());
    for check in &request.checks {
        targets.push(match name(&request, check) {
            Ok(name) => dns.address(name, check.timeout).await,
            Err(reason) => Err(reason),
        });
    }
    (request, targets)
}

/// Address or DNS name of a check's target.
fn name<'a>(request: &'a Request, check: &'a Check) -> Result<&'a str, String> {
    match (check.payload.target.as_str(), &request.endpoint) {
        ("", Some(endpoint)) => Ok(&endpoint.address),
        ("", None) => Err("Ping item must have target or host interface specified.".to_owned()),
        (it, _) => Ok(it),
    }
}

struct Pings {
    pinger: Pinger,
    sockets: Sockets,
    /// Waiting requests of running series, by the place of the series.
    by_series: Vec<Vec<Wanted>>,
    requests: Requests,
    /// Series of the request that is being started: a handful, searched one after another.
    begun: Vec<(IpAddr, Series, u32)>,
    shared: Arc<CollectorContext>,
}

/// A request's place, the number of its check, and the figure of the series that it wants.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    request: u32,
    check: usize,
    figure: Figure,
}

/// Requests with running series. A place is used again when its request is complete, which is when
/// its last series is over: nothing refers to it after that.
#[derive(Default)]
struct Requests {
    places: Vec<Option<Waiting>>,
    free: Vec<u32>,
}

/// A request with running series.
struct Waiting {
    request: Request,
    readings: Vec<Reading>,
    /// Checks without reading.
    n_left: usize,
}

impl Requests {
    fn is_empty(&self) -> bool {
        self.places.len() == self.free.len()
    }

    /// The place of the next request.
    fn next_place(&mut self) -> u32 {
        if self.free.is_empty() {
            self.free.push(u32::try_from(self.places.len()).expect("fewer than 2^32 requests"));
            self.places.push(None);
        }
        self.free.last().copied().unwrap_or_default()
    }

    fn add(&mut self, waiting: Waiting) {
        let place = self.next_place();
        self.free.pop();
        self.places[place as usize] = Some(waiting);
    }

    fn get_mut(&mut self, place: u32) -> Option<&mut Waiting> {
        self.places.get_mut(place as usize)?.as_mut()
    }

    fn remove(&mut self, place: u32) -> Option<Waiting> {
        let waiting = self.places.get_mut(place as usize)?.take()?;
        self.free.push(place);
        Some(waiting)
    }
}

impl Pings {
    /// When there is something to do: a kernel without room is tried again soon.
    fn next_ns(&mut self, unsent: &Unsent) -> Option<u64> {
        if unsent.is_empty() {
            return self.pinger.next_ns();
        }
        Some(self.shared.clock.mono_ns().saturating_add(nanos(RETRY)))
    }

    /// Replies are read together after a rest, and not one by one as they arrive.
    fn rest(&self, read_at_ns: &mut Option<u64>) {
        if read_at_ns.is_none() {
            *read_at_ns = Some(self.shared.clock.mono_ns().saturating_add(nanos(REST)));
            self.sockets.unwatch();
        }
    }

    fn take(&mut self, it: &Arrived) -> Option<Over> {
        if let Some(transcript) = &self.shared.transcript
            && let Some(reply) = self.pinger.expected(it.from, &it.payload, it.at_ns)
        {
            transcript::answer(transcript, it.from, &reply);
        }
        self.pinger.take(it.from, &it.payload, it.at_ns)
    }

    /// As [`Pings::start`], with a target for each check.
    fn start_at(&mut self, request: Request, targets: Vec<Target>) -> Option<Finished> {
        let mut targets = targets.into_iter();
        self.start(request, || targets.next().unwrap_or_else(|| Err(String::new())))
    }

    /// Returns the request if there is nothing to send. `target`: the target of each check in turn.
    fn start(
        &mut self,
        mut request: Request,
        mut target: impl FnMut() -> Target,
    ) -> Option<Finished> {
        let mut readings = std::mem::take(&mut request.done);
        let place = self.requests.next_place();
        let mut n_left = 0;
        self.begun.clear();
        for (at, check) in request.checks.iter().enumerate() {
            let address = target().and_then(|address| {
                self.sockets.check(address).map(|()| address).map_err(str::to_owned)
            });
            let ping = &check.payload;
            match address {
                Ok(address) => {
                    n_left += 1;
                    let wanted = Wanted { request: place, check: at, figure: ping.figure };
                    self.want((address, ping.series), wanted);
                }
                Err(reason) => {
                    let now = self.shared.clock.wall();
                    readings.push(check.reading(now, CheckResult::Refused(reason)));
                }
            }
        }
        let waiting = Waiting { request, readings, n_left };
        if n_left == 0 {
            return Some(waiting.finished());
        }
        self.requests.add(waiting);
        None
    }

    /// Starts a series, if the request has no equal one.
    fn want(&mut self, (address, series): (IpAddr, Series), wanted: Wanted) {
        let equal = self.begun.iter().find(|it| (it.0, it.1) == (address, series));
        let at = match equal {
            Some(it) => it.2,
            None => self.begin(address, series),
        } as usize;
        if self.by_series.len() <= at {
            self.by_series.resize_with(at + 1, Vec::new);
        }
        self.by_series[at].push(wanted);
    }

    fn begin(&mut self, address: IpAddr, series: Series) -> u32 {
        if let Some(it) = &self.shared.transcript {
            transcript::start(it, address, &series);
        }
        let place = self.pinger.start(address, series);
        self.begun.push((address, series, place));
        place
    }

    /// Passes finished series to their requests, and hands over the complete requests.
    fn finish(&mut self, over: &[Over], finished: &mut Vec<Finished>) {
        if over.is_empty() {
            return;
        }
        let now = self.shared.clock.wall();
        for Over { series, tally } in over {
            if let Some(it) = &self.shared.transcript {
                transcript::end(it, tally);
            }
            let Some(all_wanted) = self.by_series.get_mut(*series as usize) else { continue };
            for Wanted { request, check, figure } in all_wanted.drain(..) {
                let Some(waiting) = self.requests.get_mut(request) else { continue };
                if let Some(check) = waiting.request.checks.get(check) {
                    let answer = CheckResult::Answer(tally.value(figure));
                    waiting.readings.push(check.reading(now, answer));
                }
                waiting.n_left -= 1;
                if waiting.n_left == 0 {
                    finished.extend(self.requests.remove(request).map(Waiting::finished));
                }
            }
        }
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
    /// The start of the packet, which identifies its request.
    payload: [u8; HEAD_LEN],
    at_ns: u64,
}

struct Sockets {
    v4: Result<Port, String>,
    v6: Result<Port, String>,
    /// Whether it has sent anything: otherwise there is nothing to read.
    is_v6_used: bool,
}

#[derive(Debug)]
struct Port {
    socket: Datagrams,
    family: Family,
    framing: Framing,
}

impl Port {
    fn open(family: Family, identifier: u16, tasks: &Tasks) -> Result<Self, String> {
        let (domain, protocol) = match family {
            Family::V4 => (Domain::IPV4, Protocol::ICMPV4),
            Family::V6 => (Domain::IPV6, Protocol::ICMPV6),
        };
        let datagrams = Datagrams::open(domain, Type::DGRAM, protocol, tasks);
        let opened = match datagrams {
            Ok(socket) => Ok(Self { socket: socket.with_times(), family, framing: Framing::Bare }),
            Err(_not_permitted) => Self::open_raw(family, identifier, tasks),
        };
        opened.map_err(|error| {
            format!(
                "Cannot send pings: {error}. The server needs CAP_NET_RAW, or its group in \
                 net.ipv4.ping_group_range."
            )
        })
    }

    fn open_raw(family: Family, identifier: u16, tasks: &Tasks) -> io::Result<Self> {
        Ok(match family {
            Family::V4 => {
                let socket = Datagrams::open(Domain::IPV4, Type::RAW, Protocol::ICMPV4, tasks)?;
                let socket = socket.with_filter(&replies_to(identifier)).with_times();
                Self { socket, family, framing: Framing::WithIpHeader }
            }
            Family::V6 => {
                let socket = Datagrams::open(Domain::IPV6, Type::RAW, Protocol::ICMPV6, tasks)?;
                Self { socket: socket.with_times(), family, framing: Framing::Bare }
            }
        })
    }

    /// Keeps a reply with its time.
    fn take(&self, datagram: &Datagram<'_>, now: Now, out: &mut Vec<Arrived>) {
        // On the loopback interface a raw socket receives its own requests, too.
        if let Ok(Received::Reply(echo)) = parse(self.family, self.framing, datagram.bytes)
            && let Some(payload) = echo.payload.first_chunk()
        {
            // Datagrams that arrived while others were read are a little younger than `now`.
            let waited_ns = datagram.arrived.map(|it| now.wall.since_ns(it));
            let waited_ns = waited_ns.filter(|it| it.abs() <= WAITED_MAX_NS).unwrap_or(0);
            let at_ns = now.mono_ns.saturating_add_signed(-waited_ns);
            out.push(Arrived { from: datagram.from.ip(), payload: *payload, at_ns });
        }
    }

    /// Takes datagrams that are read together.
    fn taking(&self, clock: &Clock, out: &mut Vec<Arrived>) -> impl FnMut(&Datagram<'_>) {
        let mut now = None;
        move |it| self.take(it, *now.get_or_insert_with(|| clock.now()), out)
    }

    async fn receive(&self, buffer: &mut Buffer, clock: &Clock, out: &mut Vec<Arrived>) {
        self.socket.receive(buffer, self.taking(clock, out)).await;
    }

    fn read(&self, buffer: &mut Buffer, clock: &Clock, out: &mut Vec<Arrived>) {
        self.socket.read(buffer, self.taking(clock, out));
    }
}

/// Lets replies with this identifier through and nothing else, as instructions of the kernel's
/// packet filter: a raw socket receives all ICMP packets, on loopback also its own.
fn replies_to(identifier: u16) -> [SockFilter; 7] {
    const LOAD_HEADER_LEN: u16 = 0xb1;
    const LOAD_BYTE: u16 = 0x50;
    const LOAD_HALF: u16 = 0x48;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    [
        // X: four times the low half of the first byte.
        SockFilter::new(LOAD_HEADER_LEN, 0, 0, 0),
        SockFilter::new(LOAD_BYTE, 0, 0, 0),
        SockFilter::new(JUMP_IF_EQUAL, 0, 3, 0),
        SockFilter::new(LOAD_HALF, 0, 0, 4),
        SockFilter::new(JUMP_IF_EQUAL, 0, 1, identifier.into()),
        SockFilter::new(RETURN, 0, 0, u32::MAX),
        SockFilter::new(RETURN, 0, 0, 0),
    ]
}

impl Sockets {
    fn open(identifier: u16, tasks: &Tasks) -> Self {
        Self {
            v4: Port::open(Family::V4, identifier, tasks),
            v6: Port::open(Family::V6, identifier, tasks),
            is_v6_used: false,
        }
    }

    /// See [`Datagrams::unwatch`].
    fn unwatch(&self) {
        for port in [&self.v4, &self.v6].into_iter().flatten() {
            port.socket.unwatch();
        }
    }

    /// Reads waiting packets, without waiting for more.
    fn read(&self, buffers: &mut (Buffer, Buffer), clock: &Clock, out: &mut Vec<Arrived>) {
        if let Ok(port) = &self.v4 {
            port.read(&mut buffers.0, clock, out);
        }
        if let Ok(port) = &self.v6
            && self.is_v6_used
        {
            port.read(&mut buffers.1, clock, out);
        }
    }

    fn of(&self, address: IpAddr) -> Result<&Port, &str> {
        let port = if address.is_ipv4() { &self.v4 } else { &self.v6 };
        port.as_ref().map_err(String::as_str)
    }

    /// Whether this address can be pinged at all.
    fn check(&self, address: IpAddr) -> Result<(), &str> {
        self.of(address).map(|_| ())
    }

    /// Sends until the kernel has no room.
    fn send_all(&mut self, unsent: &mut Unsent) {
        while let Some((to, packet)) = unsent.pop_front() {
            self.is_v6_used |= to.is_ipv6();
            let Ok(port) = self.of(to) else { continue };
            // A packet that cannot be sent for want of a route is a loss, as if a router had
            // dropped it.
            let sent = port.socket.send((to, 0).into(), &packet);
            if sent.is_err_and(|it| it.kind() == io::ErrorKind::WouldBlock) {
                unsent.push_front((to, packet));
                return;
            }
        }
    }

    async fn receive(&self, buffers: &mut (Buffer, Buffer), clock: &Clock, out: &mut Vec<Arrived>) {
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
                    Ok(port) if self.is_v6_used => {
                        port.receive(&mut buffers.1, clock, &mut late).await;
                    }
                    Ok(_) | Err(_) => std::future::pending().await,
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

#[cfg(test)]
mod tests {
    use rt::metrics::Registry;
    use wire::icmp::{Echo, encode_request};

    use super::*;

    /// Requests by several.
    fn ask(port: &Port) {
        for number in 0..60_u16 {
            let id = [7, 0x1234, 9][usize::from(number % 3)];
            let payload = [u8::try_from(id & 0xff).unwrap_or(0); 32];
            let mut packet = Vec::new();
            encode_request(Family::V4, Echo { id, seq: number, payload: &payload }, &mut packet);
            let to = (std::net::Ipv4Addr::new(127, 9, 0, 1), 0).into();
            port.socket.send(to, &packet).expect("room for a packet");
        }
    }

    /// Twenty replies or more, and how many datagrams arrived.
    async fn receive_replies(port: &Port, clock: &Clock) -> (usize, Vec<Arrived>) {
        let (mut n_datagrams, mut arrived, mut buffer) = (0, Vec::new(), Buffer::default());
        while arrived.len() < 20 {
            let take = |it: &Datagram<'_>| {
                n_datagrams += 1;
                port.take(it, clock.now(), &mut arrived);
            };
            port.socket.receive(&mut buffer, take).await;
        }
        (n_datagrams, arrived)
    }

    #[tokio::test]
    async fn a_raw_socket_gets_its_own_replies_and_nothing_else() {
        let (tasks, clock) = (Tasks::new("test", &Registry::new()), Clock::real());
        let ports = [7, 0x1234].map(|it| (it, Port::open_raw(Family::V4, it, &tasks)));
        for (id, port) in &ports {
            // Where it is not permitted, the kernel sorts them itself.
            let Ok(port) = port else { return };
            ask(port);
            let (n_datagrams, arrived) = receive_replies(port, &clock).await;
            let own = u8::try_from(id & 0xff).unwrap_or(0);
            assert!(arrived.iter().all(|it| it.payload[0] == own), "only replies to its own");
            assert_eq!(n_datagrams, arrived.len(), "neither requests nor others' replies");
        }
    }
}
