//! Interfaces of hosts: `hostinterface.*`.

use std::sync::Arc;

use db::objects::interface::{self as described, MISSING};
use db::{InterfaceAvailability, ObjectKind};
use model::InterfaceId;
use model::content::{Interface, InterfaceType, UiElement};
use model::field_path::FieldPath;
use model::map::Set;
use model::snapshot::Host;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{
    Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select, Unknown,
    Writes, count, flattened, joined,
};
use crate::error::{ApiError, ErrorClass};
use crate::json::{Fields, Scalar, id_of, str_of};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::access;
use crate::objects::common::checks;
use crate::objects::common::crud::{Crud, answer};
use crate::objects::common::parts::{DETAILS, LINE, details};
use crate::objects::common::refs::Item;
use crate::objects::common::scope::{Get, Scope};
use crate::objects::common::triggers;
use crate::objects::hosts::discovered;
use crate::query::table::{self, PartColumn, ReaderOf, RowOf};
use crate::query::{self, Column, Output, RowFamily, Table, TableRows};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::{self, Mode, elements, numbers};

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
    Field::new("interfaceid", FieldType::Id, Rule::ReadOnly, "Id").or_message(MISSING),
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
        Method::edit("hostinterface.create", create),
        Method::edit("hostinterface.update", update),
        Method::edit("hostinterface.delete", delete),
    ],
)
.related(|ctx, rows, output| {
    let Related::Interfaces(rows) = rows else { return json!([]) };
    query::related(&OBJECT, &InterfaceRows::new(ctx), rows.into_iter(), output)
});

const CRUD: Crud =
    Crud { object: &OBJECT, kind: ObjectKind::HostInterface, may_change, check: check_own };

fn create(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    CRUD.create(ctx, &settled(ctx, params)?).map_err(of_parameters)
}

fn update(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    CRUD.update(ctx, &settled(ctx, params)?).map_err(of_parameters)
}

fn delete(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let given = elements(params, true).unwrap_or_else(|| vec![params]);
    if given.is_empty() {
        return Err(ApiError::params("Empty input parameter."));
    }
    let id = |it: &&Value| numbers::id(it).ok()?.parse().ok().filter(|id| may_change(ctx, *id));
    let ids: Option<Vec<u64>> = given.iter().map(id).collect();
    let ids = ids.ok_or_else(|| of_parameters(ApiError::no_permissions()))?;
    let mut gone = ids.clone();
    gone.sort_unstable();
    gone.dedup();
    ctx.edit(|e| e.delete(ObjectKind::HostInterface, &gone))?;
    Ok(answer(OBJECT.ids, &ids))
}

/// A missing interface or host is a wrong parameter here, as in Zabbix.
pub(crate) fn of_parameters(error: ApiError) -> ApiError {
    if error == ApiError::no_permissions() {
        error.of_class(ErrorClass::InvalidParams)
    } else {
        error
    }
}

fn may_change(ctx: &Ctx, id: u64) -> bool {
    let owner = ctx.snapshot.interface_owner.get(&InterfaceId(id));
    owner.and_then(|it| ctx.snapshot.holder(*it)).is_some_and(|it| ctx.may_write(it))
}

/// The interface of an id.
pub(crate) fn known(ctx: &Ctx, id: Option<u64>) -> Option<&Interface> {
    let id = InterfaceId(id?);
    let owner = ctx.snapshot.interface_owner.get(&id)?;
    ctx.snapshot.holder(*owner)?.interfaces.iter().find(|it| it.interfaceid == id)
}

/// Interfaces of a request, one or a list, as the description reads them: details of SNMP are completed by those of
/// the interface that they change, and other types have none.
pub(crate) fn settled(ctx: &Ctx, given: &Value) -> Result<Value, ApiError> {
    let Some(list) = elements(given, false) else { return Ok(given.clone()) };
    let mut settled = Vec::with_capacity(list.len());
    for it in list {
        let mut it = it.clone();
        if let Value::Object(fields) = &mut it {
            settle(ctx, fields)?;
        }
        settled.push(it);
    }
    Ok(Value::Array(settled))
}

fn settle(ctx: &Ctx, fields: &mut Fields) -> Result<(), ApiError> {
    let id = fields.get("interfaceid").and_then(|it| numbers::id(it).ok()?.parse().ok());
    let old = known(ctx, id);
    let kind = match fields.get("type") {
        Some(it) => validate::number(it),
        None => old.map(|it| it.kind.code().into()),
    };
    let Some(given) = fields.get_mut("details") else { return Ok(()) };
    if kind != Some(InterfaceType::Snmp.code().into()) {
        fields.remove("details");
        return Ok(());
    }
    let Value::Object(given) = given else { return Ok(()) };
    if given.is_empty() {
        return Ok(());
    }
    if let Value::Object(before) = details(old.and_then(|it| it.details.as_ref())) {
        for (name, value) in before {
            given.entry(name).or_insert(value);
        }
    }
    check_details(given)
}

/// The details of SNMP, whose errors have no paths.
fn check_details(given: &Fields) -> Result<(), ApiError> {
    let is_one_of = |name: &str, codes: std::ops::RangeInclusive<i64>| {
        let code = given.get(name).map(validate::number);
        code.is_none_or(|it| it.is_some_and(|it| codes.contains(&it)))
    };
    let missing = || Err(ApiError::params(MISSING));
    if !given.contains_key("version") || !is_one_of("version", 1..=3) {
        return missing();
    }
    let is_third = is_one_of("version", 3..=3);
    let has_community = given.get("community").is_some_and(|it| it.as_str() != Some(""));
    let has_bulk = is_one_of("version", 2..=3);
    if !is_third && !has_community
        || has_bulk && !is_one_of("max_repetitions", 1..=i64::from(i32::MAX))
    {
        return missing();
    }
    if !is_one_of("bulk", 0..=1) {
        return Err(ApiError::params("Incorrect bulk value for interface."));
    }
    let has_codes = is_one_of("securitylevel", 0..=2)
        && is_one_of("authprotocol", 0..=5)
        && is_one_of("privprotocol", 0..=5);
    if is_third && !has_codes { missing() } else { Ok(()) }
}

fn check_own(ctx: &Ctx, fields: &mut Fields, mode: Mode, path: &FieldPath) -> Result<(), ApiError> {
    let id = id_of(fields, "interfaceid");
    let owner = id.and_then(|it| ctx.snapshot.interface_owner.get(&InterfaceId(it)));
    let named = id_of(fields, "hostid");
    if owner.zip(named).is_some_and(|(owner, named)| owner.0 != named) {
        return Err(ApiError::params("Cannot switch host for interface."));
    }
    let of = match named {
        Some(host) => Some(access::writable(ctx, host)?),
        None => None,
    };
    let old = known(ctx, id).filter(|_| mode == Mode::Update);
    check(fields, old, path, of.map(|it| &*it.host))?;
    let hosts: Vec<u64> = owner.map(|it| it.0).into_iter().chain(of.map(|it| it.id.0)).collect();
    undiscovered(ctx, &hosts)
}

/// Interfaces of hosts that discovery made are discovery's. To delete one is not refused, as in Zabbix.
pub(crate) fn undiscovered(ctx: &Ctx, hosts: &[u64]) -> Result<(), ApiError> {
    discovered::refuse(ctx, hosts, "Cannot update interface for discovered host")
}

/// Dependencies between the fields of an interface, which is `old` until now; `host` is its name for errors.
pub(crate) fn check(
    fields: &Fields,
    old: Option<&Interface>,
    path: &FieldPath,
    host: Option<&str>,
) -> Result<(), ApiError> {
    let is_snmp = str_of(fields, "type") == "2";
    let is_new = old.is_none_or(|it| it.kind != InterfaceType::Snmp);
    let details = fields.get("details").and_then(Value::as_object).filter(|it| !it.is_empty());
    if is_new && is_snmp && details.is_none() {
        return Err(ApiError::params(MISSING));
    }
    if fields.contains_key("type") && !is_snmp && details.is_some() {
        return Err(ApiError::field(path.member("details"), "should be empty"));
    }
    if let Some(details) = details
        && str_of(details, "version") != "3"
        && str_of(details, "community").is_empty()
    {
        return Err(ApiError::params(MISSING));
    }
    check_address(fields, old, host)?;
    checks::dns(str_of(fields, "dns"))?;
    checks::ip(str_of(fields, "ip"))?;
    check_port(fields)
}

/// One that is used has to be there.
fn check_address(
    fields: &Fields,
    old: Option<&Interface>,
    host: Option<&str>,
) -> Result<(), ApiError> {
    let now = |name: &str, old: Option<&str>| match (fields.get(name), old) {
        (None, Some(old)) => old.to_owned(),
        _ => str_of(fields, name).to_owned(),
    };
    let ip = now("ip", old.map(|it| it.ip.as_str()));
    let dns = now("dns", old.map(|it| it.dns.as_str()));
    let by_ip = match (fields.get("useip"), old) {
        (None, Some(old)) => old.useip,
        _ => str_of(fields, "useip") == "1",
    };
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
    // All interfaces of the hosts of its items.
    let of_triggers = get.ids("triggerids")?.map(|ids| {
        let hosts = ids.into_iter().filter_map(|id| ctx.snapshot.trigger(id.into()));
        let hosts = hosts.flat_map(|(holder, row)| triggers::hosts(ctx, holder, row));
        hosts.map(|it| it.id).collect::<Set<_>>()
    });
    let rows = scope
        .holders(ctx)
        .into_iter()
        .flat_map(|host| host.interfaces.iter().map(move |it| (host, it)));
    let rows = rows
        .filter(|(_, it)| ids.as_ref().is_none_or(|ids| ids.contains(&it.interfaceid.0)))
        .filter(|(_, it)| of_items.as_ref().is_none_or(|ids| ids.contains(&it.interfaceid)))
        .filter(|(host, _)| of_triggers.as_ref().is_none_or(|ids| ids.contains(&host.id)));
    query::answer(&OBJECT, &InterfaceRows::new(ctx), rows, &get.options)
}
