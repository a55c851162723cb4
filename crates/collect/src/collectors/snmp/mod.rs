//! SNMP v1 and v2c: single objects, walks and tables.
//!
//! One task and one socket (two with IPv6) for all devices: conversations are futures of the task,
//! answers find theirs by request id. A device is asked one thing after another.

mod engine;
mod get;
mod index;
mod key;
mod session;
mod walk;

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use model::InterfaceId;
use model::batch::OwnedRaw;
use model::map::Map;
use rt::queue::Receiver;
use tracing::error;
use wire::snmp::Oid;

use self::engine::Engine;
use self::index::{Indexed, Indexes};
use self::key::Query;
use self::session::{Failure, Session};
use super::{Check, CheckResult, Endpoint, Finished, Request, Shared};
use crate::ports::not_supported;

/// Most objects in a request: an answer with counters then fits one Ethernet frame.
pub(super) const OBJECTS_MAX: usize = 60;

/// Whether a field asks for more than one object.
pub(super) fn is_walk(field: &str) -> bool {
    key::is_walk(field)
}

/// What is remembered between checks.
struct Devices {
    shared: Arc<Shared>,
    engine: Engine,
    /// How many objects a device takes at once, where that is less than the most.
    sizes: Mutex<Map<InterfaceId, usize>>,
    indexes: Indexes,
}

pub(super) async fn run(shared: Arc<Shared>, requests: Receiver<Request>) {
    let engine = match Engine::open(shared.secret, &shared.tasks) {
        Ok(engine) => engine,
        Err(error) => {
            error!(%error, "cannot open a socket for SNMP; no SNMP item is polled");
            let result = CheckResult::Refused(format!("Cannot open a socket for SNMP: {error}"));
            while let Some(request) = requests.receive().await {
                shared.finish(request.finish_all(shared.clock.wall(), &result)).await;
            }
            return;
        }
    };
    let indexes = Indexes::new(shared.clock.clone());
    let devices = Devices { shared, engine, sizes: Mutex::default(), indexes };
    let mut under_way = FuturesUnordered::new();
    let mut buffers = Default::default();
    loop {
        tokio::select! {
            biased;
            // First who got an answer, because they free places and send what is next.
            Some(()) = under_way.next() => {}
            () = devices.engine.receive(&mut buffers) => {}
            () = devices.engine.send_unsent() => {}
            request = requests.receive() => match request {
                Some(request) => under_way.push({
                    let converse = |it| devices.converse(it);
                    devices.shared.contained("SNMP check", request, converse)
                }),
                None => return,
            },
        }
    }
}

impl Devices {
    async fn converse(&self, mut request: Request) {
        let mut finished =
            Finished { job: request.job, readings: std::mem::take(&mut request.done) };
        let results = match &request.endpoint {
            Some(endpoint) => self.ask(endpoint, &request.checks).await,
            None => {
                let reason = CheckResult::Refused("No SNMP interface on the host.".to_owned());
                vec![reason; request.checks.len()]
            }
        };
        let now = self.shared.clock.wall();
        let readings =
            request.checks.iter().zip(results).map(|(it, result)| it.reading(now, result));
        finished.readings.extend(readings);
        self.shared.finish(finished).await;
    }

    /// One result for each check.
    async fn ask(&self, endpoint: &Endpoint, checks: &[Check]) -> Vec<CheckResult> {
        let all = |result: CheckResult| vec![result; checks.len()];
        let time = checks.iter().map(|it| it.timeout).max().unwrap_or_default();
        let address = match resolve(endpoint, time).await {
            Ok(address) => address,
            Err(reason) => return all(CheckResult::NetworkError(reason)),
        };
        let Some(details) = &endpoint.snmp else {
            return all(CheckResult::Refused("The interface has no SNMP settings.".to_owned()));
        };
        let session = match Session::new(&self.engine, address, details, time) {
            Ok(session) => session,
            Err(reason) => return all(CheckResult::Refused(reason)),
        };
        let mut results = Vec::with_capacity(checks.len());
        let mut gets: Vec<(usize, Oid)> = Vec::new();
        let mut indexed: Vec<(usize, Indexed)> = Vec::new();
        for (at, check) in checks.iter().enumerate() {
            results.push(match Query::parse(&check.key) {
                Ok(Query::Get(oid)) => {
                    gets.push((at, oid));
                    CheckResult::NotMade
                }
                Ok(Query::Index(it)) => {
                    indexed.push((at, it));
                    CheckResult::NotMade
                }
                Ok(Query::Walk(oids)) => {
                    result_of(walk::in_time(walk::walk_text(&session, &oids)).await)
                }
                Ok(Query::Discovery(columns)) => {
                    result_of(walk::in_time(walk::discover(&session, &columns)).await)
                }
                Err(reason) => CheckResult::Refused(reason),
            });
        }
        if !gets.is_empty() || !indexed.is_empty() {
            let (places, oids): (Vec<_>, Vec<_>) = gets.into_iter().unzip();
            let (places_indexed, indexed): (Vec<_>, Vec<_>) = indexed.into_iter().unzip();
            let (interface, mut size) = (endpoint.interface, self.size(endpoint.interface));
            let asked = (oids.as_slice(), indexed.as_slice());
            let got = self.indexes.get_all(&session, interface, asked, &mut size).await;
            self.set_size(interface, size);
            let places = places.into_iter().chain(places_indexed);
            for (at, got) in places.zip(got.0.into_iter().chain(got.1)) {
                results[at] = result_of(got);
            }
        }
        results
    }

    fn size(&self, interface: InterfaceId) -> usize {
        let sizes = self.sizes.lock().unwrap_or_else(PoisonError::into_inner);
        sizes.get(&interface).copied().unwrap_or(OBJECTS_MAX)
    }

    fn set_size(&self, interface: InterfaceId, size: usize) {
        let mut sizes = self.sizes.lock().unwrap_or_else(PoisonError::into_inner);
        if size == OBJECTS_MAX {
            sizes.remove(&interface);
        } else {
            sizes.insert(interface, size);
        }
    }
}

fn result_of(got: Result<String, Failure>) -> CheckResult {
    match got {
        Ok(text) => CheckResult::Answer(OwnedRaw::Text(text)),
        Err(Failure::NotSupported(reason)) => CheckResult::Answer(not_supported(reason)),
        Err(Failure::Network(reason)) => CheckResult::NetworkError(reason),
        Err(Failure::NotMade) => CheckResult::NotMade,
    }
}

async fn resolve(endpoint: &Endpoint, time: Duration) -> Result<SocketAddr, String> {
    if let Ok(ip) = endpoint.address.parse::<IpAddr>() {
        return Ok((ip, endpoint.port).into());
    }
    super::lookup(&endpoint.address, time).await.map(|ip| (ip, endpoint.port).into())
}
