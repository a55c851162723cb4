//! From an event on its way to one that is written, and back.

use model::HostId;

use super::draft::{Draft, MacroState, MacroValue, Part};
use crate::effects::{StepEventKind, TriggerEvent};
use crate::event_awaiting_name::{Decision, Known, NamePart, UnnamedEvent};

/// As it is written.
pub(super) fn written(draft: &Draft, decision: Decision) -> UnnamedEvent {
    let part = |it: &Part| match it {
        Part::Text(it) => NamePart::Text(it.clone()),
        Part::Macro(at, function) => {
            let value = draft.values.get(*at);
            let known = match value.map(|it| &it.state) {
                Some(MacroState::Open(_)) => Known::Not,
                Some(MacroState::Text(it)) => Known::Text(it.clone()),
                Some(MacroState::Unknown) | None => Known::Never,
            };
            let text = value.map(|it| it.text.clone()).unwrap_or_default();
            NamePart::Macro(text, known, function.clone())
        }
    };
    UnnamedEvent {
        trigger: draft.event.trigger,
        decision,
        severity: draft.event.severity,
        opdata: draft.event.opdata.clone(),
        tags: draft.event.tags.clone(),
        name: draft.name.iter().map(part).collect(),
    }
}

/// The event as it waits: unknown parts of its name are still to be found.
pub(super) fn draft(awaiting: &UnnamedEvent, host: HostId) -> Draft {
    let mut values: Vec<MacroValue> = Vec::new();
    let mut name = Vec::with_capacity(awaiting.name.len());
    for part in &awaiting.name {
        name.push(match part {
            NamePart::Text(it) => Part::Text(it.clone()),
            NamePart::Macro(text, known, function) => {
                let at = values.iter().position(|it| it.text == *text);
                let at = at.unwrap_or_else(|| {
                    let state = match known {
                        Known::Not => MacroState::Open(Vec::new()),
                        Known::Text(it) => MacroState::Text(it.clone()),
                        Known::Never => MacroState::Unknown,
                    };
                    values.push(MacroValue { text: text.clone(), state });
                    values.len() - 1
                });
                Part::Macro(at, function.clone())
            }
        });
    }
    let event = TriggerEvent {
        trigger: awaiting.trigger,
        host,
        time: awaiting.decision.time,
        // Set when the event is made.
        kind: StepEventKind::Problem,
        is_problem: false,
        severity: awaiting.severity,
        name: String::new(),
        opdata: awaiting.opdata.clone(),
        tags: awaiting.tags.clone(),
    };
    Draft { event, name, values }
}
