//! Hosts.

use std::sync::Arc;

use formats::document::Value;
use model::content::{INVENTORY_FIELDS, Interface, SnmpDetails};
use model::snapshot::Host;

use super::Exporter;
use super::document::add_content;
use super::entry::{Entry, tags};
use super::holder::{macros, named, valuemaps};
use crate::configuration::objects::host::{HostField, HostPart, IN_FILES};
use crate::configuration::objects::interface::{self, InterfaceField, InterfacePart, SnmpField};

impl Exporter<'_> {
    pub(super) fn host(&self, it: &Arc<Host>) -> Value {
        let mut entry = Entry::default();
        let mut triggers = self.triggers_of_items(it);
        let shown = |described: &HostField| (described.field, self.shown_of(it, described, it));
        add_content(&mut entry, IN_FILES, false, &shown, &mut |part, entry| match part {
            HostPart::Templates => entry.list("templates", self.linked(&it.templates)),
            HostPart::Groups => {
                let groups = it.groups.iter().filter_map(|id| self.snapshot.host_groups.get(id));
                entry.list("groups", named(groups.map(|it| it.name.as_str())));
            }
            HostPart::Interfaces => entry.list("interfaces", self.interfaces(it)),
            HostPart::Objects => self.objects(it, &mut triggers, entry),
            HostPart::Tags => entry.list("tags", tags(&it.tags)),
            HostPart::Macros => entry.list("macros", macros(&it.macros)),
            HostPart::Inventory => {
                if let Some(inventory) = self.snapshot.inventories.get(&it.id) {
                    let mut fields = Entry::default();
                    for (number, field) in (1_u8..).zip(&INVENTORY_FIELDS) {
                        fields.filled(field.name, inventory.get(number));
                    }
                    entry.child("inventory", fields);
                }
            }
            HostPart::ValueMaps => entry.list("valuemaps", valuemaps(it)),
        });
        entry.into()
    }

    fn interfaces(&self, host: &Host) -> Vec<Value> {
        let interfaces = host.interfaces.iter().zip(1..);
        // Items name them by these references.
        let interfaces = interfaces.map(|(interface, number)| {
            let mut fields = self.interface(host, interface);
            fields.text("interface_ref", format!("if{number}"));
            fields.into()
        });
        interfaces.collect()
    }

    /// An interface of a host, or of the prototypes on it.
    pub(super) fn interface(&self, host: &Host, it: &Interface) -> Entry {
        let mut entry = Entry::default();
        let shown = |described: &InterfaceField| (described.field, (described.read)(it));
        add_content(
            &mut entry,
            interface::IN_FILES,
            false,
            &shown,
            &mut |part, entry| match part {
                InterfacePart::Details => {
                    if let Some(details) = &it.details {
                        entry.child("details", self.snmp(host, details));
                    }
                }
            },
        );
        entry
    }

    fn snmp(&self, host: &Host, it: &SnmpDetails) -> Entry {
        let mut entry = Entry::default();
        let shown = |described: &SnmpField| (described.field, self.shown_of(host, described, it));
        add_content(&mut entry, interface::DETAILS_IN_FILES, false, &shown, &mut |part, _| {
            match *part {}
        });
        entry
    }
}
