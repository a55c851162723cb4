//! Actions under way: step after step until the problem is resolved.
//!
//! [`Escalations`] gets problems, recoveries and updates in the order of their ids, and the time.
//! Recipients and texts come from a [`EscalationWorld`]; the results of a turn are taken as a [`EscalationBatch`], to
//! be saved whole. Nothing else is remembered: after a failure to save, the caller reads the
//! escalations back and goes on with the same inputs.
//!
//! - A problem's first step is made in the turn that judges it, unless it is paused.
//! - A step lasts as long as the shortest period among its operations says, whether their conditions
//!   are met or not; a step without operations as long as the action says. It is counted from when it was made: after
//!   an outage steps are not made up for.
//! - After the last step an escalation sleeps until the recovery.
//! - A paused one (suppressed, symptom) is checked again and again. If the problem is resolved before
//!   its first step was made, there is no recovery message.
//! - Messages and commands become alerts. Operations on the host of an event are passed to the world,
//!   which executes them before the turn is saved: a turn that is lost passes them again, so they may be
//!   executed twice, with the result of once.
//! - A disabled or deleted action, trigger, item or host cancels it.
//!
//! A turn costs as much as is due, not as much as there is: escalations are in a queue by time.

mod state;
mod world;

use std::collections::{BTreeMap, BTreeSet};

use model::{EventId, UserId};

pub use self::state::{Escalation, Involved};
pub use self::world::{EscalationWorld, MessageMode, MessageStep, MessageTo, Occasion, Standing};
use crate::Alert;
use crate::action::Action;
use crate::operation::{HostOperation, MessageOperation, MessageText, Operation, Recipients};

/// Interval in seconds in which a paused escalation is checked.
const PAUSE_LOOK_S: i64 = 10;
/// Of an action whose period cannot be read: as Zabbix's default.
const PERIOD_DEFAULT_S: i64 = 3_600;
/// Shortest period of a step: users enter a minute or more, a macro may have less.
const PERIOD_MIN_S: i64 = 1;
/// The step of operations for recoveries and updates: they have no other.
const ONLY_STEP: u32 = 1;
/// It sleeps until the recovery.
const NEVER: i64 = i64::MAX;

/// The results of a turn.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EscalationBatch {
    /// Escalations that are new or changed, by id.
    pub changed: BTreeMap<u64, Escalation>,
    /// Escalations that ended.
    pub ended: BTreeSet<u64>,
    /// In the order in which they were made. Ids are given when they are saved.
    pub alerts: Vec<Alert>,
    pub n_steps: u64,
    pub n_canceled: u64,
}

impl EscalationBatch {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.ended.is_empty() && self.alerts.is_empty()
    }
}

/// An entry below a problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UpdateEntry {
    pub acknowledge: u64,
    pub event: EventId,
    /// Its author, who gets no message about it.
    pub author: UserId,
    /// Other users who are involved: authors of earlier entries.
    pub authors: Vec<UserId>,
}

/// All escalations under way.
#[derive(Clone, Debug, Default)]
pub struct Escalations {
    by_id: BTreeMap<u64, Escalation>,
    by_event: BTreeMap<EventId, Vec<u64>>,
    /// Escalations by the time of their next check.
    queue: BTreeSet<(i64, u64)>,
    looks: BTreeMap<u64, i64>,
    next_id: u64,
    batch: EscalationBatch,
}

impl Escalations {
    /// Continues with the saved escalations. `next_id`: greater than all ids ever given.
    #[must_use]
    pub fn restore(saved: Vec<Escalation>, next_id: u64) -> Self {
        let mut all = Self { next_id: next_id.max(1), ..Self::default() };
        for it in saved {
            all.next_id = all.next_id.max(it.id + 1);
            all.look_at(it.id, it.next_at);
            all.by_event.entry(it.event).or_default().push(it.id);
            all.by_id.insert(it.id, it);
        }
        all
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// The id of the next one.
    #[must_use]
    pub const fn next_id(&self) -> u64 {
        self.next_id
    }

    /// When something is due next, in seconds since 1970.
    #[must_use]
    pub fn next_due(&self) -> Option<i64> {
        self.queue.first().map(|(at, _)| *at).filter(|it| *it != NEVER)
    }

    /// The events whose escalations are due by a time.
    pub fn due(&self, now: i64) -> impl Iterator<Item = EventId> {
        let due = self.queue.range(..=(now, u64::MAX));
        due.filter_map(|(_, id)| self.by_id.get(id)).map(|it| it.event)
    }

    /// The events with escalations.
    pub fn events(&self) -> impl Iterator<Item = EventId> {
        self.by_event.keys().copied()
    }

    /// Those of an event.
    pub fn of_event(&self, event: EventId) -> impl Iterator<Item = &Escalation> {
        let ids = self.by_event.get(&event).into_iter().flatten();
        ids.filter_map(|it| self.by_id.get(it))
    }

    /// Takes the results of the turn.
    pub fn take_batch(&mut self) -> EscalationBatch {
        std::mem::take(&mut self.batch)
    }

    /// A problem, or an event of a source without recoveries: begins its escalations.
    pub fn problem(&mut self, event: EventId, world: &mut dyn EscalationWorld, now: i64) {
        for action in world.concerned_by(event) {
            if action.steps.is_empty() && action.recovery.is_empty() {
                continue;
            }
            let id = self.next_id;
            self.next_id += 1;
            let escalation = Escalation::new(id, action.id, event, now);
            self.by_event.entry(event).or_default().push(id);
            self.by_id.insert(id, escalation);
            self.look_at(id, now);
            self.changed(id);
            self.look(id, world, now);
        }
    }

    /// The end of a problem.
    pub fn recovery(
        &mut self,
        (problem, recovery): (EventId, EventId),
        world: &mut dyn EscalationWorld,
    ) {
        for id in self.by_event.get(&problem).cloned().unwrap_or_default() {
            let Some(escalation) = self.by_id.get(&id).cloned() else { continue };
            let Some(action) = world.action(escalation.action) else {
                self.end(id);
                continue;
            };
            match world.standing(problem, &action) {
                Standing::Canceled(reason) => self.cancel(id, &action, &reason, world),
                // It has no recipients yet.
                Standing::Paused if escalation.step == 0 => self.end(id),
                Standing::Going | Standing::Paused | Standing::Gone => {
                    self.recover(&escalation, recovery, &action, world);
                    self.end(id);
                }
            }
        }
    }

    fn recover(
        &mut self,
        escalation: &Escalation,
        recovery: EventId,
        action: &Action,
        world: &mut dyn EscalationWorld,
    ) {
        let mode = MessageMode::Recovery(recovery);
        let of = Occasion { action, event: escalation.event, step: ONLY_STEP, mode };
        let alerts = perform(action.recovery.iter(), &of, &escalation.involved, world);
        self.made(alerts);
    }

    /// Somebody has said something of a problem.
    pub fn update(&mut self, entry: &UpdateEntry, world: &mut dyn EscalationWorld) {
        let mut alerts = Vec::new();
        for action in world.concerned_by(entry.event) {
            if action.update.is_empty() {
                continue;
            }
            let mut involved = world.involved(action.id, entry.event);
            let of_batch = self.batch.alerts.iter();
            let of_batch =
                of_batch.filter(|it| it.action == action.id && it.about() == entry.event);
            involved.extend(of_batch.filter_map(Involved::by));
            involved.extend(entry.authors.iter().map(|it| Involved { user: *it, media_type: 0 }));
            involved.retain(|it| it.user != entry.author);
            involved.sort_unstable();
            involved.dedup();
            let mode = MessageMode::Update { acknowledge: entry.acknowledge, author: entry.author };
            let of = Occasion { action: &action, event: entry.event, step: ONLY_STEP, mode };
            alerts.extend(perform(action.update.iter(), &of, &involved, world));
        }
        self.made(alerts);
    }

    /// Makes the steps that are due.
    pub fn tick(&mut self, world: &mut dyn EscalationWorld, now: i64) {
        while let Some((at, id)) = self.queue.first().copied() {
            if now < at {
                break;
            }
            self.look(id, world, now);
        }
    }

    /// The first one that is due by a time, with its event.
    #[must_use]
    pub fn first_due(&self, now: i64) -> Option<(u64, EventId)> {
        let (_, id) = self.queue.first().filter(|(at, _)| *at <= now)?;
        self.by_id.get(id).map(|it| (*id, it.event))
    }

    /// Makes the step of the first one that is due, alone.
    pub fn tick_one(&mut self, world: &mut dyn EscalationWorld, now: i64) {
        if let Some((id, _)) = self.first_due(now) {
            self.look(id, world, now);
        }
    }

    /// Cancels escalations that the configuration does not allow any more. To be called after it
    /// has changed.
    pub fn sweep(&mut self, world: &mut dyn EscalationWorld) {
        let all: Vec<(u64, u64, EventId)> =
            self.by_id.values().map(|it| (it.id, it.action, it.event)).collect();
        for (id, action, event) in all {
            match world.action(action) {
                None => self.end_canceled(id),
                Some(action) => match world.standing(event, &action) {
                    Standing::Canceled(reason) => self.cancel(id, &action, &reason, world),
                    Standing::Gone => self.end_canceled(id),
                    Standing::Going | Standing::Paused => {}
                },
            }
        }
    }

    /// Processes an escalation that is due.
    fn look(&mut self, id: u64, world: &mut dyn EscalationWorld, now: i64) {
        let Some(escalation) = self.by_id.get(&id) else { return };
        let (action, event) = (escalation.action, escalation.event);
        let Some(action) = world.action(action) else { return self.end_canceled(id) };
        match world.standing(event, &action) {
            Standing::Going => self.step(id, &action, world, now),
            Standing::Paused => self.look_at(id, now + PAUSE_LOOK_S),
            Standing::Canceled(reason) => self.cancel(id, &action, &reason, world),
            Standing::Gone => self.end_canceled(id),
        }
    }

    fn step(&mut self, id: u64, action: &Action, world: &mut dyn EscalationWorld, now: i64) {
        let Some(escalation) = self.by_id.get_mut(&id) else { return };
        escalation.step += 1;
        let (step, event) = (escalation.step, escalation.event);
        let usual = period(&action.period, event, world).unwrap_or(PERIOD_DEFAULT_S);
        let mut shortest: Option<i64> = None;
        let mut due = Vec::new();
        let is_acknowledged = world.is_acknowledged(event);
        for operation in action.steps.iter().filter(|it| it.is_at(step)) {
            let lasts = period(&operation.period, event, world).unwrap_or(usual);
            shortest = Some(shortest.map_or(lasts, |it| it.min(lasts)));
            if operation.condition.is_met(is_acknowledged) {
                due.push(&operation.what);
            }
        }
        let of = Occasion { action, event, step, mode: MessageMode::Problem };
        let alerts = perform(due.into_iter(), &of, &escalation.involved, world);
        for it in alerts.iter().filter_map(Involved::by) {
            if !escalation.involved.contains(&it) {
                escalation.involved.push(it);
            }
        }
        let has_more = action.has_steps_after(step);
        let next_at = if has_more { now + shortest.unwrap_or(usual) } else { NEVER };
        escalation.next_at = next_at;
        self.batch.n_steps += 1;
        self.made(alerts);
        if action.source.has_problems() {
            self.look_at(id, next_at);
            self.changed(id);
        } else if has_more {
            // All that such an action does is done at once: there is nothing to wait for.
            self.step(id, action, world, now);
        } else {
            self.end(id);
        }
    }

    /// Ends one before its time, and notifies the recipients of earlier messages.
    fn cancel(&mut self, id: u64, action: &Action, reason: &str, world: &mut dyn EscalationWorld) {
        let Some(escalation) = self.by_id.get(&id).cloned() else { return };
        if action.notifies_if_canceled && escalation.step > 0 && !escalation.involved.is_empty() {
            let message = MessageStep {
                of: Occasion {
                    action,
                    event: escalation.event,
                    step: escalation.step,
                    mode: MessageMode::Canceled { reason },
                },
                to: MessageTo::Involved(&escalation.involved),
                media_type: 0,
                text: &MessageText::Default,
            };
            let alerts = world.send(&message);
            self.made(alerts);
        }
        self.end_canceled(id);
    }

    fn end_canceled(&mut self, id: u64) {
        self.batch.n_canceled += 1;
        self.end(id);
    }

    fn end(&mut self, id: u64) {
        let Some(escalation) = self.by_id.remove(&id) else { return };
        if let Some(at) = self.looks.remove(&id) {
            self.queue.remove(&(at, id));
        }
        if let Some(ids) = self.by_event.get_mut(&escalation.event) {
            ids.retain(|it| *it != id);
            if ids.is_empty() {
                self.by_event.remove(&escalation.event);
            }
        }
        self.batch.changed.remove(&id);
        self.batch.ended.insert(id);
    }

    fn look_at(&mut self, id: u64, at: i64) {
        if let Some(old) = self.looks.insert(id, at) {
            self.queue.remove(&(old, id));
        }
        self.queue.insert((at, id));
    }

    fn changed(&mut self, id: u64) {
        if let Some(it) = self.by_id.get(&id) {
            self.batch.changed.insert(id, it.clone());
        }
    }

    /// Several operations of a step may send the same to the same user, or execute the same on a host: once is
    /// enough.
    fn made(&mut self, alerts: Vec<Alert>) {
        let mut seen = BTreeSet::new();
        let is_new: Vec<bool> = alerts.iter().map(|it| seen.insert(it)).collect();
        let new = alerts.into_iter().zip(is_new).filter(|(_, is_new)| *is_new);
        self.batch.alerts.extend(new.map(|(it, _)| it));
    }
}

/// Makes alerts of messages and commands, and passes the operations on the event's host to the
/// world. The order is that of Zabbix: first commands, then messages, those of the last operation
/// first.
fn perform<'a>(
    operations: impl Iterator<Item = &'a Operation>,
    of: &Occasion<'_>,
    involved: &[Involved],
    world: &mut dyn EscalationWorld,
) -> Vec<Alert> {
    let mut alerts = Vec::new();
    let mut seen = BTreeSet::new();
    // By operation.
    let mut messages: Vec<Vec<Alert>> = Vec::new();
    let mut of_host: Vec<&HostOperation> = Vec::new();
    for operation in operations {
        match operation {
            Operation::Message(it) => {
                let mut sent = world.send(&MessageStep {
                    of: *of,
                    to: to_whom(it, involved),
                    media_type: it.media_type,
                    text: &it.text,
                });
                sent.retain(|it| seen.insert(it.clone()));
                messages
                    .extend(sent.chunk_by(|one, other| one.user == other.user).map(<[_]>::to_vec));
            }
            Operation::Command(it) => alerts.extend(world.command(of, it)),
            Operation::Host(it) => of_host.push(it),
        }
    }
    if !of_host.is_empty() {
        world.change_host(of, &of_host);
    }
    alerts.extend(messages.into_iter().rev().flatten());
    alerts
}

fn to_whom<'a>(operation: &'a MessageOperation, involved: &'a [Involved]) -> MessageTo<'a> {
    match &operation.to {
        Recipients::Named { users, groups, oncall } => MessageTo::Named { users, groups, oncall },
        Recipients::Involved => MessageTo::Involved(involved),
    }
}

/// Seconds; `None`: it is 0, or cannot be read.
fn period(text: &str, event: EventId, world: &dyn EscalationWorld) -> Option<i64> {
    let seconds = world.period_s(text, event)?;
    (seconds != 0).then(|| seconds.max(PERIOD_MIN_S))
}

#[cfg(test)]
mod tests;
