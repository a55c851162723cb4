//! The inventory of hosts: `inventory`, `selectInventory` and `searchInventory`.

use model::content::{INVENTORY_FIELDS, Inventory, InventoryField, InventoryMode, inventory_link};
use model::snapshot::Host;
use serde_json::Value;

use crate::describe::{Field, FieldType, Rule};
use crate::error::{ApiError, param};
use crate::json::{self, number, text};
use crate::objects::common::scope::Get;
use crate::query::{self, Output};
use crate::shared::Ctx;

pub(crate) const INVENTORY: &[Field] = &fields();

const fn fields() -> [Field; INVENTORY_FIELDS.len()] {
    let none = Field::new("", FieldType::Text { max: 0 }, Rule::Optional, "");
    let mut fields = [none; INVENTORY_FIELDS.len()];
    let mut at = 0;
    while at < fields.len() {
        let InventoryField { name, title, max } = INVENTORY_FIELDS[at];
        fields[at] = Field::new(name, FieldType::Text { max }, Rule::Optional, title);
        at += 1;
    }
    fields
}

fn of<'c>(ctx: &'c Ctx, host: &Host) -> Option<&'c Inventory> {
    ctx.snapshot.inventories.get(&host.id).map(|it| &**it)
}

fn field<'i>(inventory: Option<&'i Inventory>, name: &str) -> &'i str {
    let number = inventory_link(name).unwrap_or_default();
    inventory.map_or("", |it| it.get(number))
}

/// An empty list where the host has none, as PHP writes it.
pub(crate) fn related(ctx: &Ctx, host: &Host, output: &Output) -> Value {
    if host.inventory_mode == InventoryMode::Disabled {
        return Value::Array(Vec::new());
    }
    let inventory = of(ctx, host);
    let mut written = json::part(INVENTORY, output, |name| text(field(inventory, name)));
    // The table's key: returned only where it is requested by name.
    if let (Output::Fields(_), true, Value::Object(it)) =
        (output, output.wants("hostid"), &mut written)
    {
        it.insert("hostid".to_owned(), number(host.id));
    }
    match written {
        Value::Object(it) if it.is_empty() => Value::Array(Vec::new()),
        it => it,
    }
}

/// The conditions of `host.get` on inventories.
#[derive(Debug, Default)]
pub(crate) struct InventoryFilter {
    /// `withInventory`, `searchInventory`: hosts with an inventory only.
    is_needed: bool,
    /// Field by number → patterns.
    search: Vec<(u8, Vec<String>)>,
}

impl InventoryFilter {
    pub(crate) fn parse(get: &Get<'_>) -> Result<Self, ApiError> {
        let given = get.param("searchInventory");
        let patterns = query::patterns(given, &param("searchInventory"))?.into_iter();
        let known = patterns.filter_map(|(name, it)| Some((inventory_link(&name)?, it)));
        let is_needed = given.is_some() || get.flag("withInventory");
        Ok(Self { is_needed, search: known.collect() })
    }

    pub(crate) fn admits(&self, get: &Get<'_>, host: &Host) -> bool {
        if !self.is_needed {
            return true;
        }
        let inventory = of(get.ctx, host);
        let search = self.search.iter().map(|(number, patterns)| (*number, patterns));
        let lower = |number| inventory.map_or("", |it| it.get(number)).to_lowercase();
        host.inventory_mode != InventoryMode::Disabled
            && (self.search.is_empty() || get.options.finds(search, lower))
    }
}
