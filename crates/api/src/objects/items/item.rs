//! Items: `item.*`.

use db::ObjectKind;
use db::objects::item as described;
use model::content::{ItemFlags, ItemType, UiElement};
use model::field_path::FieldPath;
use model::map::Set;
use model::snapshot::{Host, ItemRow};
use model::value::Sample;
use model::version::Version;
use model::{GraphId, ItemId, TriggerId};
use serde_json::{Value, json};
use std::sync::Arc;

use crate::answer::Answer;
use crate::describe::{
    Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select, Unknown,
    Writes, count, flattened, joined,
};
use crate::error::ApiError;
use crate::json::{self, Fields, Scalar, item_value, number, text};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::crud::Crud;
use crate::objects::common::graphs;
use crate::objects::common::items;
use crate::objects::common::parts::{LOST_AND_DISABLED, NAME, STEP, TAG, preprocessing, tags};
use crate::objects::common::resolve;
use crate::objects::common::scope::{Get, Scope, is_monitored};
use crate::objects::common::tag_filter::RowTagFilter;
use crate::objects::common::triggers;
use crate::objects::items::fields::{
    BY_TYPE, ERROR, HOSTID, HolderItem, ITEM_KEY, ITEM_NAME, ITEMID, ItemColumn, ItemFamily,
    OF_ALL, STATE, STATUS, TAGS, TEMPLATE, UUID, VALUES, error_of,
    preprocessing as preprocessing_field,
};
use crate::objects::items::rules as item_rules;
use crate::ports::ItemLive;
use crate::query::table::{self, ReaderOf, RowOf};
use crate::query::{self, Output, Rows, Table, TableRows};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::Mode;

/// Where a discovered item comes from.
pub(crate) const DISCOVERY: &[Field] = &joined::<_, 9>(
    &[
        Field::new("itemdiscoveryid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("itemid", FieldType::Id, Rule::ReadOnly, "The item"),
        Field::new("parent_itemid", FieldType::Id, Rule::ReadOnly, "The prototype"),
        Field::new("key_", described::KEY_TEXT, Rule::ReadOnly, "Key of the prototype"),
    ],
    &LOST_AND_DISABLED,
);

const VALUE_TEXT: FieldType = FieldType::Text { max: 65_535 };

/// Of `get`, also for prototypes and discovery rules.
pub(crate) const PARAMS: &[&str] = &[
    "itemids",
    "groupids",
    "templateids",
    "hostids",
    "interfaceids",
    "triggerids",
    "graphids",
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
    nouns: Nouns { one: "an item", several: "items" },
    resource: Some(15),
    role: RoleRule::one_of(&[UiElement::Hosts, UiElement::Templates]),
    writes: Some(Writes {
        unknown: Unknown::Refused,
        rules_see: RulesSee::Given,
        unique: &[&["uuid"], &["hostid", "key_"]],
    }),
    id: "itemid",
    ids: "itemids",
    fields: &FIELDS,
    selects: &[
        Select::new("selectHosts", "hosts", Gives::Objects("host")),
        Select::new("selectInterfaces", "interfaces", Gives::Objects("hostinterface")),
        Select::new("selectTriggers", "triggers", Gives::Objects("trigger"))
            .limited("description")
            .countable(),
        Select::new("selectGraphs", "graphs", Gives::Objects("graph")).limited("name").countable(),
        Select::new("selectDiscoveryRule", "discoveryRule", Gives::Object("discoveryrule")),
        Select::new("selectItemDiscovery", "itemDiscovery", Gives::Part(DISCOVERY)),
        Select::new("selectDiscoveryData", "discoveryData", Gives::Part(DISCOVERY))
            .since(Version::V7_4),
        Select::new("selectPreprocessing", "preprocessing", Gives::Parts(STEP)),
        Select::new("selectTags", "tags", Gives::Parts(TAG)),
        Select::new("selectValueMap", "valuemap", Gives::Object("valuemap")),
    ],
    params: Params::of(PARAMS).filtered_by_owner(&["host"]).foreign(&["proxyids"]),
    sort: &["itemid", "name", "key_", "delay", "history", "trends", "type", "status"],
    doc: "A value that is collected",
};

/// In the order in which Zabbix looks at them.
const OWN: &[ItemColumn] = &[
    ITEMID,
    UUID,
    HOSTID,
    ITEM_NAME,
    ItemColumn::described(described::check_type(described::ITEM_TYPE)),
    ITEM_KEY,
];
const FURTHER: &[ItemColumn] = &[
    ItemColumn::described(described::INVENTORY_LINK),
    STATUS,
    TAGS,
    preprocessing_field(STEP),
    TEMPLATE,
    ItemColumn::of_row(
        Field::new("flags", FieldType::Code(&[0, 4]), Rule::ReadOnly, "0 plain, 4 discovered"),
        |_, (_, row)| Scalar::code(row.flags.code()),
    ),
    ItemColumn::of_row(STATE, |ctx, (_, row)| Scalar::Flag(live(ctx, row).is_unsupported)),
    ItemColumn::of_row(ERROR, |ctx, (_, row)| error_of(live(ctx, row))),
    ItemColumn::of_row(
        Field::new("lastclock", FieldType::Timestamp, Rule::ReadOnly, "Time of the newest value"),
        |ctx, (_, row)| Scalar::Number(live(ctx, row).last.map_or(0, |it| it.time.clock())),
    ),
    ItemColumn::of_row(
        Field::new(
            "lastns",
            FieldType::Int { min: 0, max: 999_999_999 },
            Rule::ReadOnly,
            "… nanoseconds",
        ),
        |ctx, (_, row)| Scalar::Number(live(ctx, row).last.map_or(0, |it| it.time.ns().into())),
    ),
    ItemColumn::of_row(
        Field::new("lastvalue", VALUE_TEXT, Rule::ReadOnly, "The newest value"),
        |ctx, (_, row)| shown_value(row, live(ctx, row).last.as_ref()),
    ),
    ItemColumn::of_row(
        Field::new("prevvalue", VALUE_TEXT, Rule::ReadOnly, "The one before"),
        |ctx, (_, row)| shown_value(row, live(ctx, row).prev.as_ref()),
    ),
    ItemColumn::of_row(
        Field::new("name_resolved", NAME, Rule::ReadOnly, "Name with user macros resolved"),
        |ctx, (holder, row)| Scalar::Made(resolve::name(ctx, holder, row).into()),
    ),
    ItemColumn::of_row(
        Field::new("evaltype", FieldType::Code(&[0]), Rule::ReadOnly, "Always 0"),
        |_, _| Scalar::Flag(false),
    ),
    ItemColumn::of_row(Field::new("formula", NAME, Rule::ReadOnly, "Always empty"), |_, _| {
        Scalar::Text("")
    }),
];
const LISTS: &[&[ItemColumn]] = &[OWN, &VALUES, &OF_ALL, FURTHER, &BY_TYPE];
#[expect(clippy::large_const_arrays, reason = "the fields are made of it while it is compiled")]
const COLUMNS: [ItemColumn; count(LISTS)] = flattened(LISTS);
#[expect(clippy::large_const_arrays, reason = "descriptions are made of it while it is compiled")]
const FIELDS: [Field; COLUMNS.len()] = table::fields(&COLUMNS);

fn live(ctx: &Ctx, row: &ItemRow) -> ItemLive {
    ctx.ports().live.item(row.id)
}

/// Zabbix writes 0 where there is no number.
fn shown_value(row: &ItemRow, value: Option<&Sample>) -> Scalar<'static> {
    match value {
        Some(it) => Scalar::Made(item_value(&it.value).into()),
        None => Scalar::Text(if row.content.value_type.is_numeric() { "0" } else { "" }),
    }
}

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[
        Method::get("item.get", |ctx, params| {
            get_kind::<Items>(ctx, params, &OBJECT, items::is_item)
        }),
        Method::edit("item.create", |ctx, params| CRUD.create(ctx, params)),
        Method::edit("item.update", |ctx, params| CRUD.update(ctx, params)),
        Method::edit("item.delete", |ctx, params| CRUD.delete(ctx, params)),
    ],
)
.related(|ctx, rows, output| related_kind::<Items>(ctx, rows, output, &OBJECT));

const CRUD: Crud = Crud { object: &OBJECT, kind: ObjectKind::Item, may_change, check };

fn may_change(ctx: &Ctx, id: u64) -> bool {
    // Items of a web scenario are changed with it.
    let found = ctx.snapshot.item(ItemId(id));
    items::may_change(ctx, id, items::is_item)
        && found.is_some_and(|(_, row)| row.content.kind != ItemType::WebItem)
}

fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, path: &FieldPath) -> Result<(), ApiError> {
    item_rules::check_holder(fields, mode, path)?;
    item_rules::check(ctx, fields, mode, ItemFlags::Plain, path)
}

/// Rows of `item.get`.
struct Items;

impl Table for Items {
    type Family = ItemFamily;

    fn columns() -> &'static [ItemColumn] {
        const { &COLUMNS }
    }

    fn shared_content<'a>((_, row): RowOf<'a, Self>, name: &str) -> Option<usize> {
        // Discovered ones show texts with the values of their rows.
        let is_own = row.discovered().is_none() && Arc::strong_count(&row.content) > 1;
        let is_text = matches!(name, "name" | "key_" | "description" | "units");
        (is_own && is_text).then(|| Arc::as_ptr(&row.content).addr())
    }

    fn select<'a>(
        ctx: &ReaderOf<'a, Self>,
        (holder, row): RowOf<'a, Self>,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        let ctx = *ctx;
        Ok(match select.param {
            "selectInterfaces" => {
                let used = holder.interface_of(row).filter(|_| row.content.kind.is_polled());
                let used = used.map(|it| (holder, it)).into_iter().collect();
                ctx.related(select, Related::Interfaces(used), output)
            }
            "selectTriggers" => {
                ctx.related(select, Related::Triggers(triggers::of_item(ctx, holder, row)), output)
            }
            "selectGraphs" => {
                ctx.related(select, Related::Graphs(graphs::of_item(ctx, holder, row)), output)
            }
            "selectDiscoveryRule" => {
                let rule = row.discovered().and_then(|it| items::rule_of(ctx, holder, it.rule));
                ctx.related(select, Related::Items(rule.into_iter().collect()), output)
            }
            "selectItemDiscovery" | "selectDiscoveryData" => discovery(ctx, row, DISCOVERY, output),
            _ => select_of_all(ctx, (holder, row), select, output),
        })
    }
}

/// Selects that items, rules and prototypes have alike; nothing for others.
pub(crate) fn select_of_all<'a>(
    ctx: &'a Ctx,
    (holder, row): HolderItem<'a>,
    select: &Select,
    output: &Output,
) -> Value {
    match select.param {
        "selectHosts" => ctx.related(select, Related::Holders(vec![holder]), output),
        "selectPreprocessing" => {
            let steps = preprocessing(&row.content.preprocessing, output);
            resolve::discovered_steps(ctx, steps, row.discovered())
        }
        "selectTags" => {
            let tags = tags(&row.content.tags, output);
            resolve::discovered(ctx, tags, row.discovered())
        }
        "selectValueMap" => {
            let map = items::valuemap_of(ctx, holder, row);
            let map = map.map(|it| (holder, it)).into_iter().collect();
            ctx.related(select, Related::ValueMaps(map), output)
        }
        _ if *output == Output::Count => json!("0"),
        _ => json!([]),
    }
}

/// `itemDiscovery` and `discoveryData`: where a discovered item or rule comes from; `[]` for others.
pub(crate) fn discovery(
    ctx: &Ctx,
    row: &ItemRow,
    fields: &'static [Field],
    output: &Output,
) -> Value {
    let Some(found) = row.discovered() else { return json!([]) };
    json::part(fields, output, |field| match field {
        "itemdiscoveryid" | "itemid" => number(row.id),
        "parent_itemid" => number(found.prototype),
        "key_" => {
            let prototype = ctx.snapshot.item(ItemId(found.prototype));
            text(prototype.map(|(_, it)| it.key()).unwrap_or_default())
        }
        _ => items::discovered_field(found, items::is_enabled(row), field),
    })
}

/// Rows of items, rules or prototypes, as their get method answers them.
pub(crate) fn get_kind<T: Table<Family = ItemFamily>>(
    ctx: &Ctx,
    params: &Value,
    object: &'static Object,
    kind: fn(ItemFlags) -> bool,
) -> Result<Answer, ApiError> {
    let mut get = Get::new(ctx, object, params)?;
    let filter = ItemFilter::parse(&mut get, kind)?;
    filter.answer(ctx, object, &TableRows::<T>::new(ctx), &get.options)
}

/// The same where other objects show them.
pub(crate) fn related_kind<'a, T: Table<Family = ItemFamily>>(
    ctx: &'a Ctx,
    rows: Related<'a>,
    output: &Output,
    object: &'static Object,
) -> Value {
    let Related::Items(rows) = rows else { return json!([]) };
    query::related(object, &TableRows::<T>::new(ctx), rows.into_iter(), output)
}

/// The parameters that `item.get`, `discoveryrule.get` and `itemprototype.get` share in addition to the
/// common ones.
struct ItemFilter {
    scope: Scope,
    kind: fn(ItemFlags) -> bool,
    ids: Option<Vec<u64>>,
    interfaces: Option<Set<u64>>,
    triggers: Option<Set<ItemId>>,
    graphs: Option<Set<ItemId>>,
    rules: Option<Set<u64>>,
    masters: Option<Set<u64>>,
    inherited: Option<bool>,
    monitored: bool,
    with_triggers: Option<bool>,
    /// Includes items of web scenarios: if they are requested, or named.
    with_web: bool,
    tags: RowTagFilter,
}

impl ItemFilter {
    fn parse(get: &mut Get<'_>, kind: fn(ItemFlags) -> bool) -> Result<Self, ApiError> {
        let ctx = get.ctx;
        let triggers = get.ids("triggerids")?.map(|ids| {
            let items = ids.into_iter().flat_map(|id| triggers::items_of(ctx, TriggerId(id)));
            items.map(|(_, row)| row.id).collect()
        });
        let graphs = get
            .ids("graphids")?
            .map(|ids| ids.into_iter().flat_map(|id| graphs::items_of(ctx, GraphId(id))).collect());
        let mut ids = get.ids("itemids")?;
        // Filtering by id must not look at every item.
        let filtered = if ids.is_none() { get.take_filter("itemid") } else { None };
        if let Some(filtered) = filtered {
            ids = Some(filtered.iter().filter_map(|it| it.parse().ok()).collect());
        }
        Ok(Self {
            scope: Scope::of_parts(get)?,
            kind,
            with_web: ids.is_some() || get.flag("webitems"),
            ids,
            interfaces: get.id_set("interfaceids")?,
            triggers,
            graphs,
            rules: get.id_set("discoveryids")?.map(|it| items::rules_with_prototypes(ctx, it)),
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

    fn answer<'c, R>(
        &self,
        ctx: &'c Ctx,
        object: &Object,
        rows: &R,
        options: &query::Options,
    ) -> Result<Answer, ApiError>
    where
        R: Rows<Row = (&'c Arc<Host>, &'c ItemRow)>,
    {
        if let Some(ids) = self.ids.as_ref().or(self.of_users().as_ref()) {
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

    /// The items of the triggers or graphs that are named.
    fn of_users(&self) -> Option<Vec<u64>> {
        let items = self.triggers.as_ref().or(self.graphs.as_ref())?;
        let mut ids: Vec<u64> = items.iter().map(|it| it.0).collect();
        ids.sort_unstable();
        Some(ids)
    }

    fn admits(&self, ctx: &Ctx, holder: &Arc<Host>, row: &ItemRow) -> bool {
        (self.kind)(row.flags)
            && (self.with_web || row.content.kind != ItemType::WebItem)
            && self.inherited.is_none_or(|it| it == row.source.is_some())
            && (!self.monitored || is_monitored(holder) && items::is_enabled(row))
            && self.triggers.as_ref().is_none_or(|it| it.contains(&row.id))
            && self.graphs.as_ref().is_none_or(|it| it.contains(&row.id))
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
