//! Parts that the modules of this folder share.

use std::net::SocketAddr;
use std::sync::Arc;

use ingress::Ingress;
use model::Time;
use rt::clock::Clock;
use rt::metrics::Counter;

use crate::Configuration;
use crate::dns_cache::DnsCache;
use crate::mibs::Mibs;

/// Traps that go to the shards in one request.
pub(super) const TRAPS_A_TURN: usize = 64;

rt::metrics! {
    /// SNMP traps.
    pub(crate) struct TrapMetrics in "saker_snmp_traps", formerly "collect_snmp_traps" {
        /// Received traps and informs, by the port or from the file.
        pub(crate) received_total: Counter,
        /// Datagrams that are no trap, or have a community or user that is not accepted.
        pub(crate) refused_total: Counter,
        /// Traps lost because too many waited.
        pub(crate) dropped_total: Counter,
        /// Traps from addresses that no SNMP interface with trap items has.
        pub(crate) unknown_total: Counter,
        /// Traps that no item of their interface took.
        pub(crate) unmatched_total: Counter,
        /// Values made from traps.
        pub(crate) values_total: Counter,
    }
}

/// A trap that waits.
#[derive(Debug)]
pub(super) struct Trap {
    /// The datagram as received, from this address.
    pub(super) datagram: Vec<u8>,
    pub(super) from: SocketAddr,
    pub(super) time: Time,
}

/// The parts to give traps to items with.
pub(crate) struct TrapParts {
    pub(crate) configuration: Arc<dyn Configuration>,
    pub(crate) ingress: Ingress,
    pub(crate) dns: DnsCache,
    pub(crate) clock: Clock,
    /// Opened with reverse names if traps name objects.
    pub(crate) mibs: Arc<Mibs>,
    /// Random and never shown.
    pub(crate) secret: u64,
}
