//! The state of elements: the open problems of their objects, found in one loop over all problems.

use std::sync::Arc;

use db::Problem;
use db::events::{object, source};
use db::objects::map::{list, number, text};
use model::content::TriggerStatus;
use model::document::{Body, Document};
use model::map::{Map, Set};
use model::{EventId, HostId, TriggerId};
use serde_json::{Value, json};

use super::elements::{Element, Elements};
use crate::objects::common::refs::Refs;
use crate::objects::common::triggers;
use crate::objects::problems::visibility::is_visible;
use crate::shared::Ctx;

/// How long a change counts as recent: while pages of Zabbix blink.
const LATELY_S: i64 = 1_800;

/// The state of one element's objects.
#[derive(Default)]
pub(super) struct State {
    /// Of the worst problem.
    severity: i64,
    pub(super) n_problems: usize,
    pub(super) n_unacknowledged: usize,
    worst: Option<Arc<Problem>>,
    /// Triggers with problems, and those with unacknowledged ones.
    pub(super) triggers: Set<u64>,
    pub(super) unacknowledged_triggers: Set<u64>,
    /// Of these hosts or triggers…
    n_objects: usize,
    n_disabled: usize,
    n_in_maintenance: usize,
    changed: bool,
    /// The problem that was counted last: one may come by several ways.
    last: u64,
}

impl State {
    pub(super) fn is_disabled(&self) -> bool {
        self.n_objects > 0 && self.n_disabled == self.n_objects
    }

    pub(super) fn is_in_maintenance(&self) -> bool {
        self.n_objects > 0 && self.n_in_maintenance == self.n_objects
    }

    fn count(&mut self, ctx: &Ctx, problem: &Arc<Problem>) {
        if self.last == problem.eventid().0 {
            return;
        }
        self.last = problem.eventid().0;
        let severity = i64::from(problem.severity.code());
        self.n_problems += 1;
        self.triggers.insert(problem.event.objectid);
        if !problem.acknowledged {
            self.n_unacknowledged += 1;
            self.unacknowledged_triggers.insert(problem.event.objectid);
        }
        if self.worst.is_none() || self.severity <= severity {
            self.severity = severity;
            self.worst = Some(Arc::clone(problem));
        }
        self.changed |= ctx.now.clock() - LATELY_S < problem.event.time.clock();
    }

    pub(super) fn written(&self) -> Value {
        json!({
            "severity": self.worst.as_ref().map_or(-1, |_| self.severity),
            "problems": self.n_problems,
            "unacknowledged": self.n_unacknowledged,
            "problem": self.worst.as_ref().map(|it| it.event.name.clone()),
            "eventid": self.worst.as_ref().map(|it| it.eventid().to_string()),
            "objects": self.n_objects,
            "disabled": self.n_disabled,
            "maintenance": self.n_in_maintenance,
            "changed": self.changed,
        })
    }
}

/// The look of links by the problems of their triggers.
pub(super) struct LinkStates {
    /// Trigger → links with the look that it gives.
    by_trigger: Map<u64, Vec<(String, String, i64)>>,
    /// Link → severity and look.
    shown: Map<String, (i64, String, i64)>,
}

impl LinkStates {
    pub(super) fn new(body: &Body) -> Self {
        let mut by_trigger: Map<u64, Vec<(String, String, i64)>> = Map::default();
        for link in list(body, "links") {
            for it in list(link, "linktriggers") {
                let Ok(id) = text(it, "triggerid").parse() else { continue };
                let look = (text(it, "color").to_owned(), number(it, "drawtype"));
                by_trigger.entry(id).or_default().push((
                    text(link, "linkid").to_owned(),
                    look.0,
                    look.1,
                ));
            }
        }
        Self { by_trigger, shown: Map::default() }
    }

    fn count(&mut self, problem: &Problem) {
        let severity = i64::from(problem.severity.code());
        for (link, color, drawtype) in
            self.by_trigger.get(&problem.event.objectid).into_iter().flatten()
        {
            let is_worse = self.shown.get(link).is_none_or(|(known, _, _)| *known < severity);
            if is_worse {
                self.shown.insert(link.clone(), (severity, color.clone(), *drawtype));
            }
        }
    }

    /// Color and kind of line of a link one of whose triggers is a problem.
    pub(super) fn look(&self, link: &str) -> Option<(String, i64)> {
        self.shown.get(link).map(|(_, color, drawtype)| (color.clone(), *drawtype))
    }
}

pub(super) struct States {
    /// In the order of the elements.
    pub(super) each: Vec<State>,
}

impl States {
    pub(super) fn of(
        ctx: &Ctx,
        map: &Document,
        elements: &Elements<'_>,
        mut links: LinkStates,
        severity_min: i64,
    ) -> (Self, LinkStates) {
        let mut states = Self { each: Vec::new() };
        states.each.resize_with(elements.all.len(), State::default);
        let watchers = Watchers::of(elements);
        let with_suppressed = number(&map.body, "show_suppressed") == 1;
        let mut rule = CountRule::new(ctx, with_suppressed);
        let view = ctx.db().events().view();
        // By the number that problems have of their hosts.
        let mut are_watched: Vec<Option<bool>> = Vec::new();
        for piece in view.pieces() {
            for (at, facts) in piece.facts().iter().enumerate() {
                let is_near = facts.is_open
                    && (facts.source, facts.object) == (source::TRIGGER, object::TRIGGER)
                    && severity_min <= i64::from(facts.severity);
                let Some(problem) = piece.problem(at).filter(|_| is_near) else { continue };
                let judge = || watchers.watch_hosts(problem);
                if !(watchers.by_trigger.contains_key(&facts.objectid)
                    || links.by_trigger.contains_key(&facts.objectid)
                    || judged(&mut are_watched, facts.hosts_number, judge))
                {
                    continue;
                }
                if rule.counts(problem) {
                    watchers.count(ctx, elements, &mut states, problem);
                    links.count(problem);
                }
            }
        }
        for (element, state) in elements.all.iter().zip(&mut states.each) {
            count_objects(ctx, element, state);
        }
        (states, links)
    }
}

/// Which problems count on a map for its user, remembered by trigger and by cause.
struct CountRule<'c> {
    ctx: &'c Ctx,
    refs: Refs<'c>,
    with_suppressed: bool,
    monitored: Map<u64, bool>,
    causes: Map<EventId, bool>,
}

impl<'c> CountRule<'c> {
    fn new(ctx: &'c Ctx, with_suppressed: bool) -> Self {
        let refs = Refs::new(&ctx.snapshot);
        Self { ctx, refs, with_suppressed, monitored: Map::default(), causes: Map::default() }
    }

    /// A cause that counts is shown in place of its symptoms, whether the cause is on the map or not.
    fn counts(&mut self, problem: &Problem) -> bool {
        self.is_shown(problem) && !(problem.is_symptom() && self.cause_counts(problem.cause))
    }

    fn cause_counts(&mut self, cause: EventId) -> bool {
        if let Some(known) = self.causes.get(&cause) {
            return *known;
        }
        let found = self.ctx.db().events().problem(cause);
        let counts = found.is_some_and(|it| it.is_open() && self.is_shown(&it));
        self.causes.insert(cause, counts);
        counts
    }

    fn is_shown(&mut self, problem: &Problem) -> bool {
        let Self { ctx, refs, .. } = self;
        let trigger = problem.event.objectid;
        let is_monitored = *self.monitored.entry(trigger).or_insert_with(|| {
            let found = ctx.snapshot.trigger(TriggerId(trigger));
            found.is_some_and(|(of, row)| triggers::is_monitored(refs, of, row))
        });
        is_monitored
            && (self.with_suppressed || !problem.is_suppressed(ctx.now))
            && is_visible(ctx, &problem.event)
    }
}

fn judged(known: &mut Vec<Option<bool>>, number: u32, judge: impl FnOnce() -> bool) -> bool {
    let Ok(at) = usize::try_from(number) else { return judge() };
    if known.len() <= at {
        known.resize(at + 1, None);
    }
    known.get_mut(at).is_some_and(|it| *it.get_or_insert_with(judge))
}

/// Positions of elements, with that of their watched objects.
type Places = Vec<(usize, usize)>;

/// The elements that watch each object.
struct Watchers {
    by_host: Map<HostId, Places>,
    by_trigger: Map<u64, Places>,
}

impl Watchers {
    fn of(elements: &Elements<'_>) -> Self {
        let mut watchers = Self { by_host: Map::default(), by_trigger: Map::default() };
        for (at, element) in elements.all.iter().enumerate() {
            for (place, watched) in element.watched.iter().enumerate() {
                for host in &watched.hosts {
                    watchers.by_host.entry(*host).or_default().push((at, place));
                }
                for trigger in &watched.triggers {
                    watchers.by_trigger.entry(*trigger).or_default().push((at, place));
                }
            }
        }
        watchers
    }

    fn watch_hosts(&self, problem: &Problem) -> bool {
        problem.event.hosts.iter().any(|it| self.by_host.contains_key(it))
    }

    fn count(
        &self,
        ctx: &Ctx,
        elements: &Elements<'_>,
        states: &mut States,
        problem: &Arc<Problem>,
    ) {
        let hosts = problem.event.hosts.iter().filter_map(|it| self.by_host.get(it));
        let of_trigger = self.by_trigger.get(&problem.event.objectid);
        for (at, place) in hosts.chain(of_trigger).flatten() {
            let watched = elements.all.get(*at).and_then(|it| it.watched.get(*place));
            let Some(state) = states.each.get_mut(*at) else { continue };
            if watched.is_some_and(|it| it.tags.matches(&problem.event.tags)) {
                state.count(ctx, problem);
            }
        }
    }
}

/// The numbers of hosts and triggers that are disabled or in maintenance.
fn count_objects(ctx: &Ctx, element: &Element<'_>, state: &mut State) {
    let maintained = ctx.db().maintained();
    let mut hosts: Set<HostId> = Set::default();
    for watched in &element.watched {
        hosts.extend(watched.hosts.iter().copied());
        for id in &watched.triggers {
            let Some((holder, row)) = ctx.snapshot.trigger(TriggerId(*id)) else { continue };
            state.n_objects += 1;
            let is_disabled =
                row.content.status == TriggerStatus::Disabled || !holder.is_monitored();
            state.n_disabled += usize::from(is_disabled);
            state.n_in_maintenance += usize::from(maintained.of(holder.id).is_some());
        }
    }
    for host in hosts.iter().filter_map(|it| ctx.snapshot.hosts.get(it)) {
        state.n_objects += 1;
        state.n_disabled += usize::from(!host.is_monitored());
        state.n_in_maintenance += usize::from(maintained.of(host.id).is_some());
    }
}
