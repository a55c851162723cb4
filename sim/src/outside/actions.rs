//! Actions of the problems that are in the database. What ships is [`alert::escalation`] and [`alert::digest`]; around
//! them stands what the server's thread does: it reads what was not judged yet, and saves all that comes of a turn in one
//! transaction, or reads back what was saved before.

use std::collections::BTreeMap;
use std::sync::Arc;

use alert::Alert;
use alert::action::Action;
use alert::digest::Digests;
use alert::escalation::{
    Batch, Escalation, Escalations, Involved, Message, MessageMode, MessageTo, Occasion, Standing,
    World,
};
use alert::operation::{CommandOperation, HostOperation};
use engine::readers::events::JournalEvent;
use model::record::EventKind;
use model::{EventId, UserId};
use serde_json::json;

use super::action_rows::{Digest, Saved};
use super::database::{Database, Tables};
use super::digests::{self, USERS};

/// Steps of the action, each a message to its users.
pub(crate) const N_STEPS: u32 = 3;
const STEP_S: i64 = 20;
/// Events judged in one turn.
const TURN_MAX: usize = 4;

/// Every problem is told of in three steps, and that it is over to whoever heard of it.
fn action() -> Action {
    let users: Vec<_> = USERS.iter().map(|it| json!({"userid": it.0.to_string()})).collect();
    let body = json!({
        "name": "all", "eventsource": "0", "status": "0", "esc_period": STEP_S.to_string(),
        "pause_suppressed": "1", "pause_symptoms": "1", "notify_if_canceled": "1",
        "operations": [{
            "operationtype": "0", "esc_period": "0", "esc_step_from": "1",
            "esc_step_to": N_STEPS.to_string(),
            "opmessage": {"default_msg": "1", "mediatypeid": "0"},
            "opmessage_usr": users, "opmessage_grp": [],
        }],
        "recovery_operations": [{"operationtype": "11", "opmessage": {"default_msg": "1"}}],
        "update_operations": [],
    });
    Action::read(1, body.as_object().expect("an object"), &[])
}

/// The configuration and the alerts so far, as a turn finds them.
#[derive(Debug)]
struct Found<'a> {
    action: &'a Arc<Action>,
    alerts: &'a [Alert],
    now: i64,
}

impl World for Found<'_> {
    fn action(&self, id: u64) -> Option<Arc<Action>> {
        (id == self.action.id).then(|| Arc::clone(self.action))
    }

    fn concerned_by(&mut self, _: EventId) -> Vec<Arc<Action>> {
        vec![Arc::clone(self.action)]
    }

    fn standing(&self, _: EventId, _: &Action) -> Standing {
        Standing::Going
    }

    fn is_acknowledged(&self, _: EventId) -> bool {
        false
    }

    fn period_s(&self, text: &str, _: EventId) -> Option<i64> {
        text.parse().ok()
    }

    fn involved(&self, action: u64, event: EventId) -> Vec<Involved> {
        let of = self
            .alerts
            .iter()
            .filter(|it| it.action == action && it.about() == event && !it.is_digest());
        of.filter_map(Involved::by).collect()
    }

    fn send(&mut self, message: &Message<'_>) -> Vec<Alert> {
        let of = &message.of;
        let (event, problem) = match of.mode {
            MessageMode::Recovery(recovery) => (recovery, of.event),
            _ => (of.event, EventId(0)),
        };
        let alert = |user: UserId| Alert {
            action: of.action.id,
            event,
            problem,
            user,
            clock: self.now,
            media_type: 1,
            sendto: user.0.to_string(),
            step: of.step,
            next_at: digests::quiet_until(user, self.now),
            ..Alert::default()
        };
        match message.to {
            MessageTo::Named { users, .. } => users.iter().copied().map(alert).collect(),
            MessageTo::Involved(list) => list.iter().map(|it| alert(it.user)).collect(),
        }
    }

    fn command(&mut self, _: &Occasion<'_>, _: &CommandOperation) -> Vec<Alert> {
        Vec::new()
    }

    fn change_host(&mut self, _: &Occasion<'_>, _: &[&HostOperation]) {}
}

/// Defects of the thread below.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flaws {
    /// An own transaction for the position, ahead of what came of it.
    pub(crate) judges_ahead: bool,
    /// An own transaction for digests, ahead of what says that they told something.
    pub(crate) digests_ahead: bool,
    /// What waits is known in memory alone.
    pub(crate) forgets_held: bool,
}

/// As of the last turn that was saved.
#[derive(Clone, Debug)]
struct Running {
    escalations: Escalations,
    digests: Digests,
    judged: EventId,
}

/// The thread of the process that judges events. It ends with the process.
#[derive(Debug)]
pub(crate) struct Judge {
    database: Database,
    action: Arc<Action>,
    /// `None`: to be read back.
    running: Option<Running>,
    flaws: Flaws,
}

impl Judge {
    pub(crate) fn new(database: &Database, flaws: Flaws) -> Self {
        let action = Arc::new(action());
        Self { database: database.clone(), action, running: None, flaws }
    }

    fn read_back(&self, saved: &Saved, now: i64) -> Running {
        let rows = saved.escalations.values().cloned().collect();
        let nothing = Saved::default();
        let past = if self.flaws.forgets_held { &nothing } else { saved };
        Running {
            escalations: Escalations::restore(rows, saved.next_id),
            digests: digests::restore(past, now),
            judged: saved.judged,
        }
    }

    /// What comes of a turn, and whether there were new events.
    fn judge(&self, tables: &Tables, now: i64) -> (Running, Batch, Vec<Digest>, bool) {
        let saved = &tables.actions;
        let mut running = self.running.clone().unwrap_or_else(|| self.read_back(saved, now));
        let new = tables.events.range(EventId(running.judged.0 + 1)..).take(TURN_MAX);
        let mut world = Found { action: &self.action, alerts: &saved.alerts, now };
        let mut has_new = false;
        for event in new.map(|it| it.1) {
            has_new = true;
            if event.kind == EventKind::Problem && event.subject.trigger().is_some() {
                running.escalations.problem(event.id, &mut world, now);
            }
            for problem in &event.recovers {
                running.escalations.recovery((*problem, event.id), &mut world);
            }
            running.judged = event.id;
        }
        running.escalations.tick(&mut world, now);
        let mut batch = running.escalations.take_batch();
        // First what waited: the next messages wait for the next digest.
        let made = digests::make(&mut running.digests, &saved.alerts, now);
        digests::judge(&mut running.digests, &mut batch.alerts);
        (running, batch, made, has_new)
    }

    /// Judges what is new, makes the steps that are due by `now`, seconds since 1970, and digests of what has waited.
    /// Whether something changed.
    pub(crate) fn turn(&mut self, now: i64) -> bool {
        let is_away = self.database.with(|tables| tables.is_away);
        if is_away {
            return false;
        }
        let (running, batch, made, has_new) = self.database.with(|tables| self.judge(tables, now));
        if !has_new && batch.is_empty() && made.is_empty() {
            self.running = Some(running);
            return false;
        }
        let place = (running.escalations.next_id(), running.judged);
        let flaws = self.flaws;
        let saved = self.database.with(|tables| {
            if flaws.judges_ahead {
                tables.transaction(|it| it.actions.judged = place.1)?;
            }
            let mut ids = Vec::new();
            if flaws.digests_ahead && !made.is_empty() {
                tables.transaction(|it| ids = it.actions.add_digests(&made))?;
            }
            tables.transaction(|it| {
                it.actions.save(batch, place);
                if ids.is_empty() {
                    ids = it.actions.add_digests(&made);
                }
                it.actions.tell(&ids, &made);
            })
        });
        self.running = saved.is_ok().then_some(running);
        saved.is_ok()
    }
}

/// Asserts that each problem was told of step by step to each user, once each, and its end once to those who heard of
/// it, and that what waited was told once. `now`: all that is due by then is made. Gives how many messages there are, and how
/// many of them digests told.
pub(crate) fn check(tables: &Tables, now: i64) -> (usize, usize) {
    let saved = &tables.actions;
    let is_problem =
        |it: &JournalEvent| it.kind == EventKind::Problem && it.subject.trigger().is_some();
    let ends = tables.events.values().flat_map(|it| it.recovers.iter().map(|of| (*of, it.id)));
    let ends: BTreeMap<EventId, EventId> = ends.collect();
    let mut told: BTreeMap<(EventId, UserId), Vec<&Alert>> = BTreeMap::new();
    for alert in saved.alerts.iter().filter(|it| !it.is_digest()) {
        told.entry((alert.about(), alert.user)).or_default().push(alert);
    }
    let mut running: BTreeMap<EventId, &Escalation> = BTreeMap::new();
    for it in saved.escalations.values() {
        assert!(running.insert(it.event, it).is_none(), "two escalations of {}", it.event);
    }
    for event in tables.events.values().filter(|it| is_problem(it)) {
        let end = ends.get(&event.id).copied();
        let of_users = USERS.map(|user| {
            let alerts = told.remove(&(event.id, user)).unwrap_or_default();
            check_user(event.id, &alerts, end)
        });
        let [last, ..] = of_users;
        assert!(of_users.iter().all(|it| *it == last), "steps of {}: {of_users:?}", event.id);
        let is_running = running.remove(&event.id);
        assert_eq!(is_running.is_some(), end.is_none(), "the escalation of {}", event.id);
        if let Some(it) = is_running {
            assert_eq!(it.step, last, "the escalation of {}", event.id);
            assert!(now < it.next_at, "a step of {} is due", event.id);
        }
    }
    assert!(told.is_empty(), "messages about what is no problem: {told:?}");
    assert!(running.is_empty(), "escalations of what is no problem: {running:?}");
    (saved.alerts.len(), digests::check(saved, now))
}

/// What a user was told of a problem. Gives the last step.
fn check_user(event: EventId, alerts: &[&Alert], end: Option<EventId>) -> u32 {
    let n_steps = alerts.iter().filter(|it| it.problem == EventId(0)).count();
    let (steps, of_end) = alerts.split_at(n_steps);
    let last = steps.last().map_or(0, |it| it.step);
    assert!((1..=N_STEPS).contains(&last), "steps of {event}: {alerts:?}");
    assert!(steps.iter().map(|it| it.step).eq(1..=last), "steps of {event}: {alerts:?}");
    let of_end: Vec<EventId> = of_end.iter().map(|it| it.event).collect();
    let wanted: Vec<EventId> = end.into_iter().collect();
    assert_eq!(of_end, wanted, "what was told of the end of {event}: {alerts:?}");
    last
}
