//! Who makes a change.

use model::UserId;

/// On whose behalf the configuration changes; kept with the audit record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Actor {
    User(UserId),
    /// The server itself: first start, discovery, import of bundled templates.
    System,
    /// Operations of actions, for nobody in particular: the audit log tells them as Zabbix does, of no user.
    Action,
}

impl Actor {
    #[must_use]
    pub fn user(self) -> UserId {
        match self {
            Self::User(it) => it,
            Self::System | Self::Action => UserId::NONE,
        }
    }

    /// Whether the audit log has what is done on this behalf.
    #[must_use]
    pub(crate) const fn is_audited(self) -> bool {
        !matches!(self, Self::System)
    }
}
