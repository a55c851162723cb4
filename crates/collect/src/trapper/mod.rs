//! The trapper port: senders, active agents and whoever else pushes.
//!
//! A connection is read frame by frame; each request is answered when its values are written (see
//! [`crate::ingress`]). Peers usually close after one answer, but may go on: more requests on the
//! same connection are taken.
//!
//! Bounds: connections by a semaphore (more wait to be accepted), bytes of a packet and the time
//! for a request by settings. A full shard queue stops the reading of sockets; nothing is dropped.
//! Every malformed packet ends its connection and is counted, never the process.

mod names;
mod sessions;
mod values;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use rt::clock::Clock;
use rt::metrics::{Counter, Family, Gauge, Registry};
use rt::task::Tasks;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tracing::{debug, warn};
use wire::active::{ChecksAnswer, ChecksRequest, Heartbeat};
use wire::front::Kind;
use wire::sender::{Parser, encode_failed};
use wire::zbxd;

use crate::resolve::Resolver;
use crate::{Configuration, Ingress};

use names::Names;
pub use sessions::Sessions;

/// Rows that one request may hold: Zabbix's senders send 250, proxies 1,000 a block; the rest is
/// for tools of people's own.
const ROWS_MAX: usize = 1_000_000;
/// How long an answered peer may take to begin its next request. Most peers close by themselves,
/// but some wait for the server to close, as Zabbix does after each answer.
const NEXT_REQUEST_MAX: Duration = Duration::from_millis(200);
/// Memory of a parser that a connection keeps between requests, in rows.
const ROWS_KEPT: usize = 4_096;

rt::metrics! {
    /// The trapper port.
    pub struct TrapperMetrics in "collect_trapper" {
        /// Connections accepted.
        pub connections_total: Counter,
        /// Connections open now.
        pub connections_open: Gauge,
        /// Requests answered, by kind.
        pub requests_total: Family<Counter> = "request",
        /// Connections ended because of what the peer sent or did not send, by reason.
        pub rejected_total: Family<Counter> = "reason",
        /// Values that a peer had sent before, recognised by session and id.
        pub repeated_total: Counter,
    }
}

/// What the operator sets.
#[derive(Clone, Copy, Debug)]
pub struct TrapperSettings {
    pub connections_max: u32,
    /// Of a packet, before and after decompression.
    pub packet_bytes_max: u64,
    /// For a peer to send its packet, and to take the answer.
    pub timeout: Duration,
}

/// Knows active agents: which checks a host gets, and who lives.
pub trait ActiveAgents: Send + Sync {
    fn checks(&self, request: &ChecksRequest, peer: IpAddr) -> ChecksAnswer<'static>;
    fn heartbeat(&self, heartbeat: &Heartbeat, peer: IpAddr);
    /// A host's agent has sent values.
    fn seen(&self, host: model::HostId);
}

/// The port's parts; one for the process, shared by connections.
pub struct Trapper {
    settings: TrapperSettings,
    ingress: Ingress,
    configuration: Arc<dyn Configuration>,
    agents: Arc<dyn ActiveAgents>,
    sessions: Arc<Sessions>,
    resolver: Resolver,
    names: Names,
    clock: Clock,
    metrics: TrapperMetrics,
}

impl std::fmt::Debug for Trapper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trapper").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// What a [`Trapper`] works with.
#[expect(missing_debug_implementations, reason = "holds trait objects; never printed")]
pub struct Parts {
    pub ingress: Ingress,
    pub configuration: Arc<dyn Configuration>,
    pub agents: Arc<dyn ActiveAgents>,
    /// Restored from the journal.
    pub sessions: Arc<Sessions>,
    /// Zone of macro functions.
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
enum End {
    /// The peer closed, or everything is said.
    Done,
    Rejected(&'static str),
    Io(std::io::Error),
}

impl From<std::io::Error> for End {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

impl Trapper {
    #[must_use]
    pub fn new(settings: TrapperSettings, parts: Parts, registry: &Registry) -> Self {
        let Parts { ingress, configuration, agents, sessions, zone, clock } = parts;
        Self {
            settings,
            ingress,
            configuration,
            agents,
            sessions,
            resolver: Resolver::new(zone),
            names: Names::new(clock.clone()),
            clock,
            metrics: TrapperMetrics::register(registry),
        }
    }

    /// Accepts connections until shutdown; then lets those that are being answered finish.
    pub async fn serve(self: Arc<Self>, listener: TcpListener, tasks: Tasks) {
        let permits = self.settings.connections_max.max(1);
        let slots = Arc::new(Semaphore::new(usize::try_from(permits).unwrap_or(usize::MAX)));
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
                accepted = accept(&listener, &slots) => accepted,
            };
            match accepted {
                Ok((permit, stream, peer)) => {
                    let trapper = Arc::clone(&self);
                    let shutdown = tasks.shutdown().clone();
                    tasks.spawn_contained("trapper connection", peer, async move {
                        let _open = Open::count(&trapper.metrics);
                        // Between requests a connection ends at once; within one it is answered.
                        trapper.connection(stream, peer, &shutdown).await;
                        drop(permit);
                    });
                }
                Err(error) => {
                    warn!(%error, "cannot accept a connection on the trapper port");
                    self.clock.sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }

    async fn connection(
        &self,
        mut stream: TcpStream,
        peer: SocketAddr,
        shutdown: &rt::shutdown::Shutdown,
    ) {
        let mut limits = zbxd::Limits::with_max(self.settings.packet_bytes_max);
        limits.plain = zbxd::Plain::Refuse;
        let mut decoder = zbxd::Decoder::new(limits);
        let mut parser = Parser::new(ROWS_MAX);
        stream.set_nodelay(true).ok();
        let mut patience = self.settings.timeout;
        let end = loop {
            let read = tokio::select! {
                biased;
                read = self.read(&mut stream, &mut decoder, patience) => read,
                () = shutdown.cancelled(), if !decoder.is_partial() => return,
            };
            let answered = match read {
                Ok(()) => self.answer(&mut stream, &mut decoder, &mut parser, peer.ip()).await,
                Err(end) => Err(end),
            };
            if let Err(end) = answered {
                break end;
            }
            patience = NEXT_REQUEST_MAX;
            decoder.reset();
            parser.shrink(ROWS_KEPT);
        };
        match end {
            End::Done => {}
            End::Rejected(reason) => {
                self.metrics.rejected_total.of(reason).inc();
                debug!(%peer, reason, "ended a connection on the trapper port");
            }
            End::Io(error) => {
                self.metrics.rejected_total.of("io").inc();
                debug!(%peer, %error, "lost a connection on the trapper port");
            }
        }
    }

    /// Reads until the decoder has a whole frame.
    async fn read(
        &self,
        stream: &mut TcpStream,
        decoder: &mut zbxd::Decoder,
        patience: Duration,
    ) -> Result<(), End> {
        loop {
            match decoder.poll() {
                Ok(Some(_)) => return Ok(()),
                Ok(None) => {}
                Err(error) => return Err(reject(&error)),
            }
            let deadline = if decoder.is_partial() { self.settings.timeout } else { patience };
            let n = match timeout(deadline, stream.read_buf(decoder.buffer())).await {
                Ok(read) => read?,
                Err(_elapsed) if decoder.is_partial() => return Err(End::Rejected("timeout")),
                Err(_elapsed) => return Err(End::Done),
            };
            if n == 0 {
                return match decoder.close() {
                    Ok(Some(_)) => Ok(()),
                    Ok(None) => Err(End::Done),
                    Err(error) => Err(reject(&error)),
                };
            }
        }
    }

    async fn answer(
        &self,
        stream: &mut TcpStream,
        decoder: &mut zbxd::Decoder,
        parser: &mut Parser,
        peer: IpAddr,
    ) -> Result<(), End> {
        let started_ns = self.clock.mono_ns();
        let frame = match decoder.poll() {
            Ok(Some(frame)) => frame,
            Ok(None) => return Err(End::Done),
            Err(error) => return Err(reject(&error)),
        };
        let kind = match Kind::of(frame.payload) {
            Ok(kind) => kind,
            Err(error) => {
                self.write(stream, &encode_failed(&error.to_string())).await?;
                return Err(End::Rejected("request"));
            }
        };
        self.metrics.requests_total.of(kind.name()).inc();
        let answer = match kind {
            Kind::SenderData | Kind::AgentData => {
                Some(self.values(kind, parser, frame.payload, peer, started_ns).await?)
            }
            Kind::ActiveChecks => Some(match ChecksRequest::parse(frame.payload) {
                Ok(request) => self.agents.checks(&request, peer).encode(request.version),
                Err(error) => encode_failed(&error.to_string()),
            }),
            Kind::ActiveHeartbeat => match Heartbeat::parse(frame.payload) {
                Ok(heartbeat) => {
                    self.agents.heartbeat(&heartbeat, peer);
                    None
                }
                Err(error) => Some(encode_failed(&error.to_string())),
            },
            other => Some(encode_failed(&format!("request \"{}\" is not supported", other.name()))),
        };
        match answer {
            Some(answer) => self.write(stream, &answer).await,
            None => Ok(()),
        }
    }

    async fn write(&self, stream: &mut TcpStream, payload: &[u8]) -> Result<(), End> {
        let mut packet = Vec::with_capacity(payload.len() + 21);
        zbxd::encode(payload, &mut packet);
        match timeout(self.settings.timeout, stream.write_all(&packet)).await {
            Ok(written) => Ok(written?),
            Err(_elapsed) => Err(End::Rejected("timeout")),
        }
    }
}

async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> std::io::Result<(tokio::sync::OwnedSemaphorePermit, TcpStream, SocketAddr)> {
    let permit = Arc::clone(slots).acquire_owned().await.map_err(std::io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    Ok((permit, stream, peer))
}

fn reject(error: &zbxd::Error) -> End {
    debug!(%error, "malformed packet on the trapper port");
    End::Rejected("packet")
}

#[cfg(test)]
mod tests;
