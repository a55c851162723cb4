//! SNMP v1, v2c and v3: single objects, walks and tables.
//!
//! One task and one socket (two with IPv6) serve all devices: conversations are futures of the
//! task, and answers find their conversation by request id. A device gets one request after
//! another. An exchange of one request and one answer is no conversation (see [`joined`]).

mod client;
mod engine;
mod get;
mod index;
mod joined;
mod key;
mod session;
mod transcript;
mod usm;
mod walk;

use std::borrow::Cow;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use futures_util::stream::FuturesUnordered;
use futures_util::{Stream, StreamExt};
use jiff::tz::TimeZone;
use lang::lld::{ExpandError, RowIn, expand_oid};
use model::InterfaceId;
use model::batch::OwnedRaw;
use model::content::{ItemContent, ItemType};
use model::map::Map;
use model::snapshot::ItemRow;
use rt::queue::Receiver;
use tracing::error;

pub(crate) use self::client::SnmpClient;
use self::engine::{Ended, Engine, EngineAnswer};
use self::get::{Answered, OBJECTS_MAX, result_of};
use self::index::Indexes;
use self::key::{Check, Indexed, Joined, Object, Query, Request};
use self::session::{Answer, Failure, Session};
pub(crate) use self::usm::Usm;
use super::collector::{Collector, Grouping, JobLimits};
use super::context::{CollectorContext, panicked};
use super::host_item::HostItem;
use super::request::{CheckResult, Endpoint, Finished};
use crate::resolve::lld_row;

rt::section! {
    /// SNMP checks.
    pub struct Settings in "collectors.snmp" {
        /// Most requests at once.
        pub requests_max: NonZeroUsize = "4_000",
        /// Directories with MIB files, whose names may be used in the OIDs of items. They are read at the
        /// start and at SIGHUP. Without any, a few common names are known.
        pub mib_directories: Vec<PathBuf> = "[]",
    }
}

/// Requests taken before answers are read.
const REQUESTS_A_TURN: usize = 64;

pub(crate) struct Snmp;

impl Collector for Snmp {
    type Settings = Settings;
    type Payload = Query;

    const USES_INTERFACE: bool = true;
    const HAS_AVAILABILITY: bool = true;

    fn takes(content: &ItemContent) -> Option<Grouping> {
        match content.kind {
            ItemType::Snmp if key::is_walk(&content.snmp_oid) => Some(Grouping::Alone),
            ItemType::Snmp => Some(Grouping::Together),
            _ => None,
        }
    }

    /// A small device, such as a switch, answers one request after another, so it gets one at a
    /// time.
    fn limits(settings: &Settings) -> JobLimits {
        let jobs_max = settings.requests_max.get();
        JobLimits { jobs_max, device_jobs_max: 1, job_checks_max: OBJECTS_MAX }
    }

    fn keep(query: &Query) -> Option<Query> {
        Some(query.clone())
    }

    fn touch(query: &Query) -> usize {
        match query {
            Query::Joined(it) => it.touch(),
            _ => 0,
        }
    }

    fn join(request: &mut Request) {
        joined::join(request);
    }

    fn prepare(item: &HostItem<'_>) -> Result<Query, CheckResult> {
        let refused = |error: String| CheckResult::Refused(format!("{error}."));
        let oid = oid(item.row, item.context.zone()).map_err(|it| refused(it.to_string()))?;
        let oid = item.context.oid(&oid).map_err(|it| refused(it.to_string()))?;
        Query::parse(&oid, |it| item.context.object(it)).map_err(CheckResult::Refused)
    }

    async fn run(shared: Arc<CollectorContext>, requests: Receiver<Request>) {
        let engine =
            match Engine::open((shared.secret, joined::read), (&shared.clock, &shared.tasks)) {
                Ok(engine) => engine,
                Err(error) => {
                    error!(%error, "cannot open a socket for SNMP; no SNMP item is polled");
                    let result =
                        CheckResult::Refused(format!("Cannot open a socket for SNMP: {error}"));
                    while let Some(request) = requests.receive().await {
                        shared.finish(request.finish_all(shared.clock.wall(), &result)).await;
                    }
                    return;
                }
            };
        let indexes = Indexes::new(shared.clock.clone());
        let usm = Usm::new(shared.clock.clone(), shared.tasks.clone(), shared.secret);
        let devices = Devices { shared, engine, usm, sizes: Mutex::default(), indexes };
        let shared = &devices.shared;
        let mut under_way = FuturesUnordered::new();
        let mut reader = Default::default();
        let (mut new, mut ended) = (Vec::new(), Vec::new());
        let (mut talks, mut finished) = (Vec::new(), Vec::new());
        // The last requests still need the socket: a trial has only one.
        let mut is_open = true;
        while is_open || !under_way.is_empty() || devices.engine.is_waiting() {
            tokio::select! {
                biased;
                // Answered requests first: they free places and send the next requests.
                () = some_ended(&mut under_way, &mut finished) => {}
                () = devices.engine.turn(&mut reader) => {}
                request = requests.receive(), if is_open => match request {
                    Some(request) => new.push(request),
                    None => is_open = false,
                },
            }
            devices.engine.take_ended(&mut ended);
            ended.drain(..).for_each(|it| devices.end(it, &mut finished, &mut talks));
            requests.drain(REQUESTS_A_TURN.saturating_sub(new.len()), &mut new);
            new.drain(..).for_each(|it| devices.begin(it, &mut talks));
            under_way.extend(talks.drain(..).map(async |(request, first)| {
                let converse = |it| devices.converse(it, first);
                match shared.containing("SNMP check", request, converse).await {
                    Ok(ended) | Err(ended) => ended,
                }
            }));
            shared.finish_all(&mut finished).await;
        }
    }
}

/// Waits until a conversation has ended, and takes all that have ended by then.
async fn some_ended(
    under_way: &mut (impl Stream<Item = Finished> + Unpin),
    finished: &mut Vec<Finished>,
) {
    poll_fn(|cx| {
        while let Poll::Ready(Some(ended)) = under_way.poll_next_unpin(cx) {
            finished.push(ended);
        }
        if finished.is_empty() { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
}

/// The configured OID. A discovered item shares that of its prototype, with the values of its own
/// row.
fn oid<'a>(row: &'a ItemRow, zone: &TimeZone) -> Result<Cow<'a, str>, ExpandError> {
    let oid = row.content.snmp_oid.as_str();
    let Some(row) = lld_row(row, oid) else { return Ok(Cow::Borrowed(oid)) };
    expand_oid(oid, RowIn::new(row, zone)).map(Cow::Owned)
}

/// A request that takes a conversation, with the answer to all its objects, if there was one
/// already.
type Talk = (Request, Option<Answered>);

/// The state between checks.
struct Devices {
    shared: Arc<CollectorContext>,
    engine: Engine,
    usm: Usm,
    /// The number of objects that a device takes at once, if that is less than the maximum.
    sizes: Mutex<Map<InterfaceId, usize>>,
    indexes: Indexes,
}

impl Devices {
    /// Whether the device may be asked for all objects at once.
    fn takes_all(&self, request: &Request) -> bool {
        let sizes = self.sizes.lock().unwrap_or_else(PoisonError::into_inner);
        sizes.is_empty()
            || request.endpoint.as_ref().is_some_and(|it| !sizes.contains_key(&it.interface))
    }

    /// Sends a request, or starts a conversation for it, which also writes the transcript of a
    /// trial.
    fn begin(&self, request: Request, talks: &mut Vec<Talk>) {
        let is_joined = self.shared.transcript.is_none() && self.takes_all(&request);
        let joined = Joined::of_request(&request).filter(|_| is_joined);
        match joined.map(Arc::clone) {
            Some(joined) => self.engine.begin(request, joined),
            None => talks.push((request, None)),
        }
    }

    /// Ends a joined request, unless there is more to ask.
    fn end(&self, ended: Ended, finished: &mut Vec<Finished>, talks: &mut Vec<Talk>) {
        let Ended { mut request, joined, answered } = ended;
        let finish = |request: Request, result: &CheckResult| {
            request.finish_all(self.shared.clock.wall(), result)
        };
        match answered.map_err(|it| Failure::of(it, joined.to)) {
            Ok(EngineAnswer::All(mut readings)) => {
                readings.append(&mut request.done);
                finished.push(Finished { job: request.job, readings });
            }
            Ok(EngineAnswer::Part(datagram)) => {
                talks.push((request, Some(Ok(Answer::Message(datagram)))));
            }
            Ok(EngineAnswer::Unreadable) => finished.push(finish(request, &panicked())),
            // It may be too much at once.
            Err(failure @ Failure::Network(_)) if 1 < request.checks.len() => {
                talks.push((request, Some(Err(failure))));
            }
            Err(failure) => finished.push(finish(request, &result_of(Err(failure)))),
        }
    }

    /// With the answer to all objects at once, if the request is a joined one that was sent so.
    async fn converse(&self, mut request: Request, first: Option<Answered>) -> Finished {
        let mut finished =
            Finished { job: request.job, readings: std::mem::take(&mut request.done) };
        let results = match &request.endpoint {
            Some(endpoint) => self.ask(endpoint, &mut request.checks, first).await,
            None => {
                let reason = CheckResult::Refused("No SNMP interface on the host.".to_owned());
                vec![reason; request.checks.len()]
            }
        };
        let now = self.shared.clock.wall();
        let readings =
            request.checks.iter().zip(results).map(|(it, result)| it.reading(now, result));
        finished.readings.extend(readings);
        finished
    }

    /// One result for each check; takes their queries away.
    async fn ask(
        &self,
        endpoint: &Endpoint,
        checks: &mut [Check],
        first: Option<Answered>,
    ) -> Vec<CheckResult> {
        let n = checks.len();
        let all = |result: CheckResult| vec![result; n];
        let time = checks.iter().map(|it| it.timeout).max().unwrap_or_default();
        let address = match self.shared.dns.address(&endpoint.address, time).await {
            Ok(ip) => SocketAddr::new(ip, endpoint.port),
            Err(reason) => return all(CheckResult::NetworkError(reason)),
        };
        let Some(details) = &endpoint.snmp else {
            return all(CheckResult::Refused("The interface has no SNMP settings.".to_owned()));
        };
        if let Some(it) = &self.shared.transcript {
            // The transcript leaves out the community by its place: answers have common words such
            // as `public` too.
            for secret in [&details.authpassphrase, &details.privpassphrase] {
                it.hide(secret);
            }
        }
        let session = match Session::new((&self.engine, &self.usm), address, details, time).await {
            Ok(session) => session.with_transcript(self.shared.transcript.as_ref()),
            Err(reason) => return all(CheckResult::Refused(reason)),
        };
        if let Some(Query::Joined(joined)) = checks.first().map(|it| &it.payload) {
            let objects = joined.objects();
            let objects: Vec<Object> =
                objects.map(|(oid, octets)| Object { oid: oid.to_owned(), octets }).collect();
            let mut size = self.size(endpoint.interface);
            let got = get::go_on(&session, &objects, first, &mut size).await;
            self.set_size(endpoint.interface, size);
            return got.into_iter().map(result_of).collect();
        }
        let mut results = Vec::with_capacity(checks.len());
        let (mut places, mut objects): (Vec<usize>, Vec<Object>) = Default::default();
        let (mut places_indexed, mut indexed): (Vec<usize>, Vec<Box<Indexed>>) = Default::default();
        for (at, check) in checks.iter_mut().enumerate() {
            results.push(match std::mem::take(&mut check.payload) {
                Query::Get(object) => {
                    places.push(at);
                    objects.push(object);
                    CheckResult::NotMade
                }
                // A joined request handles all of them together.
                Query::Joined(_) | Query::InJoined => CheckResult::NotMade,
                Query::Index(it) => {
                    places_indexed.push(at);
                    indexed.push(it);
                    CheckResult::NotMade
                }
                Query::Walk(oids) => {
                    let mut reading = self.shared.readings.begin(&endpoint.address);
                    let walked = walk::walk_text(&session, &oids, &mut reading);
                    let walked = walk::in_time(walked);
                    result_of(Box::pin(walked).await.map(OwnedRaw::Text))
                }
                Query::Discovery(columns) => {
                    let mut reading = self.shared.readings.begin(&endpoint.address);
                    let found = walk::discover(&session, &columns, &mut reading);
                    let found = walk::in_time(found);
                    result_of(Box::pin(found).await.map(OwnedRaw::Text))
                }
            });
        }
        if !objects.is_empty() || !indexed.is_empty() {
            let (interface, mut size) = (endpoint.interface, self.size(endpoint.interface));
            let asked = (objects.as_slice(), indexed.as_slice());
            let mut reading = self.shared.readings.begin(&endpoint.address);
            let with = (&mut size, &mut reading);
            let got = self.indexes.get_all(&session, interface, asked, with).await;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{discovered, item};

    #[test]
    fn oid_of_a_discovered_item_holds_its_row() {
        for (configured, expected) in [
            ("1.3.6.{#SNMPINDEX}", "1.3.6.4.7"),
            ("get[1.3.6.{#SNMPINDEX}]", "get[1.3.6.4.7]"),
            ("walk[1.3.{#SNMPINDEX},1.4.{#SNMPINDEX}]", "walk[1.3.4.7,1.4.4.7]"),
            (
                "1.3.{#SNMPINDEX}[\"index\",\"1.4\",\"{#NAME}\"]",
                "1.3.4.7[\"index\",\"1.4\",\"a \\\"b\\\", c\"]",
            ),
            ("1.3[index,1.4,{#NAME}]", "1.3[index,1.4,\"a \\\"b\\\", c\"]"),
            ("1.3.6.{#OTHER}", "1.3.6.{#OTHER}"),
            ("1.3.6.1", "1.3.6.1"),
        ] {
            let prototype = item(3, ItemType::Snmp, configured, "1m");
            let row = discovered(
                prototype,
                "if[4.7]",
                &[("{#NAME}", "a \"b\", c"), ("{#SNMPINDEX}", "4.7")],
            );
            assert_eq!(oid(&row, &TimeZone::UTC).expect("expands"), expected);
        }
        let plain = item(3, ItemType::Snmp, "1.3.{#A}", "1m");
        assert_eq!(oid(&plain, &TimeZone::UTC).expect("as it is"), "1.3.{#A}");
    }
}
