//! Parameters of create and update as Zabbix checks them for graphs, whose methods are of its older kind: all
//! graphs of a request are checked by one rule, then by the next, mostly without paths. Parameters that pass
//! are read by the description.

use std::sync::Arc;

use model::content::{GraphContent, ItemFlags};
use model::field_path::FieldPath;
use model::map::{Map, Set};
use model::snapshot::{Host, ItemRow};
use model::{GraphId, HostId, ItemId, graph_item_id};
use serde_json::Value;

use crate::describe::{Field, FieldType, Rule};
use crate::error::ApiError;
use crate::json::Fields;
use crate::objects::common::items;
use crate::query::given::text;
use crate::shared::Ctx;
use crate::validate::{self, Mode, as_columns, elements};

/// Graphs, or their prototypes.
pub(crate) struct Kind {
    pub(crate) noun: &'static str,
    pub(crate) capital: &'static str,
    pub(crate) is_prototype: bool,
    pub(crate) fields: &'static [Field],
    /// Whether the caller may change the graph of an id, which is of this kind.
    pub(crate) may_change: fn(&Ctx, u64) -> bool,
}

const UUID: Field = Field::new("uuid", FieldType::Uuid, Rule::Optional, "");
const OF_ITEM: i64 = 2;
const FIXED: i64 = 1;
const SUM: i64 = 2;

/// A graph as a request makes it.
struct Wanted<'a> {
    given: &'a Fields,
    name: String,
    old: Option<(GraphId, &'a GraphContent)>,
    /// The ids of its items.
    shown: Vec<String>,
    /// Of the lower and the upper end.
    ends: [Option<String>; 2],
}

/// Texts that Zabbix writes without a path.
fn wrong<T>(what: impl Into<String>) -> Result<T, ApiError> {
    Err(ApiError::params(what.into()))
}

fn no_permissions<T>() -> Result<T, ApiError> {
    wrong("No permissions to referred object or it does not exist!")
}

/// An error, or the parameters as the description reads them.
pub(crate) fn judge(ctx: &Ctx, kind: &Kind, mode: Mode, params: &Value) -> Result<Value, ApiError> {
    let all = elements(params, false).unwrap_or_else(|| vec![params]);
    let nothing = Fields::new();
    let given = all.iter().map(|it| it.as_object().unwrap_or(&nothing)).collect::<Vec<_>>();
    if given.is_empty() {
        return Ok(params.clone());
    }
    let wanted = match mode {
        Mode::Create => created(kind, &given)?,
        Mode::Update => updated(ctx, kind, &given)?,
    };
    let wanted: Vec<Wanted<'_>> = wanted.into_iter().flatten().collect();
    judge_items(ctx, kind, &wanted)?;
    let is_of_template = |it: &Wanted<'_>| {
        let first = it.shown.first().and_then(|it| item_of(ctx, it));
        first.is_some_and(|(holder, _)| ctx.snapshot.templates.contains_key(&holder.id))
    };
    uuids(ctx, kind, &wanted, &is_of_template)?;
    for (at, it) in wanted.iter().enumerate() {
        rest(kind, mode, it, at)?;
    }
    names(ctx, &wanted)?;
    let mut made = Vec::with_capacity(given.len());
    for it in given {
        made.push(Value::Object(written(kind, mode, it)?));
    }
    Ok(Value::Array(made))
}

fn created<'a>(kind: &Kind, given: &[&'a Fields]) -> Result<Vec<Option<Wanted<'a>>>, ApiError> {
    let mut all = Vec::with_capacity(given.len());
    for given in given {
        let name = given.get("name").filter(|it| !it.is_null()).map(text);
        let Some(name) = name else {
            return wrong(format!("Missing \"name\" field for {}.", kind.noun));
        };
        let shown = match gitems(given) {
            Some(it) if !it.is_empty() => it,
            _ => return wrong(format!("Missing items for {} \"{name}\".", kind.noun)),
        };
        let shown = shown.into_iter().map(itemid).collect::<Result<_, _>>()?;
        let ends = ends(given, None)?;
        all.push(Some(Wanted { given, name, old: None, shown, ends }));
    }
    Ok(all)
}

/// Of inherited graphs the rest is not checked.
fn updated<'a>(
    ctx: &'a Ctx,
    kind: &Kind,
    given: &[&'a Fields],
) -> Result<Vec<Option<Wanted<'a>>>, ApiError> {
    let mut known = Vec::with_capacity(given.len());
    for given in given {
        let id = given.get("graphid").and_then(|it| text(it).parse().ok()).unwrap_or_default();
        let row = ctx.snapshot.graph(GraphId(id)).filter(|_| (kind.may_change)(ctx, id));
        let Some((_, row)) = row else { return no_permissions() };
        let content = &*row.content;
        let name = given.get("name").filter(|it| !it.is_null()).map(text);
        let name = name.unwrap_or_else(|| row.name().into_owned());
        if row.source.is_some() && !kind.is_prototype {
            return wrong(format!("Cannot update a templated graph \"{name}\"."));
        }
        if row.discovered().is_some() {
            return wrong("Cannot update a discovered graph.");
        }
        if row.source.is_some() {
            known.push(None);
            continue;
        }
        for it in gitems(given).unwrap_or_default() {
            if it.get("gitemid").is_some() && old_item(&(row.id, content), it).is_none() {
                return no_permissions();
            }
        }
        known.push(Some((given, name, (row.id, content))));
    }
    let mut all = Vec::with_capacity(known.len());
    for it in known {
        let Some((given, name, old)) = it else {
            all.push(None);
            continue;
        };
        let shown: Vec<String> = match given.get("gitems") {
            None | Some(Value::Null) => {
                old.1.gitems.iter().map(|it| it.itemid.to_string()).collect()
            }
            Some(it) => {
                let Some(items) = elements(it, false).filter(|it| !it.is_empty()) else {
                    return wrong(format!("Missing items for {} \"{name}\".", kind.noun));
                };
                let id = |it: &Value| match (it.get("itemid"), old_item(&old, it)) {
                    (None, Some(at)) => Ok(old.1.gitems[at].itemid.to_string()),
                    _ => itemid(it),
                };
                items.into_iter().map(id).collect::<Result<_, _>>()?
            }
        };
        let ends = ends(given, Some(old.1))?;
        all.push(Some(Wanted { given, name, old: Some(old), shown, ends }));
    }
    Ok(all)
}

fn gitems(given: &Fields) -> Option<Vec<&Value>> {
    given.get("gitems").and_then(|it| elements(it, false))
}

/// The position of an item that a graph shows already.
fn old_item((id, content): &(GraphId, &GraphContent), item: &Value) -> Option<usize> {
    let given = item.get("gitemid").map(text)?;
    (0..content.gitems.len()).find(|at| graph_item_id(*id, *at).to_string() == given)
}

fn itemid(item: &Value) -> Result<String, ApiError> {
    match item.get("itemid").filter(|it| !it.is_null()) {
        Some(it) => Ok(text(it)),
        None => wrong("Missing \"itemid\" field for item."),
    }
}

/// The items at the ends of the axis, as far as they are new.
fn ends(given: &Fields, old: Option<&GraphContent>) -> Result<[Option<String>; 2], ApiError> {
    let mut ends = [None, None];
    for (at, end) in ["ymin", "ymax"].into_iter().enumerate() {
        let old = old.map(|it| match at {
            0 => (it.ymin_type, it.ymin_itemid),
            _ => (it.ymax_type, it.ymax_itemid),
        });
        if code(given, &format!("{end}_type"), old.map_or(0, |it| it.0)) != OF_ITEM {
            continue;
        }
        let name = format!("{end}_itemid");
        let id = given.get(&name).map(text);
        let id = id.or_else(|| old.map(|it| it.1.to_string())).unwrap_or_default();
        if id.is_empty() || !id.bytes().all(|it| it.is_ascii_digit()) {
            return wrong(format!("Invalid parameter \"{name}\": a number is expected."));
        }
        if old.is_none_or(|it| it.1.to_string() != id) {
            ends[at] = Some(id);
        }
    }
    Ok(ends)
}

fn code(given: &Fields, name: &str, old: i64) -> i64 {
    given.get(name).and_then(|it| text(it).parse().ok()).unwrap_or(old)
}

fn item_of<'a>(ctx: &'a Ctx, id: &str) -> Option<(&'a Arc<Host>, &'a ItemRow)> {
    ctx.snapshot.item(ItemId(id.parse().ok()?))
}

/// The items exist, are numeric, and fit together.
fn judge_items(ctx: &Ctx, kind: &Kind, all: &[Wanted<'_>]) -> Result<(), ApiError> {
    let is_admitted = |id: &String| {
        item_of(ctx, id).is_some_and(|(holder, row)| {
            let is_item =
                items::is_item(row.flags) || kind.is_prototype && row.flags == ItemFlags::Prototype;
            is_item && ctx.may_write(holder)
        })
    };
    let ids = |it: &Wanted<'_>| {
        it.shown.iter().chain(it.ends.iter().flatten()).cloned().collect::<Vec<String>>()
    };
    if !all.iter().flat_map(ids).all(|it| is_admitted(&it)) {
        return Err(ApiError::no_permissions());
    }
    for graph in all.iter().filter(|_| kind.is_prototype) {
        let prototypes = graph.shown.iter().filter_map(|it| item_of(ctx, it));
        let prototypes = prototypes.filter(|(_, row)| row.flags == ItemFlags::Prototype);
        let rules: Set<ItemId> = prototypes
            .map(|(holder, row)| {
                let rule = items::rule_of(ctx, holder, row.content.ruleid);
                rule.map_or(row.content.ruleid, |(_, it)| it.id)
            })
            .collect();
        match rules.len() {
            0 => {
                return wrong(format!(
                    "Graph prototype \"{}\" must have at least one item prototype.",
                    graph.name
                ));
            }
            1 => {}
            _ => {
                return wrong(format!(
                    "Graph prototype \"{}\" contains item prototypes from multiple discovery rules.",
                    graph.name
                ));
            }
        }
    }
    for graph in all {
        let mut holders: Set<HostId> = Set::default();
        let shown = graph.shown.iter().map(|it| (it, kind.noun));
        // Zabbix calls prototypes graphs there.
        let ends = graph.ends.iter().flatten().map(|it| (it, "graph"));
        for (id, noun) in shown.chain(ends) {
            let Some((holder, row)) = item_of(ctx, id) else { continue };
            if !row.content.value_type.is_numeric() {
                return wrong(format!(
                    "Cannot add a non-numeric item \"{}\" to {noun} \"{}\".",
                    row.name(),
                    graph.name
                ));
            }
            holders.insert(holder.id);
        }
        let is_template = |it: &HostId| ctx.snapshot.templates.contains_key(it);
        if 1 < holders.len() && holders.iter().any(is_template) {
            return wrong(format!(
                "{} \"{}\" with templated items cannot contain items from other hosts.",
                kind.capital, graph.name
            ));
        }
    }
    Ok(())
}

/// Graphs of templates have identities of their own, those of hosts none.
fn uuids(
    ctx: &Ctx,
    kind: &Kind,
    all: &[Wanted<'_>],
    is_of_template: &dyn Fn(&Wanted<'_>) -> bool,
) -> Result<(), ApiError> {
    let mut seen: Map<String, usize> = Map::default();
    for (at, graph) in all.iter().enumerate() {
        let Some(given) = graph.given.get("uuid") else { continue };
        let path = FieldPath::object(at).member("uuid");
        if is_of_template(graph) {
            validate::value(&UUID, given, &path)?;
        } else if *given != Value::String(String::new()) {
            let is_text = given.is_string();
            let what =
                if is_text { "value must be empty" } else { "a character string is expected" };
            return Err(ApiError::field(path, what));
        }
    }
    for (at, graph) in all.iter().enumerate() {
        let uuid = graph.given.get("uuid").map(text).filter(|it| !it.is_empty());
        let Some(uuid) = uuid else { continue };
        if seen.insert(uuid.clone(), at).is_some() {
            let what = format!("value (uuid)=({uuid}) already exists");
            return Err(ApiError::field(FieldPath::object(at), &what));
        }
    }
    seen.retain(|uuid, at| all[*at].old.is_none_or(|(_, old)| old.uuid != *uuid));
    if seen.is_empty() {
        return Ok(());
    }
    for id in ctx.snapshot.templates.keys() {
        let Some(holder) = ctx.snapshot.holder(*id) else { continue };
        let of_kind = |flags| (flags == ItemFlags::Prototype) == kind.is_prototype;
        let mut taken = holder.graphs.iter().filter(|it| of_kind(it.flags));
        let taken = taken.find_map(|it| seen.get(it.content.uuid.as_str()));
        if let Some(at) = taken {
            let what = format!("{} with the same UUID already exists", kind.noun);
            return Err(ApiError::field(FieldPath::object(*at), &what));
        }
    }
    Ok(())
}

/// Rules of single fields, colors and the axis.
fn rest(kind: &Kind, mode: Mode, graph: &Wanted<'_>, at: usize) -> Result<(), ApiError> {
    let (given, name) = (graph.given, &graph.name);
    for field in ["templateid", "flags"] {
        if given.contains_key(field) {
            let verb = if mode == Mode::Create { "set" } else { "update" };
            return wrong(format!("Cannot {verb} \"{field}\" for {} \"{name}\".", kind.noun));
        }
    }
    let path = FieldPath::object(at);
    for field in kind.fields.iter().filter(|it| ["name", "discover"].contains(&it.name)) {
        if let Some(value) = given.get(field.name) {
            validate::value(field, value, &path.member(field.name))?;
        }
    }
    for item in gitems(given).unwrap_or_default() {
        match item.get("color") {
            None if mode == Mode::Create => {
                return wrong(format!("No \"color\" given for {}.", kind.noun));
            }
            None => {}
            Some(Value::Null) if mode == Mode::Update => {}
            Some(it) => color(&text(it))?,
        }
    }
    axis(kind, graph)
}

fn color(color: &str) -> Result<(), ApiError> {
    if color.is_empty() {
        return wrong("Empty color.");
    }
    if color.len() == 6 && color.bytes().all(|it| it.is_ascii_hexdigit()) {
        return Ok(());
    }
    wrong(format!(
        "Color \"{color}\" is not correct: expecting hexadecimal color code (6 symbols)."
    ))
}

fn axis(kind: &Kind, graph: &Wanted<'_>) -> Result<(), ApiError> {
    let given = graph.given;
    let old = graph.old.map(|(_, it)| it);
    let is_pie = [2, 3].contains(&code(given, "graphtype", old.map_or(0, |it| it.graphtype)));
    if is_pie {
        let is_sum = |it: &&Value| {
            let at = graph.old.and_then(|old| old_item(&old, it));
            let before = at.and_then(|at| Some(old?.gitems[at].kind));
            it.get("type").map_or(before == Some(SUM), |it| text(it) == SUM.to_string())
        };
        let n_sums = match (gitems(given), old) {
            (Some(all), _) => all.iter().filter(|it| is_sum(it)).count(),
            (None, Some(old)) => old.gitems.iter().filter(|it| it.kind == SUM).count(),
            (None, None) => 0,
        };
        if 1 < n_sums {
            return wrong(format!(
                "Cannot add more than one item with type \"Graph sum\" on {} \"{}\".",
                kind.noun, graph.name
            ));
        }
        return Ok(());
    }
    let is_fixed = code(given, "ymin_type", old.map_or(0, |it| it.ymin_type)) == FIXED
        && code(given, "ymax_type", old.map_or(0, |it| it.ymax_type)) == FIXED;
    let end = |name: &str, old: Option<f64>| -> f64 {
        let given = given.get(name).and_then(|it| text(it).parse().ok());
        given.or(old).unwrap_or_default()
    };
    let min = end("yaxismin", old.map(|it| it.yaxismin));
    let max = end("yaxismax", old.map(|it| it.yaxismax));
    if is_fixed && max <= min {
        return wrong("Y axis MAX value must be greater than Y axis MIN value.");
    }
    Ok(())
}

/// No two of a request on one host have one name.
fn names(ctx: &Ctx, all: &[Wanted<'_>]) -> Result<(), ApiError> {
    let mut seen: Map<(HostId, &str), usize> = Map::default();
    for (at, graph) in all.iter().enumerate() {
        for (holder, _) in graph.shown.iter().filter_map(|it| item_of(ctx, it)) {
            let first = *seen.entry((holder.id, &graph.name)).or_insert(at);
            if first != at {
                let what = format!("value (name)=({}) already exists", graph.name);
                return Err(ApiError::field(FieldPath::object(at), &what));
            }
        }
    }
    Ok(())
}

/// The fields as the tables take them; others are ignored.
fn written(kind: &Kind, mode: Mode, given: &Fields) -> Result<Fields, ApiError> {
    let known = kind
        .fields
        .iter()
        .filter(|it| it.rule != Rule::ReadOnly || mode == Mode::Update && it.name == "graphid");
    let known: Vec<Field> = known.copied().collect();
    let mut made: Fields = known
        .iter()
        .filter_map(|it| Some((it.name.to_owned(), given.get(it.name)?.clone())))
        .collect();
    made = as_columns(&known, &made)?;
    let items = kind.fields.iter().find(|it| it.name == "gitems").map(|it| it.kind);
    if let (Some(FieldType::List(fields)), Some(all)) = (items, gitems(given)) {
        let mut written = Vec::with_capacity(all.len());
        for it in all.into_iter().filter_map(Value::as_object) {
            let is_known =
                |name: &str| name != "graphid" && (mode == Mode::Update || name != "gitemid");
            let known = fields.iter().filter(|field| is_known(field.name));
            let item: Fields = known
                .filter_map(|field| Some((field.name.to_owned(), it.get(field.name)?.clone())))
                .collect();
            written.push(Value::Object(as_columns(fields, &item)?));
        }
        made.insert("gitems".to_owned(), Value::Array(written));
    }
    Ok(made)
}
