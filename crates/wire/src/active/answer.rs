//! The list of checks, and its refusals.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::command::Command;
use super::{ActiveMessageError, to_json};
use crate::sender::{Redirect, encode_failed, encode_redirect};
use crate::{Version, lenient};

/// Answer to [`super::ChecksRequest`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChecksAnswer<'a> {
    List(CheckList<'a>),
    /// Such as `host [web1] not found`; the agent asks again in a minute.
    Failed {
        info: Cow<'a, str>,
    },
    /// Another server of the group is responsible.
    Redirect(Redirect),
}

/// The agent's list of checks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckList<'a> {
    /// Revision of this list. Goes with `checks`, towards peers that sent a session.
    pub config_revision: Option<u64>,
    /// `None`: the agent keeps its list.
    pub checks: Option<Vec<Check<'a>>>,
    /// All expressions of the global regular expressions that the keys name.
    pub regexps: Vec<Regexp<'a>>,
    pub commands: Vec<Command<'a>>,
    /// Stop sending values for now.
    pub upload_disabled: bool,
}

/// An item to check.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Check<'a> {
    /// With macros expanded.
    pub key: Cow<'a, str>,
    /// With macros unexpanded; sent in the old form where it differs from `key`.
    #[serde(default)]
    pub key_orig: Option<Cow<'a, str>>,
    /// 0 in an answer of the old form.
    #[serde(default, deserialize_with = "lenient::whole_or_zero")]
    pub itemid: u64,
    /// As configured, flexible and scheduling intervals included.
    #[serde(deserialize_with = "text_cow")]
    pub delay: Cow<'a, str>,
    /// Seconds between checks for old agents; 0 when `delay` is more than a plain interval, which
    /// they do not support. Not read back from an answer.
    #[serde(skip)]
    pub delay_s: u32,
    /// Position in the log file, in bytes.
    #[serde(default, deserialize_with = "lenient::whole_or_zero")]
    pub lastlogsize: u64,
    /// Modification time of the log file, seconds since 1970.
    #[serde(default, deserialize_with = "lenient::whole_or_zero")]
    pub mtime: u64,
    /// Such as `3s`; since 7.0.
    #[serde(default)]
    pub timeout: Option<Cow<'a, str>>,
}

fn text_cow<'de, D: serde::Deserializer<'de>>(source: D) -> Result<Cow<'static, str>, D::Error> {
    lenient::text_or_empty(source).map(Cow::Owned)
}

/// One expression of a global regular expression.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Regexp<'a> {
    /// Of the global regular expression; several expressions share it.
    pub name: Cow<'a, str>,
    pub expression: Cow<'a, str>,
    pub expression_type: ExpressionKind,
    /// Between the strings of [`ExpressionKind::AnyIncluded`].
    pub exp_delimiter: Cow<'a, str>,
    /// 1 or 0.
    pub case_sensitive: u8,
}

/// How an expression is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum ExpressionKind {
    Included,
    AnyIncluded,
    NotIncluded,
    True,
    False,
}

impl From<ExpressionKind> for u8 {
    fn from(kind: ExpressionKind) -> Self {
        match kind {
            ExpressionKind::Included => 0,
            ExpressionKind::AnyIncluded => 1,
            ExpressionKind::NotIncluded => 2,
            ExpressionKind::True => 3,
            ExpressionKind::False => 4,
        }
    }
}

impl TryFrom<u8> for ExpressionKind {
    type Error = UnknownExpressionKind;

    fn try_from(code: u8) -> Result<Self, Self::Error> {
        Ok(match code {
            0 => Self::Included,
            1 => Self::AnyIncluded,
            2 => Self::NotIncluded,
            3 => Self::True,
            4 => Self::False,
            _ => return Err(UnknownExpressionKind(code)),
        })
    }
}

/// A code that no kind of expression has.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq, Eq)]
#[error("unknown expression type {0}")]
pub struct UnknownExpressionKind(u8);

/// Period in seconds after which these old agents retried unsupported items; the server sends it.
const REFRESH_UNSUPPORTED_S: u32 = 600;

impl<'a> ChecksAnswer<'a> {
    /// Server's side: the answer in the form that a peer of this version reads.
    #[must_use]
    pub fn encode(&self, peer: Version) -> Vec<u8> {
        match self {
            Self::List(list) => list.encode(peer),
            Self::Failed { info } => encode_failed(info),
            Self::Redirect(redirect) => encode_redirect(redirect),
        }
    }

    /// Agent's side.
    ///
    /// # Errors
    /// When the payload is not an answer of this protocol.
    pub fn parse(payload: &[u8]) -> Result<ChecksAnswer<'static>, ActiveMessageError> {
        #[derive(Deserialize)]
        struct Shape {
            response: String,
            #[serde(default)]
            info: Option<String>,
            #[serde(default)]
            redirect: Option<Redirect>,
            #[serde(default, deserialize_with = "lenient::whole")]
            config_revision: Option<u64>,
            #[serde(default)]
            data: Option<Vec<Check<'static>>>,
            #[serde(default, alias = "regexps")]
            regexp: Vec<Regexp<'static>>,
            #[serde(default)]
            commands: Vec<Command<'static>>,
            #[serde(default)]
            upload: Option<String>,
        }
        let shape: Shape = lenient::parse_object(payload)?;
        match (shape.response.as_str(), shape.redirect) {
            (_, Some(redirect)) => Ok(ChecksAnswer::Redirect(redirect)),
            ("success", None) => Ok(ChecksAnswer::List(CheckList {
                config_revision: shape.config_revision,
                checks: shape.data,
                regexps: shape.regexp,
                commands: shape.commands,
                upload_disabled: shape.upload.as_deref() == Some("disabled"),
            })),
            ("failed", None) => {
                Ok(ChecksAnswer::Failed { info: shape.info.unwrap_or_default().into() })
            }
            _ => Err(ActiveMessageError::UnknownResponse(shape.response)),
        }
    }
}

impl CheckList<'_> {
    fn encode(&self, peer: Version) -> Vec<u8> {
        let mut object = Map::new();
        object.insert("response".to_owned(), "success".into());
        if self.upload_disabled {
            object.insert("upload".to_owned(), "disabled".into());
        }
        if let Some(revision) = self.config_revision {
            object.insert("config_revision".to_owned(), revision.into());
        }
        if let Some(checks) = &self.checks {
            let rows = checks.iter().map(|it| it.to_json(peer)).collect();
            object.insert("data".to_owned(), Value::Array(rows));
        }
        if let Some(seconds) = refreshes_unsupported(peer) {
            object.insert("refresh_unsupported".to_owned(), seconds.into());
        }
        if !self.regexps.is_empty() {
            object.insert("regexp".to_owned(), as_value(&self.regexps));
        }
        if !self.commands.is_empty() {
            object.insert("commands".to_owned(), as_value(&self.commands));
        }
        to_json(&object)
    }
}

/// In seconds, for the versions that expect it.
pub(super) fn refreshes_unsupported(peer: Version) -> Option<u32> {
    matches!((peer.major, peer.minor), (4, 4) | (5, 0)).then_some(REFRESH_UNSUPPORTED_S)
}

pub(super) fn as_value<T: Serialize>(rows: &[T]) -> Value {
    serde_json::to_value(rows).expect("these rows hold nothing that JSON can't")
}

impl Check<'_> {
    pub(super) fn to_json(&self, peer: Version) -> Value {
        let mut row = Map::new();
        row.insert("key".to_owned(), self.key.as_ref().into());
        if peer.is_by_itemid() {
            row.insert("itemid".to_owned(), self.itemid.into());
            row.insert("delay".to_owned(), self.delay.as_ref().into());
        } else {
            if let Some(key_orig) = self.key_orig.as_deref().filter(|it| *it != self.key) {
                row.insert("key_orig".to_owned(), key_orig.into());
            }
            row.insert("delay".to_owned(), self.delay_s.into());
        }
        row.insert("lastlogsize".to_owned(), self.lastlogsize.into());
        row.insert("mtime".to_owned(), self.mtime.into());
        if let Some(timeout) = self.timeout.as_deref().filter(|_| peer >= Version::WITH_TIMEOUTS) {
            row.insert("timeout".to_owned(), timeout.into());
        }
        Value::Object(row)
    }
}
