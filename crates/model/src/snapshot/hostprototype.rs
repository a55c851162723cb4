//! Rows of host prototypes, and what discovery knows of the hosts that it made.

use std::sync::Arc;

use super::{Discovered, Host, Patterns, Snapshot};
use crate::HostId;
use crate::content::{HostPrototypeContent, HostPrototypeOverrides, ItemFlags, Tag};

/// Identity of a host prototype. Its id is of the number space of hosts.
#[derive(Clone, Debug)]
pub struct HostPrototypeRow {
    pub id: HostId,
    /// The row of the directly linked template; 0 for own rows.
    pub source: HostId,
    pub content: Arc<HostPrototypeContent>,
    pub extra: Option<Box<HostPrototypeExtra>>,
    pub flags: ItemFlags,
}

#[derive(Clone, Debug, Default)]
pub struct HostPrototypeExtra {
    pub overrides: Option<Arc<HostPrototypeOverrides>>,
    /// Never there: prototypes are not discovered.
    pub discovered: Option<Discovered>,
}

impl HostPrototypeExtra {
    /// `None` if it has nothing extra.
    #[must_use]
    pub fn of(overrides: Option<Arc<HostPrototypeOverrides>>) -> Option<Box<Self>> {
        overrides.map(|it| Box::new(Self { overrides: Some(it), discovered: None }))
    }
}

/// Where a discovered host comes from, and what of it is discovery's to change.
#[derive(Clone, Debug)]
pub struct DiscoveredHost {
    /// The prototype, the rule and the row; `key` and `name` stand in the host.
    pub by: Discovered,
    /// What the last run gave it: users may add to these lists.
    pub given: GivenToHost,
}

/// What discovery gave a host.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct GivenToHost {
    pub templates: Vec<HostId>,
    /// Names of macros.
    pub macros: Vec<String>,
    pub tags: Vec<Tag>,
}

impl HostPrototypeRow {
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
}

impl Snapshot {
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
