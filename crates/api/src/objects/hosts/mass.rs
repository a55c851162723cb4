//! Changes of many hosts or templates at once: `massadd`, `massremove`, `massupdate`.

use db::{ConfigError, Editor, NotedAs, ObjectKind};
use model::field_path::FieldPath;
use model::snapshot::Host;
use model::{GroupId, HostId, TemplateGroupId};
use serde_json::{Map, Value, json};

use crate::describe::{Field, FieldType, Rule};
use crate::error::{ApiError, ErrorClass, param};
use crate::json::{Fields, id_of, list_of, str_of};
use crate::method::Method;
use crate::objects::common::access;
use crate::objects::common::checks;
use crate::objects::common::crud::{Crud, answer};
use crate::objects::common::parts::{GROUP_REF, HOST_REF, MACRO, TEMPLATE_REF};
use crate::objects::hosts::discovered;
use crate::objects::hosts::host;
use crate::objects::hosts::interface;
use crate::objects::hosts::interface::INTERFACE;
use crate::objects::hosts::interface_mass;
use crate::objects::hosts::propagate;
use crate::objects::hosts::template;
use crate::query;
use crate::shared::Ctx;
use crate::validate::{self, Mode};

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
/// Of `hostgroup`, in addition to the four.
pub(crate) const HOST_GROUP: &[Method] = &[
    Method::edit("hostgroup.massadd", hostgroup_add),
    Method::edit("hostgroup.massremove", hostgroup_remove),
    Method::edit("hostgroup.massupdate", hostgroup_update),
    propagate::HOST_GROUP,
];
/// Of `templategroup`.
pub(crate) const TEMPLATE_GROUP: &[Method] = &[
    Method::edit("templategroup.massadd", templategroup_add),
    Method::edit("templategroup.massremove", templategroup_remove),
    Method::edit("templategroup.massupdate", templategroup_update),
    propagate::TEMPLATE_GROUP,
];

const HOSTS: Field = Field::new("hosts", FieldType::List(HOST_REF), Rule::Required, "Hosts");
const TEMPLATES: Field =
    Field::new("templates", FieldType::List(TEMPLATE_REF), Rule::Required, "Templates");
const GROUPS: Field = Field::new("groups", FieldType::List(GROUP_REF), Rule::Optional, "Groups");
const NEEDED_GROUPS: Field =
    Field::new("groups", FieldType::List(GROUP_REF), Rule::Required, "Groups");
const MACROS: Field = Field::new("macros", FieldType::List(MACRO), Rule::Optional, "User macros");
const LINKS: Field =
    Field::new("templates", FieldType::List(TEMPLATE_REF), Rule::Optional, "Templates to link");

/// One object of parameters, canonical.
fn checked(fields: &[Field], params: &Value) -> Result<Fields, ApiError> {
    validate::object_at_root(fields, params)
}

/// Ids of `[{"hostid": …}, …]`, each once.
fn refs(fields: &Fields, list: &str, id: &str) -> Vec<u64> {
    let mut ids = refs_as_given(fields, list, id);
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// As [`refs`], in the order of the parameters.
fn refs_as_given(fields: &Fields, list: &str, id: &str) -> Vec<u64> {
    list_of(fields, list).filter_map(|it| id_of(it, id)).collect()
}

/// Ids of `"hostids": […]`, as the removing methods take them.
fn ids(params: &Map<String, Value>, name: &str) -> Result<Vec<u64>, ApiError> {
    let mut ids = query::ids(params, name, true)?.unwrap_or_default();
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

fn object(params: &Value) -> Result<&Map<String, Value>, ApiError> {
    params.as_object().ok_or_else(|| ApiError::field(FieldPath::root(), "an array is expected"))
}

fn required(ids: Vec<u64>, name: &str) -> Result<Vec<u64>, ApiError> {
    if ids.is_empty() {
        return Err(ApiError::missing(FieldPath::root(), name));
    }
    Ok(ids)
}

/// The two lists of ids of a method that takes members out of groups: both are needed, each id is there once.
fn removed(params: &Value, names: [&str; 2]) -> Result<[Vec<u64>; 2], ApiError> {
    let params = object(params)?;
    if let Some(name) = params.keys().find(|it| !names.contains(&it.as_str())) {
        return Err(ApiError::unexpected(FieldPath::root(), name));
    }
    let [groups, members] = names.map(|name| {
        let given = params.get(name).ok_or_else(|| ApiError::missing(FieldPath::root(), name))?;
        validate::ids_at(given, &param(name))
    });
    Ok([groups?, members?])
}

fn to_ids<T: From<u64>>(ids: &[u64]) -> Vec<T> {
    ids.iter().map(|it| T::from(*it)).collect()
}

fn writable_hosts(ctx: &Ctx, ids: &[u64]) -> Result<(), ApiError> {
    let may = |id: &u64| ctx.snapshot.hosts.get(&HostId(*id)).is_some_and(|it| ctx.may_write(it));
    if ids.iter().all(may) { Ok(()) } else { Err(ApiError::no_permissions()) }
}

/// The hosts of a method, in its order: each must be writable, and the changed fields of a discovered one
/// must not belong to discovery. `list` is their place in the parameters, `readonly` the lists that belong to
/// discovery.
fn changeable_hosts(
    ctx: &Ctx,
    ids: &[u64],
    list: &str,
    readonly: Option<&str>,
) -> Result<(), ApiError> {
    for (at, id) in ids.iter().enumerate() {
        let path = param(list).element(at);
        let host = ctx.snapshot.hosts.get(&HostId(*id)).filter(|it| ctx.may_write(it));
        let Some(host) = host else {
            let what = "object does not exist, or you have no permissions to it";
            return Err(ApiError::field(path, what).of_class(ErrorClass::Application));
        };
        if let Some(name) = readonly.filter(|_| host.is_discovered()) {
            let what = format!("cannot update readonly parameter \"{name}\" of discovered object");
            return Err(ApiError::field(&path, &what));
        }
    }
    Ok(())
}

/// Groups of hosts that discovery made are discovery's.
fn undiscovered(ctx: &Ctx, hosts: &[u64]) -> Result<(), ApiError> {
    discovered::refuse(ctx, hosts, "Cannot update groups for discovered host")
}

/// The list of a mass method that belongs to discovery; the error names groups first.
fn readonly_of(has_groups: bool, has_interfaces: bool) -> Option<&'static str> {
    if has_groups { Some("groups") } else { has_interfaces.then_some("interfaces") }
}

fn writable_templates(ctx: &Ctx, ids: &[u64]) -> Result<(), ApiError> {
    let may = |id: &u64| access::may_change_template(ctx, *id);
    if ids.iter().all(may) { Ok(()) } else { Err(ApiError::no_permissions()) }
}

fn readable_templates(ctx: &Ctx, ids: &[u64]) -> Result<(), ApiError> {
    ids.iter().try_for_each(|it| access::readable_template(ctx, *it).map(drop))
}

fn writable_host_groups(ctx: &Ctx, ids: &[u64]) -> Result<(), ApiError> {
    let may = |id: &u64| access::may_change_host_group(ctx, *id);
    if ids.iter().all(may) { Ok(()) } else { Err(ApiError::no_permissions()) }
}

fn writable_template_groups(ctx: &Ctx, ids: &[u64]) -> Result<(), ApiError> {
    let may = |id: &u64| access::may_change_template_group(ctx, *id);
    if ids.iter().all(may) { Ok(()) } else { Err(ApiError::no_permissions()) }
}

/// Creates macros on each holder; an existing one gets the new value.
fn put_macros(e: &mut Editor, holders: &[HostId], macros: &[Fields]) -> Result<(), ConfigError> {
    for id in holders {
        for fields in macros {
            let name = str_of(fields, "macro");
            let holder = e.snapshot().holder(*id).ok_or_else(ConfigError::no_permissions)?;
            let known = holder.macros.iter().find(|it| it.name == name).map(|it| it.hostmacroid.0);
            let mut fields = fields.clone();
            fields.remove("automatic");
            match known {
                Some(known) => e.update(ObjectKind::HostMacro, known, fields)?,
                None => {
                    fields.insert("hostid".to_owned(), Value::String(id.to_string()));
                    e.create(ObjectKind::HostMacro, fields)?;
                }
            }
        }
    }
    Ok(())
}

/// Deletes macros by name on each holder.
fn drop_macros(e: &mut Editor, holders: &[HostId], names: &[String]) -> Result<(), ConfigError> {
    let mut gone: Vec<u64> = Vec::new();
    for id in holders {
        let holder = e.snapshot().holder(*id).ok_or_else(ConfigError::no_permissions)?;
        let named = holder.macros.iter().filter(|it| names.contains(&it.name));
        gone.extend(named.map(|it| it.hostmacroid.0));
    }
    if gone.is_empty() { Ok(()) } else { e.delete(ObjectKind::HostMacro, &gone) }
}

fn macro_names(params: &Map<String, Value>) -> Vec<String> {
    match params.get("macros") {
        Some(Value::Array(list)) => list.iter().map(query::text).collect(),
        Some(one @ Value::String(_)) => vec![query::text(one)],
        _ => Vec::new(),
    }
}

fn objects_of(fields: &Fields, list: &str) -> Vec<Fields> {
    list_of(fields, list).cloned().collect()
}

pub(crate) const HOST_ADD: &[Field] = &[
    HOSTS,
    GROUPS,
    LINKS,
    MACROS,
    Field::new("interfaces", FieldType::List(INTERFACE), Rule::Optional, "Interfaces"),
];

fn host_add(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let fields = checked(HOST_ADD, params)?;
    let hosts = refs(&fields, "hosts", "hostid");
    let groups = refs(&fields, "groups", "groupid");
    let templates = refs(&fields, "templates", "templateid");
    let (macros, interfaces) = (objects_of(&fields, "macros"), objects_of(&fields, "interfaces"));
    let readonly = readonly_of(!groups.is_empty(), !interfaces.is_empty());
    changeable_hosts(ctx, &refs_as_given(&fields, "hosts", "hostid"), "hosts", readonly)?;
    writable_host_groups(ctx, &groups)?;
    readable_templates(ctx, &templates)?;
    checks::macros(ctx, &fields, &FieldPath::root())?;
    for (at, it) in interfaces.iter().enumerate() {
        interface::check(it, Mode::Create, &param("interfaces").element(at), None)?;
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
        put_macros(e, &holders, &macros)?;
        if templates.is_empty() { Ok(()) } else { e.link(&holders, &to_ids(&templates)) }
    })?;
    Ok(answer("hostids", &hosts))
}

fn host_remove(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let params = object(params)?;
    let hosts = required(ids(params, "hostids")?, "hostids")?;
    let groups = ids(params, "groupids")?;
    let (unlinked, cleared) = (ids(params, "templateids")?, ids(params, "templateids_clear")?);
    let given = interface_mass::listed(params, "interfaces");
    let readonly = readonly_of(!groups.is_empty(), !given.is_empty());
    let as_given = query::ids(params, "hostids", true)?.unwrap_or_default();
    writable_hosts(ctx, &as_given)?;
    changeable_hosts(ctx, &as_given, "hostids", readonly)?;
    writable_host_groups(ctx, &groups)?;
    let names = macro_names(params);
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

/// `host.massupdate`: every host gets the same fields, lists replace the previous ones.
fn host_update(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let mut given = object(params)?.clone();
    let list = json!({"hosts": given.remove("hosts").unwrap_or(json!([]))});
    let named = checked(&[HOSTS], &list)?;
    let hosts = refs(&named, "hosts", "hostid");
    check_encryption(&given)?;
    let readonly = given.contains_key("groups").then_some("groups");
    changeable_hosts(ctx, &refs_as_given(&named, "hosts", "hostid"), "hosts", readonly)?;
    if !interface_mass::listed(&given, "interfaces").is_empty() {
        interface::undiscovered(ctx, &hosts)?;
    }
    let each = hosts.iter().map(|id| {
        let mut one = given.clone();
        one.insert("hostid".to_owned(), Value::String(id.to_string()));
        Value::Object(one)
    });
    let each = Value::Array(each.collect());
    host::check_given(ctx, &each)?;
    // Fields that belong to discovery have been checked.
    Crud { check: host::check_parts, ..host::CRUD }.update(ctx, &each)
}

/// Fields of encryption that can only be changed together.
fn check_encryption(given: &Map<String, Value>) -> Result<(), ApiError> {
    let code = |name: &str| given.get(name).and_then(validate::number);
    let (connect, accept) = (code("tls_connect"), code("tls_accept"));
    if given.contains_key("tls_connect") != given.contains_key("tls_accept") {
        return Err(ApiError::application(
            "Both \"tls_connect\" and \"tls_accept\" fields must be specified when changing settings of connection \
             encryption.",
        ));
    }
    let has_no_psk = connect.is_some_and(|it| it != 2) && accept.is_some_and(|it| it & 2 == 0);
    for name in ["tls_psk_identity", "tls_psk"] {
        if has_no_psk && !str_of(given, name).is_empty() {
            return Err(ApiError::field(param(name), "value must be empty"));
        }
    }
    if !has_no_psk && given.contains_key("tls_psk_identity") != given.contains_key("tls_psk") {
        return Err(ApiError::application(
            "Both \"tls_psk_identity\" and \"tls_psk\" fields must be specified when changing the PSK for connection \
             encryption.",
        ));
    }
    Ok(())
}

pub(crate) const TEMPLATE_ADD: &[Field] = &[
    TEMPLATES,
    GROUPS,
    MACROS,
    Field::new(
        "templates_link",
        FieldType::List(TEMPLATE_REF),
        Rule::Optional,
        "Templates to link",
    ),
];

fn template_add(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let fields = checked(TEMPLATE_ADD, params)?;
    let templates = refs(&fields, "templates", "templateid");
    let groups = refs(&fields, "groups", "groupid");
    let linked = refs(&fields, "templates_link", "templateid");
    checks::macros(ctx, &fields, &FieldPath::root())?;
    writable_templates(ctx, &templates)?;
    writable_template_groups(ctx, &groups)?;
    readable_templates(ctx, &linked)?;
    let macros = objects_of(&fields, "macros");
    let holders: Vec<HostId> = to_ids(&templates);
    ctx.edit(|e| {
        if !groups.is_empty() {
            e.add_template_groups(&holders, &to_ids(&groups), NotedAs::Holders)?;
        }
        put_macros(e, &holders, &macros)?;
        if linked.is_empty() { Ok(()) } else { e.link(&holders, &to_ids(&linked)) }
    })?;
    Ok(answer("templateids", &templates))
}

fn template_remove(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let params = object(params)?;
    let templates = required(ids(params, "templateids")?, "templateids")?;
    let groups = ids(params, "groupids")?;
    let unlinked = ids(params, "templateids_link")?;
    let cleared = ids(params, "templateids_clear")?;
    writable_templates(ctx, &templates)?;
    writable_template_groups(ctx, &groups)?;
    let names = macro_names(params);
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

/// `template.massupdate`: lists replace the previous ones.
fn template_update(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let mut given = object(params)?.clone();
    let list = json!({"templates": given.remove("templates").unwrap_or(json!([]))});
    let templates = refs(&checked(&[TEMPLATES], &list)?, "templates", "templateid");
    if let Some(linked) = given.remove("templates_link") {
        given.insert("templates".to_owned(), linked);
    }
    let each = templates.iter().map(|id| {
        let mut one = given.clone();
        one.insert("templateid".to_owned(), Value::String(id.to_string()));
        Value::Object(one)
    });
    template::update(ctx, &Value::Array(each.collect()))
}

fn hostgroup_add(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let fields = checked(&[NEEDED_GROUPS, HOSTS], params)?;
    let (groups, hosts) = (refs(&fields, "groups", "groupid"), refs(&fields, "hosts", "hostid"));
    writable_host_groups(ctx, &groups)?;
    writable_hosts(ctx, &hosts)?;
    undiscovered(ctx, &hosts)?;
    ctx.edit(|e| e.add_groups(&to_ids(&hosts), &to_ids(&groups)))?;
    Ok(answer("groupids", &groups))
}

fn hostgroup_remove(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let [groups, mut hosts] = removed(params, ["groupids", "hostids"])?;
    writable_host_groups(ctx, &groups)?;
    // Hosts that are not there are in no group.
    hosts.retain(|it| ctx.snapshot.hosts.contains_key(&HostId(*it)));
    writable_hosts(ctx, &hosts)?;
    undiscovered(ctx, &hosts)?;
    ctx.edit(|e| e.remove_groups(&to_ids(&hosts), &to_ids(&groups)))?;
    Ok(answer("groupids", &groups))
}

/// The groups have exactly these hosts afterwards.
fn hostgroup_update(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let fields = checked(&[NEEDED_GROUPS, HOSTS.or_empty()], params)?;
    let (groups, hosts) = (refs(&fields, "groups", "groupid"), refs(&fields, "hosts", "hostid"));
    writable_host_groups(ctx, &groups)?;
    writable_hosts(ctx, &hosts)?;
    undiscovered(ctx, &hosts)?;
    let group_ids: Vec<GroupId> = to_ids(&groups);
    // Discovered hosts stay where discovery has put them.
    let is_member =
        |it: &Host| !it.is_discovered() && it.groups.iter().any(|it| group_ids.contains(it));
    let members = ctx.snapshot.hosts.values().filter(|it| is_member(it));
    let gone: Vec<u64> = members.map(|it| it.id.0).filter(|it| !hosts.contains(it)).collect();
    writable_hosts(ctx, &gone)?;
    ctx.edit(|e| {
        if !gone.is_empty() {
            e.remove_groups(&to_ids(&gone), &group_ids)?;
        }
        if hosts.is_empty() { Ok(()) } else { e.add_groups(&to_ids(&hosts), &group_ids) }
    })?;
    Ok(answer("groupids", &groups))
}

fn templategroup_add(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let fields = checked(&[NEEDED_GROUPS, TEMPLATES], params)?;
    let groups = refs(&fields, "groups", "groupid");
    let templates = refs(&fields, "templates", "templateid");
    writable_template_groups(ctx, &groups)?;
    writable_templates(ctx, &templates)?;
    ctx.edit(|e| e.add_template_groups(&to_ids(&templates), &to_ids(&groups), NotedAs::Groups))?;
    Ok(answer("groupids", &groups))
}

fn templategroup_remove(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let [groups, mut templates] = removed(params, ["groupids", "templateids"])?;
    writable_template_groups(ctx, &groups)?;
    templates.retain(|it| ctx.snapshot.templates.contains_key(&HostId(*it)));
    writable_templates(ctx, &templates)?;
    ctx.edit(|e| e.remove_template_groups(&to_ids(&templates), &to_ids(&groups), NotedAs::Groups))?;
    Ok(answer("groupids", &groups))
}

/// The groups have exactly these templates afterwards.
fn templategroup_update(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let fields = checked(&[NEEDED_GROUPS, TEMPLATES.or_empty()], params)?;
    let groups = refs(&fields, "groups", "groupid");
    let templates = refs(&fields, "templates", "templateid");
    writable_template_groups(ctx, &groups)?;
    writable_templates(ctx, &templates)?;
    let group_ids: Vec<TemplateGroupId> = to_ids(&groups);
    let is_member = |it: &Host| it.template_groups.iter().any(|it| group_ids.contains(it));
    let members = ctx.snapshot.templates.values().filter(|it| is_member(it));
    let gone: Vec<u64> = members.map(|it| it.id.0).filter(|it| !templates.contains(it)).collect();
    writable_templates(ctx, &gone)?;
    ctx.edit(|e| {
        if !gone.is_empty() {
            e.remove_template_groups(&to_ids(&gone), &group_ids, NotedAs::Groups)?;
        }
        if templates.is_empty() {
            Ok(())
        } else {
            e.add_template_groups(&to_ids(&templates), &group_ids, NotedAs::Groups)
        }
    })?;
    Ok(answer("groupids", &groups))
}
