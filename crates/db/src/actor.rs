//! Who makes a change.

use model::UserId;

/// On whose behalf the configuration changes; kept with the audit record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Actor {
    User(UserId),
    /// The server itself: first start, discovery, import of bundled templates.
    System,
}

impl Actor {
    #[must_use]
    pub fn user(self) -> UserId {
        match self {
            Self::User(it) => it,
            Self::System => UserId::NONE,
        }
    }
}
