//! Which item takes a row of a document that names its host.
//!
//! A row may go where anybody on the network may send values: trapper items, and HTTP agent items
//! that take pushed values, without a list of allowed hosts, enabled and on enabled hosts. Hosts are
//! named by technical name, or by the address of an interface that is connected to by IP.
//!
//! An item that hands rows on itself, or has a dependant that does, takes none: no row goes round
//! in a circle.

use std::net::IpAddr;

use model::content::ItemType;
use model::{HostId, ItemId, limits};
use preprocess::HostBy;

use super::layout::{ItemPlan, Layout};
use super::lookup::{Directory, HostRef};
use super::plan::HostPlan;

/// Where a row goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Route {
    pub host: HostId,
    pub item: ItemId,
}

/// Why a row goes nowhere.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NoRoute {
    UnknownHost,
    /// The host has no such item.
    UnknownItem,
    /// There is an item, but it does not take rows.
    NotTaking,
    /// Several hosts with the address have such an item.
    Ambiguous,
}

/// Finds the items that hand rows on, by themselves or by their dependants.
pub(super) fn mark_dispatchers(layout: &mut Layout) {
    let own = |it: &ItemPlan| it.program.as_ref().is_some_and(|it| it.dispatches().is_some());
    let mut marked: Vec<bool> = layout.items.iter().map(own).collect();
    if !marked.contains(&true) {
        return;
    }
    for _ in 0..=limits::DEPENDENT_LEVELS_MAX {
        for (at, item) in layout.items.iter().enumerate() {
            let dependents = layout.dependents_of(item);
            marked[at] |= dependents.iter().any(|it| marked[*it as usize]);
        }
    }
    for (item, is_marked) in layout.items.iter_mut().zip(marked) {
        item.hands_on = is_marked;
    }
}

/// As one text means the same address as another.
fn address(text: &str) -> Option<IpAddr> {
    text.trim().parse::<IpAddr>().ok().map(|it| it.to_canonical())
}

impl HostPlan {
    pub(super) fn addresses(&self) -> impl Iterator<Item = (IpAddr, HostId)> + '_ {
        let by_ip = self.host.interfaces.iter().filter(|it| it.useip);
        by_ip.filter_map(|it| Some((address(&self.resolve(&it.ip, None))?, self.host.id)))
    }
}

impl HostRef<'_> {
    fn route(&self, key: &str) -> Result<Route, NoRoute> {
        let target = self.item(key).ok_or(NoRoute::UnknownItem)?;
        let hands_on = self
            .plan
            .layout
            .find(&self.directory.hasher, &self.plan.host, key)
            .and_then(|it| self.plan.layout.item(it))
            .is_some_and(|it| it.hands_on);
        let is_pushed = match target.kind {
            ItemType::Trapper => true,
            ItemType::HttpAgent => target.allow_traps,
            _ => false,
        };
        if target.enabled && is_pushed && !target.restricted && !hands_on {
            Ok(Route { host: target.host, item: target.item })
        } else {
            Err(NoRoute::NotTaking)
        }
    }
}

impl Directory {
    /// The item with `key` of the host that a row names.
    pub fn route(&self, by: HostBy, name: &str, key: &str) -> Result<Route, NoRoute> {
        match by {
            HostBy::Name => self.host(name).ok_or(NoRoute::UnknownHost)?.route(key),
            HostBy::Ip => self.route_by_ip(name, key),
        }
    }

    fn route_by_ip(&self, name: &str, key: &str) -> Result<Route, NoRoute> {
        let wanted = address(name).ok_or(NoRoute::UnknownHost)?;
        let all = self.addresses.as_ref().ok_or(NoRoute::UnknownHost)?;
        let hosts = all.range((wanted, HostId::NONE)..).take_while(|it| it.0 == wanted);
        let mut found = Err(NoRoute::UnknownHost);
        for (_, host) in hosts {
            let Some(plan) = self.by_id.get(host) else { continue };
            let route = HostRef { directory: self, plan }.route(key);
            found = match (found, route) {
                (Ok(_), Ok(_)) => return Err(NoRoute::Ambiguous),
                (Ok(it), Err(_)) | (Err(_), Ok(it)) => Ok(it),
                // The nearest miss says most.
                (Err(one), Err(other)) => Err(one.max(other)),
            };
        }
        found
    }

    pub(super) fn add_addresses(&mut self, plan: &HostPlan) {
        if let Some(all) = &mut self.addresses {
            all.extend(plan.addresses());
        }
    }

    pub(super) fn remove_addresses(&mut self, plan: &HostPlan) {
        if let Some(all) = &mut self.addresses {
            for it in plan.addresses() {
                all.remove(&it);
            }
        }
    }

    /// Keeps the addresses of all hosts from now on, or no longer.
    pub(super) fn keep_addresses(&mut self, wanted: bool) {
        if !wanted {
            self.addresses = None;
        } else if self.addresses.is_none() {
            self.addresses = Some(self.by_id.values().flat_map(|it| it.addresses()).collect());
        }
    }
}
