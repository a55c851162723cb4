//! The oracle: the consequences of the history, by rules of its own.

use std::path::Path;

use db::Db;
use db::events::{EventQuery, EventRow, object, source};
use model::content::Severity;
use model::{EventId, Time};
use rusqlite::Connection;

use super::kept::check_kept;
use super::process::Process;
use super::scene::{N_LINKS, N_SERVICES, SEVERITIES, Scene, Statuses, maintenance_at, statuses};

/// For so long the server keeps events that are no triggers', and changes of services.
pub(super) const EVENTS_KEPT_S: i64 = 86_400;
const CHANGES_KEPT_S: i64 = 365 * 86_400;

/// An event of a link.
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

/// The result of a run.
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
    pub settled: usize,
    /// Times at which months passed, after which agents were forgotten, and rows that have expired.
    pub months: usize,
    pub expired: usize,
    /// Looks that have found the host in maintenance.
    pub maintained: usize,
    pub crashes: usize,
    pub clock_steps: usize,
    /// Transactions that the database refused, and those with a lost response.
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Alarm {
    id: i64,
    service: i64,
    change: Change,
    event: i64,
}

fn alarms(path: &Path, after: i64) -> Vec<Alarm> {
    let database = Connection::open(path).expect("the database");
    let statement = "select servicealarmid, serviceid, clock, ns, old_value, value, eventid
        from service_alarms where servicealarmid > ?1 order by servicealarmid";
    let mut statement = database.prepare(statement).expect("a statement");
    let status = |code: i64| Severity::from_code(code);
    let rows = statement.query_map([after], |row| {
        let time = Time::from_clock(row.get(2)?, row.get(3)?);
        let change = Change { time, from: status(row.get(4)?), to: status(row.get(5)?) };
        Ok(Alarm { id: row.get(0)?, service: row.get(1)?, change, event: row.get(6)? })
    });
    rows.expect("rows").map(|it| it.expect("a row")).collect()
}

fn events_after(db: &Db, after: EventId) -> Vec<EventRow> {
    let query = EventQuery {
        source: Some(source::SERVICE),
        eventid_from: Some(EventId(after.0 + 1)),
        ..EventQuery::default()
    };
    db.events().query(&query).expect("the database answers")
}

/// The expected state of services, by the part of the history that was checked.
#[derive(Debug, Default)]
pub(super) struct Services {
    n_happened: usize,
    open: [[bool; 2]; N_LINKS],
    now: Statuses,
    /// When each changed last.
    changed: [Option<Time>; N_SERVICES],
    /// Rows that were as they have to be, and their events.
    alarms: Vec<Alarm>,
    events: Vec<(EventId, Time)>,
}

impl Services {
    /// By service, since the last check: each change once, at the time of the event that made it.
    fn expected(&mut self, history: &[Happened]) -> Vec<Vec<Change>> {
        let mut all = vec![Vec::<Change>::new(); N_SERVICES];
        for it in history.iter().skip(self.n_happened) {
            self.open[it.link][it.which] = it.is_problem;
            let worst = self.open.map(|of| {
                let severities = of.iter().zip(SEVERITIES).filter(|it| *it.0).map(|it| it.1);
                severities.max()
            });
            let next = statuses(worst);
            for (service, changes) in all.iter_mut().enumerate() {
                let (from, to) = (self.now[service], next[service]);
                if from != to {
                    // A clock that was set back makes no change earlier than the one before.
                    let last = self.changed[service].unwrap_or(it.time);
                    let time = it.time.max(last);
                    self.changed[service] = Some(time);
                    changes.push(Change { time, from, to });
                }
            }
            self.now = next;
        }
        self.n_happened = history.len();
        all
    }

    /// Asserts that each change of a service since the last check is a row and, where a problem
    /// begins or ends, an event.
    pub(super) fn check_on(
        &mut self,
        (scene, history): (&Scene, &[Happened]),
        db: &Db,
        path: &Path,
        summary: &mut FollowersSummary,
    ) {
        let alarms = alarms(path, self.alarms.last().map_or(0, |it| it.id));
        let events = events_after(db, self.events.last().map_or(EventId::NONE, |it| it.0));
        summary.events = history.len();
        let (mut n_events, wanted) = (0, self.expected(history));
        for ((service, want), now) in scene.services.iter().zip(wanted).zip(self.now) {
            let of_service: Vec<&Alarm> =
                alarms.iter().filter(|it| u64::try_from(it.service) == Ok(*service)).collect();
            let got: Vec<Change> = of_service.iter().map(|it| it.change).collect();
            assert_eq!(got, want, "changes of service {service}");
            summary.changes += got.len();
            let of_one: Vec<&EventRow> =
                events.iter().filter(|it| it.objectid == *service).collect();
            n_events += of_one.len();
            check_events(&of_service, &of_one);
            let open = db.events().open_of((source::SERVICE, object::SERVICE), *service);
            let severities: Vec<Severity> = open.iter().map(|it| it.severity).collect();
            let wanted: Vec<Severity> = now.into_iter().collect();
            assert_eq!(severities, wanted, "open problems of service {service}");
        }
        assert_eq!(events.len(), n_events, "events of no service");
        summary.service_events += n_events;
        self.alarms.extend(alarms);
        self.events.extend(events.iter().map(|it| (it.eventid, it.time)));
    }

    /// Asserts that all of it is still there that has not expired; gives how many have. `now`: the latest time there was.
    pub(super) fn check_kept(&self, db: &Db, path: &Path, now: Time) -> usize {
        let kept_from = now.plus_secs(-EVENTS_KEPT_S);
        let events: Vec<(EventId, Time)> =
            events_after(db, EventId::NONE).iter().map(|it| (it.eventid, it.time)).collect();
        let n_expired = check_kept(&events, &self.events, |it| kept_from <= it.1);
        let kept_from = now.plus_secs(-CHANGES_KEPT_S);
        let is_last = |it: &Alarm| {
            let of_service = |other: &&Alarm| other.service == it.service;
            self.alarms.iter().rev().find(of_service) == Some(it)
        };
        let is_kept = |it: &Alarm| kept_from <= it.change.time || is_last(it);
        n_expired + check_kept(&alarms(path, 0), &self.alarms, is_kept)
    }
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
    let known = &process.without_data;
    assert!(
        known.iter().all(|it| *it == is_without_data),
        "what shards know at {now_s}: {known:?}"
    );
    is_maintained
}
