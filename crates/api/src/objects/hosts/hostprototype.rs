//! Host prototypes: `hostprototype.*`.

use std::sync::Arc;

use db::ObjectKind;
use model::HostId;
use model::content::HostPrototypeContent;
use model::map::Set;
use model::snapshot::{Host, HostPrototypeRow};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{FLAG, Field, FieldType, Gives, Object, Params, Rule, Select};
use crate::error::ApiError;
use crate::json::{self, Fields, Scalar, id_of, list_of, number, text};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::access;
use crate::objects::common::checks;
use crate::objects::common::crud::Crud;
use crate::objects::common::items;
use crate::objects::common::parts::{
    GROUP_REF, MACRO_OF_HOST, TAG, TEMPLATE_REF, macros_of, tags,
};
use crate::objects::common::scope::{Get, Scope};
use crate::objects::hosts::interface::{INTERFACE_OF_PROTOTYPE, of_prototype};
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

const NAME: FieldType = FieldType::Text { max: 128 };
const GROUP_NAME: &[Field] = &[Field::new(
    "name",
    FieldType::Text { max: 255 },
    Rule::Required,
    "Name of a group that is made if need be; with LLD macros",
)];
const MACRO_OF_PROTOTYPE: &[Field] =
    &table::fields::<_, { MACRO_OF_HOST.len() }>(&MACRO_OF_HOST);

const COLUMNS: &[PrototypeColumn] = &[
    PrototypeColumn::of_row(Field::new("hostid", FieldType::Id, Rule::ReadOnly, "Id"), |_, it| {
        Scalar::Id(it.1.id.0)
    }),
    PrototypeColumn::given_only(
        Field::new("ruleid", FieldType::Id, Rule::Required, "Discovery rule").fixed(),
    ),
    PrototypeColumn::of_content(
        Field::new("host", NAME, Rule::Required, "Technical name, with LLD macros"),
        |it| Scalar::Text(&it.host),
    ),
    PrototypeColumn::of_content(
        Field::new("name", NAME, Rule::Optional, "Visible name; the technical one if left out"),
        |it| Scalar::Text(&it.name),
    ),
    PrototypeColumn::of_content(
        Field::new("status", FLAG, Rule::Default("0"), "Of new hosts: 0 monitored, 1 not")
            .overridable(),
        |it| Scalar::code(it.status.code()),
    ),
    PrototypeColumn::of_content(
        Field::new("discover", FLAG, Rule::Default("0"), "0: rows make hosts, 1: they don't")
            .overridable(),
        |it| Scalar::Flag(!it.discover),
    ),
    PrototypeColumn::of_content(
        Field::new(
            "inventory_mode",
            FieldType::Code(&[-1, 0, 1]),
            Rule::Default("-1"),
            "-1 disabled, 0 manual, 1 automatic",
        ),
        |it| Scalar::Number(it.inventory_mode),
    ),
    PrototypeColumn::of_content(
        Field::new(
            "custom_interfaces",
            FLAG,
            Rule::Default("0"),
            "0: interfaces of the host that the rule is on, 1: its own",
        ),
        |it| Scalar::Flag(it.custom_interfaces),
    ),
    PrototypeColumn::of_row(
        Field::new(
            "templateid",
            FieldType::Id,
            Rule::ReadOnly,
            "The prototype of the directly linked template that it comes from; 0: none",
        ),
        |_, (_, row)| Scalar::Id(row.source.0),
    ),
    PrototypeColumn::of_content(
        Field::new("uuid", FieldType::Uuid, Rule::Default(""), "Identity in exports"),
        |it| Scalar::Text(&it.uuid),
    ),
    PrototypeColumn::given_only(Field::new(
        "groupLinks",
        FieldType::List(GROUP_REF),
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
    PrototypeColumn::given_only(Field::new(
        "interfaces",
        FieldType::List(INTERFACE_OF_PROTOTYPE),
        Rule::Optional,
        "With custom_interfaces 1",
    )),
];
const FIELDS: [Field; COLUMNS.len()] = table::fields(COLUMNS);

const OBJECT: Object = Object {
    name: "hostprototype",
    type_name: "HostPrototype",
    id: "hostid",
    ids: "hostids",
    fields: &FIELDS,
    selects: &[
        Select::new("selectDiscoveryRule", "discoveryRule", Gives::Object("discoveryrule")),
        Select::new("selectParentHost", "parentHost", Gives::Object("host")),
        Select::new("selectGroupLinks", "groupLinks", Gives::Parts(GROUP_REF)),
        Select::new("selectGroupPrototypes", "groupPrototypes", Gives::Parts(GROUP_NAME)),
        Select::new("selectTemplates", "templates", Gives::Objects("template")).countable(),
        Select::new("selectMacros", "macros", Gives::Parts(MACRO_OF_PROTOTYPE)),
        Select::new("selectTags", "tags", Gives::Parts(TAG)),
        Select::new("selectInterfaces", "interfaces", Gives::Parts(INTERFACE_OF_PROTOTYPE)),
    ],
    params: Params::of(&["hostids", "discoveryids", "inherited"]).strict(),
    sort: &["hostid", "host", "name", "status", "discover"],
    doc: "What a rule makes hosts from",
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

/// Rights on what is named.
fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, path: &str) -> Result<(), ApiError> {
    if mode == Mode::Create {
        access::holder_of_rule(ctx, id_of(fields, "ruleid").unwrap_or_default())?;
    }
    checks::unique_tags(fields, path)?;
    access::check_host_groups(ctx, list_of(fields, "groupLinks"))?;
    access::check_templates(ctx, fields)?;
    let has_own = json::str_of(fields, "custom_interfaces") == "1";
    let id = id_of(fields, "hostid").unwrap_or_default();
    let old = ctx.snapshot.host_prototype(HostId(id)).is_some_and(|(_, it)| it.content.custom_interfaces);
    let has_own = has_own || old && !fields.contains_key("custom_interfaces");
    if !has_own && list_of(fields, "interfaces").next().is_some() {
        return Err(ApiError::field(&format!("{path}/interfaces"), "should be empty"));
    }
    Ok(())
}

type PrototypeRows<'a> = TableRows<'a, Prototypes>;

struct Prototypes;

impl Table for Prototypes {
    type Family = PrototypeFamily;

    fn columns() -> &'static [PrototypeColumn] {
        const { COLUMNS }
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
                let rule = items::rule_of(ctx, holder, content.ruleid);
                ctx.related(select, Related::Items(rule.into_iter().collect()), output)
            }
            "selectParentHost" => ctx.related(select, Related::Holders(vec![holder]), output),
            "selectGroupLinks" => {
                json::parts(GROUP_REF, content.groups.iter(), output, |it, _| number(it))
            }
            "selectGroupPrototypes" => {
                json::parts(GROUP_NAME, content.group_names.iter(), output, |it, _| {
                    text(it.as_str())
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
    let rules: Option<Set<u64>> = get.id_set("discoveryids")?;
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
