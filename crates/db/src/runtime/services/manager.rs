//! Follows problems and configuration, and writes what becomes of services.
//!
//! **Once.** Problems are taken in the order of their events. A change of a status becomes a row
//! together with the id of the last event that was taken, in one transaction; a start goes on after
//! that event, with the time that each event has. Then the row's event goes to the journal, and its id
//! into the row. A start looks for the events of rows without one among those that are there, and writes
//! those that are missing.

use std::collections::{BTreeMap, VecDeque};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use lang::service::{ProblemState, ServiceDefinition, Status, StatusChange};
use model::content::{Severity, Tag};
use model::map::{Map, Set};
use model::snapshot::Snapshot;
use model::{EventId, Time, UserId};

use super::EventTags;
use super::changes::ServiceChanges;
use super::store::{self, Alarm, Batch};
use crate::error::DbError;
use crate::handle::Db;
use crate::locks::lock;
use crate::runtime::events::{Acknowledgement, EventQuery, Problem, action, object, source};

/// An event of a service, on its way to the journal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServiceEvent {
    pub service: u64,
    pub time: Time,
    /// `None`: the end of a problem.
    pub severity: Option<Severity>,
    pub name: String,
    /// Those of the service.
    pub tags: Vec<Tag>,
}

/// The way of events into the journal.
pub trait ServiceEventWriter {
    /// Writes events, all or none; they have the given id and those after it, in order.
    ///
    /// # Errors
    /// Nothing was written; asked again later.
    fn write(&self, events: &[ServiceEvent]) -> Result<EventId, Box<dyn std::error::Error>>;
}

/// Follows problems and configuration in turns.
#[derive(Debug)]
pub struct ServiceManager {
    db: Db,
    changes: ServiceChanges,
    /// Of problems, up to which they are taken.
    version: u64,
    cursor: EventId,
    saved_cursor: EventId,
    next_alarmid: u64,
    last: Map<u64, (Time, Status)>,
    /// To be saved next.
    batch: Batch,
    /// Saved alarms whose events are to be written, in order.
    unwritten: VecDeque<Alarm>,
    /// Severities that problems of services are to have once memory has these, with the alarm that says
    /// so.
    severities: BTreeMap<u64, (u64, Severity)>,
    /// The problem of each service that was written last in this process; memory may not have it yet.
    problems: Map<u64, EventId>,
    /// Events of one record at most.
    events_max: usize,
}

/// A change of a status whose event was left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SkippedAlarm {
    pub id: u64,
    pub service: u64,
}

/// The change at one moment, by its event.
enum Step {
    Open(Arc<Problem>),
    Close(Arc<Problem>),
}

impl ServiceManager {
    /// Takes over what was saved and goes on from there. To be called when all events of the journal are known, and
    /// before problems expire for the first time; one that follows another takes over what that has saved.
    ///
    /// # Errors
    /// If the database is away.
    pub fn open(db: &Db, changes: &ServiceChanges, now: Time) -> Result<Self, DbError> {
        changes.has_changes.store(true, Ordering::Release);
        let restored = db.workers().load("load the status of services", store::load)?;
        let query = EventQuery {
            source: Some(source::SERVICE),
            eventid_from: Some(EventId(restored.last_event.0 + 1)),
            ..EventQuery::default()
        };
        let mut written: Map<u64, VecDeque<EventId>> = Map::default();
        for event in db.events().query(&query)? {
            written.entry(event.objectid).or_default().push_back(event.eventid);
        }
        let mut manager = Self {
            db: db.clone(),
            changes: changes.clone(),
            version: 0,
            cursor: restored.cursor,
            saved_cursor: restored.cursor,
            next_alarmid: restored.next_alarmid,
            last: restored.last,
            batch: Batch::default(),
            unwritten: VecDeque::new(),
            severities: BTreeMap::new(),
            problems: Map::default(),
            events_max: EVENTS_MAX,
        };
        // Whether their problems say so too is found out, after the events that are still to be written.
        let last_alarm = restored.next_alarmid.saturating_sub(1);
        let severity =
            |(id, (_, status)): (&u64, &(Time, Status))| Some((*id, (last_alarm, (*status)?)));
        manager.severities = manager.last.iter().filter_map(severity).collect();
        for alarm in restored.pending {
            match written.get_mut(&alarm.service).and_then(VecDeque::pop_front) {
                Some(id) => manager.batch.events.push((alarm, id)),
                None => manager.unwritten.push_back(alarm),
            }
        }
        manager.begin(now);
        Ok(manager)
    }

    /// The state as it was at the last event that was taken, with what is configured now.
    fn begin(&mut self, now: Time) {
        let db = self.db.clone();
        let snapshot = db.snapshot();
        let changes = db.events().changes_since(0);
        self.version = changes.version;
        let (known, new): (Vec<_>, Vec<_>) = changes
            .changed
            .into_iter()
            .filter(is_of_trigger)
            .partition(|it| it.eventid() <= self.cursor);
        let mut steps = self.steps_of(new);
        {
            let mut live = lock(&db.services().live);
            // A manager before this one, ended by a panic, has left its state: problems resolved
            // since are in no list of changes.
            *live = lang::service::Live::default();
            for problem in known {
                if !problem.is_open() && problem.r_eventid <= self.cursor {
                    continue;
                }
                live.put_problem(problem.eventid().0, state_of(&problem), tags_of(&problem));
                if !problem.is_open() {
                    steps.insert(problem.r_eventid, Step::Close(problem));
                }
            }
            let services = snapshot.services.iter();
            live.put_services(
                services.map(|(id, it)| (id, Some(ServiceDefinition::from(&**it)))).collect(),
            );
            live.evaluate_due();
            let gone = self.last.keys().filter(|it| snapshot.services.get(**it).is_none());
            self.batch.gone = gone.copied().collect();
            for (id, _) in snapshot.services.iter() {
                let (from, to) = (self.last.get(&id).and_then(|it| it.1), live.status(id));
                if from != to {
                    self.alarm(StatusChange { service: id, from, to }, now);
                }
            }
        }
        for id in mem::take(&mut self.batch.gone) {
            self.forget(id);
        }
        self.take_steps(steps, now);
    }

    /// Has events written one by one, or as many in a record as there are.
    pub fn write_singly(&mut self, is_single: bool) {
        self.events_max = if is_single { 1 } else { EVENTS_MAX };
    }

    /// Leaves out the event that would be written next. The next start writes it.
    pub fn skip_event(&mut self) -> Option<SkippedAlarm> {
        let Alarm { id, service, .. } = self.unwritten.pop_front()?;
        Some(SkippedAlarm { id, service })
    }

    /// Leaves out the events of changes that another manager has skipped.
    pub fn skip_alarms(&mut self, ids: &Set<u64>) {
        self.unwritten.retain(|it| !ids.contains(&it.id));
    }

    #[cfg(test)]
    pub(super) fn unwritten(&self) -> impl Iterator<Item = (u64, Time)> {
        self.unwritten.iter().map(|it| (it.service, it.time))
    }

    #[cfg(test)]
    pub(super) fn next_events(&self, n: usize) -> Vec<ServiceEvent> {
        let alarms: Vec<Alarm> = self.unwritten.iter().take(n).copied().collect();
        self.events_of(&alarms)
    }

    /// Whether something has changed since the last turn, or waits.
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.changes.has_changes.load(Ordering::Acquire)
            || !self.unwritten.is_empty()
            || !self.severities.is_empty()
            || self.is_unsaved()
    }

    fn is_unsaved(&self) -> bool {
        let Batch { alarms, events, gone, .. } = &self.batch;
        !alarms.is_empty() || !events.is_empty() || !gone.is_empty()
    }

    /// Takes what has happened, saves what follows, and writes events.
    ///
    /// # Errors
    /// What is not saved or written comes in the next turn.
    pub fn turn(
        &mut self,
        now: Time,
        writer: &dyn ServiceEventWriter,
    ) -> Result<(), Box<dyn std::error::Error>> {
        // Changes from here on are seen in the next turn.
        if self.changes.has_changes.swap(false, Ordering::AcqRel) {
            self.take_configuration(now);
            self.take_problems(now);
        }
        self.save()?;
        self.write(writer)?;
        self.save()?;
        self.change_severities(now)?;
        Ok(())
    }

    /// Saves also how far it has got without consequences. Now and then, and before the end.
    ///
    /// # Errors
    /// If the database is away.
    pub fn flush(&mut self) -> Result<(), DbError> {
        if self.is_unsaved() || self.cursor != self.saved_cursor {
            self.save_batch()
        } else {
            Ok(())
        }
    }

    fn take_configuration(&mut self, now: Time) {
        let ids = mem::take(&mut *lock(&self.changes.changed));
        if ids.is_empty() {
            return;
        }
        let (db, snapshot) = (self.db.clone(), self.db.snapshot());
        let definition = |id: u64| {
            let service = snapshot.services.get(id)?;
            Some(ServiceDefinition::from(&**service))
        };
        let mut live = lock(&db.services().live);
        live.put_services(ids.iter().map(|id| (*id, definition(*id))).collect());
        for change in live.evaluate_due() {
            self.alarm(change, now);
        }
        drop(live);
        for id in ids {
            if snapshot.services.get(id).is_none() {
                self.forget(id);
            }
        }
        // Later starts see the events up to here with this configuration.
        self.saved_cursor = EventId::NONE;
    }

    fn forget(&mut self, id: u64) {
        self.last.remove(&id);
        self.severities.remove(&id);
        self.problems.remove(&id);
        self.unwritten.retain(|it| it.service != id);
        self.batch.alarms.retain(|it| it.service != id);
        self.batch.events.retain(|(it, _)| it.service != id);
        self.batch.gone.push(id);
    }

    fn take_problems(&mut self, now: Time) {
        let db = self.db.clone();
        let changes = db.events().changes_since(self.version);
        self.version = changes.version;
        let changed: Vec<_> = changes.changed.into_iter().filter(is_of_trigger).collect();
        if changes.is_whole {
            // Changes were forgotten: deletions are not among them.
            let known: Set<u64> = changed.iter().map(|it| it.eventid().0).collect();
            let mut live = lock(&db.services().live);
            for id in live.problems() {
                if !known.contains(&id) {
                    live.remove_problem(id);
                }
            }
        }
        let removed: Vec<EventId> = changes.removed;
        let steps = self.steps_of(changed);
        self.take_steps(steps, now);
        let mut live = lock(&db.services().live);
        for id in removed {
            live.remove_problem(id.0);
        }
        let settled = live.evaluate_due();
        drop(live);
        for change in settled {
            self.alarm(change, now);
        }
    }

    /// Changes of problems by their events; changes without an event are made at once and settled
    /// with the next ones.
    fn steps_of(&mut self, changed: Vec<Arc<Problem>>) -> BTreeMap<EventId, Step> {
        let db = self.db.clone();
        let mut live = lock(&db.services().live);
        let mut steps = BTreeMap::new();
        for problem in changed {
            let id = problem.eventid();
            let is_known = live.has_problem(id.0);
            if is_known {
                live.put_problem(id.0, state_of(&problem), tags_of(&problem));
            } else if self.cursor < id {
                steps.insert(id, Step::Open(Arc::clone(&problem)));
            }
            if !problem.is_open() && (is_known || self.cursor < id) {
                steps.insert(problem.r_eventid, Step::Close(problem));
            }
        }
        steps
    }

    /// Each step at its own time; first those without an event, which are seen now.
    fn take_steps(&mut self, steps: BTreeMap<EventId, Step>, now: Time) {
        let db = self.db.clone();
        let mut live = lock(&db.services().live);
        for change in live.evaluate_due() {
            self.alarm(change, now);
        }
        for (id, step) in steps {
            let time = match &step {
                Step::Open(problem) => {
                    live.put_problem(problem.eventid().0, state_of(problem), tags_of(problem));
                    problem.event.time
                }
                Step::Close(problem) => {
                    live.remove_problem(problem.eventid().0);
                    problem.r_time
                }
            };
            for change in live.evaluate_due() {
                self.alarm(change, time);
            }
            self.cursor = self.cursor.max(id);
        }
    }

    /// A change that is older than the last one of the service, or than the service, is of that moment.
    fn alarm(&mut self, change: StatusChange, time: Time) {
        let service = change.service;
        let snapshot = self.db.snapshot();
        let Some(of) = snapshot.services.get(service) else { return };
        let earliest = Time::from_clock(of.created_at, 0);
        let last = self.last.get(&service).map_or(earliest, |it| it.0.max(earliest));
        let time = time.max(last);
        self.last.insert(service, (time, change.to));
        if change.to.is_none() {
            self.severities.remove(&service);
        }
        let id = self.next_alarmid;
        self.next_alarmid += 1;
        self.batch.alarms.push(Alarm { id, service, time, from: change.from, to: change.to });
    }

    fn save(&mut self) -> Result<(), DbError> {
        if self.is_unsaved() || self.saved_cursor < self.cursor && self.saved_cursor.is_none() {
            self.save_batch()?;
        }
        Ok(())
    }

    fn save_batch(&mut self) -> Result<(), DbError> {
        self.batch.cursor = self.cursor;
        let batch = self.batch.clone();
        self.db
            .workers()
            .write("save the status of services", move |sql| store::save(sql, &batch))?;
        self.saved_cursor = self.cursor;
        let saved = mem::take(&mut self.batch);
        for alarm in saved.alarms {
            match (alarm.has_event(), alarm.to) {
                (true, _) => self.unwritten.push_back(alarm),
                (false, Some(severity)) => {
                    self.severities.insert(alarm.service, (alarm.id, severity));
                }
                (false, None) => {}
            }
        }
        Ok(())
    }

    /// Writes events of alarms that are saved.
    fn write(&mut self, writer: &dyn ServiceEventWriter) -> Result<(), Box<dyn std::error::Error>> {
        while !self.unwritten.is_empty() {
            let n = self.unwritten.len().min(self.events_max);
            let alarms: Vec<Alarm> = self.unwritten.iter().take(n).copied().collect();
            let events = self.events_of(&alarms);
            let first = writer.write(&events)?;
            self.unwritten.drain(..n);
            for (alarm, id) in alarms.into_iter().zip(first.0..) {
                // An event of later has its own.
                if self.severities.get(&alarm.service).is_some_and(|it| it.0 < alarm.id) {
                    self.severities.remove(&alarm.service);
                }
                if alarm.to.is_some() {
                    self.problems.insert(alarm.service, EventId(id));
                }
                self.batch.events.push((alarm, EventId(id)));
            }
        }
        Ok(())
    }

    fn events_of(&self, alarms: &[Alarm]) -> Vec<ServiceEvent> {
        let snapshot = self.db.snapshot();
        let event = |alarm: &Alarm| {
            let of = snapshot.services.get(alarm.service);
            ServiceEvent {
                service: alarm.service,
                time: alarm.time,
                severity: alarm.to,
                name: name(&snapshot, of.map(|it| it.name.as_str()), alarm.to),
                tags: of.map(|it| it.tags.clone()).unwrap_or_default(),
            }
        };
        alarms.iter().map(event).collect()
    }

    /// The severity of a service's problem follows the service: published as a change of severity.
    fn change_severities(&mut self, now: Time) -> Result<(), Box<dyn std::error::Error>> {
        let due: Vec<(u64, Severity)> =
            self.severities.iter().map(|(id, (_, severity))| (*id, *severity)).collect();
        for (service, severity) in due {
            // Not in memory yet, or only one before it: the reader of the journal brings it soon.
            let open = self.db.events().open_of((source::SERVICE, object::SERVICE), service);
            let written = self.problems.get(&service).copied().unwrap_or(EventId::NONE);
            let Some(problem) = open.last().filter(|it| written <= it.eventid()) else { continue };
            if problem.severity == severity {
                self.severities.remove(&service);
                continue;
            }
            let request = Acknowledgement {
                eventids: vec![problem.eventid()],
                userid: UserId::NONE,
                action: action::SEVERITY,
                severity: Some(severity.code().unsigned_abs()),
                ..Acknowledgement::default()
            };
            self.db.events().acknowledge(&request, now)?;
            self.severities.remove(&service);
        }
        Ok(())
    }
}

/// The most events in one record; more take several.
const EVENTS_MAX: usize = 1_000;

fn is_of_trigger(problem: &Arc<Problem>) -> bool {
    problem.event.source == source::TRIGGER && problem.event.object == object::TRIGGER
}

/// Suppressed by a maintenance it does not count, as in Zabbix; suppressed by a user it does.
fn state_of(problem: &Problem) -> ProblemState {
    ProblemState { severity: problem.severity, counts: problem.maintenances.is_empty() }
}

fn tags_of(problem: &Problem) -> EventTags {
    EventTags(Arc::clone(&problem.event))
}

fn name(snapshot: &Snapshot, service: Option<&str>, status: Status) -> String {
    let to = match status {
        None => "OK",
        Some(severity) => {
            let names = &snapshot.globals.settings.severity_names;
            names.get(usize::from(severity.code().unsigned_abs())).map_or("unknown", |it| &**it)
        }
    };
    match service {
        Some(service) => format!("Status of service \"{service}\" changed to {to}"),
        None => format!("Status of unknown service changed to {to}"),
    }
}
