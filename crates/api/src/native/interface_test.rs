//! Tests an interface before it is saved, of a host that may not be saved either: whether a device answers
//! there with the given settings. Nothing of it is stored, written to the audit log or passed to the shards.

use std::sync::Arc;

use db::{Permission, changed_encryption};
use model::content::{Interface, InterfaceType, ItemContent, ItemFlags, ItemType};
use model::content::{MacroType, RoleType};
use model::field_path::FieldPath;
use model::snapshot::{HolderKind, Host, ItemRow, Snapshot};
use model::{HostId, InterfaceId, ItemId};
use serde_json::{Value, json};

use super::item_test::{TYPED_MACRO, asked, set_macro, transcript, unreachable};
use crate::describe::{Field, FieldType, Rule, joined};
use crate::error::{ApiError, param};
use crate::json::{Fields, id_of, list_of, str_of};
use crate::objects::common::access;
use crate::objects::common::resolve::HostMacros;
use crate::objects::hosts::interface::{self, INTERFACE_ALONE};
use crate::ports::FetchQuery;
use crate::shared::Ctx;
use crate::validate::object_at_root;

/// The parameters of `POST /api/v1/test/interface`.
pub(crate) const REQUEST: &[Field] = &[
    Field::new("hostid", FieldType::Id, Rule::Optional, "Host of the interface, if it is saved"),
    Field::new("interface", FieldType::Object(TRIED), Rule::Required, "As it would be saved"),
    Field::new(
        "macros",
        FieldType::List(TYPED_MACRO),
        Rule::Optional,
        "User macros of the host that are not saved, or that have other values",
    ),
    Field::new(
        "tls_connect",
        FieldType::Code(&[1, 2, 4]),
        Rule::Optional,
        "Encryption of connections to an agent; omitted: as the host is saved",
    ),
    Field::new("tls_issuer", ANY, Rule::Optional, "Issuer of the agent's certificate"),
    Field::new("tls_subject", ANY, Rule::Optional, "Subject of the agent's certificate"),
    Field::new("tls_psk_identity", ANY, Rule::Optional, "Identity of the pre-shared key"),
    Field::new("tls_psk", ANY, Rule::Optional, "Pre-shared key"),
];
/// As within a host, with its id if it is saved.
const TRIED: &[Field] = &joined::<_, { INTERFACE_ALONE.len() + 1 }>(
    &[Field::new("interfaceid", FieldType::Id, Rule::Optional, "The interface, if it is saved")],
    INTERFACE_ALONE,
);
const ANY: FieldType = FieldType::Text { max: 2_048 };

/// Ids of unsaved objects: after all others, since rows are sorted by id.
const UNSAVED: u64 = u64::MAX;

pub(super) fn run(ctx: &Ctx, body: &Value) -> Result<Value, ApiError> {
    if ctx.caller.identity.role < RoleType::Admin {
        return Err(ApiError::no_permissions());
    }
    let fields = object_at_root(REQUEST, body)?;
    let mut host = holder(ctx, &fields)?;
    let given = fields.get("interface").and_then(Value::as_object);
    let given = given.ok_or_else(|| ApiError::field(param("interface"), "value is missing"))?;
    interface::check(given, None, &param("interface"), None)?;
    let wrong = |it: serde_json::Error| ApiError::field(param("interface"), &it.to_string());
    let mut tried: Interface = serde_json::from_value(json!(given)).map_err(wrong)?;
    if tried.interfaceid.is_none() {
        tried.interfaceid = InterfaceId(UNSAVED);
    }
    let question = question(&tried).ok_or_else(|| {
        ApiError::field(param("interface").member("type"), "interfaces of this type are not polled")
    })?;
    for it in list_of(&fields, "macros") {
        let typed = (str_of(it, "macro"), str_of(it, "value"));
        set_macro(&mut host.macros, typed, MacroType::Text);
    }
    set_encryption(&mut host, &fields)?;
    let macros = HostMacros::lazy(ctx, &host);
    let address = macros.text(if tried.useip { &tried.ip } else { &tried.dns });
    // Polled by address from here on: a name could resolve to another one the next time.
    let found = ctx.ports().trials.address(&address);
    tried.ip = found.map_err(|it| unreachable(&it))?.to_string();
    tried.useip = true;
    let query = query(ctx, host, tried, question);
    let (answer, exchange) = asked(ctx, &query)?;
    let text = answer.as_ref().map_or_else(|it| it.as_str(), |it| it.as_str());
    let (value, is_cut) = preprocess::test_request::cut(text);
    let mut report = json!({
        "value": value, "not_supported": answer.is_err(), "truncated": is_cut,
        "clock": ctx.shared.clock.wall().clock(),
    });
    if !exchange.is_empty() {
        report["exchange"] = transcript(&exchange);
    }
    Ok(report)
}

/// The saved host, for users who may change it, or a new one, for users who may create one.
fn holder(ctx: &Ctx, fields: &Fields) -> Result<Host, ApiError> {
    if let Some(id) = id_of(fields, "hostid") {
        let holder = access::writable(ctx, id)?;
        if holder.kind == HolderKind::Template {
            return Err(ApiError::field(param("hostid"), "a template cannot be polled"));
        }
        return Ok(Host::clone(holder));
    }
    let may_write = |id| Permission::Write <= ctx.rights.host_group(id);
    if !ctx.snapshot.host_groups.keys().any(|it| may_write(*it)) {
        return Err(ApiError::no_permissions());
    }
    let name: Arc<str> = Arc::from("");
    Ok(Host::new(HostId(UNSAVED), HolderKind::Host, Arc::clone(&name), name))
}

/// The item that shows whether a device answers: the name of an agent, the description of a device, that of a
/// Java program.
fn question(tried: &Interface) -> Option<ItemContent> {
    let (kind, key, oid) = match tried.kind {
        InterfaceType::Agent => (ItemType::ZabbixAgent, "agent.hostname", ""),
        InterfaceType::Snmp => (ItemType::Snmp, "try", "get[1.3.6.1.2.1.1.1.0]"),
        InterfaceType::Jmx => (ItemType::Jmx, "jmx[\"java.lang:type=Runtime\",\"VmName\"]", ""),
        InterfaceType::Ipmi => return None,
    };
    Some(ItemContent {
        kind,
        key_: key.to_owned(),
        snmp_oid: oid.to_owned(),
        interfaceid: tried.interfaceid,
        ..ItemContent::default()
    })
}

fn set_encryption(host: &mut Host, fields: &Fields) -> Result<(), ApiError> {
    if !fields.contains_key("tls_connect") {
        return Ok(());
    }
    let old = host.encryption.as_deref().cloned().unwrap_or_default();
    // Incoming encryption does not matter here.
    let mut given = fields.clone();
    given.insert("tls_accept".to_owned(), json!("1"));
    host.encryption = Some(Arc::new(changed_encryption(&old, &given, &FieldPath::root())?));
    Ok(())
}

/// The configuration with this host, the interface, and an item that asks.
fn query(ctx: &Ctx, mut host: Host, tried: Interface, question: ItemContent) -> FetchQuery {
    let item = ItemId(UNSAVED);
    match host.interfaces.iter_mut().find(|it| it.interfaceid == tried.interfaceid) {
        Some(old) => *old = tried,
        None => host.interfaces.push(tried),
    }
    host.items.push(ItemRow {
        id: item,
        source: ItemId::NONE,
        content: Arc::new(question),
        extra: None,
        flags: ItemFlags::Plain,
    });
    let id = host.id;
    let mut snapshot = Snapshot::clone(&ctx.snapshot);
    snapshot.hosts.insert(id, Arc::new(host));
    FetchQuery { snapshot: Arc::new(snapshot), host: id, item }
}
