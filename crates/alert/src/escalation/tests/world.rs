//! A world of which all is known, and a clock that stands until it is moved.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::{EventId, HostId, UserId};
use serde_json::Value as Json;

use crate::action::Action;
use crate::escalation::{
    EscalationWorld, Escalations, Involved, MessageMode, MessageStep, MessageTo, Occasion,
    Standing, UpdateEntry,
};
use crate::operation::{CommandOperation, HostOperation, MessageText};
use crate::{Alert, AlertKind, CommandTarget};

#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) now: i64,
    pub(super) actions: Vec<Arc<Action>>,
    pub(super) suppressed: BTreeSet<EventId>,
    pub(super) acknowledged: BTreeSet<EventId>,
    pub(super) canceled: Option<String>,
    pub(super) macros: BTreeMap<String, i64>,
    /// Committed.
    pub(super) alerts: Vec<Alert>,
    pub(super) n_asked: usize,
    /// Operations on hosts of events.
    pub(super) of_hosts: Vec<String>,
}

impl Known {
    /// Of nobody and with nothing to say.
    fn alert(&self, of: &Occasion<'_>) -> Alert {
        let (event, problem, acknowledge, subject) = match of.mode {
            MessageMode::Problem => (of.event, EventId(0), 0, format!("step {}", of.step)),
            MessageMode::Recovery(id) => (id, of.event, 0, format!("recovery {}", id.0)),
            MessageMode::Update { acknowledge, .. } => {
                (of.event, EventId(0), acknowledge, format!("update {acknowledge}"))
            }
            MessageMode::Canceled { reason } => {
                (of.event, EventId(0), 0, format!("canceled {reason}"))
            }
        };
        Alert {
            action: of.action.id,
            event,
            problem,
            acknowledge,
            clock: self.now,
            media_type: 1,
            subject,
            step: of.step,
            ..Alert::default()
        }
    }
}

impl EscalationWorld for Known {
    fn action(&self, id: u64) -> Option<Arc<Action>> {
        self.actions.iter().find(|it| it.id == id).cloned()
    }

    fn concerned_by(&mut self, _: EventId) -> Vec<Arc<Action>> {
        self.actions.iter().filter(|it| it.is_enabled).cloned().collect()
    }

    fn standing(&self, event: EventId, action: &Action) -> Standing {
        if let Some(reason) = &self.canceled {
            return Standing::Canceled(reason.clone());
        }
        let is_paused = action.pauses_suppressed && self.suppressed.contains(&event);
        if is_paused { Standing::Paused } else { Standing::Going }
    }

    fn is_acknowledged(&self, event: EventId) -> bool {
        self.acknowledged.contains(&event)
    }

    fn period_s(&self, text: &str, _: EventId) -> Option<i64> {
        if text.starts_with("{$") {
            return self.macros.get(text).copied();
        }
        match text.strip_suffix('m') {
            Some(minutes) => minutes.parse::<i64>().ok().map(|it| it * 60),
            None => text.parse().ok(),
        }
    }

    fn involved(&self, action: u64, event: EventId) -> Vec<Involved> {
        let of = self.alerts.iter().filter(|it| it.action == action && it.about() == event);
        of.filter_map(Involved::by).collect()
    }

    fn send(&mut self, message: &MessageStep<'_>) -> Vec<Alert> {
        self.n_asked += 1;
        assert_eq!(*message.text, MessageText::Default);
        let users: Vec<UserId> = match message.to {
            MessageTo::Named { users, .. } => users.to_vec(),
            MessageTo::Involved(list) => {
                list.iter().map(|it| it.user).collect::<BTreeSet<_>>().into_iter().collect()
            }
        };
        let alert = self.alert(&message.of);
        users.into_iter().map(|user| Alert { user, ..alert.clone() }).collect()
    }

    fn command(&mut self, of: &Occasion<'_>, what: &CommandOperation) -> Vec<Alert> {
        let current = what.is_on_current.then_some(HostId::NONE);
        let alert = |host| Alert {
            media_type: 0,
            kind: AlertKind::Command,
            parameters: CommandTarget { script: what.script, host }.to_json(),
            ..self.alert(of)
        };
        current.into_iter().chain(what.hosts.iter().copied()).map(alert).collect()
    }

    fn change_host(&mut self, of: &Occasion<'_>, what: &[&HostOperation]) {
        let names: Vec<&str> = what.iter().map(|it| it.name()).collect();
        self.of_hosts.push(format!("{}: {}", of.event.0, names.join(", ")));
    }
}

/// A world with its escalations.
#[derive(Clone, Debug, Default)]
pub(super) struct Play {
    pub(super) world: Known,
    escalations: Escalations,
}

impl Play {
    pub(super) fn new(actions: &[Json]) -> Self {
        let read = |(body, id): (&Json, u64)| {
            Arc::new(Action::read(id, body.as_object().expect("an object"), &[]))
        };
        let mut play = Self::default();
        play.world.actions = actions.iter().zip(1..).map(read).collect();
        play
    }

    pub(super) fn running(&self) -> &Escalations {
        &self.escalations
    }

    pub(super) fn problem(&mut self, event: u64) {
        let now = self.world.now;
        self.escalations.problem(EventId(event), &mut self.world, now);
        self.commit();
    }

    pub(super) fn recovery(&mut self, problem: u64, recovery: u64) {
        let ids = (EventId(problem), EventId(recovery));
        self.escalations.recovery(ids, &mut self.world);
        self.commit();
    }

    pub(super) fn update(&mut self, entry: UpdateEntry) {
        self.escalations.update(&entry, &mut self.world);
        self.commit();
    }

    pub(super) fn sweep(&mut self) {
        self.escalations.sweep(&mut self.world);
        self.commit();
    }

    /// One turn at a time.
    pub(super) fn at(&mut self, now: i64) {
        self.world.now = now;
        self.escalations.tick(&mut self.world, now);
        self.commit();
    }

    /// A turn whenever something is due.
    pub(super) fn until(&mut self, end: i64) {
        while let Some(due) = self.escalations.next_due().filter(|it| *it <= end) {
            self.at(due.max(self.world.now));
        }
        self.world.now = end;
    }

    pub(super) fn commit(&mut self) {
        let batch = self.escalations.take_batch();
        self.world.alerts.extend(batch.alerts);
    }

    pub(super) fn clear(&mut self) {
        self.world.alerts.clear();
    }

    pub(super) fn sent(&self) -> Vec<String> {
        let line = |it: &Alert| match it.kind {
            AlertKind::Message => format!("{} {} to {}", it.clock, it.subject, it.user.0),
            AlertKind::Command => {
                let host = CommandTarget::read(&it.parameters).expect("as it was made").host;
                format!("{} {} on {}", it.clock, it.subject, host.0)
            }
        };
        self.world.alerts.iter().map(line).collect()
    }
}
