//! The items that a function over many items looks at.

use std::borrow::Cow;

use lang::functions::{self, Foreach, Hosts};
use lang::macros::breadth_first;
use model::HostId;
use model::content::Tag;

use super::lookup::Directory;
use super::plan::{HostPlan, ItemTarget, ItemView};

/// One of the items.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeachMember {
    pub target: ItemTarget,
    /// With macros replaced.
    pub key: Box<str>,
}

impl Directory {
    /// The enabled items of enabled hosts that a function looks at; `own` is the host of the item
    /// whose formula it stands in. Ask once for each epoch: it goes over all items of all hosts.
    #[must_use]
    pub fn members(&self, function: &Foreach, own: HostId) -> Vec<ForeachMember> {
        let mut members = Vec::new();
        let mut add = |plan: &HostPlan| {
            if plan.is_enabled() {
                self.add_members(plan, plan.host.id == own, function, &mut members);
            }
        };
        match function.hosts() {
            Hosts::Own => self.by_host(own).into_iter().for_each(|it| add(it)),
            Hosts::Named(name) => self.host(name).into_iter().for_each(|it| add(it.plan)),
            Hosts::All => self.hosts().for_each(|it| add(it)),
        }
        members
    }

    fn add_members(
        &self,
        plan: &HostPlan,
        is_own_host: bool,
        function: &Foreach,
        members: &mut Vec<ForeachMember>,
    ) {
        let in_group = |name: &str| self.is_in_group(plan, name);
        for item in plan.items().filter(|it| it.target.enabled && !it.target.is_rule) {
            let written = item.row.key();
            let key =
                if written.contains('{') { Cow::Owned(item.resolve(&written)) } else { written };
            let member = functions::Member {
                host: &plan.host.host,
                is_own_host,
                key: &key,
                has_tag: &|wanted| self.has_tag(&item, wanted),
                in_group: &in_group,
            };
            if function.matches(&member) {
                members.push(ForeachMember { target: item.target, key: key.as_ref().into() });
            }
        }
    }

    /// Whether the host is in the group with this name or in one below it.
    fn is_in_group(&self, plan: &HostPlan, name: &str) -> bool {
        let groups = plan.host.groups.iter().filter_map(|it| self.snapshot.host_groups.get(it));
        groups.map(|it| it.name.as_str()).any(|it| {
            it.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// Whether the item, its host or a template of the host has the tag, `name` or `name:value`.
    fn has_tag(&self, item: &ItemView<'_>, wanted: &str) -> bool {
        let is_wanted = |it: &Tag| {
            let (tag, value) = (item.resolve(&it.tag), item.resolve(&it.value));
            wanted == tag
                || wanted.strip_prefix(&*tag).and_then(|it| it.strip_prefix(':')) == Some(&*value)
        };
        let host = &item.plan.host;
        if item.row.content.tags.iter().chain(&host.tags).any(is_wanted) {
            return true;
        }
        let order = breadth_first(&host.templates, &mut |it| {
            self.snapshot.holder(it).map(|it| it.templates.clone()).unwrap_or_default()
        });
        let templates = order.iter().filter_map(|it| self.snapshot.holder(*it));
        templates.flat_map(|it| &it.tags).any(is_wanted)
    }
}
