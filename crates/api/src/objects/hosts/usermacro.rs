//! User macros of hosts and templates, and global ones: `usermacro.*`.

use std::sync::Arc;

use db::ObjectKind;
use model::HostMacroId;
use model::content::{HostMacro, RoleType, UiElement};
use model::field_path::FieldPath;
use model::snapshot::{HolderKind, Host};
use model::version::Version;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{
    Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select, Unknown,
    Writes, joined,
};
use crate::error::ApiError;
use crate::json::{Fields, Scalar, id_of, str_of};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::access;
use crate::objects::common::crud::Crud;
use crate::objects::common::holder;
use crate::objects::common::parts::{
    HOSTMACROID, MACRO_ALONE, MACRO_COMMON, MacroColumn, MacroFamily, has_field, holder_of_macro,
};
use crate::objects::common::scope::{Get, Scope};
use crate::objects::common::vault;
use crate::query::table::{self, ReaderOf, RowOf};
use crate::query::{self, Output, Table, TableRows};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::Mode;

/// One method gets the macros of hosts and, if asked, the global ones.
const PARAMS: Params = Params::of(&[
    "globalmacro",
    "globalmacroids",
    "hostmacroids",
    "hostids",
    "templateids",
    "groupids",
    "group",
    "host",
    "monitored",
    "templated",
    "inherited",
    "limitSelects",
])
.filtered_by_owner(&["host"])
.always(&["hostid"]);

const IDS: &[MacroColumn] = &[HOSTMACROID, holder_of_macro(Rule::Required)];
const COLUMNS: &[MacroColumn] = &joined::<_, { IDS.len() + MACRO_ALONE.len() }>(IDS, &MACRO_ALONE);
const FIELDS: [Field; COLUMNS.len()] = table::fields(COLUMNS);

const GLOBALMACROID: MacroColumn = MacroColumn::of_content(
    Field::new("globalmacroid", FieldType::Id, Rule::ReadOnly, "Id"),
    |it| Scalar::Id(it.hostmacroid.0),
);
const GLOBAL_COLUMNS: &[MacroColumn] =
    &joined::<_, { MACRO_COMMON.len() + 1 }>(&[GLOBALMACROID], &MACRO_COMMON);
const GLOBAL_FIELDS: [Field; GLOBAL_COLUMNS.len()] = table::fields(GLOBAL_COLUMNS);

const OBJECT: Object = Object {
    name: "usermacro",
    type_name: "UserMacro",
    nouns: Nouns { one: "a user macro", several: "user macros" },
    resource: Some(29),
    role: RoleRule::one_of(&[UiElement::Hosts, UiElement::Templates]),
    writes: Some(Writes {
        unknown: Unknown::Refused,
        rules_see: RulesSee::Filled,
        unique: &[&["hostid", "macro"]],
    }),
    id: "hostmacroid",
    ids: "hostmacroids",
    fields: &FIELDS,
    selects: &[
        Select::new("selectHosts", "hosts", Gives::Objects("host")),
        Select::new("selectTemplates", "templates", Gives::Objects("template")),
        Select::new("selectHostGroups", "hostgroups", Gives::Objects("hostgroup")),
        Select::new("selectGroups", "groups", Gives::Objects("hostgroup")).until(Version::V7_0),
        Select::new("selectTemplateGroups", "templategroups", Gives::Objects("templategroup")),
    ],
    params: PARAMS,
    sort: &["macro"],
    doc: "A value with a name, used in keys, expressions and texts",
};

const GLOBAL: Object = Object {
    name: "usermacro",
    type_name: "GlobalMacro",
    nouns: Nouns { one: "a global macro", several: "global macros" },
    resource: Some(29),
    role: RoleRule::one_of(&[UiElement::Macros]),
    writes: Some(Writes {
        unknown: Unknown::Refused,
        rules_see: RulesSee::Filled,
        unique: &[&["macro"]],
    }),
    id: "globalmacroid",
    ids: "globalmacroids",
    fields: &GLOBAL_FIELDS,
    selects: &[],
    params: PARAMS,
    sort: &["macro"],
    doc: "A user macro for all hosts",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[
        Method::get("usermacro.get", get),
        Method::edit("usermacro.create", |ctx, params| OF_HOSTS.create(ctx, params)),
        Method::edit("usermacro.update", |ctx, params| OF_HOSTS.update(ctx, params)),
        Method::edit("usermacro.delete", |ctx, params| OF_HOSTS.delete(ctx, params)),
    ],
);

pub(crate) const GLOBAL_ENTRY: ObjectEntry = ObjectEntry::new(
    &GLOBAL,
    &[
        Method::edit("usermacro.createglobal", |ctx, params| GLOBALS.create(ctx, params))
            .of(RoleType::SuperAdmin),
        Method::edit("usermacro.updateglobal", |ctx, params| GLOBALS.update(ctx, params))
            .of(RoleType::SuperAdmin),
        Method::edit("usermacro.deleteglobal", |ctx, params| GLOBALS.delete(ctx, params))
            .of(RoleType::SuperAdmin),
    ],
);

const OF_HOSTS: Crud =
    Crud { object: &OBJECT, kind: ObjectKind::HostMacro, may_change, check: check_of_host };

const GLOBALS: Crud = Crud {
    object: &GLOBAL,
    kind: ObjectKind::GlobalMacro,
    may_change: |ctx, id| {
        ctx.snapshot.globals.macros.iter().any(|it| it.hostmacroid == HostMacroId(id))
    },
    check,
};

fn may_change(ctx: &Ctx, id: u64) -> bool {
    let holders = ctx.snapshot.hosts.values().chain(ctx.snapshot.templates.values());
    let has = |it: &&Arc<Host>| it.macros.iter().any(|it| it.hostmacroid == HostMacroId(id));
    holders.into_iter().find(has).is_some_and(|it| ctx.may_write(it))
}

fn check_of_host(
    ctx: &Ctx,
    fields: &mut Fields,
    mode: Mode,
    path: &FieldPath,
) -> Result<(), ApiError> {
    if mode == Mode::Create {
        access::writable(ctx, id_of(fields, "hostid").unwrap_or_default())?;
    }
    if str_of(fields, "automatic") == "1" {
        return Err(ApiError::field(path.member("automatic"), "value must be 0"));
    }
    check(ctx, fields, mode, path)
}

fn check(ctx: &Ctx, fields: &mut Fields, _: Mode, path: &FieldPath) -> Result<(), ApiError> {
    let global = id_of(fields, "globalmacroid");
    let old = global.and_then(|id| {
        ctx.snapshot.globals.macros.iter().find(|it| it.hostmacroid == HostMacroId(id))
    });
    vault::check(ctx, fields, old, path)
}

/// Macros of hosts and templates.
struct HostMacros;

/// Global ones.
struct GlobalMacros;

impl Table for HostMacros {
    type Family = MacroFamily;

    fn columns() -> &'static [MacroColumn] {
        const { COLUMNS }
    }

    fn has<'a>((_, it): RowOf<'a, Self>, name: &str) -> bool {
        has_field(it, name)
    }

    fn select<'a>(
        ctx: &ReaderOf<'a, Self>,
        (holder, _): RowOf<'a, Self>,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        let ctx = *ctx;
        let of =
            |kind| -> Vec<&Arc<Host>> { holder.filter(|it| it.kind == kind).into_iter().collect() };
        Ok(match select.param {
            "selectHosts" => ctx.related(select, Related::Holders(of(HolderKind::Host)), output),
            "selectTemplates" => {
                ctx.related(select, Related::Holders(of(HolderKind::Template)), output)
            }
            "selectHostGroups" | "selectGroups" => {
                let groups = holder::group_ids(&of(HolderKind::Host));
                ctx.related(select, Related::Groups(groups), output)
            }
            "selectTemplateGroups" => {
                let groups = holder::template_group_ids(&of(HolderKind::Template));
                ctx.related(select, Related::Groups(groups), output)
            }
            _ => json!([]),
        })
    }
}

impl Table for GlobalMacros {
    type Family = MacroFamily;

    fn columns() -> &'static [MacroColumn] {
        const { GLOBAL_COLUMNS }
    }

    fn has<'a>((_, it): RowOf<'a, Self>, name: &str) -> bool {
        has_field(it, name)
    }

    fn select<'a>(
        _: &ReaderOf<'a, Self>,
        _: RowOf<'a, Self>,
        _: &Select,
        _: &Output,
    ) -> Result<Value, ApiError> {
        Ok(json!([]))
    }
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let is_global = query::is_true(params.get("globalmacro"));
    let object = if is_global { &GLOBAL } else { &OBJECT };
    let mut get = Get::new(ctx, object, params)?;
    let ids = get.id_set(if is_global { "globalmacroids" } else { "hostmacroids" })?;
    let is_wanted = |it: &HostMacro| ids.as_ref().is_none_or(|ids| ids.contains(&it.hostmacroid.0));
    if is_global {
        let may = !get.options.editable || ctx.is_super_admin();
        let macros = ctx.snapshot.globals.macros.iter().filter(|it| may && is_wanted(it));
        let rows = TableRows::<GlobalMacros>::new(ctx);
        query::answer(object, &rows, macros.map(|it| (None, it)), &get.options)
    } else {
        let scope = Scope::of_parts(&mut get)?;
        let holders = scope.holders(ctx).into_iter();
        let macros = holders.flat_map(|it| it.macros.iter().map(move |row| (Some(it), row)));
        // Only host prototypes inherit macros, and theirs are not listed here.
        let is_listed = get.side("inherited") != Some(true);
        let macros = macros.filter(|(_, it)| is_listed && is_wanted(it));
        query::answer(object, &TableRows::<HostMacros>::new(ctx), macros, &get.options)
    }
}
