//! The inventory of a host: facts about a device that are no measurements.
//!
//! There are 70 fields, numbered from 1 in the order of [`INVENTORY_FIELDS`]; an item names the one
//! that it fills by this number (`inventory_link`, 0 = none). Empty fields are not kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::codes;
use crate::ValueType;
use crate::limits::TEXT_FIELD_MAX as LONG;

codes! {
    /// How the inventory of a host is filled.
    pub enum InventoryMode {
        /// There is none.
        Disabled = -1,
        Manual = 0,
        /// Items fill the fields that they name; users fill the others.
        Automatic = 1,
    }
}

/// A field as all hosts have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InventoryField {
    /// As the API calls it.
    pub name: &'static str,
    /// As messages call it.
    pub title: &'static str,
    /// In characters.
    pub max: usize,
}

impl InventoryField {
    /// As much of a text as the field holds.
    #[must_use]
    pub fn cut<'t>(&self, text: &'t str) -> &'t str {
        let end = text.char_indices().nth(self.max).map_or(text.len(), |(at, _)| at);
        text.get(..end).unwrap_or(text)
    }
}

/// All fields, by number from 1.
#[rustfmt::skip]
pub const INVENTORY_FIELDS: [InventoryField; 70] = [
    InventoryField { name: "type", title: "Type", max: 64 },
    InventoryField { name: "type_full", title: "Type (Full details)", max: 64 },
    InventoryField { name: "name", title: "Name", max: 128 },
    InventoryField { name: "alias", title: "Alias", max: 128 },
    InventoryField { name: "os", title: "OS", max: 128 },
    InventoryField { name: "os_full", title: "OS (Full details)", max: 255 },
    InventoryField { name: "os_short", title: "OS (Short)", max: 128 },
    InventoryField { name: "serialno_a", title: "Serial number A", max: 64 },
    InventoryField { name: "serialno_b", title: "Serial number B", max: 64 },
    InventoryField { name: "tag", title: "Tag", max: 64 },
    InventoryField { name: "asset_tag", title: "Asset tag", max: 64 },
    InventoryField { name: "macaddress_a", title: "MAC address A", max: 64 },
    InventoryField { name: "macaddress_b", title: "MAC address B", max: 64 },
    InventoryField { name: "hardware", title: "Hardware", max: 255 },
    InventoryField { name: "hardware_full", title: "Hardware (Full details)", max: LONG },
    InventoryField { name: "software", title: "Software", max: 255 },
    InventoryField { name: "software_full", title: "Software (Full details)", max: LONG },
    InventoryField { name: "software_app_a", title: "Software application A", max: 64 },
    InventoryField { name: "software_app_b", title: "Software application B", max: 64 },
    InventoryField { name: "software_app_c", title: "Software application C", max: 64 },
    InventoryField { name: "software_app_d", title: "Software application D", max: 64 },
    InventoryField { name: "software_app_e", title: "Software application E", max: 64 },
    InventoryField { name: "contact", title: "Contact", max: LONG },
    InventoryField { name: "location", title: "Location", max: LONG },
    InventoryField { name: "location_lat", title: "Location latitude", max: 16 },
    InventoryField { name: "location_lon", title: "Location longitude", max: 16 },
    InventoryField { name: "notes", title: "Notes", max: LONG },
    InventoryField { name: "chassis", title: "Chassis", max: 64 },
    InventoryField { name: "model", title: "Model", max: 64 },
    InventoryField { name: "hw_arch", title: "HW architecture", max: 32 },
    InventoryField { name: "vendor", title: "Vendor", max: 64 },
    InventoryField { name: "contract_number", title: "Contract number", max: 64 },
    InventoryField { name: "installer_name", title: "Installer name", max: 64 },
    InventoryField { name: "deployment_status", title: "Deployment status", max: 64 },
    InventoryField { name: "url_a", title: "URL A", max: 2048 },
    InventoryField { name: "url_b", title: "URL B", max: 2048 },
    InventoryField { name: "url_c", title: "URL C", max: 2048 },
    InventoryField { name: "host_networks", title: "Host networks", max: LONG },
    InventoryField { name: "host_netmask", title: "Host subnet mask", max: 39 },
    InventoryField { name: "host_router", title: "Host router", max: 39 },
    InventoryField { name: "oob_ip", title: "OOB IP address", max: 39 },
    InventoryField { name: "oob_netmask", title: "OOB subnet mask", max: 39 },
    InventoryField { name: "oob_router", title: "OOB router", max: 39 },
    InventoryField { name: "date_hw_purchase", title: "Date HW purchased", max: 64 },
    InventoryField { name: "date_hw_install", title: "Date HW installed", max: 64 },
    InventoryField { name: "date_hw_expiry", title: "Date HW maintenance expires", max: 64 },
    InventoryField { name: "date_hw_decomm", title: "Date HW decommissioned", max: 64 },
    InventoryField { name: "site_address_a", title: "Site address A", max: 128 },
    InventoryField { name: "site_address_b", title: "Site address B", max: 128 },
    InventoryField { name: "site_address_c", title: "Site address C", max: 128 },
    InventoryField { name: "site_city", title: "Site city", max: 128 },
    InventoryField { name: "site_state", title: "Site state / province", max: 64 },
    InventoryField { name: "site_country", title: "Site country", max: 64 },
    InventoryField { name: "site_zip", title: "Site ZIP / postal", max: 64 },
    InventoryField { name: "site_rack", title: "Site rack location", max: 128 },
    InventoryField { name: "site_notes", title: "Site notes", max: LONG },
    InventoryField { name: "poc_1_name", title: "Primary POC name", max: 128 },
    InventoryField { name: "poc_1_email", title: "Primary POC email", max: 128 },
    InventoryField { name: "poc_1_phone_a", title: "Primary POC phone A", max: 64 },
    InventoryField { name: "poc_1_phone_b", title: "Primary POC phone B", max: 64 },
    InventoryField { name: "poc_1_cell", title: "Primary POC cell", max: 64 },
    InventoryField { name: "poc_1_screen", title: "Primary POC screen name", max: 64 },
    InventoryField { name: "poc_1_notes", title: "Primary POC notes", max: LONG },
    InventoryField { name: "poc_2_name", title: "Secondary POC name", max: 128 },
    InventoryField { name: "poc_2_email", title: "Secondary POC email", max: 128 },
    InventoryField { name: "poc_2_phone_a", title: "Secondary POC phone A", max: 64 },
    InventoryField { name: "poc_2_phone_b", title: "Secondary POC phone B", max: 64 },
    InventoryField { name: "poc_2_cell", title: "Secondary POC cell", max: 64 },
    InventoryField { name: "poc_2_screen", title: "Secondary POC screen name", max: 64 },
    InventoryField { name: "poc_2_notes", title: "Secondary POC notes", max: LONG },
];

/// The number of a field.
#[must_use]
pub fn inventory_link(name: &str) -> Option<u8> {
    let at = INVENTORY_FIELDS.iter().position(|it| it.name == name)?;
    u8::try_from(at + 1).ok()
}

/// The field that an item's `inventory_link` names; `None` for 0.
#[must_use]
pub fn inventory_field(link: i64) -> Option<(u8, &'static InventoryField)> {
    let number = u8::try_from(link).ok().filter(|it| *it != 0)?;
    INVENTORY_FIELDS.get(usize::from(number) - 1).map(|it| (number, it))
}

/// Whether values of this type may fill a field.
#[must_use]
pub fn may_fill_inventory(kind: ValueType) -> bool {
    match kind {
        ValueType::Float | ValueType::Unsigned | ValueType::Char | ValueType::Text => true,
        ValueType::Log | ValueType::Binary => false,
    }
}

/// The filled fields of one host.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inventory {
    /// By number; no text is empty.
    fields: Vec<(u8, Arc<str>)>,
}

impl Inventory {
    /// The text of a field, by number; "" if it is not filled.
    #[must_use]
    pub fn get(&self, number: u8) -> &str {
        match self.fields.binary_search_by_key(&number, |it| it.0) {
            Ok(at) => &self.fields[at].1,
            Err(_) => "",
        }
    }

    /// Fills a field, or empties it. Numbers that no field has are ignored.
    pub fn set(&mut self, number: u8, text: &str) {
        if inventory_field(i64::from(number)).is_none() {
            return;
        }
        match self.fields.binary_search_by_key(&number, |it| it.0) {
            Ok(at) if text.is_empty() => {
                self.fields.remove(at);
            }
            Ok(at) => self.fields[at].1 = text.into(),
            Err(at) if !text.is_empty() => self.fields.insert(at, (number, text.into())),
            Err(_) => {}
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
}

/// By names of fields: stored inventories stay readable.
impl Serialize for Inventory {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.fields.len()))?;
        for (number, text) in &self.fields {
            if let Some((_, field)) = inventory_field(i64::from(*number)) {
                map.serialize_entry(field.name, &**text)?;
            }
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Inventory {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let unknown =
            |name: &str| serde::de::Error::custom(format_args!("unknown field \"{name}\""));
        let mut inventory = Self::default();
        for (name, text) in BTreeMap::<String, String>::deserialize(deserializer)? {
            inventory.set(inventory_link(&name).ok_or_else(|| unknown(&name))?, &text);
        }
        Ok(inventory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filled_fields_are_stored_and_written_by_name() {
        let mut inventory = Inventory::default();
        for (name, text) in [("os", "Linux"), ("type", "server"), ("os", ""), ("poc_2_notes", "x")]
        {
            inventory.set(inventory_link(name).expect("a field"), text);
        }
        inventory.set(0, "no field");
        inventory.set(71, "no field");
        let written = serde_json::to_string(&inventory).expect("plain data");
        assert_eq!(written, r#"{"type":"server","poc_2_notes":"x"}"#);
        assert_eq!(serde_json::from_str::<Inventory>(&written).expect("as written"), inventory);
        assert_eq!((inventory.get(1), inventory.get(5), inventory.get(70)), ("server", "", "x"));
        assert!(serde_json::from_str::<Inventory>(r#"{"colour":"red"}"#).is_err());
    }

    #[test]
    fn fields_are_numbered_from_one() {
        assert_eq!(inventory_field(0), None);
        assert_eq!(inventory_field(71), None);
        assert_eq!(inventory_field(5).map(|(number, it)| (number, it.title)), Some((5, "OS")));
        assert_eq!(inventory_link("poc_2_notes"), Some(70));
    }
}
