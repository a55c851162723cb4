//! Questions of escalations to their surroundings.

use std::sync::Arc;

use model::{EventId, UserGroupId, UserId};

use super::state::Involved;
use crate::Alert;
use crate::action::Action;
use crate::operation::{CommandOperation, HostOperation, MessageText};

/// Whether an escalation continues.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Standing {
    Going,
    /// The problem is suppressed or a symptom, or waits for another one to be over.
    Paused,
    /// No more messages: the action, trigger, item or host was disabled. The reason is sent to the
    /// recipients of earlier messages.
    Canceled(String),
    /// There is no such problem any more, and nobody to ask of it.
    Gone,
}

/// When something of an action is done.
#[derive(Clone, Copy, Debug)]
pub struct Occasion<'a> {
    pub action: &'a Action,
    /// The problem, also in messages about its recovery.
    pub event: EventId,
    /// 0 of recoveries and updates.
    pub step: u32,
    pub mode: MessageMode<'a>,
}

/// A message to send: the world finds its recipients, their media and its text.
#[derive(Clone, Copy, Debug)]
pub struct MessageStep<'a> {
    pub of: Occasion<'a>,
    pub to: MessageTo<'a>,
    /// 0: all.
    pub media_type: u64,
    pub text: &'a MessageText,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageMode<'a> {
    Problem,
    /// The event that ended the problem.
    Recovery(EventId),
    Update {
        acknowledge: u64,
        author: UserId,
    },
    Canceled {
        reason: &'a str,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageTo<'a> {
    Named { users: &'a [UserId], groups: &'a [UserGroupId], oncall: &'a [u64] },
    Involved(&'a [Involved]),
}

/// Configuration, problems and users as they are in a turn.
pub trait EscalationWorld {
    /// An action by id, enabled or not.
    fn action(&self, id: u64) -> Option<Arc<Action>>;

    /// The enabled actions whose conditions an event meets, by id.
    fn concerned_by(&mut self, event: EventId) -> Vec<Arc<Action>>;

    fn standing(&self, event: EventId, action: &Action) -> Standing;

    fn is_acknowledged(&self, event: EventId) -> bool;

    /// Seconds of a period in which a macro may stand; `None`: it cannot be read.
    fn period_s(&self, text: &str, event: EventId) -> Option<i64>;

    /// Recipients of messages of an action about a problem in earlier turns.
    fn involved(&self, action: u64, event: EventId) -> Vec<Involved>;

    /// The alerts that a message makes.
    fn send(&mut self, message: &MessageStep<'_>) -> Vec<Alert>;

    /// The alerts that a command makes: one for each host where it is to be executed.
    fn command(&mut self, of: &Occasion<'_>, what: &CommandOperation) -> Vec<Alert>;

    /// Takes the operations on the host of an event, in this order. They have to be executed before
    /// the turn is saved, and come again if that fails.
    fn change_host(&mut self, of: &Occasion<'_>, what: &[&HostOperation]);
}
