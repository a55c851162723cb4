//! Host prototypes: what a rule makes hosts from.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{HostMacro, HostStatus, Interface, Tag, flag};
use crate::{GroupId, HostId, ItemId};

/// What a user wrote of a host prototype.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct HostPrototypeContent {
    /// Technical name, with LLD macros.
    pub host: String,
    /// Visible name.
    pub name: String,
    pub status: HostStatus,
    /// -1 disabled, 0 manual, 1 automatic.
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub inventory_mode: i64,
    /// Hosts get [`Self::interfaces`]; otherwise those of the host that the rule is on.
    #[serde(with = "flag")]
    pub custom_interfaces: bool,
    pub interfaces: Vec<Interface>,
    /// Groups that are there.
    pub groups: Vec<GroupId>,
    /// Names of groups that are made if need be.
    pub group_names: Vec<String>,
    pub templates: Vec<HostId>,
    pub macros: Vec<HostMacro>,
    pub tags: Vec<Tag>,
    pub uuid: String,
    pub ruleid: ItemId,
    /// Rows of the rule make hosts. The API writes it 0 for yes.
    pub discover: bool,
}

impl Default for HostPrototypeContent {
    fn default() -> Self {
        Self {
            host: String::new(),
            name: String::new(),
            status: HostStatus::Monitored,
            inventory_mode: -1,
            custom_interfaces: false,
            interfaces: Vec::new(),
            groups: Vec::new(),
            group_names: Vec::new(),
            templates: Vec::new(),
            macros: Vec::new(),
            tags: Vec::new(),
            uuid: String::new(),
            ruleid: ItemId::NONE,
            discover: true,
        }
    }
}

/// What a user changed on an inherited host prototype: all else belongs to the template.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HostPrototypeOverrides {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<HostStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discover: Option<bool>,
}

impl HostPrototypeOverrides {
    /// The content as it counts where these overrides hold.
    #[must_use]
    pub fn apply(&self, base: &Arc<HostPrototypeContent>) -> Arc<HostPrototypeContent> {
        if *self == Self::default() {
            return Arc::clone(base);
        }
        Arc::new(HostPrototypeContent {
            status: self.status.unwrap_or(base.status),
            discover: self.discover.unwrap_or(base.discover),
            ..HostPrototypeContent::clone(base)
        })
    }
}
