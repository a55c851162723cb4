//! Values and what steps remember, as records and checkpoints have them, both ways.

use std::sync::Arc;

use model::batch::RawRef;
use model::record::LogRef;
use model::value::LogEntry;
use model::{Time, Value};
use preprocess::{Data, StepState};

pub(super) fn log_ref(it: &LogEntry) -> LogRef<'_> {
    LogRef {
        source: &it.source,
        timestamp: it.timestamp,
        severity: it.severity,
        logeventid: it.logeventid,
    }
}

/// The other way round.
pub(super) fn log_entry(text: &str, log: &LogRef<'_>) -> LogEntry {
    LogEntry {
        value: text.to_owned(),
        source: log.source.to_owned(),
        timestamp: log.timestamp,
        severity: log.severity,
        logeventid: log.logeventid,
    }
}

pub(super) fn log_value(text: &str, log: &LogRef<'_>) -> Value {
    Value::Log(Arc::new(log_entry(text, log)))
}

/// The state of a step, as raw value with its time.
pub(super) fn remembered(state: &StepState) -> Option<(Time, RawRef<'_>)> {
    let (data, time) = state.last()?;
    let raw = match data {
        Data::Float(it) => RawRef::Float(*it),
        Data::Unsigned(it) => RawRef::Unsigned(*it),
        Data::Text(it) => RawRef::Text(it),
    };
    Some((*time, raw))
}

/// The other way round; anything but a value means that the step has forgotten.
pub(super) fn step_state(time: Time, value: RawRef<'_>) -> StepState {
    match value {
        RawRef::Float(it) => StepState::new(Data::Float(it), time),
        RawRef::Unsigned(it) => StepState::new(Data::Unsigned(it), time),
        RawRef::Text(it) => StepState::new(Data::text(it.to_owned()), time),
        RawRef::Error(_) | RawRef::Nothing => StepState::default(),
    }
}
