//! Hosts that take messages, by address and by name.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use model::HostId;
use model::content::{HostStatus, ItemStatus};
use model::map::Map;
use model::snapshot::{Host, Snapshot};
use rt::clock::nanos;

use super::items::{SyslogItem, Wanted, is_syslog};
use crate::resolve::Resolver;

/// A change of the configuration takes effect within this time: all items are searched for it.
const FOLLOW_EACH: Duration = Duration::from_secs(1);

pub(super) struct Hosts {
    resolver: Resolver,
    snapshot: Option<Arc<Snapshot>>,
    followed_ns: u64,
    by_address: Map<IpAddr, Vec<HostId>>,
    /// In small letters.
    by_name: Map<String, Vec<HostId>>,
    items: Map<HostId, Vec<SyslogItem>>,
}

impl Hosts {
    pub(super) fn new(resolver: Resolver) -> Self {
        Self {
            resolver,
            snapshot: None,
            followed_ns: 0,
            by_address: Map::default(),
            by_name: Map::default(),
            items: Map::default(),
        }
    }

    /// Applies the configuration, if it has changed.
    pub(super) fn follow(&mut self, snapshot: &Arc<Snapshot>, now_ns: u64) {
        if let Some(known) = &self.snapshot {
            let is_early = now_ns.saturating_sub(self.followed_ns) < nanos(FOLLOW_EACH);
            if Arc::ptr_eq(known, snapshot) || is_early {
                return;
            }
        }
        self.followed_ns = now_ns;
        self.by_address.clear();
        self.by_name.clear();
        self.items.clear();
        for host in snapshot.hosts.values().filter(|it| it.status == HostStatus::Monitored) {
            self.add(snapshot, host);
        }
        self.snapshot = Some(Arc::clone(snapshot));
    }

    fn add(&mut self, snapshot: &Snapshot, host: &Arc<Host>) {
        let mut items = Vec::new();
        for row in host.items.iter().filter(|it| is_syslog(&it.content)) {
            if !row.is_live() || row.content.status != ItemStatus::Enabled {
                continue;
            }
            let context = self.resolver.context(snapshot, host, host.interface_of(row));
            let key = row.key();
            // A broken key is reported at its item.
            let Ok(key) = context.key(&key) else { continue };
            let Ok(wanted) = Wanted::read(&key, &snapshot.globals.regexps) else { continue };
            let allowed = context.allowed_hosts(row);
            items.push(SyslogItem::new(row.id, wanted, allowed));
        }
        if items.is_empty() {
            return;
        }
        self.items.insert(host.id, items);
        let mut names = vec![host.host.to_ascii_lowercase()];
        for interface in &host.interfaces {
            let context = self.resolver.context(snapshot, host, Some(interface));
            let (address, _port) = context.address(interface);
            match address.parse::<IpAddr>() {
                Ok(address) => {
                    let hosts = self.by_address.entry(address.to_canonical()).or_default();
                    hosts.push(host.id);
                    hosts.dedup();
                    names.push(address.to_canonical().to_string());
                }
                Err(_name) => names.push(address.to_ascii_lowercase()),
            }
        }
        names.sort_unstable();
        names.dedup();
        for name in names {
            self.by_name.entry(name).or_default().push(host.id);
        }
    }

    /// The hosts that have an interface with this address.
    pub(super) fn at(&self, address: IpAddr) -> Vec<HostId> {
        self.by_address.get(&address.to_canonical()).cloned().unwrap_or_default()
    }

    /// The hosts of this name: technical, or the address or DNS name of an interface. A name with a domain
    /// is also looked up without it.
    pub(super) fn named(&self, name: &str) -> Vec<HostId> {
        let name = name.to_ascii_lowercase();
        let found = self.by_name.get(&name).or_else(|| {
            let short = name.split('.').next().unwrap_or_default();
            if name.parse::<IpAddr>().is_ok() { None } else { self.by_name.get(short) }
        });
        found.cloned().unwrap_or_default()
    }

    pub(super) fn items(&self, host: HostId) -> &[SyslogItem] {
        self.items.get(&host).map_or(&[], Vec::as_slice)
    }
}
