//! From a problem to a message, without sockets, threads or SQL.
//!
//! Three parts, each behind the one before and each a state machine that is given the time:
//! *judging* finds the actions whose conditions an event meets, *escalations* walk through an
//! action's steps and make [`Alert`]s (some of which are held for a *digest*), *delivery* decides
//! which alert is sent when, how often it is tried again, and how many are sent at once. The caller
//! saves their decisions in one transaction a turn, so that a restart repeats no step and loses
//! none ([decision](../../../docs/decisions/0036-alerting.md)).

pub mod action;
mod alert;
mod body;
pub mod correlation;
pub mod delivery;
pub mod digest;
pub mod escalation;
mod event;
mod ipmi_command;
pub mod judging;
pub mod macros;
pub mod operation;

pub use alert::{Alert, AlertKind, AlertStatus, CommandTarget};
pub use event::{EventObject, EventSource, MessageEvent};
pub use ipmi_command::{IpmiCommand, IpmiCommandError};
