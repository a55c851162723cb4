//! The services that a user may read and write, by the rules of the role.
//!
//! A rule names services by id or tag, and means those below them as well.

use model::RoleId;
use model::content::{Service, ServiceAccess};
use model::map::Set;
use model::services::Services;
use model::snapshot::Snapshot;

/// The permissions on services by the rules of a role.
#[derive(Debug)]
pub struct ServiceRights<'a> {
    services: &'a Services,
    rules: Option<(&'a ServiceAccess, &'a ServiceAccess)>,
    /// `None`: all.
    readable: Option<Set<u64>>,
    /// `None`: all.
    writable: Option<Set<u64>>,
}

impl<'a> ServiceRights<'a> {
    /// Of users with a role.
    #[must_use]
    pub fn of_role(snapshot: &'a Snapshot, role: RoleId) -> Self {
        let services = &snapshot.services;
        let role = snapshot.access.roles.get(&role);
        let rules = role.map(|it| (&it.services_read, &it.services_write));
        let writable = match rules {
            Some((_, write)) => named(services, write),
            None => Some(Set::default()),
        };
        let readable = match (&writable, rules) {
            (Some(writable), Some((read, _))) => named(services, read).map(|mut it| {
                it.extend(writable.iter().copied());
                it
            }),
            (Some(_), None) => Some(Set::default()),
            (None, _) => None,
        };
        Self { services, rules, readable, writable }
    }

    /// Whether there is such a service, and it may be read.
    #[must_use]
    pub fn may_read(&self, id: u64) -> bool {
        self.services.get(id).is_some() && self.readable.as_ref().is_none_or(|it| it.contains(&id))
    }

    /// Whether there is such a service, and it may be changed.
    #[must_use]
    pub fn may_write(&self, id: u64) -> bool {
        self.services.get(id).is_some() && self.writable.as_ref().is_none_or(|it| it.contains(&id))
    }

    /// Whether all services may be read.
    #[must_use]
    pub fn reads_all(&self) -> bool {
        self.readable.is_none()
    }

    /// Whether all services may be changed.
    #[must_use]
    pub fn writes_all(&self) -> bool {
        self.writable.is_none()
    }

    /// Whether it is one that has no parent which may be read.
    #[must_use]
    pub fn is_root(&self, id: u64) -> bool {
        self.may_read(id) && !self.services.parents(id).any(|it| self.may_read(it))
    }

    /// Whether the rules name it itself, by id or by these tags, and not only something above it.
    #[must_use]
    pub fn names(&self, id: Option<u64>, tags: impl Iterator<Item = (String, String)>) -> bool {
        let Some((_, write)) = self.rules else { return false };
        let mut tags = tags;
        write.all
            || id.is_some_and(|it| write.ids.contains(&it))
            || write.tag.as_ref().is_some_and(|(tag, value)| {
                tags.any(|(of, is)| of == *tag && (value.is_empty() || is == *value))
            })
    }
}

fn named(services: &Services, access: &ServiceAccess) -> Option<Set<u64>> {
    if access.all {
        return None;
    }
    let has_tag = |service: &Service| {
        access.tag.as_ref().is_some_and(|(tag, value)| {
            service.tags.iter().any(|it| it.tag == *tag && (value.is_empty() || it.value == *value))
        })
    };
    let mut named: Set<u64> =
        access.ids.iter().copied().filter(|it| services.get(*it).is_some()).collect();
    if access.tag.is_some() {
        named.extend(services.iter().filter(|(_, it)| has_tag(it)).map(|(id, _)| id));
    }
    let below = services.below(named.iter().copied());
    named.extend(below);
    Some(named)
}
