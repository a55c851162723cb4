//! Events whose names wait, as records and checkpoints have them.
//!
//! The data known at the time of the event is written: operational data, tags, pieces of the name,
//! values of macros. Operands of the others are looked for again after a crash, at the event's
//! time.

use model::content::{Severity, Tag};
use model::record::{self, EventAwaitingNameRow, EventDecision, EventNameMacro, EventNamePart};
use model::{EventId, Time, TriggerId, UserId};

/// The change of a trigger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Decision {
    pub(crate) time: Time,
    pub(crate) what: What,
    /// Whether it is in PROBLEM from then on.
    pub(crate) is_problem: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    Problem,
    Recovery,
    /// A user closes this problem manually.
    Closing(EventId, UserId),
}

/// An event that waits for its name.
#[derive(Clone, PartialEq, Debug)]
pub struct UnnamedEvent {
    pub(crate) trigger: TriggerId,
    pub(crate) decision: Decision,
    pub(crate) severity: Severity,
    pub(crate) opdata: String,
    pub(crate) tags: Vec<Tag>,
    pub(crate) name: Vec<NamePart>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum NamePart {
    Text(String),
    Macro(Box<str>, Known, Option<(String, String)>),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Known {
    Not,
    Text(String),
    Never,
}

impl NamePart {
    fn row(&self) -> EventNamePart<'_> {
        match self {
            Self::Text(it) => EventNamePart::Text(it),
            Self::Macro(text, known, function) => {
                let value = match known {
                    Known::Not => EventNameMacro::Open,
                    Known::Text(it) => EventNameMacro::Known(it),
                    Known::Never => EventNameMacro::Unknown,
                };
                let function = function.as_ref();
                let function = function.map(|(name, params)| (name.as_str(), params.as_str()));
                EventNamePart::Macro(text, value, function)
            }
        }
    }
}

impl UnnamedEvent {
    pub(crate) fn decision(&self) -> Decision {
        self.decision
    }

    /// As a row of a record.
    pub(crate) fn row(&self) -> EventAwaitingNameRow<'_> {
        EventAwaitingNameRow::Waits(record::EventAwaitingName {
            trigger: self.trigger,
            time: self.decision.time,
            problem: self.decision.is_problem,
            what: match self.decision.what {
                What::Problem => EventDecision::Problem,
                What::Recovery => EventDecision::Recovery,
                What::Closing(event, user) => EventDecision::Closing(event, user),
            },
            severity: self.severity,
            opdata: &self.opdata,
            tags: self.tags.iter().map(|it| (it.tag.as_str(), it.value.as_str())).collect(),
            name: self.name.iter().map(NamePart::row).collect(),
        })
    }

    pub(crate) fn read(row: &record::EventAwaitingName<'_>) -> Self {
        let part = |it: &EventNamePart<'_>| match it {
            EventNamePart::Text(it) => NamePart::Text((*it).to_owned()),
            EventNamePart::Macro(text, value, function) => {
                let known = match value {
                    EventNameMacro::Open => Known::Not,
                    EventNameMacro::Known(it) => Known::Text((*it).to_owned()),
                    EventNameMacro::Unknown => Known::Never,
                };
                let function = function.map(|(name, params)| (name.to_owned(), params.to_owned()));
                NamePart::Macro((*text).into(), known, function)
            }
        };
        let tag = |it: &(&str, &str)| Tag { tag: it.0.to_owned(), value: it.1.to_owned() };
        let what = match row.what {
            EventDecision::Problem => What::Problem,
            EventDecision::Recovery => What::Recovery,
            EventDecision::Closing(event, user) => What::Closing(event, user),
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
}
