//! Common parts of items, discovery rules and item prototypes: their fields, and how these are read.

use std::sync::Arc;

use db::objects::item as described;
use model::content::ItemContent;
use model::snapshot::{Host, ItemRow};
use model::version::Version;
use serde_json::Value;

use crate::describe::{FLAG, Field, FieldType, Gives, Rule, Select, count, flattened, joined};
use crate::json::Scalar;
use crate::objects::common::items;
use crate::objects::common::parts::{LONG, TAG};
use crate::objects::common::resolve;
use crate::ports::ItemLive;
use crate::query::table;
use crate::query::{Column, RowFamily};
use crate::shared::Ctx;

/// The rule prototype that a prototype belongs to.
pub(crate) const SELECT_RULE_PROTOTYPE: Select = Select::new(
    "selectDiscoveryRulePrototype",
    "discoveryRulePrototype",
    Gives::Object("discoveryruleprototype"),
);
/// The origin of a prototype that discovery created: discovery creates none.
pub(crate) const SELECT_DISCOVERY_OF_PROTOTYPE: Select =
    Select::new("selectDiscoveryData", "discoveryData", Gives::Nothing).since(Version::V7_4);
/// The rule prototypes of a rule or rule prototype.
pub(crate) const SELECT_RULE_PROTOTYPES: Select = Select::new(
    "selectDiscoveryRulePrototypes",
    "discoveryRulePrototypes",
    Gives::Objects("discoveryruleprototype"),
)
.limited("name")
.countable();

/// Items, item prototypes and discovery rules, each with its holder.
pub(crate) struct ItemFamily;

pub(crate) type HolderItem<'a> = (&'a Arc<Host>, &'a ItemRow);
pub(crate) type ItemColumn = Column<ItemFamily>;

impl RowFamily for ItemFamily {
    type Reader<'a> = &'a Ctx;
    type Row<'a> = HolderItem<'a>;
    type Content = ItemContent;

    fn content<'a>((_, row): Self::Row<'a>) -> &'a ItemContent {
        &row.content
    }

    fn shown<'r, 'a>(ctx: &'r &'a Ctx, (_, row): HolderItem<'a>, value: Scalar<'r>) -> Scalar<'r> {
        match row.discovered() {
            None => value,
            found => Scalar::Tree(resolve::discovered(ctx, value.value(), found)),
        }
    }

    fn shows_credentials<'a>(ctx: &&'a Ctx, (holder, _): HolderItem<'a>) -> bool {
        ctx.may_write(holder)
    }
}

pub(crate) const ITEMID: ItemColumn =
    ItemColumn::of_row(Field::new("itemid", FieldType::Id, Rule::ReadOnly, "Id"), |_, (_, row)| {
        Scalar::Id(row.id.0)
    });
pub(crate) const HOSTID: ItemColumn = ItemColumn::of_row(
    Field::new("hostid", FieldType::Id, Rule::Constant("0"), "Host or template that it belongs to"),
    |_, (holder, _)| Scalar::Id(holder.id.0),
);
pub(crate) const ITEM_NAME: ItemColumn =
    ItemColumn::of_row(described::NAME.field, |_, (_, row)| Scalar::Made(row.name()));
pub(crate) const ITEM_KEY: ItemColumn =
    ItemColumn::of_row(described::KEY.field, |_, (_, row)| Scalar::Made(row.key()));

/// The rule, or rule prototype, that a prototype belongs to.
pub(crate) const fn rule_of_prototype(doc: &'static str) -> ItemColumn {
    let field = Field::new("ruleid", FieldType::Id, Rule::Required, doc);
    ItemColumn::of_row(field, |ctx, (holder, row)| {
        let rule = items::rule_of(ctx, holder, row.content.ruleid);
        Scalar::Id(rule.map_or(0, |(_, it)| it.id.0))
    })
}

/// Preprocessing; rules have fewer kinds of steps. Answered by a select.
pub(crate) const fn preprocessing(steps: &'static [Field]) -> ItemColumn {
    let kind = FieldType::List(steps);
    ItemColumn::given_only(Field::new(
        "preprocessing",
        kind,
        Rule::Optional,
        "Preprocessing, in order",
    ))
}

pub(crate) const TAGS: ItemColumn = ItemColumn::given_only(
    Field::new("tags", FieldType::List(TAG), Rule::Optional, "Tags").overridable(),
);
pub(crate) const STATUS: ItemColumn = ItemColumn::described(described::STATUS);
pub(crate) const UUID: ItemColumn = ItemColumn::described(described::UUID);
/// Independent fields of items, rules and prototypes.
pub(crate) const OF_ALL: [ItemColumn; described::OF_ALL.len()] =
    table::described(&described::OF_ALL);
pub(crate) const TEMPLATE: ItemColumn = ItemColumn::of_row(
    Field::new(
        "templateid",
        FieldType::Id,
        Rule::ReadOnly,
        "The object of the directly linked template that it comes from; 0: none",
    ),
    |_, (_, row)| Scalar::Id(row.source.0),
);
pub(crate) const STATE: Field =
    Field::new("state", FLAG, Rule::ReadOnly, "0 normal, 1 not supported");
pub(crate) const ERROR: Field = Field::new(
    "error",
    LONG,
    Rule::ReadOnly,
    "The error if it is not supported; else the error of its last values",
);

/// The error of an item that is not supported, else of its last values.
pub(crate) fn error_of(live: ItemLive) -> Scalar<'static> {
    Scalar::Made(live.error.map_or_else(Default::default, |it| it.to_string().into()))
}

const VALUES_FIRST: [ItemColumn; described::VALUES_FIRST.len()] =
    table::described(&described::VALUES_FIRST);
const VALUES_LAST: [ItemColumn; described::VALUES_LAST.len()] =
    table::described(&described::VALUES_LAST);
const VALUE_MAP: ItemColumn = ItemColumn::of_row(described::VALUEMAPID, |ctx, (holder, row)| {
    let own = items::valuemap_of(ctx, holder, row);
    Scalar::Id(own.map_or(0, |it| it.valuemapid.0))
});
const ABOUT_VALUES: &[&[ItemColumn]] = &[&VALUES_FIRST, &[VALUE_MAP], &VALUES_LAST];
/// Fields of value collection, alike for items and their prototypes.
pub(crate) const VALUES: [ItemColumn; count(ABOUT_VALUES)] = flattened(ABOUT_VALUES);

/// Of discovery rules.
pub(crate) const LIFETIMES: [ItemColumn; described::LIFETIMES.len()] =
    table::described(&described::LIFETIMES);

const INTERFACE: ItemColumn = ItemColumn::of_row(described::INTERFACEID, |_, (holder, row)| {
    // Items that follow the main interface name it, as Zabbix does.
    let is_used = row.content.kind.interface().is_some();
    let used = holder.interface_of(row).filter(|_| is_used);
    Scalar::Id(used.map_or(row.content.interfaceid, |it| it.interfaceid).0)
});
const FIRST_OF_TYPE: [ItemColumn; described::BY_TYPE_FIRST.len()] =
    table::described(&described::BY_TYPE_FIRST);
/// Fields that only some types of checks use, in the order in which Zabbix checks that they have their
/// defaults where they are not used: those before the master item, and after it.
pub(crate) const BY_TYPE_FIRST: [ItemColumn; FIRST_OF_TYPE.len() + 1] =
    joined(&[INTERFACE], &FIRST_OF_TYPE);
// The reference is written in terms of the holder of the content.
const MASTER: ItemColumn = ItemColumn::of_row(described::MASTER_ITEMID, |ctx, (holder, row)| {
    let master = row.content.master_itemid.some();
    let master = master.and_then(|it| ctx.snapshot.item_meant(holder, it, row.discovered()));
    Scalar::Id(master.map_or(0, |(_, it)| it.id.0))
});
pub(crate) const BY_TYPE_LAST: [ItemColumn; described::BY_TYPE_LAST.len()] =
    table::described(&described::BY_TYPE_LAST);

const OF_TYPES: &[&[ItemColumn]] = &[&BY_TYPE_FIRST, &[MASTER], &BY_TYPE_LAST];
/// Fields by type of check, alike for items, rules and prototypes.
pub(crate) const BY_TYPE: [ItemColumn; count(OF_TYPES)] = flattened(OF_TYPES);

/// A field of a content, as text; `None`: no independent field.
pub(crate) fn content_field(content: &ItemContent, name: &str) -> Option<Value> {
    let columns: [&[ItemColumn]; 3] = [&BY_TYPE, &VALUES, &LIFETIMES];
    columns.into_iter().find_map(|it| table::content_value(it, content, name))
}
