//! Actions of the problems that are in the database. What ships is [`alert::escalation`]; around it stands what
//! the server's thread does: it reads what was not judged yet, and saves all that comes of a turn in one transaction,
//! or reads back what was saved before.

use std::collections::BTreeMap;
use std::sync::Arc;

use alert::Alert;
use alert::action::Action;
use alert::escalation::{
    Escalation, Escalations, Involved, Message, MessageMode, MessageTo, Occasion, Standing, World,
};
use alert::operation::{CommandOperation, HostOperation};
use engine::readers::events::JournalEvent;
use model::record::EventKind;
use model::{EventId, UserId};
use serde_json::json;

use super::database::{Database, Tables};

/// Steps of the action, each a message to its user.
pub(crate) const N_STEPS: u32 = 3;
const STEP_S: i64 = 20;
const USER: UserId = UserId(1);
/// Events judged in one turn.
const TURN_MAX: usize = 4;

/// Every problem is told of in three steps, and that it is over to whoever heard of it.
fn action() -> Action {
    let body = json!({
        "name": "all", "eventsource": "0", "status": "0", "esc_period": STEP_S.to_string(),
        "pause_suppressed": "1", "pause_symptoms": "1", "notify_if_canceled": "1",
        "operations": [{
            "operationtype": "0", "esc_period": "0", "esc_step_from": "1",
            "esc_step_to": N_STEPS.to_string(),
            "opmessage": {"default_msg": "1", "mediatypeid": "0"},
            "opmessage_usr": [{"userid": USER.0.to_string()}], "opmessage_grp": [],
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
        let of = self.alerts.iter().filter(|it| it.action == action && it.about() == event);
        of.filter_map(Involved::by).collect()
    }

    fn send(&mut self, message: &Message<'_>) -> Vec<Alert> {
        let of = &message.of;
        let (event, problem) = match of.mode {
            MessageMode::Recovery(recovery) => (recovery, of.event),
            _ => (of.event, EventId(0)),
        };
        let alert = |user| Alert {
            action: of.action.id,
            event,
            problem,
            user,
            clock: self.now,
            media_type: 1,
            step: of.step,
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

/// The thread of the process that judges events. It ends with the process.
#[derive(Debug)]
pub(crate) struct Judge {
    database: Database,
    action: Arc<Action>,
    /// As of the last turn that was saved; `None`: to be read back.
    running: Option<(Escalations, EventId)>,
    /// The defect of an own transaction for the position.
    judges_ahead: bool,
}

impl Judge {
    pub(crate) fn new(database: &Database, judges_ahead: bool) -> Self {
        let action = Arc::new(action());
        Self { database: database.clone(), action, running: None, judges_ahead }
    }

    /// Judges what is new and makes the steps that are due by `now`, seconds since 1970. Whether something changed.
    pub(crate) fn turn(&mut self, now: i64) -> bool {
        let read = |tables: &mut Tables| {
            if tables.is_away {
                return None;
            }
            let saved = &tables.actions;
            let rows = || saved.escalations.values().cloned().collect();
            let running = (self.running.clone())
                .unwrap_or_else(|| (Escalations::restore(rows(), saved.next_id), saved.judged));
            let new = tables.events.range(EventId(running.1.0 + 1)..).take(TURN_MAX);
            let new: Vec<JournalEvent> = new.map(|it| it.1.clone()).collect();
            Some((running, new, saved.alerts.clone()))
        };
        let Some(((mut escalations, mut judged), new, alerts)) = self.database.with(read) else {
            return false;
        };
        let mut world = Found { action: &self.action, alerts: &alerts, now };
        for event in &new {
            if event.kind == EventKind::Problem && event.subject.trigger().is_some() {
                escalations.problem(event.id, &mut world, now);
            }
            for problem in &event.recovers {
                escalations.recovery((*problem, event.id), &mut world);
            }
            judged = event.id;
        }
        escalations.tick(&mut world, now);
        let batch = escalations.take_batch();
        if new.is_empty() && batch.is_empty() {
            self.running = Some((escalations, judged));
            return false;
        }
        let place = (escalations.next_id(), judged);
        let saved = self.database.with(|tables| {
            if self.judges_ahead {
                tables.transaction(|it| it.actions.judged = judged)?;
            }
            tables.transaction(|it| it.actions.save(batch, place))
        });
        self.running = saved.is_ok().then_some((escalations, judged));
        saved.is_ok()
    }
}

/// Asserts that each problem was told of step by step, once each, and its end once to those who heard of it. `now`: all
/// that is due by then is made. Gives how many messages there are.
pub(crate) fn check(tables: &Tables, now: i64) -> usize {
    let saved = &tables.actions;
    let is_problem =
        |it: &JournalEvent| it.kind == EventKind::Problem && it.subject.trigger().is_some();
    let ends = tables.events.values().flat_map(|it| it.recovers.iter().map(|of| (*of, it.id)));
    let ends: BTreeMap<EventId, EventId> = ends.collect();
    let mut told: BTreeMap<EventId, Vec<&Alert>> = BTreeMap::new();
    for alert in &saved.alerts {
        told.entry(alert.about()).or_default().push(alert);
    }
    let mut running: BTreeMap<EventId, &Escalation> = BTreeMap::new();
    for it in saved.escalations.values() {
        assert!(running.insert(it.event, it).is_none(), "two escalations of {}", it.event);
    }
    for event in tables.events.values().filter(|it| is_problem(it)) {
        let alerts = told.remove(&event.id).unwrap_or_default();
        let steps: Vec<&&Alert> = alerts.iter().filter(|it| it.problem == EventId(0)).collect();
        let last = steps.last().map_or(0, |it| it.step);
        assert!((1..=N_STEPS).contains(&last), "steps of {}: {alerts:?}", event.id);
        assert!(steps.iter().map(|it| it.step).eq(1..=last), "steps of {}: {alerts:?}", event.id);
        let of_end = alerts.get(steps.len()..).unwrap_or_default();
        let of_end: Vec<EventId> = of_end.iter().map(|it| it.event).collect();
        let wanted: Vec<EventId> = ends.get(&event.id).copied().into_iter().collect();
        assert_eq!(of_end, wanted, "what was told of the end of {}: {alerts:?}", event.id);
        let is_running = running.remove(&event.id);
        assert_eq!(is_running.is_some(), wanted.is_empty(), "the escalation of {}", event.id);
        if let Some(it) = is_running {
            assert_eq!(it.step, last, "the escalation of {}", event.id);
            assert!(now < it.next_at, "a step of {} is due", event.id);
        }
    }
    assert!(told.is_empty(), "messages about what is no problem: {told:?}");
    assert!(running.is_empty(), "escalations of what is no problem: {running:?}");
    saved.alerts.len()
}
