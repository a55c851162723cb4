//! The port of senders and active agents, by the settings.

use std::sync::Arc;
use std::time::Duration;

use collect::trapper::{ActiveAgents, Parts, ServerRequests, Trapper, TrapperSettings};
use ingress::{Ingress, Sessions};
use rt::clock::Clock;
use rt::metrics::Registry;
use rt::tls::Acceptor;

use crate::settings;

/// The port of senders and active agents.
pub(super) fn open(
    settings: &settings::Trapper,
    (ingress, configuration): (Ingress, Arc<dyn collect::Configuration>),
    (agents, requests, sessions): (Arc<dyn ActiveAgents>, Arc<dyn ServerRequests>, Arc<Sessions>),
    tls: Acceptor,
    (clock, registry): (&Clock, &Registry),
) -> Arc<Trapper> {
    let set = TrapperSettings {
        connections_max: settings.connections_max,
        packet_bytes_max: settings.packet_bytes_max,
        memory_bytes_max: settings.memory_bytes_max,
        timeout: Duration::from_millis(settings.timeout_ms),
    };
    let parts = Parts {
        ingress,
        configuration,
        agents,
        requests,
        sessions,
        tls,
        zone: jiff::tz::TimeZone::system(),
        clock: clock.clone(),
    };
    Arc::new(Trapper::new(set, parts, registry))
}
