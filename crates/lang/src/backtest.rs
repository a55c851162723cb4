//! Backtests: the report of a trigger's run over stored values.

use std::sync::Arc;

use model::{EventId, ItemId, Time};

use crate::expression::Value;

/// One function over one item, as a trigger uses it at a point in time.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionNow {
    /// The item whose values it takes.
    pub item: ItemId,
    /// Technical name of the item's host.
    pub host: Arc<str>,
    /// The item's configured key.
    pub key: Arc<str>,
    /// `avg` and its parameters after the item, macros replaced.
    pub function: &'static str,
    /// See `function`.
    pub parameters: Arc<str>,
    /// Its value, or the error that it has instead.
    pub value: Result<Value, String>,
    /// The item's newest value then known.
    pub last: Option<(Time, model::Value)>,
}

/// The trigger fired or recovered.
#[derive(Clone, PartialEq, Debug)]
pub struct Transition {
    /// When it did.
    pub time: Time,
    /// It fired.
    pub is_problem: bool,
    /// Of the event in this run.
    pub event: EventId,
    /// The problems that it closes.
    pub closes: Vec<EventId>,
    /// The trigger is in PROBLEM from then on.
    pub stays_in_problem: bool,
    /// The event's name with its macros.
    pub name: String,
    /// The values of its functions.
    pub functions: Vec<FunctionNow>,
}

/// A time in which the trigger had no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownSpan {
    /// Its first point in time.
    pub from: Time,
    /// The first one with a value again.
    pub until: Time,
    /// Why there was none.
    pub reason: Arc<str>,
}

/// Why a run ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndedBy {
    /// More values than a run takes, or than the caller had.
    Values,
    /// More transitions than a run returns.
    Transitions,
    /// More steps of the shard than a run makes.
    Steps,
    /// The caller said so.
    Caller,
}

/// The result of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BacktestReport {
    /// Whether a problem was open at the beginning.
    pub starts_in_problem: bool,
    /// In order of time.
    pub transitions: Vec<Transition>,
    /// Times in which the expression had no value.
    pub unknown: Vec<UnknownSpan>,
    /// Values fed, those of the lead included.
    pub n_values: usize,
    /// How often the expression was evaluated.
    pub n_evaluations: u64,
    /// The run ended here because of a limit: later changes are not known.
    pub ended_early: Option<(Time, EndedBy)>,
}
