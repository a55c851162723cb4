//! Hosts.

use std::sync::Arc;

use formats::document::Value;
use model::content::{INVENTORY_FIELDS, Interface, SnmpDetails};
use model::content_field::FieldValue;
use model::snapshot::Host;

use super::Exporter;
use super::document::add_content;
use super::entry::{Entry, tags};
use super::holder::{macros, named, valuemaps};
use crate::configuration::objects::interface::{self, InterfaceField, InterfacePart, SnmpField};
use crate::configuration::objects::names::{
    ENABLED, INVENTORY_MODES, IPMI_AUTH_TYPES, IPMI_PRIVILEGES,
};

impl Exporter<'_> {
    pub(super) fn host(&self, it: &Arc<Host>) -> Value {
        let mut entry = Entry::default();
        entry.text("host", &*it.host);
        entry.text("name", &*it.name);
        entry.filled("description", &it.description);
        entry.code_unless("status", it.status.code().into(), ENABLED, 0);
        if let Some(login) = &it.ipmi {
            entry.code_unless("ipmi_authtype", login.authtype, IPMI_AUTH_TYPES, -1);
            entry.code_unless("ipmi_privilege", login.privilege, IPMI_PRIVILEGES, 2);
            entry.filled("ipmi_username", &login.username);
            entry.filled("ipmi_password", self.credential(it, &login.password));
        }
        entry.list("templates", self.linked(&it.templates));
        let groups = it.groups.iter().filter_map(|id| self.snapshot.host_groups.get(id));
        entry.list("groups", named(groups.map(|it| it.name.as_str())));
        let interfaces = it.interfaces.iter().zip(1..);
        // Items name them by these references.
        let interfaces = interfaces.map(|(interface, number)| {
            let mut fields = self.interface(it, interface);
            fields.text("interface_ref", format!("if{number}"));
            fields.into()
        });
        entry.list("interfaces", interfaces.collect());
        let mut triggers = self.triggers_of_items(it);
        entry.list("items", self.items(it, model::ItemId::NONE, &mut triggers));
        entry.list("discovery_rules", self.rules(it, &mut triggers));
        entry.list("httptests", self.web_scenarios(it));
        entry.list("tags", tags(&it.tags));
        entry.list("macros", macros(&it.macros));
        if let Some(inventory) = self.snapshot.inventories.get(&it.id) {
            let mut fields = Entry::default();
            for (number, field) in (1_u8..).zip(&INVENTORY_FIELDS) {
                fields.filled(field.name, inventory.get(number));
            }
            entry.child("inventory", fields);
        }
        entry.code("inventory_mode", it.inventory_mode.code().into(), INVENTORY_MODES);
        entry.list("valuemaps", valuemaps(it));
        entry.into()
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
        let shown = |described: &SnmpField| {
            let value = match (described.read)(it) {
                FieldValue::Text(text) if described.is_credential => {
                    FieldValue::Text(self.credential(host, text))
                }
                value => value,
            };
            (described.field, value)
        };
        add_content(&mut entry, interface::DETAILS_IN_FILES, false, &shown, &mut |part, _| {
            match *part {}
        });
        entry
    }
}
