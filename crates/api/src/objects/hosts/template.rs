//! Templates: `template.*`.

use model::content::UiElement;
use model::field_path::FieldPath;
use std::sync::Arc;

use db::ObjectKind;
use db::objects::template as described;
use model::map::Set;
use model::snapshot::{HolderKind, Host};
use model::version::Version;
use model::{HostId, ItemId};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{
    Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select, Unknown,
    Writes, count, flattened,
};
use crate::error::ApiError;
use crate::json::{Fields, Scalar, id_of, str_of};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::access;
use crate::objects::common::checks;
use crate::objects::common::crud::Crud;
use crate::objects::common::graphs;
use crate::objects::common::holder;
use crate::objects::common::items;
use crate::objects::common::parts::{GROUP_REF, MACRO, TAG, macros, tags};
use crate::objects::common::scope::{Get, Scope, in_groups};
use crate::objects::common::tag_filter::TagFilter;
use crate::objects::common::triggers;
use crate::objects::hosts::host::{HolderColumn, HolderFamily, MACROS, TEMPLATES, TEMPLATES_CLEAR};
use crate::objects::hosts::host_rules;
use crate::query::table::{self, ReaderOf, RowOf};
use crate::query::{self, Output, SortKey, Table, TableRows};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::{Mode, elements};

pub(crate) const OBJECT: Object = Object {
    name: "template",
    type_name: "Template",
    nouns: Nouns { one: "a template", several: "templates" },
    resource: Some(30),
    role: RoleRule::one_of(&[UiElement::Templates]),
    writes: Some(Writes {
        unknown: Unknown::Refused,
        rules_see: RulesSee::Filled,
        unique: &[&["uuid"], &["host"], &["name"]],
    }),
    id: "templateid",
    ids: "templateids",
    fields: &FIELDS,
    selects: &[
        Select::new("selectTemplateGroups", "templategroups", Gives::Objects("templategroup")),
        Select::new("selectGroups", "groups", Gives::Objects("templategroup")).until(Version::V7_0),
        Select::new("selectParentTemplates", "parentTemplates", Gives::Objects("template"))
            .limited("host")
            .countable(),
        Select::new("selectTemplates", "templates", Gives::Objects("template"))
            .limited("host")
            .countable(),
        Select::new("selectHosts", "hosts", Gives::Objects("host")).limited("host").countable(),
        Select::new("selectTags", "tags", Gives::Parts(TAG)),
        Select::new("selectMacros", "macros", Gives::Parts(MACRO)),
        Select::new("selectItems", "items", Gives::Objects("item")).limited("name").countable(),
        Select::new("selectTriggers", "triggers", Gives::Objects("trigger"))
            .limited("description")
            .countable(),
        Select::new("selectDiscoveries", "discoveries", Gives::Objects("discoveryrule"))
            .limited("name")
            .countable(),
        Select::new("selectDiscoveryRules", "discoveryRules", Gives::Objects("discoveryrule"))
            .limited("name")
            .countable()
            .since(Version::V7_4),
        Select::new("selectGraphs", "graphs", Gives::Objects("graph")).limited("name").countable(),
        Select::new("selectHttpTests", "httpTests", Gives::Objects("httptest"))
            .limited("name")
            .countable(),
        Select::new("selectDashboards", "dashboards", Gives::Objects("templatedashboard"))
            .limited("name")
            .countable(),
        Select::new("selectValueMaps", "valuemaps", Gives::Objects("valuemap")),
    ],
    params: Params::of(&[
        "templateids",
        "groupids",
        "parentTemplateids",
        "hostids",
        "itemids",
        "triggerids",
        "graphids",
        "with_graphs",
        "with_items",
        "with_item_prototypes",
        "with_httptests",
        "with_triggers",
        "evaltype",
        "tags",
        "limitSelects",
    ]),
    sort: &["templateid", "hostid", "host", "name", "status"],
    doc: "Items, triggers and rules for many hosts",
};

const ID: &[HolderColumn] = &[HolderColumn::of_content(
    Field::new("templateid", FieldType::Id, Rule::ReadOnly, "Id"),
    |it| Scalar::Id(it.id.0),
)];
const FIRST: [HolderColumn; described::FIRST.len()] = table::described(&described::FIRST);
const LISTS: &[HolderColumn] = &[
    HolderColumn::given_only(Field::new(
        "groups",
        FieldType::List(GROUP_REF),
        Rule::Required,
        "Template groups",
    )),
    TEMPLATES,
    TEMPLATES_CLEAR,
    HolderColumn::given_only(Field::new("tags", FieldType::List(TAG), Rule::Optional, "Tags")),
    MACROS,
];
const LAST: [HolderColumn; described::LAST.len()] = table::described(&described::LAST);
const ALL: &[&[HolderColumn]] = &[ID, &FIRST, LISTS, &LAST];
const COLUMNS: [HolderColumn; count(ALL)] = flattened(ALL);
const FIELDS: [Field; COLUMNS.len()] = table::fields(&COLUMNS);

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[
        Method::get("template.get", get),
        Method::edit("template.create", create),
        Method::edit("template.update", |ctx, params| CRUD.update(ctx, params)),
        Method::edit("template.delete", |ctx, params| CRUD.delete(ctx, params)),
    ],
)
.related(|ctx, rows, output| {
    let Related::Holders(rows) = rows else { return json!([]) };
    query::related(&OBJECT, &TemplateRows::new(ctx), rows.into_iter(), output)
});

const CRUD: Crud = Crud {
    object: &OBJECT,
    kind: ObjectKind::Template,
    may_change: access::may_change_template,
    check,
};

fn create(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    for (at, it) in elements(params, false).unwrap_or_default().into_iter().enumerate() {
        host_rules::unexpected_origin(it, Mode::Create, &FieldPath::object(at))?;
    }
    CRUD.create(ctx, params)
}

pub(crate) fn update(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    CRUD.update(ctx, params)
}

fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, path: &FieldPath) -> Result<(), ApiError> {
    if mode == Mode::Create {
        if str_of(fields, "name").is_empty() {
            let name = str_of(fields, "host").to_owned();
            fields.insert("name".to_owned(), Value::String(name));
        }
        fields.remove("templates_clear");
    }
    let id = id_of(fields, OBJECT.id).map(HostId);
    checks::free_uuid(fields, (path, "template"), |uuid| {
        ctx.snapshot.templates.values().any(|it| Some(it.id) != id && it.uuid == uuid)
    })?;
    check_vendor(ctx, fields, path)?;
    checks::macros(ctx, fields, path)?;
    checks::unique_tags(fields, path)?;
    let old = id.and_then(|it| ctx.snapshot.templates.get(&it)).map(|it| &**it);
    access::check_groups_of(ctx, fields, old, &access::TEMPLATE_GROUPS, path)?;
    access::check_templates(ctx, fields, old, path)
}

/// A maker without a version, or a version without a maker, says nothing.
fn check_vendor(ctx: &Ctx, fields: &Fields, path: &FieldPath) -> Result<(), ApiError> {
    let id = HostId(id_of(fields, OBJECT.id).unwrap_or_default());
    let old = ctx.snapshot.templates.get(&id).and_then(|it| it.vendor.as_deref());
    let is_empty = |name: &str, old: Option<&str>| match fields.get(name) {
        Some(_) => str_of(fields, name).is_empty(),
        None => old.is_none_or(str::is_empty),
    };
    let has_no_name = is_empty("vendor_name", old.map(|it| &*it.name));
    if has_no_name == is_empty("vendor_version", old.map(|it| &*it.version)) {
        return Ok(());
    }
    let what = "both vendor_name and vendor_version should be either present or empty";
    Err(ApiError::field(path, what))
}

/// Rows of `template.get`; also used by `selectParentTemplates`.
pub(crate) type TemplateRows<'a> = TableRows<'a, Templates>;

pub(crate) struct Templates;

impl Table for Templates {
    type Family = HolderFamily;

    fn columns() -> &'static [HolderColumn] {
        const { &COLUMNS }
    }

    fn sort_key<'r, 'a>(
        _: &'r ReaderOf<'a, Self>,
        template: RowOf<'a, Self>,
        name: &str,
    ) -> Option<SortKey<'r>> {
        match name {
            // Zabbix calls it by this name as well.
            "hostid" => Some(SortKey::number(template.id.0)),
            // It is the same in all of them.
            "status" => Some(SortKey::number(3)),
            _ => None,
        }
    }

    fn select<'a>(
        ctx: &ReaderOf<'a, Self>,
        template: RowOf<'a, Self>,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        let ctx = *ctx;
        Ok(match select.param {
            "selectTemplateGroups" | "selectGroups" => {
                let groups = holder::template_group_ids(&[template]);
                ctx.related(select, Related::Groups(groups), output)
            }
            "selectHosts" => {
                let linked = linked(ctx, template, HolderKind::Host).collect();
                ctx.related(select, Related::Holders(linked), output)
            }
            "selectTemplates" => {
                let linked = linked(ctx, template, HolderKind::Template).collect();
                ctx.related(select, Related::Holders(linked), output)
            }
            "selectTags" => tags(&template.tags, output),
            "selectMacros" => macros(ctx, template, output),
            _ => holder::select(ctx, template, select, output),
        })
    }
}

/// The readable holders that link a template directly.
fn linked<'a>(
    ctx: &'a Ctx,
    template: &Host,
    kind: HolderKind,
) -> impl Iterator<Item = &'a Arc<Host>> {
    let ids = ctx.snapshot.linked_to.get(&template.id).cloned().unwrap_or_default();
    let holders = (0..ids.len()).filter_map(move |at| ctx.snapshot.holder(*ids.get(at)?));
    holders.filter(move |it| it.kind == kind && ctx.may_read(it))
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let get = Get::new(ctx, &OBJECT, params)?;
    let filter = TemplateFilter::parse(&get)?;
    let found = ctx.snapshot.templates.values().filter(|it| filter.admits(&get, it));
    query::answer(&OBJECT, &TemplateRows::new(ctx), found, &get.options)
}

struct TemplateFilter {
    scope: Scope,
    ids: Option<Set<u64>>,
    groups: Option<Set<u64>>,
    parents: Option<Set<u64>>,
    /// Templates that these hosts link.
    of_hosts: Option<Set<HostId>>,
    items: Option<Set<u64>>,
    triggers: Option<Set<u64>>,
    graphs: Option<Set<u64>>,
    tags: TagFilter,
}

impl TemplateFilter {
    fn parse(get: &Get<'_>) -> Result<Self, ApiError> {
        let of_hosts = get.ids("hostids")?.map(|ids| {
            let hosts = ids.into_iter().filter_map(|it| get.ctx.snapshot.holder(HostId(it)));
            hosts.flat_map(|it| it.templates.iter().copied()).collect()
        });
        Ok(Self {
            scope: Scope::readable(get),
            ids: get.id_set("templateids")?,
            groups: get.id_set("groupids")?,
            parents: get.id_set("parentTemplateids")?,
            of_hosts,
            items: get.id_set("itemids")?,
            triggers: get.id_set("triggerids")?,
            graphs: get.id_set("graphids")?,
            tags: get.tags()?,
        })
    }

    fn admits(&self, get: &Get<'_>, template: &Host) -> bool {
        let has_item = |set: &Set<u64>| set.iter().any(|it| template.item(ItemId(*it)).is_some());
        let asked = |name: &str| get.flag(name);
        self.ids.as_ref().is_none_or(|it| it.contains(&template.id.0))
            && self.groups.as_ref().is_none_or(|it| in_groups(template, it))
            && self
                .parents
                .as_ref()
                .is_none_or(|set| template.templates.iter().any(|it| set.contains(&it.0)))
            && self.of_hosts.as_ref().is_none_or(|it| it.contains(&template.id))
            && self.items.as_ref().is_none_or(has_item)
            && self.triggers.as_ref().is_none_or(|it| triggers::are_of_host(get.ctx, template, it))
            && self.graphs.as_ref().is_none_or(|it| graphs::are_of_host(get.ctx, template, it))
            && (!asked("with_items") || template.items.iter().any(|it| items::is_item(it.flags)))
            && (!asked("with_triggers") || triggers::live(template).next().is_some())
            && (!asked("with_graphs") || graphs::live(template).next().is_some())
            && (!asked("with_item_prototypes") || items::has_prototypes(template))
            && (!asked("with_httptests") || items::web_scenarios(template).next().is_some())
            && self.tags.matches(&template.tags)
            && self.scope.admits(get.ctx, template)
    }
}
