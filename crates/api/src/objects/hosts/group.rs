//! Host groups and template groups: `hostgroup.*`, `templategroup.*`.

use std::sync::Arc;

use db::{ObjectKind, Permission};
use model::content::{Group, UiElement};
use model::field_path::FieldPath;
use model::map::Set;
use model::snapshot::{GroupDiscovery, HolderKind, Host};
use model::version::{Version, Versions};
use model::{GroupId, HostId, ItemId, TriggerId};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{
    Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select, Unknown,
    Writes, joined,
};
use crate::error::ApiError;
use crate::json::{self, Fields, Scalar};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::access;
use crate::objects::common::checks;
use crate::objects::common::crud::Crud;
use crate::objects::common::graphs;
use crate::objects::common::items;
use crate::objects::common::parts::{LOST, NAME, UUID};
use crate::objects::common::scope::{Get, in_groups, is_monitored};
use crate::objects::common::triggers;
use crate::objects::hosts::maintenance;
use crate::query::table::{self, ReaderOf, RowOf};
use crate::query::{self, Column, Output, RowFamily, Table, TableRows};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::Mode;
use model::content::RoleType;

/// Groups of either kind.
pub(crate) struct GroupFamily;

type GroupColumn = Column<GroupFamily>;

impl RowFamily for GroupFamily {
    type Reader<'a> = &'a Ctx;
    type Row<'a> = GroupRow<'a>;
    type Content = Group;

    fn content<'a>(row: Self::Row<'a>) -> &'a Group {
        row.group
    }
}

const GROUPID: GroupColumn =
    GroupColumn::of_row(Field::new("groupid", FieldType::Id, Rule::ReadOnly, "Id"), |_, row| {
        Scalar::Id(row.id)
    });
const GROUP_NAME: GroupColumn = GroupColumn::of_content(
    Field::new("name", NAME, Rule::Required, "Name; slashes make subgroups"),
    |it| Scalar::Text(&it.name),
);
const GROUP_UUID: GroupColumn = GroupColumn::of_content(
    Field::new("uuid", UUID, Rule::Default(""), "Identity in exports"),
    |it| Scalar::Text(&it.uuid),
);
const FLAGS: GroupColumn = GroupColumn::of_row(
    Field::new("flags", FieldType::Code(&[0, 4]), Rule::ReadOnly, "0 plain, 4 discovered"),
    |ctx, row| Scalar::code(if discoveries(ctx, &row).is_empty() { 0 } else { 4 }),
);
/// Why discovery made a group.
const GROUP_DISCOVERY: &[Field] = &joined::<_, 5>(
    &[
        Field::new("groupid", FieldType::Id, Rule::ReadOnly, "The group"),
        Field::new("name", NAME, Rule::ReadOnly, "Name that the prototype gives, with LLD macros"),
    ],
    &LOST,
);
const COLUMNS: &[GroupColumn] = &[GROUPID, GROUP_NAME, FLAGS, GROUP_UUID];
const FIELDS: [Field; COLUMNS.len()] = table::fields(COLUMNS);
/// Template groups are not discovered.
const TEMPLATE_GROUP_COLUMNS: &[GroupColumn] = &[GROUPID, GROUP_NAME, GROUP_UUID];
const TEMPLATE_GROUP_FIELDS: [Field; TEMPLATE_GROUP_COLUMNS.len()] =
    table::fields(TEMPLATE_GROUP_COLUMNS);

const HOST_GROUP: Object = Object {
    name: "hostgroup",
    type_name: "HostGroup",
    nouns: Nouns { one: "a host group", several: "host groups" },
    resource: Some(14),
    role: RoleRule::one_of(&[UiElement::HostGroups]),
    writes: Some(Writes {
        unknown: Unknown::Refused,
        rules_see: RulesSee::Filled,
        unique: &[&["uuid"], &["name"]],
    }),
    id: "groupid",
    ids: "groupids",
    fields: &FIELDS,
    selects: &[
        Select::new("selectHosts", "hosts", Gives::Objects("host")).limited("host").countable(),
        Select::new("selectDiscoveryRule", "discoveryRule", Gives::Object("discoveryrule")),
        Select::new("selectDiscoveryRules", "discoveryRules", Gives::Objects("discoveryrule")),
        Select::new("selectHostPrototypes", "hostPrototypes", Gives::Objects("hostprototype")),
        Select::new("selectGroupDiscovery", "groupDiscovery", Gives::Part(GROUP_DISCOVERY)),
        Select::new("selectGroupDiscoveries", "groupDiscoveries", Gives::Parts(GROUP_DISCOVERY)),
        Select::new("selectDiscoveryData", "discoveryData", Gives::Parts(GROUP_DISCOVERY))
            .since(Version::V7_4),
    ],
    params: Params::of(&[
        "groupids",
        "hostids",
        "triggerids",
        "graphids",
        "with_graphs",
        "with_graph_prototypes",
        "maintenanceids",
        "monitored_hosts",
        "with_monitored_hosts",
        "real_hosts",
        "with_hosts",
        "with_items",
        "with_simple_graph_items",
        "with_monitored_items",
        "with_triggers",
        "with_monitored_triggers",
        "with_item_prototypes",
        "with_simple_graph_item_prototypes",
        "with_httptests",
        "with_monitored_httptests",
        "nopermissions",
        "limitSelects",
    ])
    .strict()
    .booleans(&[
        "startSearch",
        "excludeSearch",
        "countOutput",
        "with_graphs",
        "with_graph_prototypes",
        "monitored_hosts",
        "with_monitored_hosts",
        "real_hosts",
        "with_hosts",
        "with_items",
        "with_simple_graph_items",
        "with_monitored_items",
        "with_triggers",
        "with_monitored_triggers",
        "with_item_prototypes",
        "with_simple_graph_item_prototypes",
        "with_httptests",
        "with_monitored_httptests",
        "nopermissions",
    ])
    .found_by(&["groupid", "name", "flags", "uuid"], &["name"])
    .by_version(&[
        ("monitored_hosts", Versions::until(Version::V7_0)),
        ("real_hosts", Versions::until(Version::V7_0)),
    ]),
    sort: &["groupid", "name"],
    doc: "A group of hosts, used for permissions",
};

const TEMPLATE_GROUP: Object = Object {
    name: "templategroup",
    type_name: "TemplateGroup",
    nouns: Nouns { one: "a template group", several: "template groups" },
    resource: Some(50),
    role: RoleRule::one_of(&[UiElement::TemplateGroups]),
    writes: Some(Writes {
        unknown: Unknown::Refused,
        rules_see: RulesSee::Filled,
        unique: &[&["uuid"], &["name"]],
    }),
    fields: &TEMPLATE_GROUP_FIELDS,
    selects: &[Select::new("selectTemplates", "templates", Gives::Objects("template"))
        .limited("host")
        .countable()
        .of_fields(&["templateid", "host", "name", "description", "uuid"])],
    params: Params::of(&[
        "groupids",
        "templateids",
        "triggerids",
        "graphids",
        "with_graphs",
        "with_graph_prototypes",
        "with_templates",
        "with_items",
        "with_simple_graph_items",
        "with_triggers",
        "with_item_prototypes",
        "with_simple_graph_item_prototypes",
        "with_httptests",
        "nopermissions",
        "limitSelects",
    ])
    .strict()
    .booleans(&[
        "startSearch",
        "excludeSearch",
        "countOutput",
        "with_graphs",
        "with_graph_prototypes",
        "with_templates",
        "with_items",
        "with_simple_graph_items",
        "with_triggers",
        "with_item_prototypes",
        "with_simple_graph_item_prototypes",
        "with_httptests",
        "nopermissions",
    ])
    .found_by(&["groupid", "name", "uuid"], &["name"]),
    doc: "A group of templates, used for permissions",
    ..HOST_GROUP
};

pub(crate) const HOST_GROUP_ENTRY: ObjectEntry = ObjectEntry::new(
    &HOST_GROUP,
    &[
        Method::get("hostgroup.get", get_host_groups),
        Method::edit("hostgroup.create", |ctx, params| HOST_GROUPS.create(ctx, params))
            .of(RoleType::SuperAdmin),
        Method::edit("hostgroup.update", |ctx, params| HOST_GROUPS.update(ctx, params)),
        Method::edit("hostgroup.delete", |ctx, params| HOST_GROUPS.delete(ctx, params)),
    ],
)
.related(|ctx, rows, output| {
    let Related::Groups(ids) = rows else { return json!([]) };
    let groups = host_groups(ctx).filter(|it| ids.contains(&it.id));
    query::related(&HOST_GROUP, &GroupRows::new(ctx), groups, output)
});

pub(crate) const TEMPLATE_GROUP_ENTRY: ObjectEntry = ObjectEntry::new(
    &TEMPLATE_GROUP,
    &[
        Method::get("templategroup.get", get_template_groups),
        Method::edit("templategroup.create", |ctx, params| TEMPLATE_GROUPS.create(ctx, params))
            .of(RoleType::SuperAdmin),
        Method::edit("templategroup.update", |ctx, params| TEMPLATE_GROUPS.update(ctx, params)),
        Method::edit("templategroup.delete", |ctx, params| TEMPLATE_GROUPS.delete(ctx, params)),
    ],
)
.related(|ctx, rows, output| {
    let Related::Groups(ids) = rows else { return json!([]) };
    let groups = template_groups(ctx).filter(|it| ids.contains(&it.id));
    query::related(&TEMPLATE_GROUP, &GroupRows::new(ctx), groups, output)
});

const HOST_GROUPS: Crud = Crud {
    object: &HOST_GROUP,
    kind: ObjectKind::HostGroup,
    may_change: access::may_change_host_group,
    check: check_host_group,
};

const TEMPLATE_GROUPS: Crud = Crud {
    object: &TEMPLATE_GROUP,
    kind: ObjectKind::TemplateGroup,
    may_change: access::may_change_template_group,
    check: check_template_group,
};

fn check_host_group(
    ctx: &Ctx,
    fields: &mut Fields,
    _: Mode,
    path: &FieldPath,
) -> Result<(), ApiError> {
    let id = GroupId(json::id_of(fields, "groupid").unwrap_or_default());
    let known = ctx.snapshot.host_groups.get(&id);
    let known = known.filter(|_| ctx.snapshot.group_discoveries.contains_key(&id));
    if let Some(known) = known.filter(|it| fields.get("name").is_some_and(|new| *new != it.name)) {
        let what = format!("Cannot update a discovered host group \"{}\".", known.name);
        return Err(ApiError::params(what));
    }
    check_name(fields, path, "invalid host group name")?;
    checks::free_uuid(fields, (path, "host group"), |uuid| {
        ctx.snapshot.host_groups.iter().any(|(of, it)| *of != id && it.uuid == uuid)
    })
}

fn check_template_group(
    ctx: &Ctx,
    fields: &mut Fields,
    _: Mode,
    path: &FieldPath,
) -> Result<(), ApiError> {
    check_name(fields, path, "invalid template group name")?;
    let id = json::id_of(fields, "groupid").unwrap_or_default();
    checks::free_uuid(fields, (path, "template group"), |uuid| {
        ctx.snapshot.template_groups.iter().any(|(of, it)| of.0 != id && it.uuid == uuid)
    })
}

/// No group between slashes is without a name.
fn check_name(fields: &Fields, path: &FieldPath, wrong: &str) -> Result<(), ApiError> {
    let name = fields.get("name").and_then(Value::as_str);
    if name.is_some_and(|it| it.split('/').any(|it| it.trim().is_empty())) {
        return Err(ApiError::field(path.member("name"), wrong));
    }
    Ok(())
}

/// A group of either kind.
#[derive(Clone, Copy)]
pub(crate) struct GroupRow<'a> {
    id: u64,
    group: &'a Arc<Group>,
    kind: HolderKind,
}

type GroupRows<'a> = TableRows<'a, Groups>;

struct Groups;

impl Table for Groups {
    type Family = GroupFamily;

    /// Which of them are answered is said by the object.
    fn columns() -> &'static [GroupColumn] {
        const { COLUMNS }
    }

    fn select<'a>(
        ctx: &ReaderOf<'a, Self>,
        row: RowOf<'a, Self>,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        let ctx = *ctx;
        Ok(match select.param {
            "selectHosts" | "selectTemplates" => {
                ctx.related(select, Related::Holders(members(ctx, &row).collect()), output)
            }
            "selectDiscoveryRule" | "selectDiscoveryRules" => {
                let mut rules: Vec<ItemId> =
                    discoveries(ctx, &row).iter().map(|it| it.rule).collect();
                rules.sort_unstable();
                rules.dedup();
                let rules = rules.into_iter().filter_map(|it| ctx.snapshot.item(it));
                let readable = rules.filter(|(of, _)| ctx.may_read(of)).collect();
                ctx.related(select, Related::Items(readable), output)
            }
            "selectHostPrototypes" => {
                let of = discoveries(ctx, &row).iter();
                let prototypes = of.filter_map(|it| ctx.snapshot.host_prototype(it.prototype));
                let readable = prototypes.filter(|(of, _)| ctx.may_read(of)).collect();
                ctx.related(select, Related::HostPrototypes(readable), output)
            }
            "selectGroupDiscovery" => match discoveries(ctx, &row).first() {
                Some(it) => json::part(GROUP_DISCOVERY, output, |field| discovery(&row, it, field)),
                None => json!([]),
            },
            "selectGroupDiscoveries" | "selectDiscoveryData" => {
                json::parts(GROUP_DISCOVERY, discoveries(ctx, &row).iter(), output, |it, field| {
                    discovery(&row, it, field)
                })
            }
            _ => json!([]),
        })
    }
}

/// Why discovery made a group; empty if people made it.
fn discoveries<'a>(ctx: &'a Ctx, row: &GroupRow<'_>) -> &'a [GroupDiscovery] {
    let found = match row.kind {
        HolderKind::Host => ctx.snapshot.group_discoveries.get(&GroupId(row.id)),
        HolderKind::Template => None,
    };
    found.map_or(&[], |it| it.as_slice())
}

fn discovery(row: &GroupRow<'_>, it: &GroupDiscovery, field: &str) -> Value {
    match field {
        "groupid" => json::number(row.id),
        "name" => json::text(it.name.as_str()),
        "lastcheck" => json::number(it.lost_since),
        "status" => json::flag(it.lost_since != 0),
        _ => json::number(it.delete_at),
    }
}

/// The readable hosts or templates of a group.
fn members<'a>(ctx: &'a Ctx, row: &GroupRow<'a>) -> impl Iterator<Item = &'a Arc<Host>> {
    let holders = match row.kind {
        HolderKind::Host => ctx.snapshot.hosts.values(),
        HolderKind::Template => ctx.snapshot.templates.values(),
    };
    let id: Set<u64> = std::iter::once(row.id).collect();
    holders.filter(move |it| in_groups(it, &id) && ctx.may_read(it))
}

fn host_groups(ctx: &Ctx) -> impl Iterator<Item = GroupRow<'_>> {
    ctx.snapshot
        .host_groups
        .iter()
        .filter(|(id, _)| Permission::Read <= ctx.rights.host_group(**id))
        .map(|(id, group)| GroupRow { id: id.0, group, kind: HolderKind::Host })
}

fn template_groups(ctx: &Ctx) -> impl Iterator<Item = GroupRow<'_>> {
    ctx.snapshot
        .template_groups
        .iter()
        .filter(|(id, _)| Permission::Read <= ctx.rights.template_group(**id))
        .map(|(id, group)| GroupRow { id: id.0, group, kind: HolderKind::Template })
}

fn get_host_groups(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let get = Get::new(ctx, &HOST_GROUP, params)?;
    for (old, new) in [("monitored_hosts", "with_monitored_hosts"), ("real_hosts", "with_hosts")] {
        if get.param(old).is_some() && get.param(new).is_some() {
            return Err(ApiError::params(format!(
                "Deprecated parameter \"/{old}\" cannot be used with \"/{new}\"."
            )));
        }
    }
    let rows = host_groups(ctx).collect();
    answer(&get, &HOST_GROUP, rows, "hostids", HolderKind::Host)
}

fn get_template_groups(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let get = Get::new(ctx, &TEMPLATE_GROUP, params)?;
    let rows = template_groups(ctx).collect();
    answer(&get, &TEMPLATE_GROUP, rows, "templateids", HolderKind::Template)
}

fn answer(
    get: &Get<'_>,
    object: &Object,
    rows: Vec<GroupRow<'_>>,
    members: &str,
    kind: HolderKind,
) -> Result<Answer, ApiError> {
    let ctx = get.ctx;
    let ids = get.id_set("groupids")?;
    let used = used_groups(get, members, kind)?;
    let editable = |id: u64| match kind {
        HolderKind::Host => access::may_change_host_group(ctx, id),
        HolderKind::Template => access::may_change_template_group(ctx, id),
    };
    let maintained = match kind {
        HolderKind::Host => maintenance::named(get, "groups")?,
        HolderKind::Template => None,
    };
    let found = rows
        .into_iter()
        .filter(|it| maintained.as_ref().is_none_or(|of| of.contains(&it.id)))
        .filter(|it| ids.as_ref().is_none_or(|ids| ids.contains(&it.id)))
        .filter(|it| used.as_ref().is_none_or(|used| used.contains(&it.id)))
        .filter(|it| !get.options.editable || editable(it.id));
    query::answer(object, &GroupRows::new(ctx), found, &get.options)
}

/// Groups of the holders that the parameters select; `None`: they select none.
fn used_groups(
    get: &Get<'_>,
    members: &str,
    kind: HolderKind,
) -> Result<Option<Set<u64>>, ApiError> {
    let ctx = get.ctx;
    let ids = get.id_set(members)?;
    let triggers = get.ids("triggerids")?;
    let of_graphs = get.id_set("graphids")?;
    let asks = |names: &[&str]| names.iter().any(|it| get.flag(it));
    let any = asks(&["with_hosts", "real_hosts", "with_templates"]);
    let monitored = asks(&["monitored_hosts", "with_monitored_hosts"]);
    let items = asks(&["with_items", "with_simple_graph_items", "with_monitored_items"]);
    let with_triggers = asks(&["with_triggers", "with_monitored_triggers"]);
    let is_plotted = asks(&["with_simple_graph_items"]);
    let are_on = asks(&["with_monitored_items"]);
    let has_item = |holder: &Host| {
        let mut items = holder.items.iter().filter(|it| items::is_item(it.flags));
        items.any(|it| {
            (!is_plotted || it.content.value_type.is_numeric())
                && (!are_on || is_monitored(holder) && items::is_enabled(it))
        })
    };
    let are_triggers_on = asks(&["with_monitored_triggers"]);
    let has_trigger = |holder: &Host| {
        triggers::live(holder)
            .any(|it| !are_triggers_on || is_monitored(holder) && triggers::is_enabled(it))
    };
    let (with_graphs, with_graph_prototypes) =
        (asks(&["with_graphs"]), asks(&["with_graph_prototypes"]));
    let prototypes = asks(&["with_item_prototypes"]);
    let plotted_prototypes = asks(&["with_simple_graph_item_prototypes"]);
    let scenarios = asks(&["with_httptests", "with_monitored_httptests"]);
    let are_scenarios_on = asks(&["with_monitored_httptests"]);
    let has_scenario = |holder: &Host| {
        items::web_scenarios(holder)
            .any(|it| !are_scenarios_on || is_monitored(holder) && items::is_enabled(it))
    };
    let by_items = items || prototypes || plotted_prototypes || scenarios;
    let by_ids = ids.is_some() || triggers.is_some() || of_graphs.is_some();
    let by_graphs = with_graphs || with_graph_prototypes;
    if !(by_ids || any || monitored || by_items || with_triggers || by_graphs) {
        return Ok(None);
    }
    let of_triggers: Option<Set<HostId>> = triggers.map(|ids| {
        let hosts = ids.into_iter().flat_map(|it| triggers::hosts_of(ctx, TriggerId(it)));
        hosts.map(|it| it.id).collect()
    });
    let holders = match kind {
        HolderKind::Host => ctx.snapshot.hosts.values(),
        HolderKind::Template => ctx.snapshot.templates.values(),
    };
    let mut used = Set::default();
    for holder in holders {
        let wanted = ids.as_ref().is_none_or(|it| it.contains(&holder.id.0))
            && of_triggers.as_ref().is_none_or(|it| it.contains(&holder.id))
            && (!monitored || is_monitored(holder))
            && (!items || has_item(holder))
            && (!prototypes || items::has_prototypes(holder))
            && (!plotted_prototypes || items::has_plotted_prototypes(holder))
            && (!scenarios || has_scenario(holder))
            && (!with_triggers || has_trigger(holder))
            && of_graphs.as_ref().is_none_or(|it| graphs::are_of_host(ctx, holder, it))
            && (!with_graphs || graphs::live(holder).next().is_some())
            && (!with_graph_prototypes || graphs::has_prototypes(holder))
            && ctx.may_read(holder);
        if wanted {
            used.extend(holder.groups.iter().map(|it| it.0));
            used.extend(holder.template_groups.iter().map(|it| it.0));
        }
    }
    Ok(Some(used))
}
