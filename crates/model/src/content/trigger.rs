//! Triggers and trigger prototypes.

use serde::{Deserialize, Serialize};

use super::{Tag, codes, flag, overrides};
use crate::{ItemId, TriggerId};

codes! {
    pub enum Severity {
        NotClassified = 0,
        Information = 1,
        Warning = 2,
        Average = 3,
        High = 4,
        Disaster = 5,
    }
}

codes! {
    pub enum TriggerStatus { Enabled = 0, Disabled = 1 }
}

codes! {
    pub enum RecoveryMode { Expression = 0, RecoveryExpression = 1, None = 2 }
}

codes! {
    pub enum CorrelationMode { All = 0, Tag = 1 }
}

/// One history function of an expression. The expression's text holds `{N}`, N being the position
/// in the list; the API shows it as `{functionid}` ([`crate::function_id`]).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct FunctionRef {
    /// The item as the holder knew it where the expression was written.
    pub item: ItemId,
    pub function: String,
    /// Everything between the parentheses, the item query being `$`: `$,5m:now-1d`.
    pub parameter: String,
}

/// The content of a trigger or trigger prototype.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct TriggerContent {
    /// The trigger's name.
    pub description: String,
    /// Stored form: history functions as `{N}`, numbered over both expressions.
    pub expression: String,
    /// Stored form, used with [`RecoveryMode::RecoveryExpression`].
    pub recovery_expression: String,
    pub functions: Vec<FunctionRef>,
    pub event_name: String,
    pub opdata: String,
    pub comments: String,
    pub url: String,
    pub url_name: String,
    pub priority: Severity,
    pub status: TriggerStatus,
    pub recovery_mode: RecoveryMode,
    /// Each PROBLEM result makes an event (`type` 1 of the API).
    #[serde(rename = "type", with = "flag")]
    pub multiple: bool,
    #[serde(with = "flag")]
    pub manual_close: bool,
    pub correlation_mode: CorrelationMode,
    pub correlation_tag: String,
    pub tags: Vec<Tag>,
    /// Triggers that this one depends on, as known where the content was written.
    pub dependencies: Vec<TriggerId>,
    pub uuid: String,
    /// The rule of a prototype; 0 otherwise.
    pub ruleid: ItemId,
    /// Of a prototype: rows of the rule make triggers. The API writes it 0 for yes.
    pub discover: bool,
}

impl Default for TriggerContent {
    fn default() -> Self {
        Self {
            description: String::new(),
            expression: String::new(),
            recovery_expression: String::new(),
            functions: Vec::new(),
            event_name: String::new(),
            opdata: String::new(),
            comments: String::new(),
            url: String::new(),
            url_name: String::new(),
            priority: Severity::NotClassified,
            status: TriggerStatus::Enabled,
            recovery_mode: RecoveryMode::Expression,
            multiple: false,
            manual_close: false,
            correlation_mode: CorrelationMode::All,
            correlation_tag: String::new(),
            tags: Vec::new(),
            dependencies: Vec::new(),
            uuid: String::new(),
            ruleid: ItemId::NONE,
            discover: true,
        }
    }
}

overrides! {
    /// A user's changes of an inherited trigger. Name, expressions, correlation and manual close belong to
    /// the template.
    pub struct TriggerOverrides of TriggerContent {
        event_name: String,
        opdata: String,
        comments: String,
        url: String,
        url_name: String,
        priority: Severity,
        status: TriggerStatus,
        #[serde(rename = "type")]
        multiple: bool,
        tags: Vec<Tag>,
        dependencies: Vec<TriggerId>,
        discover: bool,
    }
}
