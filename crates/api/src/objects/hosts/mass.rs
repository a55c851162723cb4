//! Changes of many hosts or templates at once: `massadd`, `massremove`, `massupdate`. Those of their groups are in
//! [`super::group_mass`].

use std::sync::Arc;

use db::{ConfigError, Editor, NotedAs, ObjectKind};
use lang::macros::UserMacro;
use model::HostId;
use model::field_path::FieldPath;
use model::map::Set;
use model::snapshot::Host;
use serde_json::{Map, Value};

use crate::describe::{Field, FieldType, Rule};
use crate::error::{ApiError, param};
use crate::json::{Fields, id_of, list_of, str_of};
use crate::method::Method;
use crate::objects::common::access;
use crate::objects::common::checks;
use crate::objects::common::crud::{Crud, answer};
use crate::objects::common::parts::{GROUP_REF, HOST_REF, NEW_MACRO, TEMPLATE_REF};
use crate::objects::hosts::host;
use crate::objects::hosts::host_rules;
use crate::objects::hosts::interface;
use crate::objects::hosts::interface::INTERFACE;
use crate::objects::hosts::interface_mass;
use crate::objects::hosts::template;
use crate::query;
use crate::shared::Ctx;
use crate::validate::{self, Mode, numbers};

/// Of `host`.
pub(crate) const HOST: &[Method] = &[
    Method::edit("host.massadd", host_add),
    Method::edit("host.massremove", host_remove),
    Method::edit("host.massupdate", host_update),
];
/// Of `template`.
pub(crate) const TEMPLATE: &[Method] = &[
    Method::edit("template.massadd", template_add),
    Method::edit("template.massremove", template_remove),
    Method::edit("template.massupdate", template_update),
];

pub(super) const HOSTS: Field =
    Field::new("hosts", FieldType::List(HOST_REF), Rule::Required, "Hosts");
pub(super) const TEMPLATES: Field =
    Field::new("templates", FieldType::List(TEMPLATE_REF), Rule::Required, "Templates");
const GROUPS: Field = Field::new("groups", FieldType::List(GROUP_REF), Rule::Optional, "Groups");
const MACROS: Field =
    Field::new("macros", FieldType::List(NEW_MACRO), Rule::Optional, "User macros");
const LINKS: Field =
    Field::new("templates", FieldType::List(TEMPLATE_REF), Rule::Optional, "Templates to link");
const LINKS_OF_TEMPLATES: Field = Field::new(
    "templates_link",
    FieldType::List(TEMPLATE_REF),
    Rule::Optional,
    "Templates to link",
);
const CLEARED: Field = Field::new(
    "templates_clear",
    FieldType::List(TEMPLATE_REF),
    Rule::Optional,
    "Templates to unlink, with all inherited objects",
);

/// Ids of `[{"hostid": …}, …]`, in the order of the parameters.
pub(super) fn refs(fields: &Fields, list: &str, id: &str) -> Vec<u64> {
    list_of(fields, list).filter_map(|it| id_of(it, id)).collect()
}

pub(super) fn object(params: &Value) -> Result<&Map<String, Value>, ApiError> {
    params.as_object().ok_or_else(|| ApiError::field(FieldPath::root(), "an array is expected"))
}

/// The lists of ids of a removing method, each id once; the first `n_needed` are required. `others` are its further
/// parameters.
pub(super) fn removed<const N: usize>(
    params: &Map<String, Value>,
    names: [&str; N],
    n_needed: usize,
    others: &[&str],
) -> Result<[Vec<u64>; N], ApiError> {
    let is_known = |name: &str| names.contains(&name) || others.contains(&name);
    if let Some(name) = params.keys().find(|it| !is_known(it)) {
        return Err(ApiError::unexpected(FieldPath::root(), name));
    }
    let mut lists = [const { Vec::new() }; N];
    for (at, name) in names.into_iter().enumerate() {
        let path = param(name);
        let is_needed = at < n_needed;
        lists[at] = match params.get(name) {
            None if is_needed => return Err(ApiError::missing(FieldPath::root(), name)),
            None => continue,
            Some(Value::Array(list)) if list.is_empty() && !is_needed => continue,
            Some(list @ (Value::Array(_) | Value::Object(_))) => validate::ids_at(list, &path)?,
            Some(one) if numbers::id(one).is_ok() => validate::ids_at(one, &path)?,
            Some(_) => return Err(ApiError::field(path, "an array is expected")),
        };
    }
    Ok(lists)
}

pub(super) fn to_ids<T: From<u64>>(ids: &[u64]) -> Vec<T> {
    ids.iter().map(|it| T::from(*it)).collect()
}

/// The hosts of a method, in its order: each must be writable, and the changed fields of a discovered one
/// must not belong to discovery. `list` is their place in the parameters, `readonly` the lists that belong to
/// discovery.
pub(super) fn changeable_hosts<'c>(
    ctx: &'c Ctx,
    ids: &[u64],
    list: &str,
    readonly: Option<&str>,
) -> Result<Vec<&'c Arc<Host>>, ApiError> {
    let mut hosts = Vec::with_capacity(ids.len());
    for (at, id) in ids.iter().enumerate() {
        let path = param(list).element(at);
        let host = ctx.snapshot.hosts.get(&HostId(*id)).filter(|it| ctx.may_write(it));
        let host = host.ok_or_else(|| access::absent(&path))?;
        if let Some(name) = readonly.filter(|_| host.is_discovered()) {
            let what = format!("cannot update readonly parameter \"{name}\" of discovered object");
            return Err(ApiError::field(&path, &what));
        }
        hosts.push(host);
    }
    Ok(hosts)
}

/// The templates of a method, in its order: each must be writable.
pub(super) fn changeable_templates<'c>(
    ctx: &'c Ctx,
    ids: &[u64],
    list: &str,
) -> Result<Vec<&'c Arc<Host>>, ApiError> {
    let each = ids.iter().enumerate().map(|(at, id)| {
        let template = ctx.snapshot.templates.get(&HostId(*id)).filter(|it| ctx.may_write(it));
        template.ok_or_else(|| access::absent(param(list).element(at)))
    });
    each.collect()
}

/// Holders as rules of lists take them.
pub(super) fn some<'a>(holders: &[&'a Arc<Host>]) -> Vec<Option<&'a Host>> {
    holders.iter().map(|it| Some(&***it)).collect()
}

/// The list of a mass method that belongs to discovery; the error names groups first.
fn readonly_of(has_groups: bool, has_interfaces: bool) -> Option<&'static str> {
    if has_groups { Some("groups") } else { has_interfaces.then_some("interfaces") }
}

/// A macro in the form in which it is compared.
fn key_of(name: &str) -> Option<String> {
    UserMacro::parse_definition(name).map(|it| it.key())
}

/// Macros that no holder has yet. Those of a holder follow the new ones in the list that the error counts.
fn check_new_macros(holders: &[&Arc<Host>], macros: &[Fields]) -> Result<(), ApiError> {
    let keys: Vec<_> = macros.iter().map(|it| key_of(str_of(it, "macro"))).collect();
    for (at, holder) in holders.iter().enumerate() {
        let twice = holder.macros.iter().position(|it| keys.contains(&key_of(&it.name)));
        if let Some(old) = twice {
            let path = FieldPath::object(at).member("macros").element(macros.len() + old);
            let name = &holder.macros[old].name;
            let what = format!("value (macro)=({name}) already exists");
            return Err(ApiError::field(path, &what));
        }
    }
    Ok(())
}

/// Creates macros on each holder.
fn add_macros(e: &mut Editor, holders: &[HostId], macros: &[Fields]) -> Result<(), ConfigError> {
    for (id, it) in holders.iter().flat_map(|id| macros.iter().map(move |it| (id, it))) {
        let mut fields = it.clone();
        fields.insert("hostid".to_owned(), Value::String(id.to_string()));
        e.create(ObjectKind::HostMacro, fields)?;
    }
    Ok(())
}

/// Deletes macros by name on each holder.
fn drop_macros(e: &mut Editor, holders: &[HostId], names: &[String]) -> Result<(), ConfigError> {
    let keys: Vec<_> = names.iter().map(|it| key_of(it)).collect();
    let mut gone: Vec<u64> = Vec::new();
    for id in holders {
        let holder = e.snapshot().holder(*id).ok_or_else(ConfigError::no_permissions)?;
        let named = holder.macros.iter().filter(|it| keys.contains(&key_of(&it.name)));
        gone.extend(named.map(|it| it.hostmacroid.0));
    }
    if gone.is_empty() { Ok(()) } else { e.delete(ObjectKind::HostMacro, &gone) }
}

/// The macros that a removing method names.
fn macro_names(params: &Map<String, Value>) -> Result<Vec<String>, ApiError> {
    let path = param("macros");
    let given = match params.get("macros") {
        None => return Ok(Vec::new()),
        Some(Value::Array(list)) => list.as_slice(),
        Some(one @ Value::String(_)) => std::slice::from_ref(one),
        Some(_) => return Err(ApiError::field(path, "an array is expected")),
    };
    let (mut names, mut seen) = (Vec::with_capacity(given.len()), Set::default());
    for (at, it) in given.iter().enumerate() {
        let path = path.element(at);
        let Value::String(name) = it else {
            return Err(ApiError::field(path, "a character string is expected"));
        };
        if name.is_empty() {
            return Err(ApiError::field(path, "cannot be empty"));
        }
        checks::macro_name(name, &path)?;
        if !seen.insert(key_of(name)) {
            return Err(ApiError::field(path, &format!("value ({name}) already exists")));
        }
        names.push(name.clone());
    }
    Ok(names)
}

fn objects_of(fields: &Fields, list: &str) -> Vec<Fields> {
    list_of(fields, list).cloned().collect()
}

pub(crate) const HOST_ADD: &[Field] = &[
    HOSTS,
    GROUPS,
    MACROS,
    LINKS,
    Field::new("interfaces", FieldType::List(INTERFACE), Rule::Optional, "Interfaces"),
];

fn host_add(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let mut given = object(params)?.clone();
    if let Some(list) = given.get_mut("interfaces") {
        *list = interface::settled(ctx, list)?;
        *list = validate::without_unknown(INTERFACE, None, list, Mode::Create);
    }
    let fields = validate::object_at_root(HOST_ADD, &Value::Object(given))?;
    checks::macros(ctx, &fields, &FieldPath::root())?;
    let hosts = refs(&fields, "hosts", "hostid");
    let groups = refs(&fields, "groups", "groupid");
    let templates = refs(&fields, "templates", "templateid");
    let (macros, interfaces) = (objects_of(&fields, "macros"), objects_of(&fields, "interfaces"));
    let readonly = readonly_of(!groups.is_empty(), !interfaces.is_empty());
    let found = changeable_hosts(ctx, &hosts, "hosts", readonly)?;
    access::check_groups(ctx, &access::HOST_GROUPS, &groups, &some(&found), &param("groups"))?;
    check_new_macros(&found, &macros)?;
    access::check_links(ctx, (&templates, &param("templates")), (&[], &FieldPath::root()))?;
    for (at, it) in interfaces.iter().enumerate() {
        interface::check(it, None, &param("interfaces").element(at), None)?;
    }
    let holders: Vec<HostId> = to_ids(&hosts);
    ctx.edit(|e| {
        if !groups.is_empty() {
            e.add_groups(&holders, &to_ids(&groups))?;
        }
        for (id, interface) in
            holders.iter().flat_map(|id| interfaces.iter().map(move |it| (id, it)))
        {
            let mut fields = interface.clone();
            fields.insert("hostid".to_owned(), Value::String(id.to_string()));
            e.create(ObjectKind::HostInterface, fields)?;
        }
        add_macros(e, &holders, &macros)?;
        if templates.is_empty() { Ok(()) } else { e.link(&holders, &to_ids(&templates)) }
    })?;
    Ok(answer("hostids", &hosts))
}

fn host_remove(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let params = object(params)?;
    let names = ["hostids", "groupids", "templateids", "templateids_clear"];
    let [hosts, groups, unlinked, cleared] = removed(params, names, 1, &["macros", "interfaces"])?;
    let names = macro_names(params)?;
    let given = interface_mass::listed(params, "interfaces");
    let readonly = readonly_of(!groups.is_empty(), !given.is_empty());
    changeable_hosts(ctx, &hosts, "hostids", readonly)?;
    let groups = access::changeable_groups(ctx, &access::HOST_GROUPS, &groups);
    let of_cleared = param("templateids_clear");
    access::check_links(ctx, (&[], &FieldPath::root()), (&cleared, &of_cleared))?;
    let interfaces = interface_mass::named_by_address(ctx, &hosts, given)?;
    let holders: Vec<HostId> = to_ids(&hosts);
    ctx.edit(|e| {
        unlink(e, &holders, &unlinked, false)?;
        unlink(e, &holders, &cleared, true)?;
        drop_macros(e, &holders, &names)?;
        if !interfaces.is_empty() {
            e.delete(ObjectKind::HostInterface, &interfaces)?;
        }
        if groups.is_empty() { Ok(()) } else { e.remove_groups(&holders, &to_ids(&groups)) }
    })?;
    Ok(answer("hostids", &hosts))
}

/// Unlinks where the template is linked.
fn unlink(
    e: &mut Editor,
    holders: &[HostId],
    templates: &[u64],
    clear: bool,
) -> Result<(), ConfigError> {
    let templates: Vec<HostId> = to_ids(templates);
    if templates.is_empty() { Ok(()) } else { e.unlink(holders, &templates, clear) }
}

/// Fields of `host.massupdate` that are checked before the others, in Zabbix's order.
const ENCRYPTION: &[&str] =
    &["tls_connect", "tls_accept", "tls_psk_identity", "tls_psk", "tls_issuer", "tls_subject"];

/// `host.massupdate`: every host gets the same fields, lists replace the previous ones.
fn host_update(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let mut given = object(params)?.clone();
    check_proxies(&given)?;
    check_encryption(&given)?;
    let rules = [
        vec![HOSTS.lenient()],
        host_rules::named(host::OBJECT.fields, ENCRYPTION),
        vec![GROUPS.never_empty(), MACROS, LINKS, CLEARED],
    ];
    let rules = rules.concat();
    let known = validate::without_unknown(&rules, None, params, Mode::Create);
    let fields = validate::given_at_root(&rules, &known, None)?;
    let root = FieldPath::root();
    let encryption =
        db::changed_encryption(&model::encryption::Encryption::default(), &fields, &root)?;
    checks::macros(ctx, &fields, &root)?;
    let ids = refs(&fields, "hosts", "hostid");
    let may = |id: &u64| ctx.snapshot.hosts.get(&HostId(*id)).is_some_and(|it| ctx.may_write(it));
    if !ids.iter().all(may) {
        return Err(ApiError::no_permissions());
    }
    let readonly = given.contains_key("groups").then_some("groups");
    let found = changeable_hosts(ctx, &ids, "hosts", readonly)?;
    if encryption.uses_psk()
        && host_rules::has_other_key(ctx, &encryption, &to_ids(&ids).into_iter().collect())
    {
        return Err(ApiError::field(param("tls_psk"), host_rules::OTHER_KEY));
    }
    let groups = refs(&fields, "groups", "groupid");
    access::check_groups(ctx, &access::HOST_GROUPS, &groups, &some(&found), &param("groups"))?;
    let [linked, cleared] =
        ["templates", "templates_clear"].map(|list| access::template_ids(&fields, list));
    let paths = [param("templates"), param("templates_clear")];
    access::check_links(ctx, (&linked, &paths[0]), (&cleared, &paths[1]))?;
    host_rules::inventory(&given)?;
    check_names(ctx, &given, &found)?;
    if !interface_mass::listed(&given, "interfaces").is_empty() {
        interface::undiscovered(ctx, &ids)?;
    }
    given.remove("hosts");
    let mut ids = ids;
    ids.sort_unstable();
    // Fields that belong to discovery have been checked.
    let crud = Crud { check: host::check_parts, ..host::CRUD };
    let all = each(&given, &ids, "hostid");
    let all = host::with_settled_interfaces(ctx, &all)?;
    crud.update(ctx, &all)
}

/// The same fields for each object.
fn each(given: &Map<String, Value>, ids: &[u64], name: &str) -> Value {
    let each = ids.iter().map(|id| {
        let mut one = given.clone();
        one.insert(name.to_owned(), Value::String(id.to_string()));
        Value::Object(one)
    });
    Value::Array(each.collect())
}

fn check_proxies(given: &Map<String, Value>) -> Result<(), ApiError> {
    let has_proxy = ["proxyid", "proxy_groupid"].iter().any(|it| given.contains_key(*it));
    if has_proxy && !given.contains_key("monitored_by") {
        return Err(ApiError::params(
            "The field \"monitored_by\" must be specified when changing proxy or proxy group for host monitoring.",
        ));
    }
    Ok(())
}

/// Names are those of one host.
fn check_names(
    ctx: &Ctx,
    given: &Map<String, Value>,
    hosts: &[&Arc<Host>],
) -> Result<(), ApiError> {
    if given.contains_key("auto_compress") {
        return Err(ApiError::params("Incorrect input parameters."));
    }
    let has_several = 1 < hosts.len();
    if has_several && given.get("name").is_some_and(|it| !it.is_null()) {
        return Err(ApiError::params("Cannot mass update visible host name."));
    }
    let Some(host) = given.get("host").map(query::text) else { return Ok(()) };
    host_rules::characters(&host)?;
    if has_several {
        return Err(ApiError::params("Cannot mass update host name."));
    }
    let other = ctx.snapshot.host_named(&host).filter(|it| hosts.iter().all(|of| of.id != it.id));
    let taken = match (other, ctx.snapshot.template_named(&host)) {
        (Some(_), _) => "Host",
        (None, Some(_)) => "Template",
        (None, None) => return Ok(()),
    };
    Err(ApiError::params(format!("{taken} \"{host}\" already exists.")))
}

/// Fields of encryption that can only be changed together.
fn check_encryption(given: &Map<String, Value>) -> Result<(), ApiError> {
    let code = |name: &str| given.get(name).and_then(validate::number);
    let (connect, accept) = (code("tls_connect"), code("tls_accept"));
    if !ENCRYPTION.iter().any(|it| given.contains_key(*it)) {
        return Ok(());
    }
    if !given.contains_key("tls_connect") || !given.contains_key("tls_accept") {
        return Err(ApiError::application(
            "Both \"tls_connect\" and \"tls_accept\" fields must be specified when changing settings of connection \
             encryption.",
        ));
    }
    let uses_psk = connect == Some(2) || accept.is_some_and(|it| it & 2 != 0);
    let has_pair = ["tls_psk_identity", "tls_psk"].iter().all(|it| given.contains_key(*it));
    if uses_psk && !has_pair {
        return Err(ApiError::application(
            "Both \"tls_psk_identity\" and \"tls_psk\" fields must be specified when changing the PSK for connection \
             encryption.",
        ));
    }
    Ok(())
}

pub(crate) const TEMPLATE_ADD: &[Field] = &[TEMPLATES, GROUPS, MACROS, LINKS_OF_TEMPLATES];

fn template_add(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let fields = validate::object_at_root(TEMPLATE_ADD, params)?;
    checks::macros(ctx, &fields, &FieldPath::root())?;
    let templates = refs(&fields, "templates", "templateid");
    let groups = refs(&fields, "groups", "groupid");
    let linked = refs(&fields, "templates_link", "templateid");
    let macros = objects_of(&fields, "macros");
    let found = changeable_templates(ctx, &templates, "templates")?;
    access::check_groups(ctx, &access::TEMPLATE_GROUPS, &groups, &some(&found), &param("groups"))?;
    check_new_macros(&found, &macros)?;
    access::check_links(ctx, (&linked, &param("templates_link")), (&[], &FieldPath::root()))?;
    let holders: Vec<HostId> = to_ids(&templates);
    ctx.edit(|e| {
        if !groups.is_empty() {
            e.add_template_groups(&holders, &to_ids(&groups), NotedAs::Holders)?;
        }
        add_macros(e, &holders, &macros)?;
        if linked.is_empty() { Ok(()) } else { e.link(&holders, &to_ids(&linked)) }
    })?;
    Ok(answer("templateids", &templates))
}

fn template_remove(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let params = object(params)?;
    let names = ["templateids", "groupids", "templateids_link", "templateids_clear"];
    let [templates, groups, unlinked, cleared] = removed(params, names, 1, &["macros"])?;
    let names = macro_names(params)?;
    changeable_templates(ctx, &templates, "templateids")?;
    let groups = access::changeable_groups(ctx, &access::TEMPLATE_GROUPS, &groups);
    let of_cleared = param("templateids_clear");
    access::check_links(ctx, (&[], &FieldPath::root()), (&cleared, &of_cleared))?;
    let holders: Vec<HostId> = to_ids(&templates);
    ctx.edit(|e| {
        unlink(e, &holders, &unlinked, false)?;
        unlink(e, &holders, &cleared, true)?;
        drop_macros(e, &holders, &names)?;
        if groups.is_empty() {
            Ok(())
        } else {
            e.remove_template_groups(&holders, &to_ids(&groups), NotedAs::Holders)
        }
    })?;
    Ok(answer("templateids", &templates))
}

const TEMPLATE_UPDATE: &[Field] =
    &[TEMPLATES, GROUPS.never_empty(), MACROS, LINKS_OF_TEMPLATES, CLEARED];

/// `template.massupdate`: lists replace the previous ones.
fn template_update(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let mut fields = validate::given_at_root(TEMPLATE_UPDATE, params, None)?;
    checks::macros(ctx, &fields, &FieldPath::root())?;
    let templates = refs(&fields, "templates", "templateid");
    let groups = refs(&fields, "groups", "groupid");
    let found = changeable_templates(ctx, &templates, "templates")?;
    access::check_groups(ctx, &access::TEMPLATE_GROUPS, &groups, &some(&found), &param("groups"))?;
    let [linked, cleared] =
        ["templates_link", "templates_clear"].map(|list| access::template_ids(&fields, list));
    let paths = [param("templates_link"), param("templates_clear")];
    access::check_links(ctx, (&linked, &paths[0]), (&cleared, &paths[1]))?;
    fields.remove("templates");
    if let Some(linked) = fields.remove("templates_link") {
        fields.insert("templates".to_owned(), linked);
    }
    template::update(ctx, &each(&fields, &templates, "templateid"))
}
