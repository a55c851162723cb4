//! Rows of host prototypes, and the discovery data of the hosts created from them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Discovered, Host, HostPrototypeRow, Patterns, Snapshot};
use crate::content::{HostPrototypeContent, Tag};
use crate::{GroupId, HostId, ItemId};

/// The origin of a discovered host, and its fields that belong to discovery.
#[derive(Clone, Debug)]
pub struct DiscoveredHost {
    /// The prototype, the rule and the row; `key` and `name` are in the host.
    pub by: Discovered,
    /// Data of the last run: users may add to these lists.
    pub given: GivenToHost,
}

/// The data that discovery gave a host.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct GivenToHost {
    pub templates: Vec<HostId>,
    /// Names of macros.
    pub macros: Vec<String>,
    pub tags: Vec<Tag>,
}

/// Why discovery made a host group: one for each prototype that names it.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct GroupDiscovery {
    pub prototype: HostId,
    pub rule: ItemId,
    /// Name as the prototype has it, with LLD macros.
    pub name: String,
    /// When the rule stopped naming it, in seconds since 1970; 0: it names it.
    #[serde(default)]
    pub lost_since: i64,
    /// When it goes; 0: never.
    #[serde(default)]
    pub delete_at: i64,
}

/// Group prototypes are requested by the API only: their ids are computed from their names (FNV-1a), in 53
/// bits, which clients that read numbers keep exactly.
fn made_id(of: HostId, kind: u8, key: &str) -> u64 {
    let bytes = of.0.to_be_bytes().into_iter().chain([kind]).chain(key.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (hash >> 11).max(1)
}

impl HostPrototypeRow {
    /// The id of a link to a group that is there, as the API gives it.
    #[must_use]
    pub fn group_link_id(of: HostId, group: GroupId) -> u64 {
        made_id(of, b'g', &group.to_string())
    }

    /// The id of a group that is made by name. It stays when the group is renamed.
    #[must_use]
    pub fn named_group_id(of: HostId, content: &HostPrototypeContent, name: &str) -> u64 {
        made_id(of, b'n', content.group_key(name))
    }

    /// As of other rows; nothing is expanded.
    #[must_use]
    pub fn patterns(&self) -> Patterns<'_> {
        Patterns { key: &self.content.name, name: &self.content.host }
    }
}

impl Host {
    #[must_use]
    pub fn host_prototype(&self, id: HostId) -> Option<&HostPrototypeRow> {
        let at = self.host_prototypes.binary_search_by_key(&id, |it| it.id).ok()?;
        self.host_prototypes.get(at)
    }

    #[must_use]
    pub fn is_discovered(&self) -> bool {
        self.discovered.is_some()
    }

    /// Whether discovery gave it the macro of this name.
    #[must_use]
    pub fn was_given_macro(&self, name: &str) -> bool {
        let given = self.discovered.as_ref().map(|it| &it.given);
        given.is_some_and(|it| it.macros.iter().any(|it| it == name))
    }

    /// Whether discovery gave it this tag.
    #[must_use]
    pub fn was_given_tag(&self, tag: &Tag) -> bool {
        self.discovered.as_ref().is_some_and(|it| it.given.tags.contains(tag))
    }
}

impl Snapshot {
    /// Holders of host prototypes, each once.
    fn with_host_prototypes(&self) -> impl Iterator<Item = &Arc<Host>> {
        let holders = self.host_prototype_runs.values().map(|(_, holder)| *holder);
        let holders: BTreeSet<HostId> = holders.collect();
        holders.into_iter().filter_map(|it| self.holder(it))
    }

    /// All host prototypes with their holders.
    pub fn host_prototypes(&self) -> impl Iterator<Item = (&Arc<Host>, &HostPrototypeRow)> {
        let holders = self.with_host_prototypes();
        holders.flat_map(|it| it.host_prototypes.iter().map(move |row| (it, row)))
    }

    /// Whether hosts of a prototype get into this group.
    #[must_use]
    pub fn is_group_of_prototype(&self, group: GroupId) -> bool {
        self.host_prototypes().any(|(_, it)| it.content.groups.contains(&group))
    }

    #[must_use]
    pub fn host_prototype(&self, id: HostId) -> Option<(&Arc<Host>, &HostPrototypeRow)> {
        let (_, (last, holder)) = self.host_prototype_runs.range(..=id).next_back()?;
        if *last < id {
            return None;
        }
        let holder = self.holder(*holder)?;
        Some((holder, holder.host_prototype(id)?))
    }
}
