//! Permissions of a user: rights of user groups on host groups and template groups.

use std::sync::Arc;

use model::content::{RoleType, Tag, UserGroupTagFilter};
use model::map::Map;
use model::snapshot::{HolderKind, Host, Snapshot};
use model::{GroupId, HostId, TemplateGroupId, UserId};

/// A right on an object. Ordered: more is greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Permission {
    #[default]
    None,
    Read,
    Write,
}

/// The rights of one user by one snapshot. Cheap to ask: a host costs its few groups.
///
/// Several user groups add up: the greatest right counts, but a denial beats all. Super admins
/// have every right.
#[derive(Clone, Debug)]
pub struct Rights {
    pub userid: UserId,
    pub kind: RoleType,
    /// The role may only read.
    pub readonly: bool,
    host_groups: Map<GroupId, Permission>,
    template_groups: Map<TemplateGroupId, Permission>,
    tags: TagScope,
}

/// The hosts that a user may see. Those with equal scopes see the same, whatever else they may do.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ReadScope {
    All,
    /// Host groups that rights name, by id, and whether their hosts may be read: all others, and
    /// those of a group that may not, are hidden.
    Groups(Vec<(GroupId, bool)>),
}

impl ReadScope {
    /// Whether a host of these groups may be seen.
    #[must_use]
    pub fn admits(&self, groups: &[GroupId]) -> bool {
        let Self::Groups(rights) = self else { return true };
        let right = |id: &GroupId| {
            let at = rights.binary_search_by_key(id, |(group, _)| *group).ok()?;
            rights.get(at).map(|(_, may_read)| *may_read)
        };
        let mut found = groups.iter().filter_map(right).peekable();
        found.peek().is_some() && found.all(|may_read| may_read)
    }
}

/// The problems of triggers that a user may see: those of hosts that the rights admit and, if a
/// user group filters by tags, only those that filters name. As with [`ReadScope`], equal ones see
/// the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ProblemScope {
    pub hosts: ReadScope,
    pub tags: TagScope,
}

/// The permissions of tag filters. As soon as one of a user's groups has a filter, problems of
/// hosts in host groups that no filter names are hidden.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct TagScope(Vec<UserGroupTagFilter>);

impl TagScope {
    /// By filters in any order. A filter that admits all of a host group makes others of it idle.
    fn of(mut filters: Vec<UserGroupTagFilter>) -> Self {
        let whole: Vec<GroupId> =
            filters.iter().filter(|it| it.tag.is_empty()).map(|it| it.groupid).collect();
        for filter in &mut filters {
            if whole.contains(&filter.groupid) {
                (filter.tag, filter.value) = (String::new(), String::new());
            }
        }
        filters.sort_unstable();
        filters.dedup();
        Self(filters)
    }

    /// There are no filters.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a problem with these tags may be seen, of a trigger with hosts in the groups that
    /// `is_in` knows.
    #[must_use]
    pub fn admits(&self, is_in: impl Fn(GroupId) -> bool, tags: &[Tag]) -> bool {
        self.is_all() || self.0.iter().any(|it| is_in(it.groupid) && filter_names(it, tags))
    }
}

/// Whether one of the tags is what a filter asks for.
fn filter_names(filter: &UserGroupTagFilter, tags: &[Tag]) -> bool {
    let is_named =
        |it: &Tag| it.tag == filter.tag && (filter.value.is_empty() || it.value == filter.value);
    filter.tag.is_empty() || tags.iter().any(is_named)
}

/// Zabbix's code of a right: 0 denied, 2 read, 3 read and write.
fn permission_of(code: i64) -> Permission {
    match code {
        3 => Permission::Write,
        2 => Permission::Read,
        _ => Permission::None,
    }
}

fn merge<Id: Copy + Eq + std::hash::Hash>(rights: &mut Map<Id, Permission>, id: Id, code: i64) {
    let new = permission_of(code);
    rights
        .entry(id)
        .and_modify(|it| {
            let is_denied = *it == Permission::None || new == Permission::None;
            *it = if is_denied { Permission::None } else { new.max(*it) };
        })
        .or_insert(new);
}

impl Rights {
    /// Whether a problem of a trigger may be seen: all its hosts may be read, and tag filters let it pass.
    #[must_use]
    pub fn sees_problem(&self, hosts: &[&Arc<Host>], tags: &[Tag]) -> bool {
        let is_in = |group: GroupId| hosts.iter().any(|it| it.groups.contains(&group));
        hosts.iter().all(|it| Permission::Read <= self.holder(it))
            && self.tag_scope().admits(is_in, tags)
    }

    /// `None` if the user or the role is not there.
    #[must_use]
    pub fn of(userid: UserId, snapshot: &Snapshot) -> Option<Self> {
        let access = &snapshot.access;
        let user = access.users.get(&userid)?;
        let role = access.roles.get(&user.roleid)?;
        let mut rights = Self {
            userid,
            kind: role.kind,
            readonly: role.readonly,
            host_groups: Map::default(),
            template_groups: Map::default(),
            tags: TagScope::default(),
        };
        let mut filters = Vec::new();
        for group in user.groups.iter().filter_map(|it| access.groups.get(it)) {
            for right in &group.hostgroup_rights {
                merge(&mut rights.host_groups, right.id, right.permission);
            }
            for right in &group.templategroup_rights {
                merge(&mut rights.template_groups, right.id, right.permission);
            }
            filters.extend_from_slice(&group.tag_filters);
        }
        if !rights.is_super_admin() {
            rights.tags = TagScope::of(filters);
        }
        Some(rights)
    }

    /// The problems that tag filters admit; all for super admins.
    #[must_use]
    pub fn tag_scope(&self) -> &TagScope {
        &self.tags
    }

    /// The problems that the rights admit.
    #[must_use]
    pub fn problem_scope(&self) -> ProblemScope {
        ProblemScope { hosts: self.read_scope(), tags: self.tags.clone() }
    }

    #[must_use]
    pub fn is_super_admin(&self) -> bool {
        self.kind == RoleType::SuperAdmin
    }

    /// The hosts that the rights admit.
    #[must_use]
    pub fn read_scope(&self) -> ReadScope {
        if self.is_super_admin() {
            return ReadScope::All;
        }
        let rights = self.host_groups.iter();
        let mut groups: Vec<(GroupId, bool)> =
            rights.map(|(id, right)| (*id, Permission::Read <= *right)).collect();
        groups.sort_unstable();
        ReadScope::Groups(groups)
    }

    #[must_use]
    pub fn host_group(&self, id: GroupId) -> Permission {
        if self.is_super_admin() {
            return Permission::Write;
        }
        self.host_groups.get(&id).copied().unwrap_or_default()
    }

    #[must_use]
    pub fn template_group(&self, id: TemplateGroupId) -> Permission {
        if self.is_super_admin() {
            return Permission::Write;
        }
        self.template_groups.get(&id).copied().unwrap_or_default()
    }

    /// Whether there is a host group whose hosts may be written.
    #[must_use]
    pub fn writes_hosts(&self) -> bool {
        self.is_super_admin() || self.host_groups.values().any(|it| *it == Permission::Write)
    }

    /// Whether there is a template group whose templates may be written.
    #[must_use]
    pub fn writes_templates(&self) -> bool {
        self.is_super_admin() || self.template_groups.values().any(|it| *it == Permission::Write)
    }

    /// The right on a host or template: the greatest over its groups, unless one denies.
    #[must_use]
    pub fn holder(&self, holder: &Host) -> Permission {
        if self.is_super_admin() {
            return Permission::Write;
        }
        let best = match holder.kind {
            HolderKind::Host => best_of(&self.host_groups, &holder.groups),
            HolderKind::Template => best_of(&self.template_groups, &holder.template_groups),
        };
        // Users of type User never write, whatever their groups say.
        if self.kind == RoleType::User { best.min(Permission::Read) } else { best }
    }

    /// The right on a host or template by id; none if there is no such holder.
    #[must_use]
    pub fn holder_by_id(&self, id: HostId, snapshot: &Snapshot) -> Permission {
        snapshot.holder(id).map_or(Permission::None, |it| self.holder(it))
    }
}

fn best_of<Id: Eq + std::hash::Hash>(rights: &Map<Id, Permission>, groups: &[Id]) -> Permission {
    let mut best = Permission::None;
    for right in groups.iter().filter_map(|it| rights.get(it)) {
        if *right == Permission::None {
            return Permission::None;
        }
        best = best.max(*right);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_admits_the_hosts_that_rights_let_read() {
        let ids = [GroupId(3), GroupId(1), GroupId(2)];
        // Of each group: not named, denied, read, write.
        for combination in 0..4_usize.pow(3) {
            let mut host_groups = Map::default();
            for (at, id) in ids.iter().enumerate() {
                match combination / 4_usize.pow(u32::try_from(at).unwrap()) % 4 {
                    0 => {}
                    code => merge(&mut host_groups, *id, [0, 0, 2, 3][code]),
                }
            }
            let rights = Rights {
                userid: UserId(7),
                kind: RoleType::User,
                readonly: false,
                host_groups,
                template_groups: Map::default(),
                tags: TagScope::default(),
            };
            let scope = rights.read_scope();
            for members in 0..8_usize {
                let of = |at: &usize| members >> at & 1 == 1;
                let groups: Vec<GroupId> = (0..3).filter(of).map(|it| ids[it]).collect();
                let expected = Permission::Read <= best_of(&rights.host_groups, &groups);
                assert_eq!(scope.admits(&groups), expected, "{scope:?} of {groups:?}");
                assert!(ReadScope::All.admits(&groups));
            }
        }
    }

    #[test]
    fn filters_leave_what_they_name() {
        let filter = |group: u64, tag: &str, value: &str| UserGroupTagFilter {
            groupid: GroupId(group),
            tag: tag.to_owned(),
            value: value.to_owned(),
        };
        let tags = [Tag { tag: "target".to_owned(), value: "mysql".to_owned() }];
        for (filters, group, expected) in [
            (vec![], 1, true),
            (vec![filter(1, "target", "mysql")], 1, true),
            (vec![filter(1, "target", "")], 1, true),
            (vec![filter(1, "", "")], 1, true),
            (vec![filter(1, "target", "nginx")], 1, false),
            (vec![filter(1, "scope", "")], 1, false),
            (vec![filter(1, "scope", ""), filter(1, "", "")], 1, true),
            (vec![filter(1, "scope", ""), filter(1, "target", "mysql")], 1, true),
            // A group other than those of the filters is hidden.
            (vec![filter(1, "", "")], 2, false),
        ] {
            let scope = TagScope::of(filters);
            assert_eq!(scope.admits(|it| it == GroupId(group), &tags), expected, "{scope:?}");
        }
        let one = TagScope::of(vec![filter(2, "a", ""), filter(1, "", ""), filter(1, "b", "")]);
        let other = TagScope::of(vec![filter(1, "", ""), filter(2, "a", "")]);
        assert_eq!(one, other, "who sees the same has the same scope");
    }
}
