//! Errors as JSON-RPC clients of Zabbix know them: code, message and data are protocol, since
//! clients match on all three.

use std::borrow::Cow;
use std::fmt;

use model::field_path::FieldPath;
use serde_json::{Value, json};

/// The class of an error: JSON-RPC code and message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorClass {
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

impl ErrorClass {
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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiError {
    pub class: ErrorClass,
    /// The parameter that is wrong, if it is one: the sentence about it is written when it is answered.
    path: Option<FieldPath>,
    what: Cow<'static, str>,
    /// The exchange with a host that failed, for the pages.
    pub exchange: Option<Box<Value>>,
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.class.message(), self.data())
    }
}

impl std::error::Error for ApiError {}

/// A parameter of a method, by its name.
pub(crate) fn param(name: &str) -> FieldPath {
    FieldPath::root().member(name)
}

impl ApiError {
    pub fn new(class: ErrorClass, data: impl Into<Cow<'static, str>>) -> Self {
        Self { class, path: None, what: data.into(), exchange: None }
    }

    /// The sentence that clients match.
    #[must_use]
    pub fn data(&self) -> Cow<'_, str> {
        match &self.path {
            Some(path) => Cow::Owned(format!("Invalid parameter \"{path}\": {}.", self.what)),
            None => Cow::Borrowed(&self.what),
        }
    }

    /// The same error of another class.
    #[must_use]
    pub fn of_class(self, class: ErrorClass) -> Self {
        Self { class, ..self }
    }

    pub fn params(data: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorClass::InvalidParams, data)
    }

    /// Adds the exchange with a host.
    #[must_use]
    pub fn with_exchange(self, exchange: Option<Value>) -> Self {
        Self { exchange: exchange.map(Box::new), ..self }
    }

    /// `Invalid parameter "PATH": WHAT.` as Zabbix words it.
    #[must_use]
    pub fn field(path: impl Into<FieldPath>, what: &str) -> Self {
        Self { path: Some(path.into()), ..Self::params(what.to_owned()) }
    }

    /// A parameter that is required below this path.
    #[must_use]
    pub fn missing(path: impl Into<FieldPath>, name: &str) -> Self {
        Self::field(path, &format!("the parameter \"{name}\" is missing"))
    }

    /// A parameter that does not belong below this path.
    #[must_use]
    pub fn unexpected(path: impl Into<FieldPath>, name: &str) -> Self {
        Self::field(path, &format!("unexpected parameter \"{name}\""))
    }

    pub fn application(data: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorClass::Application, data)
    }

    /// The object does not exist, or the user may not know that it does.
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
        json!({"code": self.class.code(), "message": self.class.message(), "data": self.data()})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_about_a_parameter_is_written_of_its_path() {
        let step = FieldPath::object(1).member("steps").element(0);
        let error = ApiError::missing(&step, "url");
        let expected = "Invalid parameter \"/2/steps/1\": the parameter \"url\" is missing.";
        assert_eq!((error.class, &*error.data()), (ErrorClass::InvalidParams, expected));
        let error = ApiError::field(param("limit"), "an integer is expected");
        let error = error.of_class(ErrorClass::InvalidRequest).to_json();
        assert_eq!(error["data"], "Invalid parameter \"/limit\": an integer is expected.");
        assert_eq!(error["code"], -32_600);
    }

    #[test]
    fn a_refused_edit_keeps_the_path_of_its_field() {
        let refused =
            db::ConfigError::invalid(FieldPath::object(0).member("name"), "cannot be empty")
                .in_object(3);
        let error = ApiError::from(refused);
        assert_eq!(error, ApiError::field(FieldPath::object(2).member("name"), "cannot be empty"));
        assert_eq!(error.data(), "Invalid parameter \"/3/name\": cannot be empty.");
    }
}
