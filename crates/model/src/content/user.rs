//! Users, groups and their permissions.

use serde::{Deserialize, Serialize};

use crate::{GroupId, RoleId, TemplateGroupId, TokenId, UserGroupId, UserId};

/// A user. The password's hash never leaves `db`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct User {
    #[serde(default)]
    pub userid: UserId,
    pub username: String,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub surname: String,
    pub roleid: RoleId,
    #[serde(default)]
    pub groups: Vec<UserGroupId>,
    #[serde(default)]
    pub lang: String,
    #[serde(default)]
    pub theme: String,
    #[serde(default)]
    pub timezone: String,
    #[serde(default)]
    pub url: String,
    #[serde(default)]
    pub autologin: String,
    #[serde(default)]
    pub autologout: String,
    #[serde(default)]
    pub refresh: String,
    #[serde(default)]
    pub rows_per_page: String,
    /// Where messages reach the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub medias: Vec<Media>,
}

/// Where messages reach a user, and which.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Media {
    pub mediaid: u64,
    pub mediatypeid: u64,
    /// Addresses: several for e-mail, one for others.
    pub sendto: Vec<String>,
    /// No message is sent there.
    #[serde(default)]
    pub is_disabled: bool,
    /// A bit for each severity that is sent, from not classified (1) to disaster (32).
    pub severity: u8,
    /// Times of the week at which messages are sent, or a user macro.
    pub period: String,
    /// Times of the week at which messages below a severity wait, or a user macro; empty: never.
    #[serde(default)]
    pub quiet_period: String,
    /// Messages about problems of this severity (0 to 5) and above do not wait.
    #[serde(default = "quiet_severity")]
    pub quiet_severity: u8,
}

/// High.
const fn quiet_severity() -> u8 {
    4
}

impl Media {
    /// Whether messages about a problem of this severity (0 to 5) are sent there.
    #[must_use]
    pub fn takes_severity(&self, severity: u8) -> bool {
        severity < 8 && self.severity >> severity & 1 == 1
    }

    /// Whether messages about a problem of this severity wait in quiet hours.
    #[must_use]
    pub const fn holds_severity(&self, severity: u8) -> bool {
        severity < self.quiet_severity
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct UserGroup {
    pub usrgrpid: UserGroupId,
    pub name: String,
    /// 0 default, 1 internal, 2 LDAP, 3 disabled.
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub gui_access: i64,
    /// 0 enabled, 1 disabled.
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub users_status: i64,
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub debug_mode: i64,
    pub hostgroup_rights: Vec<UserGroupRight<GroupId>>,
    pub templategroup_rights: Vec<UserGroupRight<TemplateGroupId>>,
    /// Problems that users of the group see; without any, those that rights let see.
    pub tag_filters: Vec<UserGroupTagFilter>,
}

/// Problems of hosts in a host group that users see.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct UserGroupTagFilter {
    pub groupid: GroupId,
    /// Those with this tag; empty: all of them.
    pub tag: String,
    /// The tag's value; empty: any.
    pub value: String,
}

/// A right on a group: 0 denied, 2 read, 3 read and write.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct UserGroupRight<Id> {
    pub id: Id,
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub permission: i64,
}

/// An API token; only a hash of its text is stored, in `db`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Token {
    #[serde(default)]
    pub tokenid: TokenId,
    pub name: String,
    #[serde(default)]
    pub description: String,
    pub userid: UserId,
    /// 0 enabled, 1 disabled.
    #[serde(
        default,
        deserialize_with = "super::deserialize_i64",
        serialize_with = "super::host::as_text"
    )]
    pub status: i64,
    /// Seconds since 1970; 0 = never.
    #[serde(default)]
    pub expires_at: i64,
    #[serde(default)]
    pub created_at: i64,
    #[serde(default)]
    pub creator_userid: UserId,
}
