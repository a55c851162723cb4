//! The oracle: what follows from what happened, by rules of its own.

use std::path::Path;

use db::Db;
use db::events::{EventQuery, EventRow, object, source};
use model::content::Severity;
use model::{EventId, Time};
use rusqlite::Connection;

use super::process::Process;
use super::scene::{N_LINKS, SEVERITIES, Scene, Statuses, maintenance_at, statuses};

/// What happened to a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Happened {
    pub(super) event: EventId,
    pub(super) link: usize,
    /// Whether it is slow (0) or down (1).
    pub(super) which: usize,
    /// Or no longer so.
    pub(super) is_problem: bool,
    pub(super) time: Time,
}

/// What a run came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FollowersSummary {
    /// Changes of links.
    pub events: usize,
    /// Changes of the status of services, and events of them.
    pub changes: usize,
    pub service_events: usize,
    /// Events of devices and agents that were found.
    pub discovered: usize,
    pub registered: usize,
    /// Times at which nothing failed for long, and all was as it has to be.
    pub calm: usize,
    /// Looks that have found the host in maintenance.
    pub maintained: usize,
    pub crashes: usize,
    pub clock_steps: usize,
    /// Transactions that the database refused, and those of which nobody heard.
    pub refused: usize,
    pub unheard: usize,
}

/// A change of a status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Change {
    time: Time,
    from: Option<Severity>,
    to: Option<Severity>,
}

/// A row of `service_alarms`, with its event: -1 none.
#[derive(Clone, Copy, Debug)]
struct Alarm {
    service: i64,
    change: Change,
    event: i64,
}

/// By service: each change once, at the time of the event that made it.
fn expected(history: &[Happened]) -> Vec<Vec<Change>> {
    let mut open = [[false; 2]; N_LINKS];
    let mut now: Statuses = Statuses::default();
    let mut all = vec![Vec::<Change>::new(); now.len()];
    for it in history {
        open[it.link][it.which] = it.is_problem;
        let worst = open.map(|of| {
            let severities = of.iter().zip(SEVERITIES).filter(|it| *it.0).map(|it| it.1);
            severities.max()
        });
        let next = statuses(worst);
        for (changes, (from, to)) in all.iter_mut().zip(now.into_iter().zip(next)) {
            if from != to {
                // A clock that was set back makes no change earlier than the one before.
                let last = changes.last().map_or(it.time, |it| it.time);
                changes.push(Change { time: it.time.max(last), from, to });
            }
        }
        now = next;
    }
    all
}

fn alarms(path: &Path) -> Vec<Alarm> {
    let database = Connection::open(path).expect("the database");
    let statement = "select serviceid, clock, ns, old_value, value, eventid from service_alarms
        order by servicealarmid";
    let mut statement = database.prepare(statement).expect("a statement");
    let status = |code: i64| Severity::from_code(code);
    let rows = statement.query_map([], |row| {
        let time = Time::from_clock(row.get(1)?, row.get(2)?);
        let change = Change { time, from: status(row.get(3)?), to: status(row.get(4)?) };
        Ok(Alarm { service: row.get(0)?, change, event: row.get(5)? })
    });
    rows.expect("rows").map(|it| it.expect("a row")).collect()
}

/// Asserts that each change of a service is a row and, where a problem begins or ends, an event.
pub(super) fn check_services(
    (scene, history): (&Scene, &[Happened]),
    db: &Db,
    path: &Path,
    summary: &mut FollowersSummary,
) {
    let alarms = alarms(path);
    let query = EventQuery { source: Some(source::SERVICE), ..EventQuery::default() };
    let mut events = db.events().query(&query).expect("the database answers");
    events.sort_by_key(|it| it.eventid);
    summary.events = history.len();
    for (service, want) in scene.services.iter().zip(expected(history)) {
        let of_service: Vec<&Alarm> =
            alarms.iter().filter(|it| u64::try_from(it.service) == Ok(*service)).collect();
        let got: Vec<Change> = of_service.iter().map(|it| it.change).collect();
        assert_eq!(got, want, "changes of service {service}");
        summary.changes += got.len();
        let told: Vec<&EventRow> = events.iter().filter(|it| it.objectid == *service).collect();
        summary.service_events += told.len();
        check_events(&of_service, &told);
        let last = want.last().and_then(|it| it.to);
        let open = db.events().open_of((source::SERVICE, object::SERVICE), *service);
        let severities: Vec<Severity> = open.iter().map(|it| it.severity).collect();
        let wanted: Vec<Severity> = last.into_iter().collect();
        assert_eq!(severities, wanted, "open problems of service {service}");
    }
    assert_eq!(events.len(), summary.service_events, "events of no service");
}

/// Each beginning and each end of a problem is one event, in order; another severity is none.
fn check_events(alarms: &[&Alarm], events: &[&EventRow]) {
    let has_event = |it: &&&Alarm| it.change.from.is_some() != it.change.to.is_some();
    let with_events: Vec<_> = alarms.iter().filter(has_event).collect();
    assert_eq!(events.len(), with_events.len(), "events of a service: {events:?} of {alarms:?}");
    for (alarm, event) in with_events.into_iter().zip(events) {
        let Change { time, to, .. } = alarm.change;
        assert_eq!(i64::try_from(event.eventid.0), Ok(alarm.event), "the event of {alarm:?}");
        assert_eq!((event.time, event.value == 1), (time, to.is_some()), "the event of {alarm:?}");
        if let Some(severity) = to {
            assert_eq!(event.severity, severity, "the event of {alarm:?}");
        }
    }
    let others = alarms.iter().filter(|it| !has_event(it));
    assert!(
        others.into_iter().all(|it| it.event == -1),
        "events of changes that have none: {alarms:?}"
    );
}

/// Asserts that the host is in maintenance if it is by the clock. Gives whether.
pub(super) fn check_maintenance(process: &Process, problem: EventId, now_s: i64) -> bool {
    let (is_maintained, is_without_data) = maintenance_at(now_s);
    let problem = process.db.events().problem(problem).expect("it is open all the time");
    let is_suppressed = !problem.maintenances.is_empty();
    assert_eq!(is_suppressed, is_maintained, "suppressed at {now_s}");
    let n_hosts = process.registry.value("saker_maintenance_hosts", None);
    assert_eq!(n_hosts, Some(if is_maintained { 1.0 } else { 0.0 }), "hosts at {now_s}");
    let told = &process.without_data;
    assert!(told.iter().all(|it| *it == is_without_data), "what shards know at {now_s}: {told:?}");
    is_maintained
}
