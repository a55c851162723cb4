//! Graphs and graph prototypes.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::content::{GRAPH_ITEMS_MAX, GraphContent, GraphItem, GraphOverrides, ItemFlags};
use model::map::Map;
use model::snapshot::{GraphRow, HolderKind, Host, Patterns, Snapshot};
use model::{GraphId, HostId, ItemId, graph_item_id};
use serde_json::{Map as JsonMap, Value as Json};

use super::Editor;
use super::content::{int_field, merge};
use super::core::CrossingGraphs;
use super::inherited_rows::InheritedRow;
use crate::configuration::lld::expand;
use crate::configuration::objects::ObjectKind;
use crate::error::{ConfigError, edited};

type Fields = JsonMap<String, Json>;

/// The value of an item ends the axis.
const AXIS_OF_ITEM: i64 = 2;
const AXIS_FIXED: i64 = 1;
const SUM_OF_PIE: i64 = 2;

/// `graph` or `graph prototype`, as messages call it.
fn noun(is_prototype: bool) -> &'static str {
    if is_prototype { "graph prototype" } else { "graph" }
}

fn capital(is_prototype: bool) -> &'static str {
    if is_prototype { "Graph prototype" } else { "Graph" }
}

fn matches(kind: ObjectKind, flags: ItemFlags) -> bool {
    (kind == ObjectKind::GraphPrototype) == (flags == ItemFlags::Prototype)
}

/// The API names items by `gitemid` and writes `discover` as 0 for yes.
fn merge_graph(
    id: GraphId,
    base: &GraphContent,
    mut fields: Fields,
    is_prototype: bool,
) -> Result<GraphContent, ConfigError> {
    let discover = int_field(&fields, "discover");
    let items = fields.remove("gitems");
    for name in ["discover", "ruleid"] {
        fields.remove(name);
    }
    let mut content: GraphContent = merge(base, &fields)?;
    if let Some(discover) = discover.filter(|_| is_prototype) {
        content.discover = discover == 0;
    }
    if let Some(Json::Array(items)) = items {
        content.gitems = graph_items(id, base, items)?;
    }
    // Fields that the kind of axis does not use are cleared.
    if content.ymin_type == AXIS_OF_ITEM {
        content.yaxismin = GraphContent::default().yaxismin;
    } else {
        content.ymin_itemid = ItemId::NONE;
    }
    if content.ymax_type == AXIS_OF_ITEM {
        content.yaxismax = GraphContent::default().yaxismax;
    } else {
        content.ymax_itemid = ItemId::NONE;
    }
    Ok(content)
}

fn graph_items(
    id: GraphId,
    base: &GraphContent,
    given: Vec<Json>,
) -> Result<Vec<GraphItem>, ConfigError> {
    let mut items = Vec::with_capacity(given.len());
    let mut n_new = 0;
    for item in given {
        let Json::Object(mut item) = item else { continue };
        let known = item.remove("gitemid").and_then(|it| super::content::id_of(&it));
        let old = match known.filter(|it| *it != 0) {
            Some(known) => {
                let mut all = base.gitems.iter().enumerate();
                let old = all.find(|(at, _)| graph_item_id(id, *at) == known);
                old.map(|(_, it)| it.clone()).ok_or_else(ConfigError::no_permissions)?
            }
            None => {
                let new = GraphItem { sortorder: n_new, ..GraphItem::default() };
                n_new += 1;
                new
            }
        };
        items.push(merge(&old, &item)?);
    }
    Ok(items)
}

/// The items that a graph uses.
struct Bound {
    /// Of its first item: the holder of the graph.
    holder: HostId,
    /// All holders of its items.
    holders: BTreeSet<HostId>,
    /// The one rule of the item prototypes used; none for plain graphs.
    rule: ItemId,
}

/// Looks its items up. Prototypes must use item prototypes, of one rule.
fn bind(
    snapshot: &Snapshot,
    content: &GraphContent,
    is_prototype: bool,
) -> Result<Bound, ConfigError> {
    let name = &content.name;
    if content.gitems.is_empty() {
        return Err(ConfigError::parameters(format_args!(
            "Missing items for {} \"{name}\".",
            noun(is_prototype)
        )));
    }
    let mut bound = Bound { holder: HostId::NONE, holders: BTreeSet::new(), rule: ItemId::NONE };
    let mut rules = BTreeSet::new();
    for (at, id) in content.items().enumerate() {
        let (holder, row) = snapshot.item(id).ok_or_else(ConfigError::no_permissions)?;
        match row.flags {
            ItemFlags::Plain | ItemFlags::Discovered => {}
            ItemFlags::Prototype if is_prototype => {
                let rule = snapshot.item_by_ref(holder, row.content.ruleid);
                let rule = rule.map_or(row.content.ruleid, |(_, it)| it.id);
                // Those at the ends of the axis do not make it a prototype.
                if at < content.gitems.len() {
                    rules.insert(rule);
                }
            }
            _ => return Err(ConfigError::no_permissions()),
        }
        if !row.content.value_type.is_numeric() {
            return Err(ConfigError::parameters(format_args!(
                "Cannot add a non-numeric item \"{}\" to {} \"{name}\".",
                row.name(),
                noun(is_prototype)
            )));
        }
        if bound.holder.is_none() {
            bound.holder = holder.id;
        }
        bound.holders.insert(holder.id);
    }
    let is_template = |it: &HostId| snapshot.templates.contains_key(it);
    if bound.holders.len() > 1 && bound.holders.iter().any(is_template) {
        return Err(ConfigError::parameters(format_args!(
            "{} \"{name}\" with templated items cannot contain items from other hosts.",
            capital(is_prototype)
        )));
    }
    if is_prototype && rules.len() > 1 {
        return Err(ConfigError::parameters(format_args!(
            "Graph prototype \"{name}\" contains item prototypes from multiple discovery rules."
        )));
    }
    if is_prototype && rules.is_empty() {
        return Err(ConfigError::parameters(format_args!(
            "Graph prototype \"{name}\" must have at least one item prototype."
        )));
    }
    bound.rule = rules.pop_first().unwrap_or_default();
    Ok(bound)
}

fn check_fields(content: &GraphContent, is_prototype: bool) -> Result<(), ConfigError> {
    if content.gitems.len() > GRAPH_ITEMS_MAX {
        let what = format!("maximum number of array elements is {GRAPH_ITEMS_MAX}");
        return Err(ConfigError::invalid(edited("gitems"), what));
    }
    for item in &content.gitems {
        let color = &item.color;
        if color.is_empty() {
            return Err(ConfigError::parameters("Empty color."));
        }
        if color.len() != 6 || !color.bytes().all(|it| it.is_ascii_hexdigit()) {
            return Err(ConfigError::parameters(format_args!(
                "Color \"{color}\" is not correct: expecting hexadecimal color code (6 symbols)."
            )));
        }
    }
    let n_sums = content.gitems.iter().filter(|it| it.kind == SUM_OF_PIE).count();
    if content.is_pie() && n_sums > 1 {
        return Err(ConfigError::parameters(format_args!(
            "Cannot add more than one item with type \"Graph sum\" on {} \"{}\".",
            noun(is_prototype),
            content.name
        )));
    }
    let has_fixed_axis = content.ymin_type == AXIS_FIXED && content.ymax_type == AXIS_FIXED;
    if !content.is_pie() && has_fixed_axis && content.yaxismin >= content.yaxismax {
        return Err(ConfigError::parameters(
            "Y axis MAX value must be greater than Y axis MIN value.",
        ));
    }
    Ok(())
}

impl Editor {
    pub(crate) fn graph(&self, id: GraphId) -> Result<(&Arc<Host>, &GraphRow), ConfigError> {
        self.next.graph(id).ok_or_else(ConfigError::no_permissions)
    }

    /// A graph row, to change. It must exist.
    pub(crate) fn graph_mut(&mut self, holder: HostId, id: GraphId) -> &mut GraphRow {
        self.row_mut(holder, id.0)
    }

    pub(super) fn create_graph(
        &mut self,
        kind: ObjectKind,
        fields: Fields,
    ) -> Result<u64, ConfigError> {
        let is_prototype = kind == ObjectKind::GraphPrototype;
        let mut content =
            merge_graph(GraphId::NONE, &GraphContent::default(), fields, is_prototype)?;
        let bound = bind(&self.next, &content, is_prototype)?;
        check_fields(&content, is_prototype)?;
        content.ruleid = bound.rule;
        if self.holder(bound.holder)?.kind == HolderKind::Host {
            content.uuid.clear();
        }
        let id = GraphId(self.take_id());
        let row = GraphRow {
            id,
            source: GraphId::NONE,
            content: Arc::new(content),
            extra: None,
            flags: if is_prototype { ItemFlags::Prototype } else { ItemFlags::Plain },
        };
        self.check_graph_name(&row, &bound)?;
        let name = row.content.name.clone();
        self.push_rows(bound.holder, vec![row]);
        self.note_crossing_graph(id, &name, &bound.holders);
        self.inherit_rows::<GraphRow>(bound.holder, &[id.0])?;
        Ok(id.0)
    }

    fn note_crossing_graph(&mut self, id: GraphId, name: &str, holders: &BTreeSet<HostId>) {
        if holders.len() > 1 {
            self.cross.graphs.insert(id);
            if let Some(known) = &mut self.crossing_graphs {
                Arc::make_mut(known).entry(name.into()).or_default().insert(id);
            }
        } else {
            self.cross.graphs.remove(&id);
        }
    }

    /// The graphs over several holders by name, gathered once in an edit.
    fn crossing_graphs(&mut self) -> &CrossingGraphs {
        let (next, cross) = (&self.next, &self.cross);
        self.crossing_graphs.get_or_insert_with(|| {
            let mut known: Map<Box<str>, BTreeSet<GraphId>> = Map::default();
            for (_, row) in cross.graphs.iter().filter_map(|it| next.graph(*it)) {
                known.entry((&*row.name()).into()).or_default().insert(row.id);
            }
            Arc::new(known)
        })
    }

    /// No second one of the name on any of its hosts.
    fn check_graph_name(&mut self, row: &GraphRow, bound: &Bound) -> Result<(), ConfigError> {
        let crossing = Arc::clone(self.crossing_graphs());
        for id in &bound.holders {
            let name = &row.content.name;
            let is_other = |it: &GraphRow| it.id != row.id && it.is_alike(row);
            let shows = |it: &GraphRow| {
                let mut items = it.content.items();
                items.any(|it| self.next.item_holder(it).is_some_and(|it| it.id == *id))
            };
            let crosses = crossing.get(name.as_str()).into_iter().flatten().any(|it| {
                // The list may name graphs that have another name by now.
                let it = self.next.graph(*it).map(|it| it.1);
                it.is_some_and(|it| is_other(it) && it.name() == name.as_str() && shows(it))
            });
            let holder = self.holder(*id)?;
            if crosses || holder.graph_by_name_where(name, is_other).is_some() {
                let of = if holder.kind == HolderKind::Host { "host" } else { "template" };
                return Err(ConfigError::parameters(format_args!(
                    "{} \"{name}\" already exists on the {of} \"{}\".",
                    capital(row.flags == ItemFlags::Prototype),
                    holder.host
                )));
            }
        }
        Ok(())
    }

    pub(super) fn update_graph(
        &mut self,
        kind: ObjectKind,
        id: u64,
        fields: Fields,
    ) -> Result<(), ConfigError> {
        let id = GraphId(id);
        let (holder, row) = self.graph(id)?;
        if !matches(kind, row.flags) {
            return Err(ConfigError::no_permissions());
        }
        let (holder_id, row) = (holder.id, row.clone());
        let is_prototype = kind == ObjectKind::GraphPrototype;
        if row.discovered().is_some() {
            return Err(ConfigError::parameters("Cannot update a discovered graph."));
        }
        if row.source.is_some() {
            if !is_prototype {
                return Err(ConfigError::parameters(format_args!(
                    "Cannot update a templated graph \"{}\".",
                    row.content.name
                )));
            }
            // All else belongs to the template.
            let Some(discover) = int_field(&fields, "discover") else { return Ok(()) };
            let base = Arc::clone(&self.graph(row.source)?.1.content);
            let discover = (base.discover != (discover == 0)).then_some(discover == 0);
            let overrides = GraphOverrides { discover };
            return self.set_row_overrides::<GraphRow>(holder_id, id.0, &base, overrides);
        }
        let mut content = merge_graph(id, &row.content, fields, is_prototype)?;
        if self.holder(holder_id)?.kind == HolderKind::Host {
            content.uuid.clone_from(&row.content.uuid);
        }
        let bound = bind(&self.next, &content, is_prototype)?;
        check_fields(&content, is_prototype)?;
        content.ruleid = bound.rule;
        let row = GraphRow { content: Arc::new(content), ..row };
        self.check_graph_name(&row, &bound)?;
        self.set_bound_graph(holder_id, row, &bound)
    }

    /// Changes what an own graph shows; checks nothing but that its items are there.
    pub(super) fn set_graph_content(
        &mut self,
        holder: HostId,
        id: GraphId,
        content: GraphContent,
    ) -> Result<(), ConfigError> {
        let row = self.graph(id)?.1.clone();
        let bound = bind(&self.next, &content, row.flags == ItemFlags::Prototype)?;
        self.set_bound_graph(holder, GraphRow { content: Arc::new(content), ..row }, &bound)
    }

    fn set_bound_graph(
        &mut self,
        holder: HostId,
        row: GraphRow,
        bound: &Bound,
    ) -> Result<(), ConfigError> {
        if bound.holder != holder {
            return self.move_graph(holder, row, bound);
        }
        self.note_crossing_graph(row.id, &row.content.name, &bound.holders);
        self.set_row_content::<GraphRow>(holder, row.id.0, GraphContent::clone(&row.content))
    }

    /// Its first item is now one of another holder, which is to hold the graph. Inherited and
    /// discovered graphs are made again below the new one.
    fn move_graph(
        &mut self,
        from: HostId,
        row: GraphRow,
        bound: &Bound,
    ) -> Result<(), ConfigError> {
        let id = row.id;
        self.remove_graphs_made_of(from, id);
        self.holder_mut(from).graphs.retain(|it| it.id != id);
        let rows = &mut self.holder_mut(bound.holder).graphs;
        let at = rows.partition_point(|it| it.id < id);
        let name = row.content.name.clone();
        rows.insert(at, row);
        self.give_graph_run(id, bound.holder);
        self.note_crossing_graph(id, &name, &bound.holders);
        self.inherit_rows::<GraphRow>(bound.holder, &[id.0])
    }

    pub(super) fn delete_graphs(
        &mut self,
        kind: ObjectKind,
        ids: &[u64],
    ) -> Result<(), ConfigError> {
        for id in ids {
            let (_, row) = self.graph(GraphId(*id))?;
            if !matches(kind, row.flags) {
                return Err(ConfigError::no_permissions());
            }
            if row.source.is_some() {
                return Err(ConfigError::parameters(format_args!(
                    "Cannot delete templated {}.",
                    noun(row.flags == ItemFlags::Prototype)
                )));
            }
        }
        self.remove_graphs(ids.iter().map(|it| GraphId(*it)).collect());
        Ok(())
    }

    /// Whether the items of an own graph are, on its holder, those of a template's.
    fn shows_same_items(&self, holder: &Arc<Host>, own: &GraphContent, of: &GraphContent) -> bool {
        let mut left: Vec<ItemId> = own.gitems.iter().map(|it| it.itemid).collect();
        own.gitems.len() == of.gitems.len()
            && of.gitems.iter().all(|it| {
                let item = self.next.item_by_ref(holder, it.itemid).map(|(_, it)| it.id);
                let at = left.iter().position(|it| Some(*it) == item);
                at.map(|at| left.swap_remove(at)).is_some()
            })
    }
}

impl InheritedRow for GraphRow {
    fn runs(snapshot: &mut Snapshot) -> &mut imbl::OrdMap<GraphId, (GraphId, HostId)> {
        &mut snapshot.graph_runs
    }

    fn written_name(content: &GraphContent) -> &str {
        &content.name
    }

    fn check_adoptable(
        e: &Editor,
        child: &Arc<Host>,
        own: &Self,
        source: &Self,
    ) -> Result<(), ConfigError> {
        let why = if own.source.is_some() {
            "(inherited from another template)"
        } else if own.discovered().is_some() {
            "as a graph created from graph prototype"
        } else if !e.shows_same_items(child, &own.content, &source.content) {
            "(items are not identical)"
        } else {
            return Ok(());
        };
        Err(ConfigError::parameters(format_args!(
            "Graph \"{}\" already exists on \"{}\" {why}.",
            source.content.name, child.name
        )))
    }

    fn name_taken(child: &Host, taken: &Self) -> ConfigError {
        ConfigError::parameters(format_args!(
            "Graph \"{}\" already exists on \"{}\".",
            taken.name(),
            child.name
        ))
    }

    fn by_source(child: &Host, source: u64) -> Option<&Self> {
        child.graph_by_source(GraphId(source))
    }

    fn by_name_of<'h>(
        _: &Editor,
        child: &'h Arc<Host>,
        content: &GraphContent,
        may_be: impl Fn(&Self) -> bool,
    ) -> Option<&'h Self> {
        child.graph_by_name_where(&content.name, may_be)
    }

    fn to_change(holder: &mut Host, id: u64) -> Option<&mut Self> {
        holder.graph_to_change(GraphId(id))
    }

    fn push(holder: &mut Host, rows: Vec<Self>) {
        holder.push_graphs(rows);
    }

    fn adopted(e: &mut Editor, id: u64) {
        e.cross.graphs.remove(&GraphId(id));
    }

    fn follow_prototype(
        e: &mut Editor,
        holder: HostId,
        id: u64,
        old: &Arc<GraphContent>,
        new: &Arc<GraphContent>,
    ) {
        let Ok(host) = e.holder(holder) else { return };
        if host.kind == HolderKind::Template {
            return;
        }
        let made = host.graphs_made_by(GraphId(id));
        let zone = e.zone.clone();
        for graph in made {
            let row = e.graph_mut(holder, graph);
            let mut name = row.name().into_owned();
            let Some(discovered) = row.extra.as_mut().and_then(|it| it.discovered.as_mut()) else {
                continue;
            };
            if old.name != new.name {
                name = expand::name(&new.name, &discovered.row, &zone);
            }
            discovered.set_texts(Patterns { key: "", name: &new.name }, "", &name);
            row.content = Arc::clone(new);
        }
    }
}
