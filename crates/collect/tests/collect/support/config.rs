//! Small configurations for tests.
#![allow(dead_code, unreachable_pub, reason = "each file of tests uses a part")]

use std::sync::Arc;

use model::content::{
    HostMacro, Interface, InterfaceType, ItemContent, ItemFlags, ItemType, MacroType, SnmpDetails,
};
use model::snapshot::{Discovered, HolderKind, Host, ItemExtra, ItemRow, LldRow, Snapshot};
use model::{HostId, HostMacroId, InterfaceId, ItemId};

pub fn host(id: u64, name: &str) -> Host {
    Host::new(HostId(id), HolderKind::Host, name.into(), name.into())
}

pub fn interface(id: u64, kind: InterfaceType, ip: &str, port: u16) -> Interface {
    let details = SnmpDetails { community: "public".to_owned(), ..SnmpDetails::default() };
    Interface {
        interfaceid: InterfaceId(id),
        kind,
        main: true,
        useip: true,
        ip: ip.to_owned(),
        dns: String::new(),
        port: port.to_string(),
        details: (kind == InterfaceType::Snmp).then_some(details),
    }
}

/// A secret macro of a host.
pub fn secret_macro(name: &str, value: &str) -> HostMacro {
    HostMacro {
        hostmacroid: HostMacroId(1),
        name: name.to_owned(),
        value: value.to_owned(),
        description: String::new(),
        kind: MacroType::Secret,
    }
}

pub fn item(id: u64, kind: ItemType, key: &str, delay: &str) -> ItemRow {
    let content = ItemContent {
        key_: key.to_owned(),
        name: key.to_owned(),
        kind,
        delay: delay.to_owned(),
        snmp_oid: if kind == ItemType::Snmp { key.to_owned() } else { String::new() },
        ..ItemContent::default()
    };
    ItemRow {
        id: ItemId(id),
        source: ItemId::NONE,
        content: Arc::new(content),
        extra: None,
        flags: ItemFlags::Plain,
    }
}

/// An item that discovery made from a prototype for a row.
pub fn discovered(mut prototype: ItemRow, key: &str, row: &[(&str, &str)]) -> ItemRow {
    let row = Arc::new(LldRow::new(row.iter().copied()));
    let mut discovered = Discovered::new(1, ItemId(2), row);
    discovered.set_texts(prototype.patterns(), key, key);
    prototype.extra =
        Some(Box::new(ItemExtra { discovered: Some(discovered), ..ItemExtra::default() }));
    prototype.flags = ItemFlags::Discovered;
    prototype
}

pub fn snapshot(epoch: u64, hosts: impl IntoIterator<Item = Host>) -> Arc<Snapshot> {
    let mut snapshot = Snapshot { epoch, ..Snapshot::default() };
    for host in hosts {
        snapshot.host_by_name.insert(Arc::clone(&host.host), host.id);
        if let (Some(first), Some(last)) = (host.items.first(), host.items.last()) {
            snapshot.item_runs.insert(first.id, (last.id, host.id));
        }
        snapshot.count_shared_key(None, host.encryption.as_deref());
        snapshot.hosts.insert(host.id, Arc::new(host));
    }
    Arc::new(snapshot)
}
