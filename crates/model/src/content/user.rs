//! Who may do what.

use serde::{Deserialize, Serialize};

use super::{codes, flag};
use crate::{GroupId, RoleId, TemplateGroupId, TokenId, UserGroupId, UserId};

codes! {
    /// The kind of user that a role makes.
    pub enum RoleType { User = 1, Admin = 2, SuperAdmin = 3 }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Role {
    #[serde(default)]
    pub roleid: RoleId,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: RoleType,
    #[serde(default, with = "flag")]
    pub readonly: bool,
    /// Whether users of the role may call the API.
    #[serde(default = "yes", with = "flag")]
    pub api_access: bool,
}

fn yes() -> bool {
    true
}

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
