//! Host groups that rows make, by the group prototypes of host prototypes.
//!
//! An existing group of that name is used as it is. One that discovery made notes each prototype
//! that names it; it is lost when its last rule no longer does, and goes with the lifetime of lost
//! hosts.

use std::collections::BTreeSet;

use model::snapshot::GroupDiscovery;
use model::{GroupId, ItemId, Time};
use serde_json::json;

use super::lifetime::Lifetimes;
use super::wanted_host::{WantedGroup, WantedHost, object};
use crate::configuration::editor::Editor;
use crate::configuration::objects::ObjectKind;
use crate::error::ConfigError;

impl Editor {
    /// The groups of a host: those that are there, and those by name, made if need be.
    pub(super) fn groups_of_wanted(
        &mut self,
        wanted: &WantedHost,
    ) -> Result<Vec<GroupId>, ConfigError> {
        let mut groups = wanted.content.groups.clone();
        groups.retain(|it| self.snapshot().host_groups.contains_key(it));
        for group in &wanted.groups {
            let id = self.discovered_group(group, wanted.rule)?;
            if !groups.contains(&id) {
                groups.push(id);
            }
        }
        Ok(groups)
    }

    fn discovered_group(
        &mut self,
        wanted: &WantedGroup,
        rule: ItemId,
    ) -> Result<GroupId, ConfigError> {
        let known = self.host_group_named(&wanted.name);
        let mut discoveries = match known {
            Some(id) => match self.snapshot().group_discoveries.get(&id) {
                Some(it) => Vec::clone(it),
                None => return Ok(id),
            },
            None => Vec::new(),
        };
        let id = match known {
            Some(id) => id,
            None => {
                let fields = object(json!({"name": wanted.name}));
                GroupId(self.create(ObjectKind::HostGroup, fields)?)
            }
        };
        let is_noted = discoveries
            .iter()
            .any(|it| it.prototype == wanted.prototype && it.name == wanted.pattern);
        if !is_noted {
            discoveries.push(GroupDiscovery {
                prototype: wanted.prototype,
                rule,
                name: wanted.pattern.clone(),
                lost_since: 0,
                delete_at: 0,
            });
            self.set_group_discoveries(id, discoveries);
        }
        Ok(id)
    }

    /// Notes which groups a rule named in a run, and which it no longer names.
    pub(super) fn mark_groups(
        &mut self,
        rule: ItemId,
        wanted: &BTreeSet<WantedGroup>,
        lifetimes: Lifetimes,
        now: Time,
    ) {
        let mut changed = Vec::new();
        for (id, old) in &self.snapshot().group_discoveries {
            let Some(group) = self.snapshot().host_groups.get(id) else { continue };
            let mut new = Vec::clone(old);
            for it in new.iter_mut().filter(|it| it.rule == rule) {
                let key = WantedGroup {
                    prototype: it.prototype,
                    pattern: it.name.clone(),
                    name: group.name.clone(),
                };
                (it.lost_since, it.delete_at) = match it.lost_since {
                    _ if wanted.contains(&key) => (0, 0),
                    0 => (now.clock(), lifetimes.delete_at(now.clock())),
                    since => (since, lifetimes.delete_at(since)),
                };
            }
            if new != **old {
                changed.push((*id, new));
            }
        }
        for (id, new) in changed {
            self.set_group_discoveries(id, new);
        }
    }

    /// Deletes groups whose last reason to be there is gone at `now`.
    pub(super) fn sweep_groups(&mut self, now: Time) {
        self.drop_group_discoveries(|it| {
            it.lost_since != 0 && it.delete_at != 0 && it.delete_at <= now.clock()
        });
    }
}
