//! Events whose names wait, as records and checkpoints have them.
//!
//! What is known at the moment of the event is written: operational data, tags, pieces of the name,
//! values of macros. Operands of the others are looked for anew after a crash, at the event's moment.

use model::TriggerId;
use model::content::{Severity, Tag};
use model::record::{self, HeldPart, HeldRow, HeldValue, HeldWhat};

use super::draft::{Decision, Draft, MacroState, MacroValue, Part, What};
use crate::effects::{Event, EventKind};

/// An event that waits for its name.
#[derive(Clone, PartialEq, Debug)]
pub struct HeldEvent {
    trigger: TriggerId,
    decision: Decision,
    severity: Severity,
    opdata: String,
    tags: Vec<Tag>,
    name: Vec<NamePart>,
}

#[derive(Clone, PartialEq, Debug)]
enum NamePart {
    Text(String),
    Macro(Box<str>, Known, Option<(String, String)>),
}

#[derive(Clone, PartialEq, Debug)]
enum Known {
    Not,
    Text(String),
    Never,
}

impl NamePart {
    fn row(&self) -> HeldPart<'_> {
        match self {
            Self::Text(it) => HeldPart::Text(it),
            Self::Macro(text, known, function) => {
                let value = match known {
                    Known::Not => HeldValue::Open,
                    Known::Text(it) => HeldValue::Known(it),
                    Known::Never => HeldValue::Unknown,
                };
                let function = function.as_ref();
                let function = function.map(|(name, params)| (name.as_str(), params.as_str()));
                HeldPart::Macro(text, value, function)
            }
        }
    }
}

impl HeldEvent {
    pub(super) fn of(draft: &Draft, decision: Decision) -> Self {
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
        Self {
            trigger: draft.event.trigger,
            decision,
            severity: draft.event.severity,
            opdata: draft.event.opdata.clone(),
            tags: draft.event.tags.clone(),
            name: draft.name.iter().map(part).collect(),
        }
    }

    pub(super) fn decision(&self) -> Decision {
        self.decision
    }

    /// As a row of a record.
    pub(in super::super) fn row(&self) -> HeldRow<'_> {
        HeldRow::Waits(record::HeldEvent {
            trigger: self.trigger,
            time: self.decision.time,
            problem: self.decision.is_problem,
            what: match self.decision.what {
                What::Problem => HeldWhat::Problem,
                What::Recovery => HeldWhat::Recovery,
                What::Closing(event, user) => HeldWhat::Closing(event, user),
            },
            severity: self.severity,
            opdata: &self.opdata,
            tags: self.tags.iter().map(|it| (it.tag.as_str(), it.value.as_str())).collect(),
            name: self.name.iter().map(NamePart::row).collect(),
        })
    }

    pub(in super::super) fn read(row: &record::HeldEvent<'_>) -> Self {
        let part = |it: &HeldPart<'_>| match it {
            HeldPart::Text(it) => NamePart::Text((*it).to_owned()),
            HeldPart::Macro(text, value, function) => {
                let known = match value {
                    HeldValue::Open => Known::Not,
                    HeldValue::Known(it) => Known::Text((*it).to_owned()),
                    HeldValue::Unknown => Known::Never,
                };
                let function = function.map(|(name, params)| (name.to_owned(), params.to_owned()));
                NamePart::Macro((*text).into(), known, function)
            }
        };
        let tag = |it: &(&str, &str)| Tag { tag: it.0.to_owned(), value: it.1.to_owned() };
        let what = match row.what {
            HeldWhat::Problem => What::Problem,
            HeldWhat::Recovery => What::Recovery,
            HeldWhat::Closing(event, user) => What::Closing(event, user),
        };
        let decision = Decision { time: row.time, what, is_problem: row.problem };
        Self {
            trigger: row.trigger,
            decision,
            severity: row.severity,
            opdata: row.opdata.to_owned(),
            tags: row.tags.iter().map(tag).collect(),
            name: row.name.iter().map(part).collect(),
        }
    }

    /// The event as it waits: what is not known of its name is still to be found.
    pub(super) fn draft(&self, host: model::HostId) -> Draft {
        let mut values: Vec<MacroValue> = Vec::new();
        let mut name = Vec::with_capacity(self.name.len());
        for part in &self.name {
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
        let event = Event {
            trigger: self.trigger,
            host,
            time: self.decision.time,
            // Told when it is made.
            kind: EventKind::Problem,
            is_problem: false,
            severity: self.severity,
            name: String::new(),
            opdata: self.opdata.clone(),
            tags: self.tags.clone(),
        };
        Draft { event, name, values }
    }
}
