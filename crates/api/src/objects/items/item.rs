//! Items: `item.*`.

use std::sync::Arc;

use db::ObjectKind;
use model::content::ItemFlags;
use model::map::Set;
use model::snapshot::{Host, ItemRow};
use model::{ItemId, TriggerId};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{FLAG, Field, FieldType, Gives, Object, Params, Rule, Select};
use crate::error::ApiError;
use crate::json::{self, Fields, flag, id_of, item_value, number, text};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::crud::Crud;
use crate::objects::common::items;
use crate::objects::common::parts::{NAME, STEP, TAG, preprocessing, tags};
use crate::objects::common::resolve;
use crate::objects::common::scope::{Get, Scope, is_monitored};
use crate::objects::common::tag_filter::RowTagFilter;
use crate::objects::common::triggers;
use crate::objects::items::fields::{
    self as common, BY_TYPE, ERROR, ITEM_TYPE, KEY, MASTER, PREPROCESSING, STATE, TAGS, TEMPLATE,
    UUID, VALUE_TYPE,
};
use crate::objects::items::rules as item_rules;
use crate::ports::ItemLive;
use crate::query::SortKey;
use crate::query::{self, Output, Rows};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::Mode;

/// Where a discovered item comes from.
pub(crate) const DISCOVERY: &[Field] = &[
    Field::new("itemdiscoveryid", FieldType::Id, Rule::ReadOnly, "Id"),
    Field::new("itemid", FieldType::Id, Rule::ReadOnly, "The item"),
    Field::new("parent_itemid", FieldType::Id, Rule::ReadOnly, "The prototype"),
    Field::new("key_", KEY, Rule::ReadOnly, "Key of the prototype"),
    Field::new(
        "lastcheck",
        FieldType::Timestamp,
        Rule::ReadOnly,
        "When it was lost; 0: it is there",
    ),
    Field::new("status", FLAG, Rule::ReadOnly, "1: lost"),
    Field::new("ts_delete", FieldType::Timestamp, Rule::ReadOnly, "When it will be deleted"),
    Field::new("ts_disable", FieldType::Timestamp, Rule::ReadOnly, "When it will be disabled"),
    Field::new("disable_source", FLAG, Rule::ReadOnly, "1: discovery disabled it"),
];

const PERIOD: FieldType = FieldType::Text { max: 255 };

/// Of `get`, also for prototypes and discovery rules.
pub(crate) const PARAMS: &[&str] = &[
    "itemids",
    "groupids",
    "templateids",
    "hostids",
    "interfaceids",
    "triggerids",
    "discoveryids",
    "inherited",
    "templated",
    "monitored",
    "group",
    "host",
    "with_triggers",
    "webitems",
    "evaltype",
    "tags",
    "limitSelects",
];

pub(crate) const OBJECT: Object = Object {
    name: "item",
    type_name: "Item",
    id: "itemid",
    ids: "itemids",
    fields: &FIELDS,
    selects: &[
        Select::new("selectHosts", "hosts", Gives::Objects("host")),
        Select::new("selectInterfaces", "interfaces", Gives::Objects("hostinterface")),
        Select::new("selectTriggers", "triggers", Gives::Objects("trigger")).countable(),
        Select::new("selectGraphs", "graphs", Gives::Nothing).countable(),
        Select::new("selectDiscoveryRule", "discoveryRule", Gives::Object("discoveryrule")),
        Select::new("selectItemDiscovery", "itemDiscovery", Gives::Part(DISCOVERY)),
        Select::new("selectPreprocessing", "preprocessing", Gives::Parts(STEP)),
        Select::new("selectTags", "tags", Gives::Parts(TAG)),
        Select::new("selectValueMap", "valuemap", Gives::Object("valuemap")),
    ],
    params: Params::of(PARAMS).foreign(&["graphids", "proxyids"]),
    sort: &["itemid", "name", "key_", "delay", "history", "trends", "type", "status"],
    doc: "A value that is collected",
};

const OWN: [Field; 27] = [
    Field::new("itemid", FieldType::Id, Rule::ReadOnly, "Id"),
    Field::new("hostid", FieldType::Id, Rule::Constant("0"), "Host or template that it belongs to"),
    Field::new("name", NAME, Rule::Required, "Name"),
    Field::new("key_", KEY, Rule::Required, "Key"),
    Field::new("type", ITEM_TYPE, Rule::Required, "Type of check, by Zabbix's codes"),
    Field::new(
        "value_type",
        VALUE_TYPE,
        Rule::Required,
        "0 float, 1 character, 2 log, 3 unsigned, 4 text, 5 binary",
    ),
    Field::new("units", PERIOD, Rule::Default(""), "Units"),
    Field::new("history", PERIOD, Rule::Default("31d"), "How long values are kept")
        .overridable()
        .or_number(),
    Field::new("trends", PERIOD, Rule::Default("365d"), "How long trends are kept")
        .overridable()
        .or_number(),
    MASTER,
    Field::new("valuemapid", FieldType::Id, Rule::Default("0"), "Value map of the same holder"),
    Field::new("logtimefmt", FieldType::Text { max: 64 }, Rule::Default(""), "Of logs"),
    Field::new(
        "inventory_link",
        FieldType::Int { min: 0, max: 70 },
        Rule::Default("0"),
        "Field of the inventory to fill",
    )
    .overridable(),
    TAGS,
    PREPROCESSING,
    UUID,
    TEMPLATE,
    Field::new("flags", FieldType::Code(&[0, 4]), Rule::ReadOnly, "0 plain, 4 discovered"),
    STATE,
    ERROR,
    Field::new("lastclock", FieldType::Timestamp, Rule::ReadOnly, "Time of the newest value"),
    Field::new(
        "lastns",
        FieldType::Int { min: 0, max: 999_999_999 },
        Rule::ReadOnly,
        "… nanoseconds",
    ),
    Field::new("lastvalue", FieldType::Text { max: 65_535 }, Rule::ReadOnly, "The newest value"),
    Field::new("prevvalue", FieldType::Text { max: 65_535 }, Rule::ReadOnly, "The one before"),
    Field::new("name_resolved", NAME, Rule::ReadOnly, "Name with user macros resolved"),
    Field::new("evaltype", FieldType::Code(&[0]), Rule::ReadOnly, "Always 0"),
    Field::new("formula", NAME, Rule::ReadOnly, "Always empty"),
];

const FIELDS: [Field; 60] = crate::describe::joined(&OWN, &BY_TYPE);

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[
        Method::get("item.get", get),
        Method::edit("item.create", |ctx, params| CRUD.create(ctx, params)),
        Method::edit("item.update", |ctx, params| CRUD.update(ctx, params)),
        Method::edit("item.delete", |ctx, params| CRUD.delete(ctx, params)),
    ],
)
.related(|ctx, rows, output| {
    let Related::Items(rows) = rows else { return json!([]) };
    query::related(&OBJECT, &ItemRows { ctx }, rows.into_iter(), output)
});

const CRUD: Crud = Crud { object: &OBJECT, kind: ObjectKind::Item, may_change, check };

fn may_change(ctx: &Ctx, id: u64) -> bool {
    let found = ctx.snapshot.item(ItemId(id));
    found.is_some_and(|(holder, row)| items::is_item(row.flags) && ctx.may_write(holder))
}

fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, path: &str) -> Result<(), ApiError> {
    if mode == Mode::Create && id_of(fields, "hostid").is_none() {
        return Err(ApiError::field(path, "the parameter \"hostid\" is missing"));
    }
    item_rules::check(ctx, fields, mode, ItemFlags::Plain, path)
}

/// Rows of `item.get`; also used where other objects show items.
pub(crate) struct ItemRows<'a> {
    pub(crate) ctx: &'a Ctx,
}

impl<'a> Rows for ItemRows<'a> {
    type Row = (&'a Arc<Host>, &'a ItemRow);

    fn field(&self, (holder, row): &Self::Row, name: &str) -> Value {
        match name {
            "state" | "error" | "lastclock" | "lastns" => {
                live_field(&self.ctx.ports().live.item(row.id), name)
            }
            "lastvalue" | "prevvalue" => {
                let live = self.ctx.ports().live.item(row.id);
                let value = if name == "lastvalue" { live.last } else { live.prev };
                match value {
                    Some(it) => text(item_value(&it.value)),
                    // Zabbix writes 0 where there is no number.
                    None => text(if row.content.value_type.is_numeric() { "0" } else { "" }),
                }
            }
            "name_resolved" => text(resolve::name(self.ctx, holder, row)),
            "evaltype" => flag(false),
            "formula" => text(""),
            _ => common::row_field(self.ctx, holder, row, name),
        }
    }

    fn sort_key<'k>(&'k self, object: &Object, row: &Self::Row, name: &str) -> SortKey<'k> {
        match name {
            "itemid" => SortKey::number(row.1.id.0),
            "name" => SortKey::text(row.1.name()),
            "key_" => SortKey::text(row.1.key()),
            _ => SortKey::answered(object, name, self.field(row, name)),
        }
    }

    fn select(
        &self,
        (holder, row): &Self::Row,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        let ctx = self.ctx;
        let (holder, row) = (*holder, *row);
        Ok(match select.param {
            "selectHosts" => ctx.related(select, Related::Holders(vec![holder]), output),
            "selectInterfaces" => {
                let used = holder.interface_of(row).filter(|_| row.content.kind.is_polled());
                let used = used.map(|it| (holder, it)).into_iter().collect();
                ctx.related(select, Related::Interfaces(used), output)
            }
            "selectTriggers" => {
                ctx.related(select, Related::Triggers(triggers::of_item(ctx, holder, row)), output)
            }
            "selectPreprocessing" => {
                let steps = preprocessing(&row.content.preprocessing, output);
                resolve::discovered(ctx, steps, row.discovered())
            }
            "selectTags" => {
                let tags = tags(TAG, &row.content.tags, output);
                resolve::discovered(ctx, tags, row.discovered())
            }
            "selectValueMap" => {
                let map = items::valuemap_of(ctx, holder, row);
                let map = map.map(|it| (holder, it)).into_iter().collect();
                ctx.related(select, Related::ValueMaps(map), output)
            }
            "selectDiscoveryRule" => {
                let rule = row.discovered().and_then(|it| items::rule_of(ctx, holder, it.rule));
                ctx.related(select, Related::Items(rule.into_iter().collect()), output)
            }
            "selectItemDiscovery" => discovery(ctx, row, output),
            _ if *output == Output::Count => json!("0"),
            _ => json!([]),
        })
    }
}

pub(crate) fn live_field(live: &ItemLive, name: &str) -> Value {
    match name {
        "state" => flag(live.is_unsupported),
        "error" => text(live.error.as_deref().unwrap_or_default()),
        "lastclock" => number(live.last.as_ref().map_or(0, |it| it.time.clock())),
        _ => number(live.last.as_ref().map_or(0, |it| it.time.ns())),
    }
}

/// `itemDiscovery`: where a discovered item comes from; `[]` for others.
fn discovery(ctx: &Ctx, row: &ItemRow, output: &Output) -> Value {
    let Some(found) = row.discovered() else { return json!([]) };
    json::part(DISCOVERY, output, |field| match field {
        "itemdiscoveryid" | "itemid" => number(row.id),
        "parent_itemid" => number(found.prototype),
        "key_" => {
            let prototype = ctx.snapshot.item(ItemId(found.prototype));
            text(prototype.map(|(_, it)| it.key()).unwrap_or_default())
        }
        _ => items::discovered_field(found, items::is_enabled(row), field),
    })
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let mut get = Get::new(ctx, &OBJECT, params)?;
    let filter = ItemFilter::parse(&mut get, items::is_item)?;
    filter.answer(ctx, &OBJECT, &ItemRows { ctx }, &get.options)
}

/// The parameters that `item.get`, `discoveryrule.get` and `itemprototype.get` share beside the
/// common ones.
pub(crate) struct ItemFilter {
    scope: Scope,
    kind: fn(ItemFlags) -> bool,
    ids: Option<Vec<u64>>,
    interfaces: Option<Set<u64>>,
    triggers: Option<Set<ItemId>>,
    rules: Option<Set<u64>>,
    masters: Option<Set<u64>>,
    inherited: Option<bool>,
    monitored: bool,
    with_triggers: Option<bool>,
    tags: RowTagFilter,
}

impl ItemFilter {
    pub(crate) fn parse(get: &mut Get<'_>, kind: fn(ItemFlags) -> bool) -> Result<Self, ApiError> {
        let ctx = get.ctx;
        let triggers = get.ids("triggerids")?.map(|ids| {
            let items = ids.into_iter().flat_map(|id| triggers::items_of(ctx, TriggerId(id)));
            items.map(|(_, row)| row.id).collect()
        });
        let mut ids = get.ids("itemids")?;
        // Filtering by id must not look at every item.
        let filtered = if ids.is_none() { get.take_filter("itemid") } else { None };
        if let Some(filtered) = filtered {
            ids = Some(filtered.iter().filter_map(|it| it.parse().ok()).collect());
        }
        Ok(Self {
            scope: Scope::of_parts(get)?,
            kind,
            ids,
            interfaces: get.id_set("interfaceids")?,
            triggers,
            rules: get.id_set("discoveryids")?,
            masters: None,
            inherited: get.side("inherited"),
            monitored: get.flag("monitored"),
            with_triggers: get.side("with_triggers"),
            tags: get.row_tags()?,
        }
        .with_masters(get))
    }

    fn with_masters(mut self, get: &mut Get<'_>) -> Self {
        let masters = get.take_filter("master_itemid");
        self.masters = masters.map(|it| it.iter().filter_map(|it| it.parse().ok()).collect());
        self
    }

    pub(crate) fn answer<'c, R>(
        &self,
        ctx: &'c Ctx,
        object: &Object,
        rows: &R,
        options: &query::Options,
    ) -> Result<Answer, ApiError>
    where
        R: Rows<Row = (&'c Arc<Host>, &'c ItemRow)>,
    {
        if let Some(ids) = self.ids.as_ref().or(self.of_triggers().as_ref()) {
            let found = ids.iter().filter_map(|it| ctx.snapshot.item(ItemId(*it)));
            let found = found.filter(|(holder, _)| self.scope.admits(ctx, holder));
            let found = found.filter(|(holder, row)| self.admits(ctx, holder, row));
            return query::answer(object, rows, found, options);
        }
        let holders = self.scope.holders(ctx);
        let found = holders.into_iter().flat_map(|holder| {
            let items = holder.items.iter().filter(|row| self.admits(ctx, holder, row));
            items.map(move |row| (holder, row))
        });
        query::answer(object, rows, found, options)
    }

    fn of_triggers(&self) -> Option<Vec<u64>> {
        let mut ids: Vec<u64> = self.triggers.as_ref()?.iter().map(|it| it.0).collect();
        ids.sort_unstable();
        Some(ids)
    }

    fn admits(&self, ctx: &Ctx, holder: &Arc<Host>, row: &ItemRow) -> bool {
        (self.kind)(row.flags)
            && self.inherited.is_none_or(|it| it == row.source.is_some())
            && (!self.monitored || is_monitored(holder) && items::is_enabled(row))
            && self.triggers.as_ref().is_none_or(|it| it.contains(&row.id))
            && self.rules.as_ref().is_none_or(|it| is_of_rule(ctx, holder, row, it))
            && self.masters.as_ref().is_none_or(|it| has_master(ctx, holder, row, it))
            && self.interfaces.as_ref().is_none_or(|it| {
                holder.interface_of(row).is_some_and(|used| it.contains(&used.interfaceid.0))
            })
            && self
                .with_triggers
                .is_none_or(|it| it != triggers::of_item(ctx, holder, row).is_empty())
            && self.tags.matches(ctx, &row.content.tags, row.discovered())
    }
}

fn has_master(ctx: &Ctx, holder: &Arc<Host>, row: &ItemRow, masters: &Set<u64>) -> bool {
    let master = row.content.master_itemid.some();
    let master = master.and_then(|it| ctx.snapshot.item_meant(holder, it, row.discovered()));
    masters.contains(&master.map_or(0, |(_, it)| it.id.0))
}

fn is_of_rule(ctx: &Ctx, holder: &Arc<Host>, row: &ItemRow, rules: &Set<u64>) -> bool {
    let rule = items::rule_of(ctx, holder, row.content.ruleid);
    rule.is_some_and(|(_, it)| rules.contains(&it.id.0))
}
