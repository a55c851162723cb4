//! The problems that live in memory, and the record of how they changed.
//!
//! Pure: events and acknowledgements in, problems out. Each change gives a problem a new version;
//! `by_version` keeps them in the order of change, so that a reader gets what is new with one
//! range. Problems that leave are remembered for a while; a reader from before that starts again.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use model::content::{Severity, Tag};
use model::map::Map;
use model::settings::FlappingRule;
use model::{EventId, Time};

use super::by_parents::ByParents;
use super::flapping::Flapping;
use super::table::{ProblemView, Table};
use super::{
    Acknowledge, Acknowledgement, Changes, Correlation, EventRow, EventSettings, Problem, action,
    object, source,
};
use crate::runtime::maintenance::{RunningMaintenances, Suppression};
use crate::runtime::parents::Topology;

/// Removals remembered: a reader that missed more than this gets everything again.
const REMOVED_MAX: usize = 200_000;

#[derive(Debug)]
pub(super) struct Live {
    settings: EventSettings,
    version: u64,
    problems: Table,
    by_version: BTreeMap<u64, EventId>,
    /// Open problems by source, object and its id.
    open_of: Map<Key, Vec<EventId>>,
    /// Symptoms by their cause.
    symptoms_of: Map<EventId, Vec<EventId>>,
    /// Resolved problems, in order of their end.
    resolved: BTreeMap<(Time, EventId), ()>,
    removed: VecDeque<(u64, EventId)>,
    /// Removals up to this version are forgotten.
    removed_from: u64,
    /// Events up to here are known: a replay brings them again.
    last_eventid: EventId,
    maintained: Arc<RunningMaintenances>,
    by_parents: ByParents,
    flapping: Flapping,
}

/// Updates by users of causes and symptoms.
const RANKS: u32 = action::RANK_TO_CAUSE | action::RANK_TO_SYMPTOM;

/// The object of problems: source, object and its id.
type Key = (u8, u8, u64);

fn key_of(event: &EventRow) -> Key {
    (event.source, event.object, event.objectid)
}

/// Changed problems, to be written.
pub(super) type Touched = Vec<Arc<Problem>>;

/// A problem that has another cause, or none any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ranked {
    pub(super) id: EventId,
    before: Option<EventId>,
    after: Option<EventId>,
}

/// An acknowledgement of one problem.
pub(super) type AcknowledgeEntry = (EventId, Acknowledge);

impl Live {
    pub(super) fn new(settings: EventSettings) -> Self {
        Self {
            settings,
            version: 0,
            problems: Table::default(),
            by_version: BTreeMap::new(),
            open_of: Map::default(),
            symptoms_of: Map::default(),
            resolved: BTreeMap::new(),
            removed: VecDeque::new(),
            removed_from: 0,
            last_eventid: EventId::NONE,
            maintained: Arc::default(),
            by_parents: ByParents::default(),
            flapping: Flapping::default(),
        }
    }

    /// Takes over what SQL held at start.
    pub(super) fn restore(&mut self, problems: Vec<Problem>, last_eventid: EventId) {
        for mut problem in problems {
            let last = problem.acknowledges.iter().rev().find(|it| it.action & RANKS != 0);
            match last {
                Some(it) if it.action & action::RANK_TO_CAUSE != 0 => {
                    problem.ranked = problem.ranked.or(Some(EventId::NONE));
                }
                // Saved with its end: it followed from parents, and does not concern its
                // descendants.
                None if !problem.is_open() => problem.ranked = None,
                _ => {}
            }
            self.put(problem);
        }
        self.last_eventid = last_eventid;
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }

    pub(super) fn get(&self, id: EventId) -> Option<&Arc<Problem>> {
        self.problems.get(id)
    }

    /// All of now.
    pub(super) fn view(&self) -> &ProblemView {
        self.problems.view()
    }

    pub(super) fn n_open(&self) -> usize {
        self.problems.len() - self.resolved.len()
    }

    pub(super) fn open_of(&self, (source, object): (u8, u8), objectid: u64) -> Vec<Arc<Problem>> {
        let ids = self.open_ids(&(source, object, objectid));
        ids.iter().filter_map(|it| self.problems.get(*it).cloned()).collect()
    }

    /// Symptoms of a problem, those that are resolved as well as long as they are kept here.
    pub(super) fn symptoms_of(&self, cause: EventId) -> Vec<Arc<Problem>> {
        let ids = self.symptoms_of.get(&cause).map(Vec::as_slice).unwrap_or_default();
        ids.iter().filter_map(|it| self.problems.get(*it).cloned()).collect()
    }

    fn open_ids(&self, key: &Key) -> &[EventId] {
        self.open_of.get(key).map(Vec::as_slice).unwrap_or_default()
    }

    /// One event in journal order, as it is to be saved. One that was known already changes nothing.
    pub(super) fn apply(&mut self, mut event: EventRow, touched: &mut Touched) -> Arc<EventRow> {
        if event.eventid <= self.last_eventid {
            return Arc::new(event);
        }
        self.last_eventid = event.eventid;
        if event.ends_all_of_object() {
            event.recovers = self.open_ids(&key_of(&event)).to_vec();
        }
        let event = Arc::new(event);
        let had_problem = !self.open_ids(&key_of(&event)).is_empty();
        if event.is_problem() {
            if event.is_of_trigger() && !had_problem {
                self.flapping.changed(event.objectid, event.time);
            }
            let problem = Problem {
                event: Arc::clone(&event),
                severity: event.severity,
                acknowledged: false,
                r_eventid: EventId::NONE,
                r_time: Time::ZERO,
                userid: model::UserId::NONE,
                cause: EventId::NONE,
                ranked: None,
                flapping: event.is_of_trigger() && self.flapping.is_flapping(event.objectid),
                correlation: None,
                acknowledges: Vec::new(),
                suppressed_until: None,
                maintenances: suppressions_of(&self.maintained, &event),
                version: 0,
            };
            let id = self.put(problem).eventid();
            self.rank_by_parents();
            touched.extend(self.problems.get(id).cloned());
            return event;
        }
        for id in &event.recovers {
            let Some(problem) = self.problems.get(*id).filter(|it| it.is_open()) else { continue };
            let mut problem = Problem::clone(problem);
            problem.r_eventid = event.eventid;
            problem.r_time = event.time;
            problem.userid = event.userid;
            touched.push(self.put(problem));
        }
        if event.is_of_trigger() && had_problem && self.open_ids(&key_of(&event)).is_empty() {
            self.flapping.changed(event.objectid, event.time);
        }
        self.rank_by_parents();
        event
    }

    /// Does what a user wants to the problems, those in memory as they are there and `fetched` ones
    /// that memory no longer has. Entries get ids from `first_id` on; unknown problems are left
    /// out, and where nothing changes there is no entry.
    pub(super) fn acknowledge(
        &mut self,
        request: &Acknowledgement,
        fetched: &[Problem],
        first_id: u64,
        clock: i64,
    ) -> Vec<(Arc<Problem>, Option<Acknowledge>)> {
        let mut done = Vec::new();
        for (id, acknowledgeid) in request.eventids.iter().zip(first_id..) {
            let in_memory = self.problems.get(*id).map(|it| Problem::clone(it));
            let is_in_memory = in_memory.is_some();
            let fetched = || fetched.iter().find(|it| it.eventid() == *id).cloned();
            let Some(mut problem) = in_memory.or_else(fetched) else { continue };
            let cause = self.cause_by(request);
            let Some(entry) = entry_of((request, cause), acknowledgeid, clock, &problem) else {
                done.push((Arc::new(problem), None));
                continue;
            };
            change(&mut problem, &entry);
            let problem = if is_in_memory { self.put(problem) } else { Arc::new(problem) };
            done.push((problem, Some(entry)));
        }
        done
    }

    /// The cause that a request sets; 0: none. The cause of a symptom stands for it, unless that is
    /// what becomes a symptom now: then the two change places.
    fn cause_by(&self, request: &Acknowledgement) -> EventId {
        if request.action & action::RANK_TO_SYMPTOM == 0 {
            return EventId::NONE;
        }
        // Without the one in memory there would be nothing to show them with.
        let Some(above) = self.problems.get(request.cause).map(|it| it.cause) else {
            return EventId::NONE;
        };
        if above.is_none() || request.eventids.contains(&above) { request.cause } else { above }
    }

    /// Makes problems causes or symptoms, as a request says; those that were symptoms of what
    /// becomes one go along. Gives what changed: to take it back, and to save it.
    pub(super) fn rank(&mut self, request: &Acknowledgement) -> Vec<Ranked> {
        let cause = self.cause_by(request);
        let mut ranked = Vec::new();
        if request.action & action::RANK_TO_CAUSE != 0 {
            for id in &request.eventids {
                let is_symptom = self.problems.get(*id).is_some_and(|it| it.is_symptom());
                if is_symptom {
                    self.set_rank(*id, Some(EventId::NONE), &mut ranked);
                }
            }
        }
        if cause.is_some() {
            if self.problems.get(cause).is_some_and(|it| it.is_symptom()) {
                self.set_rank(cause, Some(EventId::NONE), &mut ranked);
            }
            for id in request.eventids.iter().filter(|it| **it != cause) {
                // The others follow by themselves.
                let is_by_user =
                    |it: &EventId| self.problems.get(*it).is_some_and(|it| it.ranked == Some(*id));
                let symptoms = self.symptoms_of.get(id).into_iter().flatten().copied();
                let symptoms: Vec<EventId> = symptoms.filter(is_by_user).collect();
                for symptom in symptoms {
                    self.set_rank(symptom, Some(cause), &mut ranked);
                }
                self.set_rank(*id, Some(cause), &mut ranked);
            }
        }
        self.rank_by_parents();
        ranked
    }

    /// Keeps what users say of a problem.
    fn set_rank(&mut self, id: EventId, rank: Option<EventId>, changed: &mut Vec<Ranked>) {
        let Some(problem) = self.problems.get(id).filter(|it| it.ranked != rank) else { return };
        changed.push(Ranked { id, before: problem.ranked, after: rank });
        let cause = rank.unwrap_or_default();
        let problem = Problem { ranked: rank, cause, ..Problem::clone(problem) };
        self.by_parents.look_at(id);
        self.put(problem);
    }

    /// Takes back what [`Self::rank`] changed, but for what others have changed since.
    pub(super) fn undo_rank(&mut self, ranked: &[Ranked]) -> Touched {
        let mut undone = Vec::new();
        for it in ranked.iter().rev() {
            if self.problems.get(it.id).is_some_and(|of| of.ranked == it.after) {
                self.set_rank(it.id, it.before, &mut undone);
            }
        }
        self.rank_by_parents();
        undone.iter().filter_map(|it| self.problems.get(it.id).cloned()).collect()
    }

    fn move_symptom(&mut self, id: EventId, (from, to): (EventId, EventId)) {
        if from == to {
            return;
        }
        if let Some(symptoms) = self.symptoms_of.get_mut(&from) {
            symptoms.retain(|it| *it != id);
            if symptoms.is_empty() {
                self.symptoms_of.remove(&from);
            }
        }
        if to.is_some() {
            self.symptoms_of.entry(to).or_default().push(id);
        }
    }

    /// Takes back what an acknowledgement changed, after the database refused it; gives the problems
    /// as they are now. Their changes in between stay: they may have been resolved, or other users
    /// may have changed them.
    pub(super) fn undo(&mut self, entries: &[AcknowledgeEntry]) -> Touched {
        let mut touched = Touched::new();
        for (id, entry) in entries {
            let Some(problem) = self.problems.get(*id) else { continue };
            let mut problem = Problem::clone(problem);
            if revert(&mut problem, entry) {
                touched.push(self.put(problem));
            }
        }
        touched
    }

    /// Gives problems a new version: readers show them differently because of other state.
    pub(super) fn renew(&mut self, ids: &[EventId]) {
        for id in ids {
            if let Some(problem) = self.problems.get(*id) {
                let problem = Problem::clone(problem);
                self.put(problem);
            }
        }
    }

    /// Shows of a problem which rule closes it.
    pub(super) fn set_correlation(&mut self, id: EventId, correlation: Correlation) {
        if let Some(problem) = self.problems.get(id).filter(|it| it.correlation.is_none()) {
            let correlation = Some(correlation);
            let problem = Problem { correlation, ..Problem::clone(problem) };
            self.put(problem);
        }
    }

    /// Shows of a problem that its event has other tags now.
    pub(super) fn set_tags(&mut self, id: EventId, tags: Vec<Tag>) {
        if let Some(problem) = self.problems.get(id) {
            let event = EventRow { tags, ..EventRow::clone(&problem.event) };
            let problem = Problem { event: Arc::new(event), ..Problem::clone(problem) };
            self.put(problem);
        }
    }

    /// Takes over which hosts are in maintenance; returns the problems that are suppressed by
    /// others than before. Later ones are judged by it at once.
    pub(super) fn set_maintained(&mut self, maintained: Arc<RunningMaintenances>) -> Vec<EventId> {
        self.maintained = maintained;
        let is_other = |it: &Problem| self.suppressions(it) != it.maintenances;
        let other = self.problems.view().iter().filter(|it| is_other(it));
        other.map(|it| it.eventid()).collect()
    }

    /// Shows of problems what suppresses them now.
    pub(super) fn suppress(&mut self, ids: &[EventId]) {
        for id in ids {
            let Some(problem) = self.problems.get(*id) else { continue };
            let maintenances = self.suppressions(problem);
            if maintenances != problem.maintenances {
                let problem = Problem { maintenances, ..Problem::clone(problem) };
                self.put(problem);
            }
        }
    }

    fn suppressions(&self, problem: &Problem) -> Vec<Suppression> {
        if problem.is_open() {
            suppressions_of(&self.maintained, &problem.event)
        } else {
            self.maintained.left_of(&problem.maintenances)
        }
    }

    /// Takes over parents of hosts, and ranks problems by them.
    pub(super) fn set_topology(&mut self, topology: Arc<Topology>, now: Time) {
        let problems = self.problems.view().iter();
        let problems = problems.map(|it| (&*it.event, (!it.is_open()).then_some(it.r_time)));
        self.by_parents.set(topology, problems, now);
        self.rank_by_parents();
    }

    /// Time passes: hosts whose problems are resolved are not down any more, and triggers have
    /// become stable.
    pub(super) fn pass(&mut self, now: Time) {
        self.by_parents.leave(now);
        self.rank_by_parents();
        for trigger in self.flapping.pass(now) {
            self.show_flapping(trigger);
        }
    }

    /// When a trigger is flapping from now on; problems in memory are judged by it.
    pub(super) fn set_flapping(&mut self, rule: FlappingRule, now: Time) {
        self.flapping = Flapping::new(rule);
        // Begins (true) and ends, in the order of their events.
        let mut changes: Vec<(EventId, u64, Time, bool)> = Vec::new();
        for it in self.problems.view().iter().filter(|it| it.event.is_of_trigger()) {
            changes.push((it.eventid(), it.event.objectid, it.event.time, true));
            if !it.is_open() {
                changes.push((it.r_eventid, it.event.objectid, it.r_time, false));
            }
        }
        changes.sort_unstable_by_key(|it| it.0);
        let mut n_open: Map<u64, usize> = Map::default();
        for (_, trigger, time, begins) in &changes {
            let n_open = n_open.entry(*trigger).or_default();
            let before = *n_open;
            *n_open = if *begins { before + 1 } else { before.saturating_sub(1) };
            if (before == 0) != (*n_open == 0) {
                self.flapping.changed(*trigger, *time);
            }
        }
        self.flapping.pass(now);
        n_open.into_keys().for_each(|it| self.show_flapping(it));
    }

    pub(super) fn flapping_rule(&self) -> FlappingRule {
        self.flapping.rule()
    }

    /// Shows of a trigger's open problems whether it is flapping.
    fn show_flapping(&mut self, trigger: u64) {
        let flapping = self.flapping.is_flapping(trigger);
        for it in self.open_of((source::TRIGGER, object::TRIGGER), trigger) {
            if it.flapping != flapping {
                self.put(Problem { flapping, ..Problem::clone(&it) });
            }
        }
    }

    /// Makes problems symptoms, or causes again, where the state of hosts or what users say of a problem
    /// has changed since this was last done.
    fn rank_by_parents(&mut self) {
        let ids = self.by_parents.take_changed(|id| self.problems.get(id)?.ranked);
        let mut moved = Vec::new();
        for (id, cause) in ids {
            let Some(problem) = self.problems.get(id).filter(|it| it.is_open()) else { continue };
            let cause = problem.ranked.map_or(cause, |it| self.root(it, id));
            moved.push((id, problem.cause));
            if problem.cause != cause {
                let problem = Problem { cause, ..Problem::clone(problem) };
                self.put(problem);
            }
        }
        // Symptoms that users have assigned to these follow them.
        for (id, before) in moved {
            let root = self.problems.get(id).map_or(EventId::NONE, |it| it.cause);
            let root = if root.is_none() { id } else { root };
            let of = |it: &EventId| self.symptoms_of.get(it).cloned().unwrap_or_default();
            for symptom in of(&id).into_iter().chain(of(&before)) {
                let Some(problem) = self.problems.get(symptom) else { continue };
                if problem.ranked == Some(id) && problem.cause != root {
                    let problem = Problem { cause: root, ..Problem::clone(problem) };
                    self.put(problem);
                }
            }
        }
    }

    /// The problem that users have made the cause of another one, or what that is itself a symptom of.
    fn root(&self, cause: EventId, of: EventId) -> EventId {
        let above = self.problems.get(cause).map_or(EventId::NONE, |it| it.cause);
        if above.is_none() || above == of { cause } else { above }
    }

    /// Inserts or replaces a problem under a new version.
    fn put(&mut self, mut problem: Problem) -> Arc<Problem> {
        self.version += 1;
        problem.version = self.version;
        let id = problem.eventid();
        let key = key_of(&problem.event);
        let (is_open, r_time) = (problem.is_open(), problem.r_time);
        let problem = Arc::new(problem);
        let old = self.problems.put(Arc::clone(&problem));
        if let Some(old) = &old {
            self.by_version.remove(&old.version);
        }
        let cause_before = old.as_ref().map_or(EventId::NONE, |it| it.cause);
        self.move_symptom(id, (cause_before, problem.cause));
        self.by_version.insert(self.version, id);
        let was_open = old.as_ref().is_some_and(|it| it.is_open());
        if let Some(old) = old.filter(|it| !it.is_open()) {
            self.resolved.remove(&(old.r_time, id));
        }
        if is_open && !was_open {
            self.open_of.entry(key).or_default().push(id);
            self.by_parents.opened(&problem.event);
        } else if !is_open {
            self.resolved.insert((r_time, id), ());
            if was_open {
                self.close_of(key, id);
                self.by_parents.over(id, r_time);
            }
        }
        problem
    }

    fn close_of(&mut self, key: Key, id: EventId) {
        if let Some(open) = self.open_of.get_mut(&key) {
            open.retain(|it| *it != id);
            if open.is_empty() {
                self.open_of.remove(&key);
            }
        }
    }

    /// Drops resolved problems that have expired or are too many.
    pub(super) fn expire(&mut self, now: Time) {
        let before = now.plus_secs(-self.settings.keep_resolved_s);
        while let Some((&(time, id), ())) = self.resolved.first_key_value() {
            let is_over = time < before || self.settings.resolved_max < self.resolved.len();
            if !is_over {
                break;
            }
            self.resolved.pop_first();
            self.remove(id);
        }
        self.rank_by_parents();
    }

    /// Lets problems go, open ones too. Gives those that were symptoms of them and are none now.
    pub(super) fn drop_all(&mut self, ids: &[EventId]) -> Touched {
        let mut freed = Vec::new();
        for id in ids {
            for symptom in self.symptoms_of.get(id).cloned().unwrap_or_default() {
                self.set_rank(symptom, None, &mut freed);
            }
            let Some(problem) = self.problems.get(*id) else { continue };
            let key = key_of(&problem.event);
            let (is_open, r_time) = (problem.is_open(), problem.r_time);
            if is_open {
                self.close_of(key, *id);
            } else {
                self.resolved.remove(&(r_time, *id));
            }
            self.remove(*id);
        }
        self.rank_by_parents();
        freed.iter().filter_map(|it| self.problems.get(it.id).cloned()).collect()
    }

    fn remove(&mut self, id: EventId) {
        let Some(problem) = self.problems.remove(id) else { return };
        self.by_version.remove(&problem.version);
        self.by_parents.gone(id);
        self.move_symptom(id, (problem.cause, EventId::NONE));
        self.version += 1;
        self.removed.push_back((self.version, id));
        if self.removed.len() > REMOVED_MAX
            && let Some((version, _)) = self.removed.pop_front()
        {
            self.removed_from = version;
        }
    }

    pub(super) fn changes_since(&self, version: u64) -> Changes {
        let is_whole = version < self.removed_from || self.version < version || version == 0;
        let from = if is_whole { 0 } else { version + 1 };
        let changed = self.by_version.range(from..).map(|(_, id)| id);
        let n_known = self.removed.partition_point(|(at, _)| is_whole || *at <= version);
        let removed = self.removed.range(n_known..);
        Changes {
            version: self.version,
            is_whole,
            changed: changed.filter_map(|it| self.problems.get(*it).cloned()).collect(),
            removed: removed.map(|(_, id)| *id).collect(),
        }
    }
}

/// Maintenances are about triggers: unknown and unsupported ones are suppressed by none, as in
/// Zabbix.
fn suppressions_of(maintained: &RunningMaintenances, event: &EventRow) -> Vec<Suppression> {
    if event.is_of_trigger() {
        maintained.suppressions(&event.hosts, &event.tags)
    } else {
        Vec::new()
    }
}

/// The effect of a request on a problem: of its bits those that change something. `None`: nothing.
fn entry_of(
    (request, cause): (&Acknowledgement, EventId),
    acknowledgeid: u64,
    clock: i64,
    problem: &Problem,
) -> Option<Acknowledge> {
    let old_severity = problem.severity.code().unsigned_abs();
    let new_severity = request.severity.unwrap_or(old_severity);
    let without_effect = [
        (action::ACKNOWLEDGE, problem.acknowledged),
        (action::UNACKNOWLEDGE, !problem.acknowledged),
        (action::SEVERITY, new_severity == old_severity),
        (action::CLOSE, !problem.is_open()),
        (action::RANK_TO_CAUSE, !problem.is_symptom()),
        (
            action::RANK_TO_SYMPTOM,
            cause.is_none() || cause == problem.eventid() || cause == problem.cause,
        ),
    ];
    let dropped = without_effect.iter().filter(|(_, it)| *it).fold(0, |bits, (it, _)| bits | it);
    let action = request.action & !dropped;
    // Zabbix writes 0 where a severity is not what it is about.
    let changes_severity = action & action::SEVERITY != 0;
    (action != 0).then(|| Acknowledge {
        acknowledgeid,
        userid: request.userid,
        clock,
        message: request.message.clone(),
        action,
        old_severity: if changes_severity { old_severity } else { 0 },
        new_severity: if changes_severity { new_severity } else { 0 },
        suppress_until: request.suppress_until,
    })
}

/// Adds an entry to a problem, with its effect.
pub(super) fn change(problem: &mut Problem, entry: &Acknowledge) {
    take_effect(problem, entry);
    problem.acknowledges.push(entry.clone());
}

/// Takes an entry off a problem again. The fields that it had changed then follow from the
/// remaining entries, or from the event if there are none. False if the problem does not have it.
pub(super) fn revert(problem: &mut Problem, entry: &Acknowledge) -> bool {
    let n_before = problem.acknowledges.len();
    problem.acknowledges.retain(|it| it.acknowledgeid != entry.acknowledgeid);
    if problem.acknowledges.len() == n_before {
        return false;
    }
    let mut said = problem.clone();
    said.acknowledged = false;
    said.severity = said.event.severity;
    said.suppressed_until = None;
    for left in &problem.acknowledges {
        take_effect(&mut said, left);
    }
    if entry.action & (action::ACKNOWLEDGE | action::UNACKNOWLEDGE) != 0 {
        problem.acknowledged = said.acknowledged;
    }
    if entry.action & action::SEVERITY != 0 {
        problem.severity = said.severity;
    }
    if entry.action & (action::SUPPRESS | action::UNSUPPRESS) != 0 {
        problem.suppressed_until = said.suppressed_until;
    }
    true
}

fn take_effect(problem: &mut Problem, entry: &Acknowledge) {
    if entry.action & action::ACKNOWLEDGE != 0 {
        problem.acknowledged = true;
    }
    if entry.action & action::UNACKNOWLEDGE != 0 {
        problem.acknowledged = false;
    }
    if entry.action & action::SEVERITY != 0
        && let Some(severity) = Severity::from_code(i64::from(entry.new_severity))
    {
        problem.severity = severity;
    }
    if entry.action & action::SUPPRESS != 0 {
        problem.suppressed_until = Some(entry.suppress_until);
    }
    if entry.action & action::UNSUPPRESS != 0 {
        problem.suppressed_until = None;
    }
}

#[cfg(test)]
mod tests;
