//! Interfaces of several hosts at once, and all of one: `hostinterface.massadd`, `massremove` and
//! `replacehostinterfaces`.

use db::objects::interface::MISSING;
use db::{ConfigError, ObjectKind};
use model::HostId;
use model::content::Interface;
use model::field_path::FieldPath;
use serde_json::{Map, Value, json};

use crate::describe::{Field, FieldType, Rule};
use crate::error::ApiError;
use crate::json::{Fields, id_of, list_of};
use crate::method::Method;
use crate::objects::common::access;
use crate::objects::common::crud::answer;
use crate::objects::common::parts::HOST_REF;
use crate::objects::hosts::discovered;
use crate::objects::hosts::interface::{self, INTERFACE};
use crate::query;
use crate::shared::Ctx;
use crate::validate::{self, Mode};

/// Of `hostinterface`.
pub(crate) const METHODS: &[Method] = &[
    Method::edit("hostinterface.massadd", add),
    Method::edit("hostinterface.massremove", remove),
    Method::edit("hostinterface.replacehostinterfaces", replace),
];

/// The parameters of `massadd`.
pub(crate) const ADD: &[Field] = &[
    Field::new("hosts", FieldType::List(HOST_REF), Rule::Required, "Hosts").or_message(MISSING),
    Field::new("interfaces", FieldType::List(INTERFACE), Rule::Required, "Interfaces of each")
        .or_message(MISSING),
];

/// The parameters of `replacehostinterfaces`.
pub(crate) const REPLACE: &[Field] = &[
    Field::new("hostid", FieldType::Id, Rule::Required, "The host").or_message(MISSING),
    Field::new(
        "interfaces",
        FieldType::List(INTERFACE),
        Rule::Optional,
        "All interfaces of the host: those with an id keep their omitted fields",
    ),
];

/// Parameters without unknown ones: interfaces are of Zabbix's older kind, which ignores them.
fn checked(ctx: &Ctx, fields: &[Field], params: &Value, mode: Mode) -> Result<Fields, ApiError> {
    let Value::Object(given) = params else {
        return Err(ApiError::field(FieldPath::root(), "an array is expected"));
    };
    let mut given = given.clone();
    if let Some(list) = given.get_mut("interfaces") {
        *list = interface::settled(ctx, list)?;
    }
    let known = validate::without_unknown(fields, None, &Value::Object(given), mode);
    if mode == Mode::Create {
        return validate::object_at_root(fields, &known);
    }
    // Interfaces that are there may be named by their ids.
    let known = Value::Array(vec![known]);
    let one = validate::given_objects(fields, "hostid", &known, mode)?.pop();
    one.ok_or_else(|| ApiError::params(MISSING))
}

fn add(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let fields = checked(ctx, ADD, params, Mode::Create)?;
    let hosts: Vec<u64> = list_of(&fields, "hosts").filter_map(|it| id_of(it, "hostid")).collect();
    let interfaces: Vec<Fields> = list_of(&fields, "interfaces").cloned().collect();
    if hosts.is_empty() || interfaces.is_empty() {
        return Err(ApiError::params("Empty input parameter."));
    }
    for (host, (at, it)) in
        hosts.iter().flat_map(|host| interfaces.iter().enumerate().map(move |it| (host, it)))
    {
        let host = access::writable(ctx, *host).map_err(interface::of_parameters)?;
        interface::check(it, None, &FieldPath::object(at), Some(&host.host))?;
    }
    interface::undiscovered(ctx, &hosts)?;
    let made = ctx.edit(|e| {
        let mut made = Vec::new();
        for interface in &interfaces {
            for host in &hosts {
                let mut fields = interface.clone();
                fields.insert("hostid".to_owned(), Value::String(host.to_string()));
                made.push(e.create(ObjectKind::HostInterface, fields)?);
            }
        }
        Ok(made)
    })?;
    Ok(answer("interfaceids", &made))
}

fn remove(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let params = params
        .as_object()
        .ok_or_else(|| ApiError::field(FieldPath::root(), "an array is expected"))?;
    if !params.contains_key("hostids") || !params.contains_key("interfaces") {
        return Err(ApiError::application("Incorrect input parameters."));
    }
    let hosts = query::ids(params, "hostids", true)?.unwrap_or_default();
    let given = listed(params, "interfaces");
    if hosts.is_empty() || given.is_empty() {
        return Err(ApiError::params("Empty input parameter."));
    }
    hosts.iter().try_for_each(|it| access::writable(ctx, *it).map(drop))?;
    discovered::refuse(ctx, &hosts, "Cannot delete interface for discovered host")?;
    let gone = named_by_address(ctx, &hosts, given)?;
    if !gone.is_empty() {
        ctx.edit(|e| e.delete(ObjectKind::HostInterface, &gone))?;
    }
    Ok(answer("interfaceids", &gone))
}

/// One object or a list of them, as a list.
pub(crate) fn listed<'p>(params: &'p Map<String, Value>, name: &str) -> &'p [Value] {
    match params.get(name) {
        None | Some(Value::Null) => &[],
        Some(Value::Array(list)) => list,
        Some(one) => std::slice::from_ref(one),
    }
}

/// Interfaces of hosts that have one of some addresses: `ip`, `dns` and `port`, all three.
pub(crate) fn named_by_address(
    ctx: &Ctx,
    hosts: &[u64],
    given: &[Value],
) -> Result<Vec<u64>, ApiError> {
    let mut found = Vec::new();
    for given in given {
        let part = |name: &str| {
            let value = given.get(name).filter(|it| !it.is_null());
            value.map(query::text).ok_or_else(|| ApiError::params(MISSING))
        };
        let (ip, dns, port) = (part("ip")?, part("dns")?, part("port")?);
        for id in hosts {
            let host = access::writable(ctx, *id)?;
            let is_meant = |it: &&Interface| it.ip == ip && it.dns == dns && it.port == port;
            found.extend(host.interfaces.iter().filter(is_meant).map(|it| it.interfaceid.0));
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

fn replace(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let fields = checked(ctx, REPLACE, params, Mode::Update)?;
    let id = id_of(&fields, "hostid").unwrap_or_default();
    let host = access::writable(ctx, id)?;
    let Some(list) = fields.get("interfaces") else {
        return Ok(json!({ "interfaceids": [] }));
    };
    let mut list = list.clone();
    let each = list.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut);
    for (at, it) in each.enumerate() {
        it.remove("hostid");
        let old = interface::known(ctx, id_of(it, "interfaceid"));
        interface::check(it, old, &FieldPath::object(at), Some(&host.host))?;
    }
    // Removing all of them is not refused, as in Zabbix.
    if list.as_array().is_some_and(|it| !it.is_empty()) {
        interface::undiscovered(ctx, &[id])?;
    }
    let own = ctx.edit(|e| {
        e.update(ObjectKind::Host, id, Fields::from_iter([("interfaces".to_owned(), list)]))?;
        let host = e.snapshot().hosts.get(&HostId(id)).ok_or_else(ConfigError::no_permissions)?;
        Ok(host.interfaces.iter().map(|it| it.interfaceid.0).collect::<Vec<u64>>())
    })?;
    Ok(answer("interfaceids", &own))
}
