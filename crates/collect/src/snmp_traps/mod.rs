//! SNMP traps: received on a port of our own or read from the file of a receiver, and given to the
//! items `snmptrap[…]` and `snmptrap.fallback` of the interface that they come from.
//!
//! What is received waits in a queue with a bound; what finds no room is lost and counted, and an
//! inform that was lost gets no answer, so that its sender comes again. Informs are answered when
//! their values are written.

mod file;
mod hosts;
mod matching;
mod port;

use std::net::UdpSocket;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use model::content::ItemType;
use model::snapshot::{Delta, Host, ItemRow, Snapshot};
use rt::clock::Clock;
use rt::metrics::{Counter, Registry};
use rt::queue::{self, Receiver, WhenFull};
use rt::task::Tasks;

use self::hosts::TrapHosts;
use self::matching::Matcher;
use crate::Configuration;
use crate::resolve::Resolver;
use ingress::Ingress;

/// Traps that go to the shards in one request.
const TRAPS_A_TURN: usize = 256;

rt::section! {
    /// SNMP traps.
    pub struct SnmpTrapSettings in "snmp_traps" {
        /// Address and port on which traps and informs of SNMPv1 and v2c are received. Devices send to port 162,
        /// which takes CAP_NET_BIND_SERVICE. Without it nobody listens.
        pub listen: Option<std::net::SocketAddr> = unset r#""127.0.0.1:1162""#,
        /// Communities that are taken, with commas between; empty: any.
        pub communities: String = r#""""#,
        /// Most traps that wait to be looked at; more are lost, and counted.
        pub queue_max: NonZeroUsize = "10_000",
        /// File that another receiver writes traps to (`snmptrapd` with Zabbix's script, or SNMPTT); Zabbix's
        /// `SNMPTrapperFile`. Without it no file is read.
        pub file: Option<PathBuf> = unset r#""/var/log/snmptrap/snmptrap.log""#,
    }
}

rt::metrics! {
    /// SNMP traps.
    pub(crate) struct TrapMetrics in "collect_snmp_traps" {
        /// Traps and informs that were received or read.
        pub(crate) received_total: Counter,
        /// Datagrams that are no trap, or of a community that is not taken.
        pub(crate) refused_total: Counter,
        /// Traps that were lost because too many waited.
        pub(crate) dropped_total: Counter,
        /// Traps from addresses that no SNMP interface with trap items has.
        pub(crate) unknown_total: Counter,
        /// Traps that no item of their interface took.
        pub(crate) unmatched_total: Counter,
        /// Values that traps became.
        pub(crate) values_total: Counter,
    }
}

/// Where traps come from.
#[derive(Debug, Default)]
pub struct TrapSources {
    pub settings: SnmpTrapSettings,
    /// Bound to [`SnmpTrapSettings::listen`].
    pub socket: Option<UdpSocket>,
    /// Where it is remembered how far the file was read.
    pub position: PathBuf,
}

impl Default for SnmpTrapSettings {
    fn default() -> Self {
        rt::settings::defaults()
    }
}

/// A trap that waits.
#[derive(Debug)]
struct Trap {
    /// As it came, from this address.
    datagram: Vec<u8>,
    from: std::net::SocketAddr,
    time: model::Time,
}

/// Items of traps, and who may get some.
pub(crate) struct SnmpTraps {
    matcher: Matcher,
    hosts: TrapHosts,
    metrics: TrapMetrics,
    /// Whether there is a port or a file at all.
    is_on: bool,
}

/// What traps are given to items with.
pub(crate) struct TrapParts {
    pub(crate) configuration: Arc<dyn Configuration>,
    pub(crate) resolver: Arc<Resolver>,
    pub(crate) ingress: Ingress,
    pub(crate) clock: Clock,
}

impl SnmpTraps {
    pub(crate) fn new(sources: &TrapSources, resolver: Arc<Resolver>, registry: &Registry) -> Self {
        Self {
            matcher: Matcher::default(),
            hosts: TrapHosts::new(resolver),
            metrics: TrapMetrics::register(registry),
            is_on: sources.socket.is_some() || sources.settings.file.is_some(),
        }
    }

    /// Takes over a change, and the first configuration (`None`).
    pub(crate) fn configure(&self, snapshot: &Snapshot, delta: Option<&Delta>) {
        self.hosts.configure(snapshot, delta);
        if delta.is_none_or(|it| it.regexps_changed) {
            self.matcher.forget();
        }
    }

    /// Why an item gets no traps as it is configured.
    pub(crate) fn refusal(
        &self,
        snapshot: &Snapshot,
        host: &Arc<Host>,
        row: &ItemRow,
    ) -> Option<String> {
        if row.content.kind != ItemType::SnmpTrap {
            return None;
        }
        if !self.is_on {
            return Some(
                "SNMP traps are not received: neither snmp_traps.listen nor snmp_traps.file is set."
                    .to_owned(),
            );
        }
        self.matcher.wanted(&self.hosts.context(snapshot, host, row), snapshot, row).err()
    }
}

/// Starts what is set.
pub(crate) fn start(
    traps: &Arc<SnmpTraps>,
    sources: TrapSources,
    parts: TrapParts,
    (registry, tasks): (&Registry, &Tasks),
) {
    let parts = Arc::new(parts);
    let shutdown = tasks.shutdown().clone();
    if let Some(path) = sources.settings.file.clone() {
        let reader = file::FileReader::new(path, sources.position);
        let (traps, parts, of) = (Arc::clone(traps), Arc::clone(&parts), tasks.clone());
        let shutdown = shutdown.clone();
        tasks.spawn("SNMP trap file", async move {
            tokio::select! {
                () = file::follow(reader, &traps, &parts, &of) => {}
                () = shutdown.cancelled() => {}
            }
        });
    }
    let Some(socket) = sources.socket else { return };
    let n_max = sources.settings.queue_max.get();
    let (queue, waiting) =
        queue::bounded("snmp-traps", n_max, WhenFull::Refuse, &parts.clock, registry);
    let port = match port::TrapPort::new(socket, &sources.settings.communities) {
        Ok(port) => Arc::new(port),
        Err(error) => {
            tracing::error!(%error, "the socket of SNMP traps cannot be used; none is received");
            return;
        }
    };
    let (receiving, of) = (Arc::clone(&port), Arc::clone(traps));
    let (clock, contained) = (parts.clock.clone(), tasks.clone());
    let stop = shutdown.clone();
    tasks.spawn("SNMP traps", async move {
        tokio::select! {
            () = receiving.receive(queue, &of.metrics, &clock, &contained) => {}
            () = stop.cancelled() => {}
        }
    });
    let traps = Arc::clone(traps);
    tasks.spawn("SNMP trap items", async move {
        tokio::select! {
            () = give(&traps, &port, waiting, &parts) => {}
            () = shutdown.cancelled() => {}
        }
    });
}

/// Gives traps to items until nobody receives any more, and answers informs.
async fn give(
    traps: &SnmpTraps,
    port: &port::TrapPort,
    waiting: Receiver<Trap>,
    parts: &TrapParts,
) {
    let mut batch = Vec::new();
    while let Some(first) = waiting.receive().await {
        batch.push(first);
        waiting.drain(TRAPS_A_TURN - 1, &mut batch);
        let said: Vec<_> = batch.iter().filter_map(|it| port.text(it)).collect();
        // Nobody is left to take values: the process is stopping.
        if traps.post(&said, parts).await.is_err() {
            return;
        }
        for trap in batch.drain(..) {
            port.answer(&trap).await;
        }
    }
}
