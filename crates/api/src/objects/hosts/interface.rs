//! Interfaces of hosts: `hostinterface.*`.

use std::sync::Arc;

use db::ObjectKind;
use model::InterfaceId;
use model::content::Interface;
use model::snapshot::Host;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{FLAG, Field, FieldType, Gives, Object, Params, Rule, Select};
use crate::error::ApiError;
use crate::json::{Fields, flag, id_of, number, str_of, text};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::access;
use crate::objects::common::checks;
use crate::objects::common::crud::Crud;
use crate::objects::common::parts::{DETAILS, details};
use crate::objects::common::scope::{Get, Scope};
use crate::query::{self, Output, Rows};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::Mode;

const TYPE: FieldType = FieldType::Code(&[1, 2, 3, 4]);
const ADDRESS: FieldType = FieldType::Text { max: 255 };
/// Zabbix's words for whatever is missing.
const MISSING: &str = "Incorrect arguments passed to function.";

/// Fields of an interface within a host.
pub(crate) const INTERFACE: &[Field] = &[
    Field::new("interfaceid", FieldType::Id, Rule::ReadOnly, "Id"),
    Field::new("main", FLAG, Rule::Required, "1: the default interface of its type")
        .or_message(MISSING),
    Field::new("type", TYPE, Rule::Required, "1 agent, 2 SNMP, 3 IPMI, 4 JMX").or_message(MISSING),
    Field::new("useip", FLAG, Rule::Required, "1: connect by IP, 0: by DNS name")
        .or_message(MISSING),
    Field::new("ip", ADDRESS, Rule::Required, "IP address; may hold user macros")
        .or_empty()
        .or_message(MISSING),
    Field::new("dns", ADDRESS, Rule::Required, "DNS name; may hold user macros")
        .or_empty()
        .or_message(MISSING),
    Field::new("port", FieldType::Text { max: 64 }, Rule::Required, "Port; may be a user macro")
        .or_empty()
        .or_number()
        .or_message(MISSING),
    Field::new("details", FieldType::Object(DETAILS), Rule::Optional, "How SNMP is spoken")
        .or_empty(),
    Field::new("hostid", FieldType::Id, Rule::WriteOnly, "Not looked at: it is the host's"),
];

const OBJECT: Object = Object {
    name: "hostinterface",
    type_name: "HostInterface",
    id: "interfaceid",
    ids: "interfaceids",
    fields: &[
        Field::new("interfaceid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("hostid", FieldType::Id, Rule::Required, "Host that it belongs to")
            .or_message(MISSING),
        INTERFACE[1],
        INTERFACE[2],
        INTERFACE[3],
        INTERFACE[4],
        INTERFACE[5],
        INTERFACE[6],
        INTERFACE[7],
        Field::new(
            "available",
            FieldType::Code(&[0, 1, 2]),
            Rule::ReadOnly,
            "0 unknown, 1 available, 2 not available",
        ),
        Field::new("error", ADDRESS, Rule::ReadOnly, "Why it is not available"),
        Field::new("errors_from", FieldType::Timestamp, Rule::ReadOnly, "First failure in a row"),
        Field::new("disable_until", FieldType::Timestamp, Rule::ReadOnly, "When it is tried again"),
    ],
    selects: &[
        Select::new("selectHosts", "hosts", Gives::Objects("host")).countable(),
        Select::new("selectItems", "items", Gives::Objects("item")).countable(),
    ],
    params: Params::of(&[
        "interfaceids",
        "itemids",
        "hostids",
        "templateids",
        "groupids",
        "group",
        "host",
        "monitored",
        "templated",
        "limitSelects",
    ])
    .refused(&["triggerids"]),
    sort: &["interfaceid", "dns", "ip"],
    doc: "An address at which a host is asked",
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
    query::related(&OBJECT, &InterfaceRows { ctx }, rows.into_iter(), output)
});

const CRUD: Crud =
    Crud { object: &OBJECT, kind: ObjectKind::HostInterface, may_change, check: check_own };

fn may_change(ctx: &Ctx, id: u64) -> bool {
    let owner = ctx.snapshot.interface_owner.get(&InterfaceId(id));
    owner.and_then(|it| ctx.snapshot.holder(*it)).is_some_and(|it| ctx.may_write(it))
}

fn check_own(ctx: &Ctx, fields: &mut Fields, mode: Mode, path: &str) -> Result<(), ApiError> {
    let of = match id_of(fields, "hostid") {
        Some(host) => Some(access::writable(ctx, host)?),
        None => None,
    };
    check(fields, mode, path, of.map(|it| &*it.host))
}

/// What an interface's fields demand of each other; `host` is its name for messages.
pub(crate) fn check(
    fields: &Fields,
    mode: Mode,
    path: &str,
    host: Option<&str>,
) -> Result<(), ApiError> {
    let is_snmp = str_of(fields, "type") == "2";
    let details = fields.get("details").and_then(Value::as_object);
    let has_details = details.is_some_and(|it| !it.is_empty());
    if mode == Mode::Create && is_snmp && !has_details {
        return Err(ApiError::params(MISSING));
    }
    if fields.contains_key("type") && !is_snmp && has_details {
        return Err(ApiError::field(&format!("{path}/details"), "should be empty"));
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
    let is_macro = (port.starts_with("{$") || port.starts_with("{#")) && port.ends_with('}');
    let is_number = port.bytes().all(|it| it.is_ascii_digit()) && port.parse::<u16>().is_ok();
    if is_macro || is_number {
        return Ok(());
    }
    Err(ApiError::params(format!("Incorrect interface port \"{port}\" provided.")))
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
            "selectHosts" => Ok(self.ctx.related(select, Related::Holders(vec![host]), output)),
            "selectItems" => {
                let of_it = |row: &&_| {
                    host.interface_of(row).is_some_and(|used| used.interfaceid == it.interfaceid)
                };
                let items = host.items.iter().filter(of_it).map(|row| (*host, row)).collect();
                Ok(self.ctx.related(select, Related::Items(items), output))
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
