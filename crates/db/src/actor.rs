//! The actor of a change.

use model::UserId;
use model::snapshot::Snapshot;

/// The server's name in the audit log.
pub const SYSTEM: &str = "System";

/// On whose behalf the configuration changes; kept with the audit record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Actor {
    User(UserId),
    /// The server itself: first start, import of bundled templates. The audit log has nothing of it.
    System,
    /// Discovery rules: found objects are made, and lost again.
    Discovery,
    /// Operations of actions: the audit log records them without a user, as Zabbix does.
    Action,
}

impl Actor {
    #[must_use]
    pub fn user(self) -> UserId {
        match self {
            Self::User(it) => it,
            Self::System | Self::Discovery | Self::Action => UserId::NONE,
        }
    }

    /// As the audit log calls it.
    pub(crate) fn username(self, snapshot: &Snapshot) -> String {
        match self {
            Self::User(it) => {
                let user = snapshot.access.users.get(&it);
                user.map(|it| it.username.clone()).unwrap_or_default()
            }
            Self::System | Self::Discovery | Self::Action => SYSTEM.to_owned(),
        }
    }
}
