//! Interfaces of hosts: `hostinterface.*`.

use std::sync::Arc;

use db::ObjectKind;
use model::content::Interface;
use model::snapshot::Host;
use model::{InterfaceId, limits};
use serde_json::{Value, json};

use super::crud::Crud;
use super::parts::{DETAILS, details};
use super::scope::{Get, Scope};
use super::{Entry, Method, checks, host, item};
use crate::answer::Answer;
use crate::describe::{FLAG, Field, Gives, Kind, Object, Rule, Select};
use crate::error::ApiError;
use crate::json::{Fields, flag, id_of, number, str_of, text};
use crate::query::{self, Output, Rows};
use crate::shared::Ctx;
use crate::validate::{Mode, number as number_of};

const TYPE: Kind = Kind::Code(&[1, 2, 3, 4]);
const ADDRESS: Kind = Kind::Text { max: 255 };

/// Fields of an interface within a host.
pub(crate) const INTERFACE: &[Field] = &[
    Field::new("interfaceid", Kind::Id, Rule::ReadOnly, "Id"),
    Field::new("main", FLAG, Rule::Required, "1: the default interface of its type"),
    Field::new("type", TYPE, Rule::Required, "1 agent, 2 SNMP, 3 IPMI, 4 JMX"),
    Field::new("useip", FLAG, Rule::Required, "1: connect by IP, 0: by DNS name"),
    Field::new("ip", ADDRESS, Rule::Default(""), "IP address; may hold user macros"),
    Field::new("dns", ADDRESS, Rule::Default(""), "DNS name; may hold user macros"),
    Field::new("port", Kind::Text { max: 64 }, Rule::Required, "Port; may be a user macro"),
    Field::new("details", Kind::Object(DETAILS), Rule::Optional, "How SNMP is spoken").or_empty(),
    Field::new("hostid", Kind::Id, Rule::WriteOnly, "Not looked at: it is the host's"),
];

const OBJECT: Object = Object {
    name: "hostinterface",
    type_name: "HostInterface",
    id: "interfaceid",
    ids: "interfaceids",
    fields: &[
        Field::new("interfaceid", Kind::Id, Rule::ReadOnly, "Id"),
        Field::new("hostid", Kind::Id, Rule::Required, "Host that it belongs to"),
        INTERFACE[1],
        INTERFACE[2],
        INTERFACE[3],
        INTERFACE[4],
        INTERFACE[5],
        INTERFACE[6],
        INTERFACE[7],
        Field::new(
            "available",
            Kind::Code(&[0, 1, 2]),
            Rule::ReadOnly,
            "0 unknown, 1 available, 2 not available",
        ),
        Field::new("error", ADDRESS, Rule::ReadOnly, "Why it is not available"),
        Field::new("errors_from", Kind::Timestamp, Rule::ReadOnly, "First failure in a row"),
        Field::new("disable_until", Kind::Timestamp, Rule::ReadOnly, "When it is tried again"),
    ],
    selects: &[
        Select::new("selectHosts", "hosts", Gives::Objects("host")).countable(),
        Select::new("selectItems", "items", Gives::Objects("item")).countable(),
    ],
    sort: &["interfaceid", "dns", "ip"],
    doc: "An address at which a host is asked",
};

pub(crate) const ENTRY: Entry = Entry {
    object: &OBJECT,
    methods: &[
        Method::get("hostinterface.get", get),
        Method::edit("hostinterface.create", |ctx, params| CRUD.create(ctx, params)),
        Method::edit("hostinterface.update", |ctx, params| CRUD.update(ctx, params)),
        Method::edit("hostinterface.delete", |ctx, params| CRUD.delete(ctx, params)),
    ],
};

const CRUD: Crud =
    Crud { object: &OBJECT, kind: ObjectKind::HostInterface, may_change, check: check_own };

fn may_change(ctx: &Ctx, id: u64) -> bool {
    let owner = ctx.snapshot.interface_owner.get(&InterfaceId(id));
    owner.and_then(|it| ctx.snapshot.holder(*it)).is_some_and(|it| ctx.may_write(it))
}

fn check_own(ctx: &Ctx, fields: &mut Fields, mode: Mode, path: &str) -> Result<(), ApiError> {
    if let Some(host) = id_of(fields, "hostid") {
        host::writable(ctx, host)?;
    }
    check(fields, mode, path)
}

/// What an interface's fields demand of each other.
pub(crate) fn check(fields: &Fields, mode: Mode, path: &str) -> Result<(), ApiError> {
    let is_snmp = str_of(fields, "type") == "2";
    let details = fields.get("details").and_then(Value::as_object);
    let has_details = details.is_some_and(|it| !it.is_empty());
    if mode == Mode::Create && is_snmp && !has_details {
        return Err(ApiError::field(path, "the parameter \"details\" is missing"));
    }
    if fields.contains_key("type") && !is_snmp && has_details {
        return Err(ApiError::field(&format!("{path}/details"), "should be empty"));
    }
    if let Some(details) = details.filter(|it| !it.is_empty())
        && str_of(details, "version") != "3"
        && str_of(details, "community").is_empty()
    {
        return Err(ApiError::field(&format!("{path}/details/community"), "cannot be empty"));
    }
    if mode == Mode::Create {
        let used = if str_of(fields, "useip") == "1" { "ip" } else { "dns" };
        if str_of(fields, used).is_empty() {
            return Err(ApiError::field(&format!("{path}/{used}"), "cannot be empty"));
        }
    }
    checks::ip(str_of(fields, "ip"))?;
    check_port(fields, path)
}

fn check_port(fields: &Fields, path: &str) -> Result<(), ApiError> {
    let Some(port) = fields.get("port").and_then(Value::as_str) else { return Ok(()) };
    let path = format!("{path}/port");
    if port.is_empty() {
        return Err(ApiError::field(&path, "cannot be empty"));
    }
    let is_macro = port.starts_with("{$") || port.starts_with("{#");
    let is_number = number_of(&Value::String(port.to_owned())).is_some();
    if !is_macro && !is_number {
        return Err(ApiError::field(&path, "an integer is expected"));
    }
    if is_number && port.parse::<u16>().is_err() {
        return Err(ApiError::field(&path, "value must be one of 0-65535"));
    }
    debug_assert!(port.len() <= limits::MACRO_NAME_MAX, "the description bounds it");
    Ok(())
}

/// Rows of `hostinterface.get`; also used by `selectInterfaces`.
pub(crate) struct InterfaceRows<'a> {
    pub(crate) ctx: &'a Ctx,
}

impl<'a> Rows for InterfaceRows<'a> {
    type Row = (&'a Arc<Host>, &'a Interface);

    fn field(&self, (host, it): &Self::Row, name: &str) -> Value {
        let state = || self.ctx.db().availability().get(it.interfaceid);
        match name {
            "interfaceid" => number(it.interfaceid),
            "hostid" => number(host.id),
            "main" => flag(it.main),
            "type" => number(it.kind.code()),
            "useip" => flag(it.useip),
            "ip" => text(it.ip.as_str()),
            "dns" => text(it.dns.as_str()),
            "port" => text(it.port.as_str()),
            "details" => details(it.details.as_ref()),
            "available" => number(state().available),
            "error" => text(state().error),
            "errors_from" => number(state().errors_from),
            "disable_until" => number(state().disable_until),
            _ => Value::Null,
        }
    }

    fn select(
        &self,
        (host, it): &Self::Row,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        match select.param {
            "selectHosts" => Ok(host::related(self.ctx, std::iter::once(*host), output)),
            "selectItems" => {
                let of_it = |row: &&_| {
                    host.interface_of(row).is_some_and(|used| used.interfaceid == it.interfaceid)
                };
                let items = host.items.iter().filter(of_it).map(|row| (*host, row));
                Ok(item::related(self.ctx, items, output))
            }
            _ => Ok(json!([])),
        }
    }
}

/// The interfaces of a host for `selectInterfaces`.
pub(crate) fn related(ctx: &Ctx, host: &Arc<Host>, output: &Output) -> Value {
    let interfaces = host.interfaces.iter().map(|it| (host, it));
    query::related(&OBJECT, &InterfaceRows { ctx }, interfaces, output)
}

/// The interface that an item uses, as a list of one or none.
pub(crate) fn related_one(
    ctx: &Ctx,
    host: &Arc<Host>,
    row: &model::snapshot::ItemRow,
    output: &Output,
) -> Value {
    let used = host.interface_of(row).filter(|_| row.content.kind.is_polled());
    query::related(&OBJECT, &InterfaceRows { ctx }, used.map(|it| (host, it)).into_iter(), output)
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let mut get = Get::new(ctx, &OBJECT, params)?;
    let scope = Scope::of_parts(&mut get)?;
    let ids = get.id_set("interfaceids")?;
    let itemids = get.ids("itemids")?;
    let of_items = itemids.map(|ids| {
        let used = ids.into_iter().filter_map(|id| {
            let (holder, row) = ctx.snapshot.item(id.into())?;
            holder.interface_of(row).map(|it| it.interfaceid)
        });
        used.collect::<model::map::Set<_>>()
    });
    let rows = scope
        .holders(ctx)
        .into_iter()
        .flat_map(|host| host.interfaces.iter().map(move |it| (host, it)));
    let rows = rows
        .filter(|(_, it)| ids.as_ref().is_none_or(|ids| ids.contains(&it.interfaceid.0)))
        .filter(|(_, it)| of_items.as_ref().is_none_or(|ids| ids.contains(&it.interfaceid)));
    query::answer(&OBJECT, &InterfaceRows { ctx }, rows, &get.options)
}
