//! Authentication and permissions: passwords, sessions, tokens, rights.

mod lockout;
mod password;
mod rights;
mod service_rights;
mod session;

use model::content::RoleType;
use model::{RoleId, TokenId, UserGroupId, UserId};
use thiserror::Error;

pub use password::PASSWORD_CHARS_MAX;
pub(crate) use password::{DECOY, hash_password, verify_password};
pub use rights::{Permission, ProblemScope, ReadScope, Rights, TagScope};
pub use service_rights::ServiceRights;
pub use session::LastUse;
pub(crate) use session::{
    AuthState, SecretChange, Secrets, Seen, SessionState, from_hex, hash_secret, identity_of,
    may_log_in, random_secret, to_hex,
};

/// The user of a session or token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UserIdentity {
    pub userid: UserId,
    pub roleid: RoleId,
    pub role: RoleType,
    pub groups: Vec<UserGroupId>,
    /// The token that was used; none for a session.
    pub token: Option<TokenId>,
}

/// A fresh session. The text is shown once; only its hash is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Session {
    pub sessionid: String,
    pub userid: UserId,
    /// The user's failed logins before this one.
    pub failed: FailedLogins,
}

/// Failed logins of a user: how many since the last one that succeeded, and the last of them, which stays known.
/// Attempts of those who have to wait are none.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct FailedLogins {
    pub n: u32,
    /// Where the last one came from; empty if that is not known.
    pub ip: String,
    /// Unix seconds of the last one; 0: there was none.
    pub clock: i64,
}

/// Why a login was refused. The first two have the same text for clients: no hint which names
/// exist.
#[derive(Debug, Error)]
pub enum LoginError {
    #[error("Incorrect user name or password or account is temporarily blocked.")]
    Refused,
    #[error("Incorrect user name or password or account is temporarily blocked.")]
    Blocked { until: i64 },
    #[error("No permissions for system access.")]
    Disabled,
    #[error("The database is not available.")]
    Store(#[source] crate::DbError),
}
