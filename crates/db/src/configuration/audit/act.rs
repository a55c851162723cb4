//! An action, its user, and the address.

use model::UserId;
use serde_json::{Map as JsonMap, Value as Json};

/// Actions, with Zabbix's codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AuditAction {
    Add = 0,
    Update = 1,
    Delete = 2,
    Logout = 4,
    Execute = 7,
    Login = 8,
    FailedLogin = 9,
    HistoryClear = 10,
    Push = 12,
}

/// The user of an action, and the address.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    pub user: UserId,
    pub username: &'a str,
    pub ip: &'a str,
}

/// Something done that is no change of the configuration.
#[derive(Clone, PartialEq, Debug)]
pub struct Act {
    pub action: AuditAction,
    /// As in method names of the API.
    pub kind: &'static str,
    pub resourceid: u64,
    pub name: String,
    /// Fields by their paths, without secrets.
    pub details: JsonMap<String, Json>,
}
