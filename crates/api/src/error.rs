//! Errors as JSON-RPC clients of Zabbix know them: code, message and data are protocol, since
//! clients match on all three.

use std::borrow::Cow;

use serde_json::{Value, json};

/// The class of an error: JSON-RPC code and message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Parse,
    InvalidRequest,
    MethodNotFound,
    /// Wrong parameters; also "not logged in".
    InvalidParams,
    Internal,
    /// Permissions, missing objects and everything that went wrong while doing.
    Application,
    /// The store is away.
    System,
}

impl Class {
    #[must_use]
    pub fn code(self) -> i32 {
        match self {
            Self::Parse => -32_700,
            Self::InvalidRequest => -32_600,
            Self::MethodNotFound => -32_601,
            Self::InvalidParams => -32_602,
            Self::Internal => -32_603,
            Self::Application => -32_500,
            Self::System => -32_400,
        }
    }

    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::Parse => "Parse error",
            Self::InvalidRequest => "Invalid request.",
            Self::MethodNotFound => "Method not found.",
            Self::InvalidParams => "Invalid params.",
            Self::Internal => "Internal error.",
            Self::Application => "Application error.",
            Self::System => "System error.",
        }
    }
}

/// An answer that is no result.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{} {data}", class.message())]
pub struct ApiError {
    pub class: Class,
    pub data: Cow<'static, str>,
    /// What was said while a host was asked in vain, for the pages.
    pub exchange: Option<Box<Value>>,
}

impl ApiError {
    pub fn new(class: Class, data: impl Into<Cow<'static, str>>) -> Self {
        Self { class, data: data.into(), exchange: None }
    }

    pub fn params(data: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Class::InvalidParams, data)
    }

    /// `Invalid parameter "PATH": WHAT.` as Zabbix words it.
    #[must_use]
    pub fn field(path: &str, what: &str) -> Self {
        Self::params(format!("Invalid parameter \"{path}\": {what}."))
    }

    pub fn application(data: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Class::Application, data)
    }

    /// The object is not there, or the user may not know that it is.
    #[must_use]
    pub fn no_permissions() -> Self {
        Self::application("No permissions to referred object or it does not exist!")
    }

    #[must_use]
    pub fn not_allowed(method: &str) -> Self {
        Self::application(format!("No permissions to call \"{method}\"."))
    }

    /// A method that needs a session was called without one.
    #[must_use]
    pub fn not_authorized() -> Self {
        Self::params("Not authorized.")
    }

    /// The session or token is unknown, ended or expired.
    #[must_use]
    pub fn session_ended() -> Self {
        Self::params("Session terminated, re-login, please.")
    }

    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({"code": self.class.code(), "message": self.class.message(), "data": self.data})
    }
}
