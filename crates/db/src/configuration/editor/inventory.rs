//! The inventory of hosts: fields by users, fields filled by items, and the links between both.

use std::sync::Arc;

use model::content::{
    Inventory, InventoryField, InventoryMode, ItemContent, ItemFlags, inventory_field,
    inventory_link, may_fill_inventory,
};
use model::snapshot::{Host, ItemRow};
use model::{HostId, ItemId};
use serde_json::{Map as JsonMap, Value as Json};

use super::Editor;
use super::content::int_field;
use super::messages::called;
use crate::error::{ConfigError, edited};

type Fields = JsonMap<String, Json>;

/// The fields to write; `None` where there are none, which changes nothing.
fn given(fields: &Fields) -> Option<&Fields> {
    fields.get("inventory").and_then(Json::as_object).filter(|it| !it.is_empty())
}

/// The field that an item fills, if its values may.
fn filled(content: &ItemContent) -> Option<(u8, &'static InventoryField)> {
    if may_fill_inventory(content.value_type) {
        inventory_field(content.inventory_link)
    } else {
        None
    }
}

/// The item of a holder that fills a field.
fn filler(holder: &Host, number: u8) -> impl Iterator<Item = &ItemRow> {
    let is_item = |it: &&ItemRow| it.flags == ItemFlags::Plain;
    let fills = move |it: &&ItemRow| filled(&it.content).is_some_and(|(it, _)| it == number);
    holder.items.iter().filter(is_item).filter(fills)
}

impl Editor {
    /// The mode that a host gets: the given one, or `None` if it keeps its own.
    pub(super) fn inventory_mode(
        &self,
        id: HostId,
        fields: &Fields,
    ) -> Result<Option<InventoryMode>, ConfigError> {
        let wanted = int_field(fields, "inventory_mode").and_then(InventoryMode::from_code);
        if given(fields).is_none() {
            return Ok(wanted);
        }
        let holder = self.holder(id)?;
        match (wanted, holder.inventory_mode) {
            (Some(InventoryMode::Disabled), _) => {
                Err(ConfigError::parameters("Cannot set inventory fields for disabled inventory."))
            }
            (Some(mode), _) => Ok(Some(mode)),
            // A new host that comes with an inventory has one.
            (None, InventoryMode::Disabled) if self.is_new(id) => Ok(Some(InventoryMode::Manual)),
            (None, InventoryMode::Disabled) => Err(ConfigError::parameters(format_args!(
                "Inventory disabled for host \"{}\".",
                holder.host
            ))),
            (None, _) => Ok(None),
        }
    }

    /// Writes the given fields; those that items fill stay as they are. The mode is set already.
    pub(super) fn set_inventory(&mut self, id: HostId, fields: &Fields) -> Result<(), ConfigError> {
        let holder = Arc::clone(self.holder(id)?);
        if holder.inventory_mode == InventoryMode::Disabled {
            self.put_inventory(id, Inventory::default());
            return Ok(());
        }
        let Some(given) = given(fields) else { return Ok(()) };
        let is_automatic = holder.inventory_mode == InventoryMode::Automatic;
        let mut inventory = self.inventory(id);
        for (name, text) in given {
            let number = inventory_link(name).ok_or_else(|| {
                ConfigError::parameters(format_args!("Incorrect inventory field \"{name}\"."))
            })?;
            if is_automatic && filler(&holder, number).next().is_some() {
                continue;
            }
            inventory.set(number, text.as_str().unwrap_or_default());
        }
        self.put_inventory(id, inventory);
        Ok(())
    }

    fn inventory(&self, id: HostId) -> Inventory {
        self.next.inventories.get(&id).map(|it| Inventory::clone(it)).unwrap_or_default()
    }

    /// Fills a field by the value of an item, cut to what the field holds. Does nothing if the host
    /// is gone or its inventory is not automatic (any more).
    pub fn fill_inventory(&mut self, host: HostId, number: u8, text: &str) {
        let is_automatic = self
            .next
            .hosts
            .get(&host)
            .is_some_and(|it| it.inventory_mode == InventoryMode::Automatic);
        let Some((_, field)) = inventory_field(i64::from(number)).filter(|_| is_automatic) else {
            return;
        };
        let mut inventory = self.inventory(host);
        inventory.set(number, field.cut(text));
        self.put_inventory(host, inventory);
    }

    /// Two items may not fill one field of a host: looks at one that starts to.
    ///
    /// `template`: the one that it comes from, if it is inherited.
    pub(super) fn check_inventory_link(
        &self,
        holder: HostId,
        (id, key): (ItemId, &str),
        content: &ItemContent,
        template: Option<HostId>,
    ) -> Result<(), ConfigError> {
        let Some((number, field)) = filled(content) else { return Ok(()) };
        let holder = self.holder(holder)?;
        let Some(other) = filler(holder, number).find(|it| it.id != id) else { return Ok(()) };
        let (title, other, target) = (field.title, other.key(), called(holder));
        Err(match template.and_then(|it| self.next.holder(it)) {
            Some(template) => ConfigError::parameters(format_args!(
                "Cannot inherit item with key \"{key}\" of template \"{}\" to {target}, because its \
                 inventory field \"{title}\" is already populated by the item with key \"{other}\".",
                template.host
            )),
            None => ConfigError::parameters(format_args!(
                "Cannot assign the inventory field \"{title}\" to the item with key \"{key}\" of \
                 {target}, because it is already populated by the item with key \"{other}\"."
            )),
        })
    }

    /// As [`Self::check_inventory_link`], for content in place of other content: the item that
    /// filled the field before may go on.
    pub(super) fn check_new_inventory_link(
        &self,
        holder: HostId,
        item: (ItemId, &str),
        (old, new): (&ItemContent, &ItemContent),
        template: Option<HostId>,
    ) -> Result<(), ConfigError> {
        let fills = |it| filled(it).map(|(number, _)| number);
        if fills(old) == fills(new) {
            return Ok(());
        }
        self.check_inventory_link(holder, item, new, template)
    }
}

/// Items whose values cannot be written into a field name none: an error if the user asks for it,
/// else the link goes with the type of values that allowed it.
pub(super) fn normalize_inventory_link(
    fields: &Fields,
    content: &mut ItemContent,
) -> Result<(), ConfigError> {
    if content.inventory_link == 0 || may_fill_inventory(content.value_type) {
        return Ok(());
    }
    if int_field(fields, "inventory_link").is_some_and(|it| it != 0) {
        return Err(ConfigError::invalid(edited("inventory_link"), "value must be 0"));
    }
    content.inventory_link = 0;
    Ok(())
}
