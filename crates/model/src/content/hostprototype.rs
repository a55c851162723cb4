//! Host prototypes: the patterns from which a rule creates hosts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{HostMacro, HostStatus, Interface, Tag, flag, overrides};
use crate::{GroupId, HostId, ItemId};

/// The content of a host prototype.
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
    /// Hosts get [`Self::interfaces`]; otherwise those of the rule's host.
    #[serde(with = "flag")]
    pub custom_interfaces: bool,
    pub interfaces: Vec<Interface>,
    /// Groups that are there.
    pub groups: Vec<GroupId>,
    /// Names of groups that are made if need be.
    pub group_names: Vec<String>,
    /// The names from which ids of group prototypes are computed, for groups that were renamed: see
    /// [`Self::group_key`].
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub group_keys: BTreeMap<String, String>,
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
            group_keys: BTreeMap::new(),
            templates: Vec::new(),
            macros: Vec::new(),
            tags: Vec::new(),
            uuid: String::new(),
            ruleid: ItemId::NONE,
            discover: true,
        }
    }
}

impl HostPrototypeContent {
    /// The name from which the id of a group prototype is computed: its first one. It stays when the group is
    /// renamed.
    #[must_use]
    pub fn group_key<'a>(&'a self, name: &'a str) -> &'a str {
        self.group_keys.get(name).map_or(name, String::as_str)
    }

    /// Renames the groups: each name with its previous one, if the group existed.
    pub fn set_group_names(&mut self, names: Vec<(String, Option<String>)>) {
        let key_of = |it: &String| self.group_key(it).to_owned();
        let mut keys: Vec<Option<String>> = names
            .iter()
            .map(|(name, before)| {
                let is_renamed = || names.iter().any(|it| it.1.as_ref() == Some(name));
                let stays = self.group_names.contains(name) && !is_renamed();
                before.as_ref().or(Some(name).filter(|_| stays)).map(key_of)
            })
            .collect();
        for at in 0..keys.len() {
            if keys[at].is_none() {
                let mut key = names[at].0.clone();
                while keys.iter().any(|it| it.as_ref() == Some(&key)) {
                    key.push('/');
                }
                keys[at] = Some(key);
            }
        }
        let keyed = names.iter().zip(keys).filter_map(|(it, key)| Some((it.0.clone(), key?)));
        self.group_keys = keyed.filter(|(name, key)| name != key).collect();
        self.group_names = names.into_iter().map(|it| it.0).collect();
    }
}

overrides! {
    /// A user's changes of an inherited host prototype: the other fields belong to the template.
    #[derive(Copy)]
    pub struct HostPrototypeOverrides of HostPrototypeContent {
        status: HostStatus,
        discover: bool,
    }
}
