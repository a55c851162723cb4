//! Host prototypes: `hostprototype.*`.

use std::collections::BTreeMap;
use std::sync::Arc;

use db::ObjectKind;
use db::objects::hostprototype as described;
use model::content::{HostPrototypeContent, UiElement};
use model::field_path::FieldPath;
use model::map::Set;
use model::snapshot::{Host, HostPrototypeRow};
use model::{GroupId, HostId, ItemId};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{
    Depends, Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select,
    Unknown, When, Writes, count, flattened,
};
use crate::error::ApiError;
use crate::json::{self, Fields, Scalar, id_of, list_of, number, text};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::access;
use crate::objects::common::checks;
use crate::objects::common::crud::Crud;
use crate::objects::common::items;
use crate::objects::common::parts::{MACRO_OF_PROTOTYPE, TAG, TEMPLATE_REF, macros_of, tags};
use crate::objects::common::scope::{Get, Scope};
use crate::objects::hosts::interface::of_prototype;
use crate::objects::hosts::prototype_interface;
use crate::objects::items::fields::{SELECT_DISCOVERY_OF_PROTOTYPE, SELECT_RULE_PROTOTYPE};
use crate::query::table::{self, ReaderOf, RowOf};
use crate::query::{self, Column, Output, RowFamily, Table, TableRows};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::Mode;

pub(crate) struct PrototypeFamily;

type PrototypeColumn = Column<PrototypeFamily>;
type Prototype<'a> = (&'a Arc<Host>, &'a HostPrototypeRow);

impl RowFamily for PrototypeFamily {
    type Reader<'a> = &'a Ctx;
    type Row<'a> = Prototype<'a>;
    type Content = HostPrototypeContent;

    fn content<'a>((_, row): Self::Row<'a>) -> &'a HostPrototypeContent {
        &row.content
    }
}

const GROUP_PROTOTYPEID: Field = Field::new(
    "group_prototypeid",
    FieldType::Id,
    Rule::ReadOnly,
    "Id; in an update it names the one that stays or is renamed",
);
const GROUP_LINK: &[Field] = &[
    GROUP_PROTOTYPEID,
    Field::new("groupid", FieldType::Id, Rule::Required, "Id of the group"),
    OF_TEMPLATE,
];
const GROUP_NAME: &[Field] = &[
    GROUP_PROTOTYPEID,
    Field::new(
        "name",
        FieldType::Text { max: 255 },
        Rule::Required,
        "Name of a group, created if it does not exist; with LLD macros",
    ),
    OF_TEMPLATE,
];
const OF_TEMPLATE: Field = Field::new(
    "templateid",
    FieldType::Id,
    Rule::ReadOnly,
    "That of the directly linked template from which it comes; 0: none",
);
const IDS: &[PrototypeColumn] = &[
    PrototypeColumn::of_row(Field::new("hostid", FieldType::Id, Rule::ReadOnly, "Id"), |_, it| {
        Scalar::Id(it.1.id.0)
    }),
    PrototypeColumn::of_row(
        Field::new("ruleid", FieldType::Id, Rule::Required, "Discovery rule").fixed(),
        |ctx, (holder, row)| {
            let rule = items::rule_of(ctx, holder, row.content.ruleid);
            Scalar::Id(rule.map_or(0, |(_, it)| it.id.0))
        },
    ),
];
const DESCRIBED: [PrototypeColumn; described::FIELDS.len()] = table::described(&described::FIELDS);
const FURTHER: &[PrototypeColumn] = &[
    PrototypeColumn::of_row(
        Field::new(
            "templateid",
            FieldType::Id,
            Rule::ReadOnly,
            "The prototype of the directly linked template that it comes from; 0: none",
        ),
        |_, (_, row)| Scalar::Id(row.source.0),
    ),
    PrototypeColumn::described(described::UUID),
    PrototypeColumn::given_only(Field::new(
        "groupLinks",
        FieldType::List(GROUP_LINK),
        Rule::Required,
        "Groups of the hosts",
    )),
    PrototypeColumn::given_only(Field::new(
        "groupPrototypes",
        FieldType::List(GROUP_NAME),
        Rule::Optional,
        "More groups, by name",
    )),
    PrototypeColumn::given_only(Field::new(
        "templates",
        FieldType::List(TEMPLATE_REF),
        Rule::Optional,
        "Templates that the hosts link",
    )),
    PrototypeColumn::given_only(Field::new(
        "macros",
        FieldType::List(MACRO_OF_PROTOTYPE),
        Rule::Optional,
        "User macros of the hosts",
    )),
    PrototypeColumn::given_only(Field::new(
        "tags",
        FieldType::List(TAG),
        Rule::Optional,
        "Tags of the hosts",
    )),
    PrototypeColumn::given_only(
        Field::new(
            "interfaces",
            FieldType::List(prototype_interface::FIELDS),
            Rule::Optional,
            "With custom_interfaces 1",
        )
        .depends(&Depends::goes_with(&[When::of("custom_interfaces", &["1"])])),
    ),
];
const LISTS: &[&[PrototypeColumn]] = &[IDS, &DESCRIBED, FURTHER];
const COLUMNS: [PrototypeColumn; count(LISTS)] = flattened(LISTS);
const FIELDS: [Field; COLUMNS.len()] = table::fields(&COLUMNS);

const OBJECT: Object = Object {
    name: "hostprototype",
    type_name: "HostPrototype",
    nouns: Nouns { one: "a host prototype", several: "host prototypes" },
    resource: Some(37),
    role: RoleRule::one_of(&[UiElement::Hosts, UiElement::Templates]),
    writes: Some(Writes {
        unknown: Unknown::Refused,
        rules_see: RulesSee::Filled,
        unique: &[&["uuid"], &["ruleid", "host"], &["ruleid", "name"]],
    }),
    id: "hostid",
    ids: "hostids",
    fields: &FIELDS,
    selects: &[
        Select::new("selectDiscoveryRule", "discoveryRule", Gives::Object("discoveryrule")),
        SELECT_RULE_PROTOTYPE,
        SELECT_DISCOVERY_OF_PROTOTYPE,
        Select::new("selectParentHost", "parentHost", Gives::Object("host")),
        Select::new("selectGroupLinks", "groupLinks", Gives::Parts(GROUP_LINK)),
        Select::new("selectGroupPrototypes", "groupPrototypes", Gives::Parts(GROUP_NAME)),
        Select::new("selectTemplates", "templates", Gives::Objects("template")).countable(),
        Select::new("selectMacros", "macros", Gives::Parts(MACRO_OF_PROTOTYPE)),
        Select::new("selectTags", "tags", Gives::Parts(TAG)),
        Select::new("selectInterfaces", "interfaces", Gives::Parts(prototype_interface::FIELDS)),
    ],
    params: Params::of(&["hostids", "discoveryids", "inherited"]).strict(),
    sort: &["hostid", "host", "name", "status", "discover"],
    doc: "A pattern of the hosts of a discovery rule",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[
        Method::get("hostprototype.get", get),
        Method::edit("hostprototype.create", |ctx, params| CRUD.create(ctx, params)),
        Method::edit("hostprototype.update", |ctx, params| CRUD.update(ctx, params)),
        Method::edit("hostprototype.delete", |ctx, params| CRUD.delete(ctx, params)),
    ],
)
.related(|ctx, rows, output| {
    let Related::HostPrototypes(rows) = rows else { return json!([]) };
    query::related(&OBJECT, &PrototypeRows::new(ctx), rows.into_iter(), output)
});

const CRUD: Crud = Crud { object: &OBJECT, kind: ObjectKind::HostPrototype, may_change, check };

fn may_change(ctx: &Ctx, id: u64) -> bool {
    ctx.snapshot.host_prototype(HostId(id)).is_some_and(|(of, _)| ctx.may_write(of))
}

/// Permissions on referred objects, and dependencies between fields.
fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, path: &FieldPath) -> Result<(), ApiError> {
    if mode == Mode::Create {
        let rule = id_of(fields, "ruleid").unwrap_or_default();
        access::holder_of_rule(ctx, rule)?;
        check_not_discovered(ctx, rule)?;
    }
    let id = id_of(fields, OBJECT.id).map(HostId);
    checks::free_uuid(fields, (path, "host prototype"), |uuid| {
        let mut all = ctx.snapshot.templates.values().flat_map(|it| it.host_prototypes.iter());
        all.any(|it| it.source.is_none() && Some(it.id) != id && it.content.uuid == uuid)
    })?;
    check_host_name(fields, path)?;
    checks::macros(ctx, fields, path)?;
    checks::unique_tags(fields, path)?;
    let links = list_of(fields, "groupLinks");
    access::check_host_groups(ctx, links.filter(|it| it.contains_key("groupid")))?;
    let mut linked = Set::default();
    for (at, it) in list_of(fields, "groupLinks").enumerate() {
        let Some(group) = id_of(it, "groupid") else { continue };
        if !linked.insert(group) {
            let what = format!("value (groupid)=({group}) already exists");
            return Err(ApiError::field(path.member("groupLinks").element(at), &what));
        }
        let is_discovered = ctx.snapshot.group_discoveries.contains_key(&GroupId(group));
        let name = ctx.snapshot.host_groups.get(&GroupId(group)).map(|it| it.name.as_str());
        if let Some(name) = name.filter(|_| is_discovered) {
            return Err(ApiError::params(format!(
                "Group prototype cannot be based on a discovered host group \"{name}\"."
            )));
        }
    }
    check_group_prototypes(fields, path)?;
    access::check_templates(ctx, fields, None, path)?;
    check_interfaces(ctx, fields, path)
}

/// Hosts that discovery made make no hosts themselves.
fn check_not_discovered(ctx: &Ctx, rule: u64) -> Result<(), ApiError> {
    let holder = ctx.snapshot.item(ItemId(rule)).map(|it| it.0).filter(|it| it.is_discovered());
    let Some(holder) = holder else { return Ok(()) };
    Err(ApiError::params(format!(
        "Cannot create a host prototype on a discovered host \"{}\".",
        holder.host
    )))
}

fn check_host_name(fields: &Fields, path: &FieldPath) -> Result<(), ApiError> {
    let Some(host) = fields.get("host").and_then(Value::as_str) else { return Ok(()) };
    let wrong = |what| Err(ApiError::field(path.member("host"), what));
    if host.is_empty() {
        return wrong("cannot be empty");
    }
    if !lang::host_name::is_valid_prototype(host) {
        return wrong("invalid host name");
    }
    if !lang::macros::has_lld_macro(host) {
        return wrong("must contain at least one low-level discovery macro");
    }
    Ok(())
}

fn check_group_prototypes(fields: &Fields, path: &FieldPath) -> Result<(), ApiError> {
    let mut seen: Vec<&str> = Vec::new();
    for (at, it) in list_of(fields, "groupPrototypes").enumerate() {
        if it.contains_key("group_prototypeid") && !it.contains_key("name") {
            continue;
        }
        let name = json::str_of(it, "name");
        let path = path.member("groupPrototypes").element(at);
        if name.split('/').any(|it| it.trim().is_empty()) {
            let what = if name.is_empty() { "cannot be empty" } else { "invalid host group name" };
            return Err(ApiError::field(path.member("name"), what));
        }
        if !lang::macros::has_lld_macro(name) {
            let what = "must contain at least one low-level discovery macro";
            return Err(ApiError::field(path.member("name"), what));
        }
        if seen.contains(&name) {
            let what = format!("value (name)=({name}) already exists");
            return Err(ApiError::field(&path, &what));
        }
        seen.push(name);
    }
    Ok(())
}

fn check_interfaces(ctx: &Ctx, fields: &Fields, path: &FieldPath) -> Result<(), ApiError> {
    let id = id_of(fields, "hostid").unwrap_or_default();
    let old = ctx.snapshot.host_prototype(HostId(id)).map(|(_, it)| &it.content);
    let has_own = match fields.get("custom_interfaces") {
        Some(_) => json::str_of(fields, "custom_interfaces") == "1",
        None => old.is_some_and(|it| it.custom_interfaces),
    };
    let path = path.member("interfaces");
    if !has_own && list_of(fields, "interfaces").next().is_some() {
        return Err(ApiError::field(&path, "should be empty"));
    }
    let host = fields.get("host").and_then(Value::as_str);
    let host = host.or(old.map(|it| it.host.as_str())).unwrap_or_default();
    let mut n_main: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, it) in list_of(fields, "interfaces").enumerate() {
        prototype_interface::check(it, &path.element(at))?;
        let n_main = n_main.entry(json::str_of(it, "type")).or_default();
        *n_main += usize::from(json::str_of(it, "main") == "1");
        if *n_main > 1 {
            let what = "cannot have more than one default interface of the same type";
            return Err(ApiError::field(&path, what));
        }
    }
    let without = n_main.into_iter().find(|it| it.1 == 0).map(|it| it.0);
    let Some(kind) = without else { return Ok(()) };
    let kind = match kind {
        "1" => "Agent",
        "2" => "SNMP",
        "3" => "IPMI",
        _ => "JMX",
    };
    Err(ApiError::params(format!("No default interface for \"{kind}\" type on \"{host}\".")))
}

type PrototypeRows<'a> = TableRows<'a, Prototypes>;

struct Prototypes;

impl Table for Prototypes {
    type Family = PrototypeFamily;

    fn columns() -> &'static [PrototypeColumn] {
        const { &COLUMNS }
    }

    fn select<'a>(
        ctx: &ReaderOf<'a, Self>,
        (holder, row): RowOf<'a, Self>,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        let (ctx, content) = (*ctx, &row.content);
        Ok(match select.param {
            "selectDiscoveryRule" => {
                let rule = items::rule_above(ctx, holder, content.ruleid);
                ctx.related(select, Related::Items(rule), output)
            }
            "selectDiscoveryRulePrototype" => {
                let rule = items::rule_prototype_above(ctx, holder, content.ruleid);
                ctx.related(select, Related::Items(rule), output)
            }
            "selectParentHost" => ctx.related(select, Related::Holders(vec![holder]), output),
            "selectGroupLinks" => {
                let id = |of: HostId, it| HostPrototypeRow::group_link_id(of, it);
                json::parts(GROUP_LINK, content.groups.iter(), output, |it, field| match field {
                    "groupid" => number(it),
                    "templateid" if row.source.is_none() => number(0),
                    "templateid" => number(id(row.source, **it)),
                    _ => number(id(row.id, **it)),
                })
            }
            "selectGroupPrototypes" => {
                let id = |of: HostId, it| HostPrototypeRow::named_group_id(of, content, it);
                let names = content.group_names.iter();
                json::parts(GROUP_NAME, names, output, |it, field| match field {
                    "name" => text(it.as_str()),
                    "templateid" if row.source.is_none() => number(0),
                    "templateid" => number(id(row.source, it)),
                    _ => number(id(row.id, it)),
                })
            }
            "selectTemplates" => {
                let linked = content.templates.iter();
                let linked = linked.filter_map(|it| ctx.snapshot.templates.get(it));
                let readable = linked.filter(|it| ctx.may_read(it)).collect();
                ctx.related(select, Related::Holders(readable), output)
            }
            "selectMacros" => macros_of(ctx, &content.macros, output),
            "selectTags" => tags(&content.tags, output),
            "selectInterfaces" => of_prototype(&content.interfaces, output),
            _ => json!([]),
        })
    }
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let get = Get::new(ctx, &OBJECT, params)?;
    let ids = get.ids("hostids")?;
    let rules = get.id_set("discoveryids")?;
    let rules = rules.map(|it: Set<u64>| items::rules_with_prototypes(ctx, it));
    let inherited = get.side("inherited");
    let scope = Scope::readable(&get);
    let is_of_rule = |(holder, row): &Prototype<'_>| {
        rules.as_ref().is_none_or(|rules| {
            let rule = items::rule_of(ctx, holder, row.content.ruleid);
            rule.is_some_and(|(_, it)| rules.contains(&it.id.0))
        })
    };
    let found: Vec<Prototype<'_>> = match ids {
        Some(ids) => {
            let rows = ids.iter().filter_map(|it| ctx.snapshot.host_prototype(HostId(*it)));
            rows.filter(|(of, _)| scope.admits(ctx, of)).collect()
        }
        None => {
            let holders = scope.holders(ctx).into_iter();
            holders.flat_map(|it| it.host_prototypes.iter().map(move |row| (it, row))).collect()
        }
    };
    let found = found
        .into_iter()
        .filter(is_of_rule)
        .filter(|(_, row)| inherited.is_none_or(|it| it == row.source.is_some()));
    query::answer(&OBJECT, &PrototypeRows::new(ctx), found, &get.options)
}
