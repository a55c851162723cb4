//! Graphs: `graph.*`.

use std::collections::BTreeSet;
use std::sync::Arc;

use db::ObjectKind;
use db::objects::graph::GRAPH_ITEM;
use model::content::{ItemFlags, UiElement};
use model::field_path::FieldPath;
use model::map::Set;
use model::snapshot::{GraphRow, Host};
use model::version::Version;
use model::{GraphId, ItemId};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{
    Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select, Unknown,
    Writes, joined,
};
use crate::error::ApiError;
use crate::json::{self, Fields, id_of, list_of, number};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::crud::Crud;
use crate::objects::common::graphs::{self, Graph};
use crate::objects::common::parts::LOST;
use crate::objects::common::scope::{Get, Scope};
use crate::objects::common::{holder, items};
use crate::objects::graphs::fields::{COMMON, GraphColumn, GraphFamily, Reader, name};
use crate::objects::graphs::judge;
use crate::query::table::{self, ReaderOf, RowOf};
use crate::query::{self, Options, Output, Rows, Table, TableRows};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::Mode;

/// Where a discovered graph comes from.
const DISCOVERY: &[Field] = &joined::<_, 5>(
    &[
        Field::new("graphid", FieldType::Id, Rule::ReadOnly, "The graph"),
        Field::new("parent_graphid", FieldType::Id, Rule::ReadOnly, "The prototype"),
    ],
    &LOST,
);

const COLUMNS: [GraphColumn; COMMON.len() + 1] =
    joined(&[name("Missing \"name\" field for graph.")], &COMMON);
const FIELDS: [Field; COLUMNS.len()] = table::fields(&COLUMNS);

/// Of `get`, also for prototypes.
pub(crate) const PARAMS: &[&str] = &[
    "graphids",
    "groupids",
    "templateids",
    "hostids",
    "itemids",
    "discoveryids",
    "inherited",
    "templated",
    "monitored",
    "group",
    "host",
    "expandName",
    "limitSelects",
];

pub(crate) const OBJECT: Object = Object {
    name: "graph",
    type_name: "Graph",
    nouns: Nouns { one: "a graph", several: "graphs" },
    resource: Some(6),
    role: RoleRule::one_of(&[UiElement::Hosts, UiElement::Templates]),
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Filled, unique: &[] }),
    id: "graphid",
    ids: "graphids",
    fields: &FIELDS,
    selects: &[
        Select::new("selectHosts", "hosts", Gives::Objects("host")).limited("host").countable(),
        Select::new("selectTemplates", "templates", Gives::Objects("template")),
        Select::new("selectHostGroups", "hostgroups", Gives::Objects("hostgroup")),
        Select::new("selectGroups", "groups", Gives::Objects("hostgroup")).until(Version::V7_0),
        Select::new("selectTemplateGroups", "templategroups", Gives::Objects("templategroup")),
        Select::new("selectItems", "items", Gives::Objects("item")).countable(),
        Select::new("selectGraphItems", "gitems", Gives::Parts(GRAPH_ITEM)).countable(),
        Select::new("selectDiscoveryRule", "discoveryRule", Gives::Object("discoveryrule")),
        Select::new("selectGraphDiscovery", "graphDiscovery", Gives::Part(DISCOVERY)),
        Select::new("selectDiscoveryData", "discoveryData", Gives::Part(DISCOVERY))
            .since(Version::V7_4),
    ],
    params: Params::of(PARAMS).filtered_by_owner(&["host"]),
    sort: &["graphid", "name", "graphtype"],
    doc: "Values of several items in one graph",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[
        Method::get("graph.get", get),
        Method::edit("graph.create", |ctx, params| {
            CRUD.create(ctx, &judge::judge(ctx, &KIND, Mode::Create, params)?)
        }),
        Method::edit("graph.update", |ctx, params| {
            CRUD.update(ctx, &judge::judge(ctx, &KIND, Mode::Update, params)?)
        }),
        Method::edit("graph.delete", |ctx, params| CRUD.delete(ctx, params)),
    ],
)
.related(|ctx, rows, output| {
    let Related::Graphs(rows) = rows else { return json!([]) };
    query::related(&OBJECT, &GraphRows::new(Reader::new(ctx)), rows.into_iter(), output)
});

const KIND: judge::Kind = judge::Kind {
    noun: "graph",
    capital: "Graph",
    is_prototype: false,
    fields: &FIELDS,
    may_change,
};

const CRUD: Crud = Crud { object: &OBJECT, kind: ObjectKind::Graph, may_change, check };

fn may_change(ctx: &Ctx, id: u64) -> bool {
    may_change_kind(ctx, id, |it| it != ItemFlags::Prototype)
}

pub(crate) fn may_change_kind(ctx: &Ctx, id: u64, kind: fn(ItemFlags) -> bool) -> bool {
    let Some((holder, row)) = ctx.snapshot.graph(GraphId(id)) else { return false };
    kind(row.flags) && graphs::hosts(ctx, (holder, row)).iter().all(|it| ctx.may_write(it))
}

/// Rights on the items that are named.
pub(crate) fn check(
    ctx: &Ctx,
    fields: &mut Fields,
    _: Mode,
    _: &FieldPath,
) -> Result<(), ApiError> {
    let shown = list_of(fields, "gitems").filter_map(|it| id_of(it, "itemid"));
    let axis = ["ymin_itemid", "ymax_itemid"].into_iter().filter_map(|it| id_of(fields, it));
    for id in shown.chain(axis) {
        let holder = ctx.snapshot.item_holder(ItemId(id));
        if !holder.is_some_and(|it| ctx.may_write(it)) {
            return Err(ApiError::no_permissions());
        }
    }
    for axis in ["ymin", "ymax"] {
        let is_of_item = json::str_of(fields, &format!("{axis}_type")) == "2";
        let id = format!("{axis}_itemid");
        let old = id_of(fields, "graphid").and_then(|it| ctx.snapshot.graph(GraphId(it)));
        let has_one = old.is_some_and(|(_, it)| {
            let content = &it.content;
            let old = if axis == "ymin" { content.ymin_itemid } else { content.ymax_itemid };
            old.is_some() && !fields.contains_key(&id)
        });
        if is_of_item && id_of(fields, &id).is_none() && !has_one {
            return Err(ApiError::no_permissions());
        }
    }
    Ok(())
}

/// Rows of `graph.get`.
pub(crate) type GraphRows<'a> = TableRows<'a, Graphs>;

pub(crate) struct Graphs;

impl Table for Graphs {
    type Family = GraphFamily;

    fn columns() -> &'static [GraphColumn] {
        const { &COLUMNS }
    }

    fn group_ids<'a>(
        reader: &ReaderOf<'a, Self>,
        row: RowOf<'a, Self>,
        name: &str,
    ) -> Option<Vec<String>> {
        group_ids(reader, row, name)
    }

    fn select<'a>(
        reader: &ReaderOf<'a, Self>,
        row: RowOf<'a, Self>,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        Ok(select_of(reader, row, select, output))
    }
}

/// Ids that graphs and graph prototypes are counted by.
pub(crate) fn group_ids<'a>(
    reader: &Reader<'a>,
    row: Graph<'a>,
    name: &str,
) -> Option<Vec<String>> {
    let hosts = || reader.refs.graph_hosts(row);
    match name {
        "hostid" => Some(hosts().iter().map(|it| it.id.to_string()).collect()),
        "groupid" => Some(holder::group_ids(&hosts()).iter().map(ToString::to_string).collect()),
        "itemid" => Some(shown(reader, row).iter().map(|(_, it)| it.id.to_string()).collect()),
        _ => None,
    }
}

/// The items that a graph shows, each once.
fn shown<'a>(reader: &Reader<'a>, row: Graph<'a>) -> Vec<crate::objects::common::refs::Item<'a>> {
    let mut seen = Set::default();
    let items = reader.refs.graph_items(row).map(|(_, _, item)| item);
    items.filter(|(_, it)| seen.insert(it.id)).collect()
}

/// Selects of graphs and graph prototypes.
pub(crate) fn select_of<'a>(
    reader: &Reader<'a>,
    graph: Graph<'a>,
    select: &Select,
    output: &Output,
) -> Value {
    let (ctx, (holder, row)) = (reader.ctx, graph);
    let hosts = || reader.refs.graph_hosts(graph);
    match select.param {
        "selectHosts" => ctx.related(select, Related::Holders(hosts()), output),
        "selectTemplates" => {
            let mut templates = hosts();
            templates.retain(|it| ctx.snapshot.templates.contains_key(&it.id));
            ctx.related(select, Related::Holders(templates), output)
        }
        "selectHostGroups" | "selectGroups" => {
            ctx.related(select, Related::Groups(holder::group_ids(&hosts())), output)
        }
        "selectTemplateGroups" => {
            ctx.related(select, Related::Groups(holder::template_group_ids(&hosts())), output)
        }
        "selectItems" => ctx.related(select, Related::Items(shown(reader, graph)), output),
        "selectGraphItems" => reader.graph_items(graph, output),
        "selectDiscoveryRule" => {
            let rule = row.discovered().map(|it| it.rule).or(row.content.ruleid.some());
            let rule = rule.map_or_else(Vec::new, |it| items::rule_above(ctx, holder, it));
            ctx.related(select, Related::Items(rule), output)
        }
        "selectDiscoveryRulePrototype" => {
            let rule = items::rule_prototype_above(ctx, holder, row.content.ruleid);
            ctx.related(select, Related::Items(rule), output)
        }
        "selectGraphDiscovery" | "selectDiscoveryData" => discovery(row, output),
        _ if *output == Output::Count => json!("0"),
        _ => json!([]),
    }
}

fn discovery(row: &GraphRow, output: &Output) -> Value {
    let Some(found) = row.discovered() else { return json!([]) };
    json::part(DISCOVERY, output, |field| match field {
        "graphid" => number(row.id),
        "parent_graphid" => number(found.prototype),
        // Graphs are not disabled.
        _ => items::discovered_field(found, true, field),
    })
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let mut get = Get::new(ctx, &OBJECT, params)?;
    let filter = GraphFilter::parse(&mut get, |it| it != ItemFlags::Prototype)?;
    filter.answer(ctx, &OBJECT, &GraphRows::new(Reader::new(ctx)), &get.options)
}

/// The parameters that `graph.get` and `graphprototype.get` share in addition to the common ones.
pub(crate) struct GraphFilter {
    scope: Scope,
    kind: fn(ItemFlags) -> bool,
    ids: Option<Vec<u64>>,
    items: Option<Set<u64>>,
    rules: Option<Set<u64>>,
    inherited: Option<bool>,
}

impl GraphFilter {
    pub(crate) fn parse(get: &mut Get<'_>, kind: fn(ItemFlags) -> bool) -> Result<Self, ApiError> {
        Ok(Self {
            ids: get.ids("graphids")?,
            items: get.id_set("itemids")?,
            rules: get.id_set("discoveryids")?.map(|it| items::rules_with_prototypes(get.ctx, it)),
            inherited: get.side("inherited"),
            scope: Scope::of_parts(get)?,
            kind,
        })
    }

    pub(crate) fn answer<'c, R>(
        &self,
        ctx: &'c Ctx,
        object: &Object,
        rows: &R,
        options: &Options,
    ) -> Result<Answer, ApiError>
    where
        R: Rows<Row = Graph<'c>>,
    {
        if let Some(ids) = &self.ids {
            let found = ids.iter().filter_map(|it| ctx.snapshot.graph(GraphId(*it)));
            let of_any = |graph: &Graph<'c>| {
                let is_of = |it: &&'c Arc<Host>| self.scope.admits(ctx, it);
                is_of(&graph.0)
                    || self.scope.is_narrow() && graphs::hosts(ctx, *graph).iter().any(is_of)
            };
            let found = found.filter(of_any).filter(|it| self.admits(ctx, *it));
            return query::answer(object, rows, found, options);
        }
        let holders = self.holders(ctx);
        let others = self.of_others(ctx, &holders);
        let found = holders.into_iter().flat_map(|holder| {
            let all = holder.graphs.iter().map(move |row| (holder, row));
            all.filter(|it| self.admits(ctx, *it))
        });
        let others = others.into_iter().filter(|it| self.admits(ctx, *it));
        query::answer(object, rows, found.chain(others), options)
    }

    /// Graphs that are stored with other hosts and show items of these, each once.
    fn of_others<'c>(&self, ctx: &'c Ctx, holders: &[&'c Arc<Host>]) -> Vec<Graph<'c>> {
        if self.items.is_some() || !self.scope.is_narrow() {
            return Vec::new();
        }
        let cross = ctx.cross_graphs();
        let ids: BTreeSet<GraphId> =
            holders.iter().flat_map(|it| cross.of_host(it.id)).copied().collect();
        let found = ids.into_iter().filter_map(|it| ctx.snapshot.graph(it));
        let is_other =
            |holder: &Host| holders.binary_search_by_key(&holder.id, |it| it.id).is_err();
        found.filter(|(holder, _)| is_other(holder)).collect()
    }

    /// Graphs of items are searched on the items' holders; those over several hosts are stored with one of
    /// them.
    fn holders<'c>(&self, ctx: &'c Ctx) -> Vec<&'c Arc<Host>> {
        let Some(items) = &self.items else { return self.scope.holders(ctx) };
        let of = items.iter().filter_map(|it| ctx.snapshot.item_holder(ItemId(*it)));
        let crossing = ctx.cross_graphs();
        let others = items.iter().flat_map(|it| crossing.of(ItemId(*it)));
        let others = others.filter_map(|it| Some(ctx.snapshot.graph(*it)?.0));
        let mut holders: Vec<&Arc<Host>> =
            of.chain(others).filter(|it| self.scope.admits(ctx, it)).collect();
        holders.sort_unstable_by_key(|it| it.id);
        holders.dedup_by_key(|it| it.id);
        holders
    }

    fn admits(&self, ctx: &Ctx, graph: Graph<'_>) -> bool {
        let (holder, row) = graph;
        (self.kind)(row.flags)
            && self.inherited.is_none_or(|it| it == row.source.is_some())
            && self.rules.as_ref().is_none_or(|it| {
                let rule = items::rule_of(ctx, holder, row.content.ruleid);
                rule.is_some_and(|(_, rule)| it.contains(&rule.id.0))
            })
            && self.items.as_ref().is_none_or(|it| graphs::shows_any(ctx, graph, it))
            && graphs::is_readable(ctx, graph)
    }
}
