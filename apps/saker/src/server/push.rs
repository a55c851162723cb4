//! Values that users push through the API, and the port of senders, whose way they go.

use std::sync::Arc;
use std::time::Duration;

use api::ports::{Push, PushVerdict, PushedItem, PushedValue, Pusher};
use collect::trapper::push::{self as taken, Judge};
use collect::trapper::{ActiveAgents, Parts, ServerRequests, Trapper, TrapperSettings};
use ingress::{Ingress, Sessions};
use model::snapshot::Host;
use model::{HostId, Time};
use rt::clock::Clock;
use rt::metrics::Registry;
use rt::tls::Acceptor;
use tokio::runtime::Handle;

use crate::settings;

/// The port of senders and active agents.
pub(super) fn trapper(
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

/// Hands them to the port of senders.
pub(super) struct PushPort {
    trapper: Arc<Trapper>,
    runtime: Handle,
}

impl PushPort {
    /// To be called within the runtime.
    pub(super) fn new(trapper: Arc<Trapper>) -> Self {
        Self { trapper, runtime: Handle::current() }
    }
}

struct ByPusher<'a>(&'a Pusher<'a>);

impl Judge for ByPusher<'_> {
    fn may_read(&self, host: &Host) -> bool {
        (self.0.may_read)(host)
    }

    fn is_without_data(&self, host: HostId, time: Time) -> bool {
        (self.0.is_without_data)(host, time)
    }
}

impl Push for PushPort {
    fn push(
        &self,
        values: &[PushedValue<'_>],
        pusher: &Pusher<'_>,
    ) -> Result<Vec<PushVerdict>, String> {
        let values = values.iter().map(|it| taken::PushedValue {
            item: match it.item {
                PushedItem::Id(id) => taken::PushedItem::Id(id),
                PushedItem::Key { host, key } => taken::PushedItem::Key { host, key },
            },
            value: it.value,
            clock: it.clock,
            ns: it.ns,
        });
        let values: Vec<taken::PushedValue<'_>> = values.collect();
        let judge = ByPusher(pusher);
        let pushed = self.trapper.push(&values, (pusher.peer, &judge));
        let verdicts = self.runtime.block_on(pushed).map_err(|error| error.to_string())?;
        let told = verdicts
            .into_iter()
            .map(|it| PushVerdict { item: it.item, error: it.refusal.map(|it| it.to_string()) });
        Ok(told.collect())
    }
}
