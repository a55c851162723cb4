//! Interfaces of hosts: `hostinterface.*`.

use std::sync::Arc;

use db::objects::interface::{self as described, MISSING};
use db::{InterfaceAvailability, ObjectKind};
use model::InterfaceId;
use model::content::{Interface, UiElement};
use model::field_path::FieldPath;
use model::map::Set;
use model::snapshot::Host;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{
    Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select, Unknown,
    Writes, count, flattened, joined,
};
use crate::error::ApiError;
use crate::json::{Fields, Scalar, id_of, str_of};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::access;
use crate::objects::common::checks;
use crate::objects::common::crud::Crud;
use crate::objects::common::parts::{DETAILS, LINE, details};
use crate::objects::common::refs::{Item, Refs};
use crate::objects::common::scope::{Get, Scope};
use crate::objects::hosts::discovered;
use crate::query::table::{self, PartColumn, ReaderOf, RowOf};
use crate::query::{self, Column, Output, RowFamily, Table, TableRows};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::Mode;

/// Interfaces, each with its host.
pub(crate) struct InterfaceFamily;

type InterfaceColumn = Column<InterfaceFamily>;

impl RowFamily for InterfaceFamily {
    type Reader<'a> = &'a Ctx;
    type Row<'a> = (&'a Arc<Host>, &'a Interface);
    type Content = Interface;

    fn content<'a>((_, it): Self::Row<'a>) -> &'a Interface {
        it
    }
}

const INTERFACEID: InterfaceColumn = InterfaceColumn::of_content(
    Field::new("interfaceid", FieldType::Id, Rule::ReadOnly, "Id"),
    |it| Scalar::Id(it.interfaceid.0),
);

const DETAILS_FIELD: Field =
    Field::new("details", FieldType::Object(DETAILS), Rule::Optional, "How SNMP is spoken")
        .or_empty();
const DESCRIBED: [InterfaceColumn; described::FIELDS.len()] = table::described(&described::FIELDS);
const LISTS: &[&[InterfaceColumn]] = &[
    &DESCRIBED,
    &[InterfaceColumn::of_content(DETAILS_FIELD, |it| Scalar::Tree(details(it.details.as_ref())))],
];
/// Alike within a host and by themselves.
const COMMON: [InterfaceColumn; count(LISTS)] = flattened(LISTS);

/// Fields of an interface within a host.
pub(crate) const INTERFACE: &[Field] = &joined::<_, { COMMON.len() + 2 }>(
    &joined::<_, { COMMON.len() + 1 }>(
        &[INTERFACEID.field],
        &table::fields::<_, { COMMON.len() }>(&COMMON),
    ),
    &[Field::new("hostid", FieldType::Id, Rule::WriteOnly, "Not looked at: it is the host's")],
);

/// Fields of an interface that is of no host yet.
pub(crate) const INTERFACE_ALONE: &[Field] = &table::fields::<_, { COMMON.len() }>(&COMMON);

type PartOfPrototype = PartColumn<Interface>;

const DESCRIBED_OF_PROTOTYPE: [PartOfPrototype; described::FIELDS.len()] =
    table::described(&described::FIELDS);
const LISTS_OF_PROTOTYPE: &[&[PartOfPrototype]] = &[
    &DESCRIBED_OF_PROTOTYPE,
    &[PartOfPrototype::of_content(DETAILS_FIELD, |it| Scalar::Tree(details(it.details.as_ref())))],
];
const COLUMNS_OF_PROTOTYPE: [PartOfPrototype; count(LISTS_OF_PROTOTYPE)] =
    flattened(LISTS_OF_PROTOTYPE);

/// The interfaces of a host prototype.
pub(crate) fn of_prototype(list: &[Interface], output: &Output) -> Value {
    table::parts(&COLUMNS_OF_PROTOTYPE, &(), list.iter(), output)
}

const STATE: &[InterfaceColumn] = &[
    InterfaceColumn::of_row(
        Field::new(
            "available",
            FieldType::Code(&[0, 1, 2]),
            Rule::ReadOnly,
            "0 unknown, 1 available, 2 not available",
        ),
        |ctx, row| Scalar::code(state(ctx, row).available),
    ),
    InterfaceColumn::of_row(
        Field::new("error", LINE, Rule::ReadOnly, "Why it is not available"),
        |ctx, row| Scalar::Made(state(ctx, row).error.into()),
    ),
    InterfaceColumn::of_row(
        Field::new("errors_from", FieldType::Timestamp, Rule::ReadOnly, "First failure in a row"),
        |ctx, row| Scalar::Number(state(ctx, row).errors_from),
    ),
    InterfaceColumn::of_row(
        Field::new(
            "disable_until",
            FieldType::Timestamp,
            Rule::ReadOnly,
            "When it is polled again",
        ),
        |ctx, row| Scalar::Number(state(ctx, row).disable_until),
    ),
];

fn state(ctx: &Ctx, (_, it): (&Arc<Host>, &Interface)) -> InterfaceAvailability {
    ctx.db().availability().get(it.interfaceid)
}

const IDS: &[InterfaceColumn] = &[
    INTERFACEID,
    InterfaceColumn::of_row(
        Field::new("hostid", FieldType::Id, Rule::Required, "Host that it belongs to")
            .or_message(MISSING),
        |_, (host, _)| Scalar::Id(host.id.0),
    ),
];
const WITH_IDS: [InterfaceColumn; IDS.len() + COMMON.len()] = joined(IDS, &COMMON);
const COLUMNS: &[InterfaceColumn] =
    &joined::<_, { WITH_IDS.len() + STATE.len() }>(&WITH_IDS, STATE);
const FIELDS: [Field; COLUMNS.len()] = table::fields(COLUMNS);

pub(crate) const OBJECT: Object = Object {
    name: "hostinterface",
    type_name: "HostInterface",
    nouns: Nouns { one: "an interface", several: "interfaces of hosts" },
    resource: Some(4),
    role: RoleRule::one_of(&[UiElement::Hosts, UiElement::MonitoredHosts]),
    writes: Some(Writes { unknown: Unknown::PassedOver, rules_see: RulesSee::Filled, unique: &[] }),
    id: "interfaceid",
    ids: "interfaceids",
    fields: &FIELDS,
    selects: &[
        Select::new("selectHosts", "hosts", Gives::Objects("host")).countable(),
        Select::new("selectItems", "items", Gives::Objects("item")).limited("name").countable(),
    ],
    params: Params::of(&[
        "interfaceids",
        "itemids",
        "triggerids",
        "hostids",
        "templateids",
        "groupids",
        "group",
        "host",
        "monitored",
        "templated",
        "limitSelects",
    ])
    .filtered_by_owner(&["host"]),
    sort: &["interfaceid", "dns", "ip"],
    doc: "An address at which a host is polled",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[
        Method::get("hostinterface.get", get),
        Method::edit("hostinterface.create", |ctx, params| CRUD.create(ctx, params)),
        Method::edit("hostinterface.update", |ctx, params| CRUD.update(ctx, params)),
        Method::edit("hostinterface.delete", |ctx, params| CRUD.delete(ctx, params)),
    ],
)
.related(|ctx, rows, output| {
    let Related::Interfaces(rows) = rows else { return json!([]) };
    query::related(&OBJECT, &InterfaceRows::new(ctx), rows.into_iter(), output)
});

const CRUD: Crud =
    Crud { object: &OBJECT, kind: ObjectKind::HostInterface, may_change, check: check_own };

fn may_change(ctx: &Ctx, id: u64) -> bool {
    let owner = ctx.snapshot.interface_owner.get(&InterfaceId(id));
    owner.and_then(|it| ctx.snapshot.holder(*it)).is_some_and(|it| ctx.may_write(it))
}

fn check_own(ctx: &Ctx, fields: &mut Fields, mode: Mode, path: &FieldPath) -> Result<(), ApiError> {
    let of = match id_of(fields, "hostid") {
        Some(host) => Some(access::writable(ctx, host)?),
        None => None,
    };
    check(fields, mode, path, of.map(|it| &*it.host))?;
    let known = id_of(fields, "interfaceid").map(InterfaceId);
    let owner = known.and_then(|it| ctx.snapshot.interface_owner.get(&it));
    if owner.zip(of).is_some_and(|(owner, named)| *owner != named.id) {
        return Err(ApiError::params("Cannot switch host for interface."));
    }
    let hosts: Vec<u64> = owner.map(|it| it.0).into_iter().chain(of.map(|it| it.id.0)).collect();
    undiscovered(ctx, &hosts)
}

/// Interfaces of hosts that discovery made are discovery's. To delete one is not refused, as in Zabbix.
pub(crate) fn undiscovered(ctx: &Ctx, hosts: &[u64]) -> Result<(), ApiError> {
    discovered::refuse(ctx, hosts, "Cannot update interface for discovered host")
}

/// Dependencies between an interface's fields; `host` is its name for errors.
pub(crate) fn check(
    fields: &Fields,
    mode: Mode,
    path: &FieldPath,
    host: Option<&str>,
) -> Result<(), ApiError> {
    let is_snmp = str_of(fields, "type") == "2";
    let details = fields.get("details").and_then(Value::as_object);
    let has_details = details.is_some_and(|it| !it.is_empty());
    if mode == Mode::Create && is_snmp && !has_details {
        return Err(ApiError::params(MISSING));
    }
    if fields.contains_key("type") && !is_snmp && has_details {
        return Err(ApiError::field(path.member("details"), "should be empty"));
    }
    if let Some(details) = details.filter(|it| !it.is_empty())
        && str_of(details, "version") != "3"
        && str_of(details, "community").is_empty()
    {
        return Err(ApiError::params(MISSING));
    }
    if mode == Mode::Create {
        check_address(fields, host)?;
    }
    checks::dns(str_of(fields, "dns"))?;
    checks::ip(str_of(fields, "ip"))?;
    check_port(fields)
}

/// One that is used has to be there.
fn check_address(fields: &Fields, host: Option<&str>) -> Result<(), ApiError> {
    let (ip, dns) = (str_of(fields, "ip"), str_of(fields, "dns"));
    let by_ip = str_of(fields, "useip") == "1";
    let what = match (ip.is_empty(), dns.is_empty()) {
        (true, true) => "IP and DNS cannot be empty for host interface.".to_owned(),
        (true, false) if by_ip => {
            format!("Interface with DNS \"{dns}\" cannot have empty IP address.")
        }
        (false, true) if !by_ip => {
            let using = " while having \"Use DNS\" property on ";
            let of = host.map(|it| format!("{using}\"{it}\"")).unwrap_or_default();
            format!("Interface with IP \"{ip}\" cannot have empty DNS name{of}.")
        }
        _ => return Ok(()),
    };
    Err(ApiError::params(what))
}

fn check_port(fields: &Fields) -> Result<(), ApiError> {
    let Some(port) = fields.get("port").and_then(Value::as_str) else { return Ok(()) };
    if port.is_empty() {
        return Err(ApiError::params("Port cannot be empty for host interface."));
    }
    if checks::is_port(port) {
        return Ok(());
    }
    Err(ApiError::params(format!("Incorrect interface port \"{port}\" provided.")))
}

/// Rows of `hostinterface.get`; also used by `selectInterfaces`.
pub(crate) type InterfaceRows<'a> = TableRows<'a, Interfaces>;

pub(crate) struct Interfaces;

impl Table for Interfaces {
    type Family = InterfaceFamily;

    fn columns() -> &'static [InterfaceColumn] {
        const { COLUMNS }
    }

    fn select<'a>(
        ctx: &ReaderOf<'a, Self>,
        (host, it): RowOf<'a, Self>,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        let ctx = *ctx;
        match select.param {
            "selectHosts" => Ok(ctx.related(select, Related::Holders(vec![host]), output)),
            "selectItems" => {
                let of_it = |row: &&_| {
                    host.interface_of(row).is_some_and(|used| used.interfaceid == it.interfaceid)
                };
                let items = host.items.iter().filter(of_it).map(|row| (host, row)).collect();
                Ok(ctx.related(select, Related::Items(items), output))
            }
            _ => Ok(json!([])),
        }
    }
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let mut get = Get::new(ctx, &OBJECT, params)?;
    let scope = Scope::of_parts(&mut get)?;
    let ids = get.id_set("interfaceids")?;
    let itemids = get.ids("itemids")?;
    let used = |(holder, row): Item<'_>| Some(holder.interface_of(row)?.interfaceid);
    let of_items = itemids.map(|ids| {
        let items = ids.into_iter().filter_map(|id| ctx.snapshot.item(id.into()));
        items.filter_map(used).collect::<Set<_>>()
    });
    let of_triggers = get.ids("triggerids")?.map(|ids| {
        let refs = Refs::new(&ctx.snapshot);
        let triggers = ids.into_iter().filter_map(|id| ctx.snapshot.trigger(id.into()));
        let items = triggers.flat_map(|(holder, row)| refs.items(holder, row));
        items.filter_map(used).collect::<Set<_>>()
    });
    let rows = scope
        .holders(ctx)
        .into_iter()
        .flat_map(|host| host.interfaces.iter().map(move |it| (host, it)));
    let rows = rows
        .filter(|(_, it)| ids.as_ref().is_none_or(|ids| ids.contains(&it.interfaceid.0)))
        .filter(|(_, it)| of_items.as_ref().is_none_or(|ids| ids.contains(&it.interfaceid)))
        .filter(|(_, it)| of_triggers.as_ref().is_none_or(|ids| ids.contains(&it.interfaceid)));
    query::answer(&OBJECT, &InterfaceRows::new(ctx), rows, &get.options)
}
