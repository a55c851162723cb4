//! Actions as they run: parsed once from the configuration.

use lang::macros::UserMacro;
use model::content::GlobalRegexp;
use model::document::Body;
use serde_json::Value as Json;

use crate::EventSource;
use crate::body::{number_of, parts, text_of};
use crate::judging::{ActionFilter, Condition, ConditionKind, ConditionOperator, EvalType};
use crate::operation::{Operation, read_operation};

/// An action.
#[derive(Clone, Debug)]
pub struct Action {
    pub id: u64,
    pub name: String,
    pub source: EventSource,
    pub is_enabled: bool,
    /// How long a step lasts: seconds with a unit, or a user macro.
    pub period: String,
    /// Steps wait while the problem is suppressed.
    pub pauses_suppressed: bool,
    /// Steps wait while the problem is a symptom of another one.
    pub pauses_symptoms: bool,
    pub notifies_if_canceled: bool,
    pub filter: ActionFilter,
    pub steps: Vec<StepOperation>,
    pub recovery: Vec<Operation>,
    pub update: Vec<Operation>,
}

/// The operations of some steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepOperation {
    pub what: Operation,
    /// How long its steps last: as [`Action::period`], or 0 for that of the action.
    pub period: String,
    /// The first step, from 1.
    pub from: u32,
    /// The last step; 0: there is none.
    pub to: u32,
    pub condition: AcknowledgedCondition,
}

impl StepOperation {
    #[must_use]
    pub const fn is_at(&self, step: u32) -> bool {
        self.from <= step && (self.to == 0 || step <= self.to)
    }
}

/// Whether a problem has to be acknowledged, or must not be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AcknowledgedCondition {
    /// All of them, or one of them.
    pub needs_all: bool,
    pub values: Vec<bool>,
}

impl AcknowledgedCondition {
    #[must_use]
    pub fn is_met(&self, is_acknowledged: bool) -> bool {
        let is_same = |it: &bool| *it == is_acknowledged;
        match self.needs_all {
            true => self.values.iter().all(is_same),
            false => self.values.is_empty() || self.values.iter().any(is_same),
        }
    }
}

impl Action {
    /// Reads the body of a document, which was checked when it was saved. `regexps`: the global regular
    /// expressions, by which conditions may name patterns.
    #[must_use]
    pub fn read(id: u64, body: &Body, regexps: &[GlobalRegexp]) -> Self {
        let none = Body::new();
        let filter = body.get("filter").and_then(Json::as_object).unwrap_or(&none);
        let source = EventSource::from_code(number_of(body, "eventsource"));
        Self {
            id,
            name: text_of(body, "name").to_owned(),
            source: source.unwrap_or(EventSource::Trigger),
            is_enabled: text_of(body, "status") != "1",
            period: text_of(body, "esc_period").to_owned(),
            pauses_suppressed: text_of(body, "pause_suppressed") != "0",
            pauses_symptoms: text_of(body, "pause_symptoms") != "0",
            notifies_if_canceled: text_of(body, "notify_if_canceled") != "0",
            filter: read_filter(filter, regexps),
            steps: parts(body, "operations").filter_map(step).collect(),
            recovery: parts(body, "recovery_operations").filter_map(read_operation).collect(),
            update: parts(body, "update_operations").filter_map(read_operation).collect(),
        }
    }

    /// Whether some operation is done at a later step than this one.
    #[must_use]
    pub fn has_steps_after(&self, step: u32) -> bool {
        self.steps.iter().any(|it| it.to == 0 || step < it.to)
    }
}

/// Whether a period is written as a macro.
#[must_use]
pub fn is_macro(period: &str) -> bool {
    UserMacro::parse_definition(period).is_some()
}

fn read_filter(filter: &Body, regexps: &[GlobalRegexp]) -> ActionFilter {
    let conditions = parts(filter, "conditions").map(|it| {
        let kind = ConditionKind::from_code(number_of(it, "conditiontype"));
        let operator = ConditionOperator::from_code(number_of(it, "operator"));
        let condition = match (kind, operator) {
            (Some(kind), Some(operator)) => {
                let values = (text_of(it, "value"), text_of(it, "value2"));
                Condition::new(kind, operator, values, regexps)
            }
            _ => Err("there is no such condition".to_owned()),
        };
        (text_of(it, "formulaid").to_owned(), condition)
    });
    let evaltype = EvalType::from_code(number_of(filter, "evaltype")).unwrap_or_default();
    ActionFilter::new(evaltype, text_of(filter, "formula"), conditions.collect())
}

fn step(operation: &Body) -> Option<StepOperation> {
    let values = parts(operation, "opconditions").map(|it| text_of(it, "value") == "1");
    Some(StepOperation {
        what: read_operation(operation)?,
        period: text_of(operation, "esc_period").to_owned(),
        from: number_of::<u32>(operation, "esc_step_from").max(1),
        // Of sources without steps it is left out.
        to: match text_of(operation, "esc_step_to") {
            "" => 1,
            it => it.parse().unwrap_or(1),
        },
        condition: AcknowledgedCondition {
            needs_all: text_of(operation, "evaltype") == "1",
            values: values.collect(),
        },
    })
}
