//! IPMI items: sensors of devices by RMCP+ (IPMI 2.0 over LAN), or by sessions of IPMI 1.5 if the
//! host asks for them.
//!
//! A device has few places for sessions, so that one is opened for all of its items and kept: while
//! it is in use a small command keeps it alive, afterwards it is closed. The list of sensors is
//! read once an hour.
//!
//! In addition to sensors there is one control that can be read, `power`, as OpenIPMI and therefore
//! Zabbix name the power of the chassis: 1 or 0.

mod chassis;
mod device;
mod sensors;
mod transcript;

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use lang::lld::EscapeTarget;
use model::content::{IpmiLogin, ItemContent, ItemType};
use model::map::Map;
use rt::queue::Receiver;
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::timeout;

pub use self::chassis::Chassis;
use self::device::{Device, Failure};
use self::sensors::Wanted;
use super::collector::{Collector, Grouping, JobLimits};
use super::context::CollectorContext;
use super::host_item::HostItem;
use super::request::{CheckResult, Endpoint, Finished};
use crate::ports::not_supported;

/// Time for all requests to a device together; at first most of it goes to sensor records.
const CONVERSATION_MAX: Duration = Duration::from_secs(120);
/// How often unused sessions are looked for.
const SWEEP_EACH: Duration = Duration::from_secs(10);
/// The key that returns all sensors.
const GET_ALL: &str = "ipmi.get";

rt::section! {
    /// IPMI items.
    pub struct Settings in "collectors.ipmi" {
        /// Most devices that are queried at once. Each keeps a session and a socket while it is in use; at
        /// most 1 of 64 that the system grants is used for them.
        pub devices_max: NonZeroUsize = "200",
        /// Time in milliseconds for a device to answer one packet; it is sent three times.
        pub timeout_ms: u64 = "1_000",
    }
}

pub(super) struct Ipmi;

/// The sensor of an item, and the login for it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct IpmiCheck {
    wanted: Wanted,
    login: IpmiLogin,
}

type Request = super::request::Request<IpmiCheck>;

impl Collector for Ipmi {
    type Settings = Settings;
    type Payload = IpmiCheck;

    const USES_INTERFACE: bool = true;
    const HAS_AVAILABILITY: bool = true;

    fn takes(content: &ItemContent) -> Option<Grouping> {
        (content.kind == ItemType::Ipmi).then_some(Grouping::Together)
    }

    fn limits(settings: &Settings) -> JobLimits {
        let jobs_max = settings.devices_max.get();
        JobLimits { jobs_max, device_jobs_max: 1, job_checks_max: 256 }
    }

    fn prepare(item: &HostItem<'_>) -> Result<IpmiCheck, CheckResult> {
        let sensor = item.text(&item.content().ipmi_sensor, EscapeTarget::Text);
        let wanted = if item.key()? == GET_ALL {
            Wanted::All
        } else if let Some(name) = sensor.strip_prefix("name:") {
            Wanted::Name(name.to_owned())
        } else if let Some(id) = sensor.strip_prefix("id:") {
            Wanted::Id(id.to_owned())
        } else {
            Wanted::Any(sensor)
        };
        Ok(IpmiCheck { wanted, login: item.context.ipmi_login() })
    }

    async fn run(shared: Arc<CollectorContext>, requests: Receiver<Request>) {
        let devices = Devices { shared: &shared, known: Mutex::default() };
        let mut under_way: FuturesUnordered<BoxFuture<'_, ()>> = FuturesUnordered::new();
        loop {
            tokio::select! {
                Some(()) = under_way.next() => {}
                () = shared.clock.sleep(SWEEP_EACH) => devices.sweep(&mut under_way),
                request = requests.receive() => match request {
                    Some(request) => under_way.push(Box::pin({
                        let converse = |it| devices.converse(it);
                        shared.contained("IPMI check", request, converse)
                    })),
                    None => break,
                },
            }
        }
        while under_way.next().await.is_some() {}
        devices.close_all().await;
    }
}

/// A device, and the login for it.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Place {
    address: SocketAddr,
    login: IpmiLogin,
}

type Shared = Arc<AsyncMutex<Device>>;

struct Devices<'a> {
    shared: &'a CollectorContext,
    known: Mutex<Map<Place, Shared>>,
}

impl Devices<'_> {
    async fn converse(&self, mut request: Request) {
        let mut readings = std::mem::take(&mut request.done);
        let results = match &request.endpoint {
            Some(endpoint) => self.ask_in_time(endpoint, &request).await,
            None => Err(CheckResult::Refused("No IPMI interface on the host.".to_owned())),
        };
        let n = request.checks.len();
        let results = results.unwrap_or_else(|all| vec![all; n]);
        let now = self.shared.clock.wall();
        readings
            .extend(request.checks.iter().zip(results).map(|(it, result)| it.reading(now, result)));
        self.shared.finish(Finished { job: request.job, readings }).await;
    }

    async fn ask_in_time(
        &self,
        endpoint: &Endpoint,
        request: &Request,
    ) -> Result<Vec<CheckResult>, CheckResult> {
        let asked = timeout(CONVERSATION_MAX, self.ask(endpoint, request)).await;
        asked.unwrap_or_else(|_elapsed| {
            let (address, port) = (&endpoint.address, endpoint.port);
            Err(CheckResult::NetworkError(format!(
                "IPMI host [{address}]:{port} answers too slowly."
            )))
        })
    }

    /// One result for each check, or one for all.
    async fn ask(
        &self,
        endpoint: &Endpoint,
        request: &Request,
    ) -> Result<Vec<CheckResult>, CheckResult> {
        // All checks of a job are of one host.
        let Some(login) = request.checks.first().map(|it| it.payload.login.clone()) else {
            return Ok(Vec::new());
        };
        let time = self.shared.ipmi_timeout;
        let ip = self.shared.dns.address(&endpoint.address, time).await;
        let address = SocketAddr::new(ip.map_err(CheckResult::NetworkError)?, endpoint.port);
        let place = Place { address, login };
        let device = {
            let mut known = self.lock();
            let transcript = self.shared.transcript.as_ref();
            let made = || Device::new(&place.login, address, time).with_transcript(transcript);
            let made = || Arc::new(AsyncMutex::new(made()));
            Arc::clone(known.entry(place.clone()).or_insert_with(made))
        };
        let mut device = device.lock().await;
        let (clock, mut results) = (&self.shared.clock, Vec::with_capacity(request.checks.len()));
        device.open(clock).await.map_err(result_of)?;
        for check in &request.checks {
            let got = match device.get(&check.payload.wanted, clock).await {
                Ok(answer) => CheckResult::Answer(answer),
                // The device is then unreachable for the others, too.
                Err(failure @ Failure::Network(_)) => return Err(result_of(failure)),
                Err(failure) => result_of(failure),
            };
            results.push(got);
        }
        Ok(results)
    }

    /// Keeps used sessions alive, and closes others.
    fn sweep<'s>(&'s self, under_way: &mut FuturesUnordered<BoxFuture<'s, ()>>) {
        let (clock, mut known) = (&self.shared.clock, self.lock());
        // A locked device is in use.
        known.retain(|_, it| it.try_lock().map_or(true, |it| !it.is_forgotten(clock)));
        for device in known.values() {
            let device = Arc::clone(device);
            under_way.push(Box::pin(async move {
                if let Ok(mut device) = device.try_lock() {
                    device.keep(clock).await;
                }
            }));
        }
    }

    async fn close_all(&self) {
        let all: Vec<_> = self.lock().drain().map(|(_, it)| it).collect();
        for device in all {
            device.lock().await.close().await;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Map<Place, Shared>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn result_of(failure: Failure) -> CheckResult {
    match failure {
        Failure::Network(reason) => CheckResult::NetworkError(reason),
        Failure::NotSupported(reason) => CheckResult::Answer(not_supported(reason)),
        Failure::Refused(reason) => CheckResult::Refused(reason),
        Failure::NotMade => CheckResult::NotMade,
    }
}
