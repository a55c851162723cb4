//! The trapper port: senders, active agents and other clients that push values.
//!
//! The first byte of a connection shows whether it is encrypted ([`rt::tls`]). Whether it may send
//! for a host is decided where a request names the host ([`crate::encryption`]).
//!
//! A connection is read frame by frame; each request is answered when its values are written (see
//! [`ingress`]). Peers usually close after one answer, but may send more requests on the same
//! connection.
//!
//! Bounds: connections by places (one without progress loses its own to the next), bytes of a
//! packet, those of all packets together ([`budget`]) and the time for a packet by settings. A full
//! shard queue stops the reading of sockets; nothing is dropped. Every malformed packet ends its
//! connection and is counted, and so is one that causes a panic; the process continues.
//!
//! Packets of up to a thousand values or so are handled where they are read. Larger ones
//! ([`INLINE_BYTES_MAX`]) are inflated, parsed and looked up on threads of their own, a few at once,
//! and their rows reach the shards in parts ([`ingress::Submission`]).

mod budget;
mod lists;
mod log_time;
mod names;
mod packets;
pub mod push;
mod values;

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use ingress::{Ingress, Sessions};
use jiff::tz::TimeZone;
use model::{HostId, Now};
use rt::budget::NoRoom;
use rt::clock::Clock;
use rt::lanes::{Accepted, Lanes};
use rt::metrics::{Counter, Family, Gauge, Registry};
use rt::places::{Place, PlaceMark, PlaceSettings, Places};
use rt::task::Tasks;
use rt::tls::{AcceptError, Acceptor, Stream};
use rt::worker::{GroupHandle, Next, OnPanic, Worker, WorkerFailure, WorkerRow};
use socket2::SockRef;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tracing::{debug, warn};
use wire::active::{ChecksRequest, CommandResult, Heartbeat, SharedAnswer};
pub use wire::request_kind::RequestKind;
use wire::sender::encode_failed;
use wire::zbxd::{self, Progress};

use crate::Configuration;
use crate::encryption::Peer;
use crate::resolve::Resolver;

use budget::{Budget, Room};
pub use lists::{ChecksReply, MakeList};
use lists::{ListTurns, Unmade};
use names::Names;
use packets::{Packet, PacketMemory, Packets};

/// How long an answered peer may take to begin its next request. Most peers close by themselves,
/// but some wait for the server to close, as Zabbix does after each answer.
const NEXT_REQUEST_MAX: Duration = Duration::from_millis(200);
/// For each this many bytes of a packet, a peer has a second in addition to the time of the
/// settings.
const BYTES_A_SECOND: u64 = 1 << 20;
/// Packets up to this size are handled on the threads that read sockets: 1,200 values of 110 bytes, some
/// quarter of a millisecond. To hand one over and wait for it there costs four changes of threads a packet,
/// and its bytes go to another core's cache.
const INLINE_BYTES_MAX: u64 = 128 << 10;
/// How often unused sessions are looked for.
const EXPIRE_EACH: Duration = Duration::from_secs(60);
/// Bytes of one read: as many as the last one had, within these bounds.
const READ_BYTES_MIN: u64 = 16 << 10;
const READ_BYTES_MAX: u64 = 256 << 10;
/// When all places are taken, a connection without progress for this long loses its own.
const IDLE_MIN: Duration = Duration::from_secs(1);

rt::metrics! {
    /// The trapper port.
    pub struct TrapperMetrics in "saker_trapper", formerly "collect_trapper" {
        /// Connections accepted.
        pub connections_total: Counter,
        /// Connections open now.
        pub connections_open: Gauge,
        /// Requests answered, by kind.
        pub requests_total: Family<Counter> = "request",
        /// Connections ended because of invalid or missing data of the peer, by reason.
        pub rejected_total: Family<Counter> = "reason",
        /// Repeated values, recognized by session and id.
        pub repeated_total: Counter,
        /// Accepted values of the API's `history.push`.
        pub pushed_total: Counter,
        /// Refused values of the API's `history.push`, each with its reason.
        pub pushed_refused_total: Counter,
        /// Sessions of agents whose taken values are known.
        pub sessions: Gauge,
        /// Lists of active checks made, or with many positions of logs looked up; other requests were answered from kept lists.
        pub lists_made_total: Counter,
        /// Lists of active checks not made because their agents had disconnected.
        pub lists_abandoned_total: Counter,
        /// Memory in bytes of kept lists of active checks.
        pub lists_bytes: Gauge,
        /// Memory in bytes of packets above 64 KiB, with the data made from them.
        pub packet_bytes: Gauge,
        /// Memory in bytes of smaller packets, with the data made from them.
        pub small_packet_bytes: Gauge,
        /// Packets that lost their memory: their peers stopped sending, and other packets needed it.
        pub evicted_total: Counter,
        /// Connections that were ended or turned away since all places were taken.
        pub idle_ended_total: Counter,
    }
}

/// The operator's settings.
#[derive(Clone, Copy, Debug)]
pub struct TrapperSettings {
    pub connections_max: u32,
    /// Bytes of a packet, before and after decompression.
    pub packet_bytes_max: u64,
    /// Bytes of all packets under way together, with the data made from them.
    pub memory_bytes_max: u64,
    /// Time for a peer to send its packet, for its values to be written, and for it to take the
    /// answer, each. Large packets have a second more for each MiB.
    pub timeout: Duration,
}

/// State of active agents: the checks of each host, and the signs of life.
pub trait ActiveAgents: Send + Sync {
    fn checks(&self, request: &ChecksRequest, peer: &Peer) -> ChecksReply;
    /// Memory of kept lists of checks.
    fn lists_bytes(&self) -> usize;
    fn heartbeat(&self, heartbeat: &Heartbeat, peer: &Peer);
    /// An agent's results of commands that came with its checks.
    fn command_results(&self, host: HostId, results: Vec<CommandResult>);
}

/// Answers what other components ask of the server itself: `queue.get` of Zabbix's frontend and
/// `zabbix.stats` of other servers and of agents.
pub trait ServerRequests: Send + Sync {
    /// The whole answer, also if the peer has no permission.
    fn answer<'a>(&'a self, kind: RequestKind, payload: &'a [u8], peer: IpAddr) -> ReplyFuture<'a>;
}

/// The result of [`ServerRequests::answer`].
pub type ReplyFuture<'a> = Pin<Box<dyn Future<Output = Vec<u8>> + Send + 'a>>;

/// The port's parts; one for the process, shared by connections.
pub struct Trapper {
    settings: TrapperSettings,
    ingress: Ingress,
    configuration: Arc<dyn Configuration>,
    agents: Arc<dyn ActiveAgents>,
    requests: Arc<dyn ServerRequests>,
    sessions: Arc<Sessions>,
    tls: Acceptor,
    resolver: Resolver,
    names: Names,
    budget: Budget,
    packets: Arc<Packets>,
    /// Large packets that are handled at once: this bounds the memory that they take in addition to
    /// their own room.
    offloads: Semaphore,
    lists: ListTurns,
    clock: Clock,
    metrics: TrapperMetrics,
}

impl std::fmt::Debug for Trapper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trapper").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// The parts that a [`Trapper`] works with.
#[expect(missing_debug_implementations, reason = "holds trait objects; never printed")]
pub struct Parts {
    pub ingress: Ingress,
    pub configuration: Arc<dyn Configuration>,
    pub agents: Arc<dyn ActiveAgents>,
    pub requests: Arc<dyn ServerRequests>,
    /// Restored from the journal.
    pub sessions: Arc<Sessions>,
    /// With the keys of hosts, and certificates.
    pub tls: Acceptor,
    /// Time zone of macro functions.
    pub zone: TimeZone,
    pub clock: Clock,
}

/// Counts a connection as open while it lives, however it ends.
struct Open(Gauge);

impl Open {
    fn count(metrics: &TrapperMetrics) -> Self {
        metrics.connections_total.inc();
        metrics.connections_open.add(1.0);
        Self(metrics.connections_open.clone())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.add(-1.0);
    }
}

/// Why a connection is ended.
enum ConnectionEnd {
    /// The peer closed, or the exchange is complete.
    Done,
    Rejected(&'static str),
    /// There was no room for its packet in time.
    Busy,
    Io(std::io::Error),
}

impl From<std::io::Error> for ConnectionEnd {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

/// For the list of workers.
const SESSIONS: WorkerRow = WorkerRow {
    name: "sender-sessions",
    job: "forgets unused sessions of senders",
    woken_by: "the clock, each minute",
    waits: "sessions of senders keep their memory",
    on_panic: OnPanic::Reload,
};

/// Forgets sessions, and updates gauges.
struct SessionExpiry(Arc<Trapper>);

impl Worker for SessionExpiry {
    type Error = Infallible;

    fn turn(&mut self, now: Now) -> Result<Next, Infallible> {
        let Trapper { sessions, metrics, agents, .. } = &*self.0;
        sessions.expire(now.wall);
        metrics.sessions.set_n(sessions.len());
        metrics.lists_bytes.set_n(agents.lists_bytes());
        Ok(Next::after(now, EXPIRE_EACH))
    }

    /// The sessions are not its own state.
    fn reload(&mut self, _: WorkerFailure) -> Result<(), Infallible> {
        Ok(())
    }
}

impl Trapper {
    #[must_use]
    pub fn new(settings: TrapperSettings, parts: Parts, registry: &Registry) -> Self {
        let Parts { ingress, configuration, agents, requests, sessions, tls, zone, clock } = parts;
        let metrics = TrapperMetrics::register(registry);
        let n_cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            settings,
            ingress,
            configuration,
            agents,
            requests,
            sessions,
            tls,
            resolver: Resolver::new(zone),
            names: Names::new(clock.clone()),
            budget: Budget::new(
                settings.memory_bytes_max,
                &clock,
                (metrics.small_packet_bytes.clone(), metrics.packet_bytes.clone()),
                &metrics.evicted_total,
            ),
            packets: Packets::new(settings.packet_bytes_max),
            offloads: Semaphore::new(n_cores),
            lists: ListTurns::new(
                n_cores,
                metrics.lists_made_total.clone(),
                metrics.lists_abandoned_total.clone(),
            ),
            clock,
            metrics,
        }
    }

    /// Adds the workers that follow the clock.
    pub fn add_workers(self: &Arc<Self>, timers: &GroupHandle) {
        timers.add(SESSIONS, |_| SessionExpiry(Arc::clone(self)));
    }

    /// Accepts connections until shutdown; then lets requests under way finish. It runs in the lane
    /// that accepts, to which the listener belongs.
    pub async fn serve(self: Arc<Self>, listener: TcpListener, (tasks, lanes): (Tasks, Lanes)) {
        let places =
            PlaceSettings { places_max: self.settings.connections_max, idle_min: IDLE_MIN };
        let ended = self.metrics.idle_ended_total.clone();
        let places = Places::new(places, self.clock.clone(), ended);
        // On Linux each connection inherits it from the listener. Without it answers are only
        // later.
        SockRef::from(&listener).set_tcp_nodelay(true).ok();
        tasks.spawn("allowed names", {
            let (trapper, shutdown) = (Arc::clone(&self), tasks.shutdown().clone());
            async move {
                tokio::select! {
                    () = trapper.names.refresh() => {}
                    () = shutdown.cancelled() => {}
                }
            }
        });
        loop {
            let accepted = tokio::select! {
                () = tasks.shutdown().cancelled() => return,
                accepted = accept(&listener, &places) => accepted,
            };
            match accepted {
                Ok(None) => {}
                Ok(Some(accepted)) => self.begin(accepted, (&tasks, &lanes)),
                Err(error) => {
                    warn!(%error, "cannot accept a connection on the trapper port");
                    self.clock.sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }

    /// Serves a connection in its lane.
    fn begin(
        self: &Arc<Self>,
        (place, stream, peer): (Place, TcpStream, SocketAddr),
        (tasks, lanes): (&Tasks, &Lanes),
    ) {
        let (trapper, of_peer, lane) = (Arc::clone(self), tasks.clone(), lanes.place());
        let runtime = lane.runtime().clone();
        let stream = Accepted::for_lane(stream, &lane);
        tasks.spawn_contained_on(&runtime, "trapper connection", peer, async move {
            let (_open, _lane) = (Open::count(&trapper.metrics), lane);
            let stream = match stream.and_then(Accepted::here) {
                Ok(it) => it,
                Err(error) => return trapper.ended_by(&error, peer),
            };
            let mark = place.mark();
            let gone = mark.gone();
            // Between requests a connection ends at once; within one it is answered.
            tokio::select! {
                () = trapper.connection(stream, (peer, mark), &of_peer) => {}
                () = gone.notified() => trapper.metrics.rejected_total.of("idle").inc(),
            }
            drop(place);
        });
    }

    fn ended_by(&self, error: &std::io::Error, peer: SocketAddr) {
        self.metrics.rejected_total.of("io").inc();
        debug!(%peer, %error, "lost a connection on the trapper port");
    }

    async fn connection(
        self: &Arc<Self>,
        stream: TcpStream,
        (address, mark): (SocketAddr, PlaceMark),
        tasks: &Tasks,
    ) {
        let accepted = tokio::select! {
            biased;
            accepted = timeout(self.settings.timeout, self.tls.accept(stream)) => accepted,
            () = tasks.shutdown().cancelled() => return,
        };
        let (mut stream, security) = match accepted {
            Ok(Ok(it)) => it,
            Ok(Err(error)) => return self.not_accepted(&error, address),
            Err(_elapsed) => return self.metrics.rejected_total.of("timeout").inc(),
        };
        let peer = Peer { ip: address.ip(), security: Arc::new(security) };
        let mut packet = self.packets.take();
        let mut idle_max = self.settings.timeout;
        let end = loop {
            let decoder = &mut packet.memory().decoder;
            let is_partial = decoder.is_partial();
            let read = tokio::select! {
                biased;
                read = self.read(&mut stream, decoder, (peer.ip, &mark), idle_max) => read,
                () = tasks.shutdown().cancelled(), if !is_partial => return,
            };
            let (room, bytes) = match read {
                Ok(it) => it,
                Err(end) => break end,
            };
            let works = mark.works();
            let handled = match self.dispatch(packet, bytes, (&peer, tasks)).await {
                Ok((back, handled)) => {
                    packet = back;
                    handled
                }
                Err(end) => break end,
            };
            drop(works);
            if let Err(end) = self.answer(&mut stream, handled, (room, &mark, tasks)).await {
                break end;
            }
            idle_max = NEXT_REQUEST_MAX;
            packet.reset();
        };
        self.ended(end, &mut stream, address).await;
        if matches!(stream, Stream::Tls(_)) {
            // The peer then knows that nothing was cut off.
            drop(timeout(self.settings.timeout, stream.shutdown()).await);
        }
    }

    /// A handshake failed, or the connection ended before it.
    fn not_accepted(&self, error: &AcceptError, peer: SocketAddr) {
        if matches!(error, AcceptError::Begin(_)) {
            self.metrics.rejected_total.of("io").inc();
            debug!(%peer, %error, "lost a connection on the trapper port");
            return;
        }
        if matches!(error, AcceptError::Slow) {
            return self.metrics.rejected_total.of("idle").inc();
        }
        self.metrics.rejected_total.of("tls").inc();
        warn_not_accepted(peer, error, self.clock.mono_ns());
    }

    async fn ended(&self, end: ConnectionEnd, stream: &mut Stream, peer: SocketAddr) {
        match end {
            ConnectionEnd::Done => {}
            ConnectionEnd::Rejected(reason) => {
                self.metrics.rejected_total.of(reason).inc();
                debug!(%peer, reason, "ended a connection on the trapper port");
            }
            ConnectionEnd::Busy => {
                self.metrics.rejected_total.of("busy").inc();
                warn_busy(peer, self.clock.mono_ns());
                let reason = "the server has no room for this packet now, try again later";
                // The peer may read it, or see its connection end while it still sends.
                self.write(stream, &encode_failed(reason)).await.ok();
            }
            ConnectionEnd::Io(error) => self.ended_by(&error, peer),
        }
    }

    /// Reads until the decoder has a whole frame; returns its room and its size. `idle_max` is for
    /// the packet to begin; from then on it has one deadline, however often a byte of it arrives.
    async fn read(
        &self,
        stream: &mut Stream,
        decoder: &mut zbxd::Decoder,
        (ip, mark): (IpAddr, &PlaceMark),
        idle_max: Duration,
    ) -> Result<(Room, u64), ConnectionEnd> {
        let mut began_ns = self.clock.mono_ns();
        let mut deadline_ns = self.deadline_ns(idle_max);
        let mut has_begun = false;
        let mut room: Option<Room> = None;
        loop {
            let progress = decoder.progress().map_err(|it| reject(&it))?;
            let mut step = READ_BYTES_MIN;
            match progress {
                Progress::Whole { bytes } => {
                    let mut room = room.unwrap_or_else(|| self.budget.open(ip, bytes));
                    self.grow(&mut room, bytes).await?;
                    return Ok((room, bytes));
                }
                Progress::Announced { bytes } => {
                    let has = u64::try_from(decoder.buffer().len()).unwrap_or(u64::MAX);
                    step = has.clamp(READ_BYTES_MIN, READ_BYTES_MAX);
                    let room = room.get_or_insert_with(|| self.budget.open(ip, bytes));
                    // For the received bytes and those of the next read, whatever was announced.
                    self.grow(room, has.saturating_add(step).min(bytes)).await?;
                    if !has_begun {
                        has_begun = true;
                        began_ns = self.clock.mono_ns();
                    }
                    // Time is granted for received bytes.
                    let time = rt::clock::nanos(self.time_for(has));
                    deadline_ns = began_ns.saturating_add(time);
                }
                Progress::Begun if !has_begun && decoder.is_partial() => {
                    has_begun = true;
                    began_ns = self.clock.mono_ns();
                    deadline_ns = self.deadline_ns(self.settings.timeout);
                }
                Progress::Begun => {}
            }
            let left = Duration::from_nanos(deadline_ns.saturating_sub(self.clock.mono_ns()));
            let mut part = (&mut *stream).take(step);
            let read = timeout(left, part.read_buf(decoder.buffer()));
            let read = match &room {
                Some(room) => room.awaiting(read).await,
                None => Some(read.await),
            };
            let n = match read {
                Some(Ok(read)) => read?,
                Some(Err(_elapsed)) if has_begun => return Err(ConnectionEnd::Rejected("timeout")),
                Some(Err(_elapsed)) => return Err(ConnectionEnd::Done),
                None => return Err(ConnectionEnd::Busy),
            };
            if n == 0 {
                return match decoder.close() {
                    Ok(_) => Err(ConnectionEnd::Done),
                    Err(error) => Err(reject(&error)),
                };
            }
            mark.moved(n);
            if let Some(room) = &room {
                room.moved(n);
            }
        }
    }

    /// Room for so many bytes of a packet. Without room within the time the peer gets an error.
    async fn grow(&self, room: &mut Room, bytes: u64) -> Result<(), ConnectionEnd> {
        let grown = self.budget.grow(room, bytes, self.settings.timeout).await;
        grown.map_err(|NoRoom| ConnectionEnd::Busy)
    }

    fn deadline_ns(&self, time: Duration) -> u64 {
        self.clock.mono_ns().saturating_add(rt::clock::nanos(time))
    }

    /// Time to handle a packet of this size.
    fn time_for(&self, bytes: u64) -> Duration {
        self.settings.timeout.saturating_add(Duration::from_secs(bytes / BYTES_A_SECOND))
    }

    /// Handles a whole packet, here or, if it is large, on a thread of its own.
    async fn dispatch(
        self: &Arc<Self>,
        mut packet: Packet,
        bytes: u64,
        (peer, tasks): (&Peer, &Tasks),
    ) -> Result<(Packet, Handled), ConnectionEnd> {
        if bytes <= INLINE_BYTES_MAX {
            let handled = self.handle(&mut packet, bytes, peer).await;
            return Ok((packet, handled));
        }
        self.handle_offloaded(packet, bytes, (peer, tasks)).await
    }

    /// As [`Self::handle`], on a thread where it may compute for long.
    async fn handle_offloaded(
        self: &Arc<Self>,
        mut packet: Packet,
        bytes: u64,
        (peer, tasks): (&Peer, &Tasks),
    ) -> Result<(Packet, Handled), ConnectionEnd> {
        let permit = timeout(self.time_for(bytes), self.offloads.acquire()).await;
        let Ok(Ok(_permit)) = permit else { return Err(ConnectionEnd::Busy) };
        let (trapper, runtime) = (Arc::clone(self), tokio::runtime::Handle::current());
        let peer = peer.clone();
        let handled = tasks.offload("large packet", move || {
            let handled = runtime.block_on(trapper.handle(&mut packet, bytes, &peer));
            (packet, handled)
        });
        Ok(handled.await)
    }

    /// Handles a whole packet; returns the answer, if there is one.
    async fn handle(&self, packet: &mut Packet, bytes: u64, peer: &Peer) -> Handled {
        let started_ns = self.clock.mono_ns();
        let PacketMemory { decoder, parser } = packet.memory();
        let frame = match decoder.poll() {
            Ok(Some(frame)) => frame,
            Ok(None) => return Err(ConnectionEnd::Done),
            Err(error) => return Err(reject(&error)),
        };
        let kind = match RequestKind::of(frame.payload) {
            Ok(kind) => kind,
            Err(error) => return Ok(Answer::Last(encode_failed(&error.to_string()))),
        };
        self.metrics.requests_total.of(kind.name()).inc();
        Ok(Answer::of(match kind {
            RequestKind::SenderData | RequestKind::AgentData => {
                let taken = self.values(kind, parser, frame.payload, (peer, started_ns));
                match timeout(self.time_for(bytes), taken).await {
                    Ok(answer) => Some(answer?),
                    // They may still be written: neither "processed" nor "failed" would be true.
                    // The peer sends them again.
                    Err(_elapsed) => return Err(ConnectionEnd::Rejected("unwritten")),
                }
            }
            RequestKind::ActiveChecks => {
                return Ok(match ChecksRequest::parse(frame.payload) {
                    Ok(request) => match self.agents.checks(&request, peer) {
                        ChecksReply::Answer(it) => Answer::Some(it),
                        ChecksReply::List(it) => Answer::Shared(it),
                        ChecksReply::Later(it) => Answer::Later(it),
                    },
                    Err(error) => Answer::Some(encode_failed(&error.to_string())),
                });
            }
            RequestKind::ActiveHeartbeat => match Heartbeat::parse(frame.payload) {
                Ok(heartbeat) => {
                    self.agents.heartbeat(&heartbeat, peer);
                    None
                }
                Err(error) => Some(encode_failed(&error.to_string())),
            },
            RequestKind::QueueGet | RequestKind::Stats => {
                Some(self.requests.answer(kind, frame.payload, peer.ip).await)
            }
            other => Some(encode_failed(&format!("request \"{}\" is not supported", other.name()))),
        }))
    }

    /// Answers, and gives the packet's room back.
    async fn answer(
        &self,
        stream: &mut Stream,
        handled: Handled,
        (room, mark, tasks): (Room, &PlaceMark, &Tasks),
    ) -> Result<(), ConnectionEnd> {
        let end = match handled? {
            Answer::None => Ok(()),
            Answer::Some(answer) => self.write(stream, &answer).await,
            Answer::Shared(answer) => self.write_shared(stream, &answer).await,
            Answer::Later(make) => {
                let works = mark.works();
                let made = self.lists.make(make, stream, (tasks, self.settings.timeout)).await;
                self.metrics.lists_bytes.set_n(self.agents.lists_bytes());
                let answer = made.map_err(|it| match it {
                    Unmade::Gone => ConnectionEnd::Done,
                    Unmade::Busy => ConnectionEnd::Busy,
                })?;
                drop(works);
                self.write_shared(stream, &answer).await
            }
            Answer::Last(answer) => {
                self.write(stream, &answer).await?;
                Err(ConnectionEnd::Rejected("request"))
            }
        };
        drop(room);
        end
    }

    async fn write_shared(
        &self,
        stream: &mut Stream,
        answer: &SharedAnswer,
    ) -> Result<(), ConnectionEnd> {
        match timeout(self.settings.timeout, lists::write(stream, answer)).await {
            Ok(written) => Ok(written?),
            Err(_elapsed) => Err(ConnectionEnd::Rejected("timeout")),
        }
    }

    async fn write(&self, stream: &mut Stream, payload: &[u8]) -> Result<(), ConnectionEnd> {
        let mut packet = Vec::with_capacity(payload.len() + 21);
        zbxd::encode(payload, &mut packet);
        match timeout(self.settings.timeout, stream.write_all(&packet)).await {
            Ok(written) => Ok(written?),
            Err(_elapsed) => Err(ConnectionEnd::Rejected("timeout")),
        }
    }
}

/// The result of a packet.
type Handled = Result<Answer, ConnectionEnd>;

enum Answer {
    None,
    Some(Vec<u8>),
    Shared(SharedAnswer),
    /// A list of checks that has to be made first.
    Later(MakeList),
    /// The connection ends after it.
    Last(Vec<u8>),
}

impl Answer {
    fn of(answer: Option<Vec<u8>>) -> Self {
        answer.map_or(Self::None, Self::Some)
    }
}

/// Few lines are logged: refused peers may be many.
fn warn_not_accepted(peer: SocketAddr, error: &AcceptError, now_ns: u64) {
    static LIMIT: rt::log::Limit = rt::log::Limit::new(3, Duration::from_secs(60));
    if let Some(n_left_out) = LIMIT.admit(now_ns) {
        warn!(%peer, %error, n_left_out, "refused an encrypted connection on the trapper port");
    }
}

/// Few lines are logged: an agent repeats its request.
pub(crate) fn warn_not_its_host(peer: IpAddr, reason: &str, now_ns: u64) {
    static LIMIT: rt::log::Limit = rt::log::Limit::new(3, Duration::from_secs(60));
    if let Some(n_left_out) = LIMIT.admit(now_ns) {
        warn!(%peer, reason, n_left_out, "refused the request of a connection on the trapper port");
    }
}

/// Few lines are logged: refused peers may be many.
fn warn_busy(peer: SocketAddr, now_ns: u64) {
    static LIMIT: rt::log::Limit = rt::log::Limit::new(3, Duration::from_secs(60));
    if let Some(n_left_out) = LIMIT.admit(now_ns) {
        warn!(%peer, n_left_out, "no room for a packet on the trapper port: trapper.memory_bytes_max \
            is taken by others");
    }
}

/// A connection is accepted before it has a place: only then another one has to go. `None`: there
/// was no place for it.
async fn accept(
    listener: &TcpListener,
    places: &Places,
) -> std::io::Result<Option<(Place, TcpStream, SocketAddr)>> {
    let (stream, peer) = listener.accept().await?;
    Ok(places.take(peer.ip()).await.map(|place| (place, stream, peer)))
}

fn reject(error: &zbxd::ZbxdError) -> ConnectionEnd {
    debug!(%error, "malformed packet on the trapper port");
    ConnectionEnd::Rejected("packet")
}

#[cfg(test)]
mod tests;
