//! Parameters of `host.create` and `host.update` in the order in which Zabbix checks them: first the lists and the
//! encryption of each host by the description, then permissions, then names and codes in its older wording. Fields
//! that are columns of its table are judged last.

use db::objects::interface::MISSING;
use model::HostId;
use model::content::INVENTORY_FIELDS;
use model::encryption::Encryption;
use model::field_path::FieldPath;
use model::map::Set;
use model::snapshot::Host;
use serde_json::{Map, Value};

use crate::describe::Field;
use crate::error::ApiError;
use crate::json::{Fields, id_of, str_of};
use crate::objects::common::access;
use crate::objects::common::checks;
use crate::query::given::text;
use crate::shared::Ctx;
use crate::validate::{self, Mode, as_columns, elements};

/// Fields whose rules Zabbix has in its newer form, in its order.
const RULED: &[&str] = &[
    "hostid",
    "tls_connect",
    "tls_accept",
    "tls_psk_identity",
    "tls_psk",
    "tls_issuer",
    "tls_subject",
    "groups",
    "templates",
    "templates_clear",
    "tags",
    "macros",
];
/// Fields of which the table alone decides.
const COLUMNS: &[&str] = &[
    "host",
    "name",
    "description",
    "ipmi_authtype",
    "ipmi_privilege",
    "ipmi_username",
    "ipmi_password",
];
/// Of `tls_psk`.
pub(super) const OTHER_KEY: &str =
    "another tls_psk value is already associated with given tls_psk_identity";

/// These fields of hosts.
pub(super) fn named(fields: &[Field], names: &[&str]) -> Vec<Field> {
    let found = names.iter().filter_map(|name| fields.iter().find(|it| it.name == *name));
    found.copied().collect()
}

/// A host of a request.
struct Wanted<'a> {
    given: &'a Map<String, Value>,
    /// Its lists and encryption, canonical; empty of discovered hosts, whose fields are checked later.
    ruled: Fields,
    old: Option<&'a Host>,
}

/// # Errors
/// The first one in Zabbix's order.
pub(super) fn judge(
    ctx: &Ctx,
    fields: &[Field],
    params: &Value,
    mode: Mode,
) -> Result<(), ApiError> {
    let expected = || ApiError::field(FieldPath::root(), "an array is expected");
    let list = elements(params, false).ok_or_else(expected)?;
    if list.is_empty() {
        return Err(ApiError::field(FieldPath::root(), "cannot be empty"));
    }
    let nothing = Map::new();
    let old = if mode == Mode::Update { olds(ctx, fields, &list)? } else { vec![None; list.len()] };
    let mut hosts = Vec::with_capacity(list.len());
    for (at, (it, old)) in list.iter().zip(old).enumerate() {
        let path = FieldPath::object(at);
        let is_discovered = old.is_some_and(Host::is_discovered);
        let ruled =
            if is_discovered { Fields::new() } else { ruled(ctx, fields, it, old, mode, &path)? };
        hosts.push(Wanted { given: it.as_object().unwrap_or(&nothing), ruled, old });
    }
    one_key_each(ctx, &hosts)?;
    for (at, it) in hosts.iter().enumerate() {
        let path = FieldPath::object(at).member("groups");
        let groups = ids(&it.ruled, "groups", "groupid");
        access::check_groups(ctx, &access::HOST_GROUPS, &groups, &[it.old], &path)?;
    }
    for (at, it) in hosts.iter().enumerate() {
        let [linked, cleared] = ["templates", "templates_clear"].map(|list| {
            (access::template_ids(&it.ruled, list), FieldPath::object(at).member(list))
        });
        access::check_links(ctx, (&linked.0, &linked.1), (&cleared.0, &cleared.1))?;
    }
    if mode == Mode::Create {
        names_of_new(&hosts)?;
    }
    codes(&hosts, mode)?;
    let columns = named(fields, COLUMNS);
    for it in &hosts {
        as_columns(&columns, it.given)?;
    }
    Ok(())
}

/// The hosts that an update names, each once, and the user's to change.
fn olds<'a>(
    ctx: &'a Ctx,
    fields: &[Field],
    list: &[&Value],
) -> Result<Vec<Option<&'a Host>>, ApiError> {
    let id = named(fields, &["hostid"]);
    let mut seen = Set::default();
    let mut named = Vec::with_capacity(list.len());
    for (at, it) in list.iter().enumerate() {
        let known = validate::without_unknown(&id, Some("hostid"), it, Mode::Update);
        let known =
            validate::object_at(&id, Some("hostid"), &known, Mode::Update, &FieldPath::object(at))?;
        named.push(id_of(&known, "hostid").unwrap_or_default());
    }
    for (at, id) in named.iter().enumerate() {
        if !seen.insert(*id) {
            let what = format!("value (hostid)=({id}) already exists");
            return Err(ApiError::field(FieldPath::object(at), &what));
        }
    }
    let host = |id: &u64| ctx.snapshot.hosts.get(&HostId(*id)).filter(|it| ctx.may_write(it));
    let all = named.iter().map(|id| host(id).map(|it| Some(&**it)));
    all.collect::<Option<Vec<_>>>().ok_or_else(ApiError::no_permissions)
}

fn ruled(
    ctx: &Ctx,
    fields: &[Field],
    given: &Value,
    old: Option<&Host>,
    mode: Mode,
    path: &FieldPath,
) -> Result<Fields, ApiError> {
    let of_new = |it: &Field| mode == Mode::Update || it.name != "templates_clear";
    let all = named(fields, RULED);
    let (encryption, lists): (Vec<Field>, Vec<Field>) =
        all.into_iter().filter(of_new).partition(|it| it.name.starts_with("tls_"));
    let known = validate::without_unknown(&encryption, None, given, mode);
    let mut ruled = validate::object_at(&encryption, None, &known, mode, path)?;
    let before = old.and_then(|it| it.encryption.as_deref()).cloned().unwrap_or_default();
    db::changed_encryption(&before, &ruled, path)?;
    let known = validate::without_unknown(&lists, Some("hostid"), given, mode);
    unexpected_origin(given, mode, path)?;
    ruled.append(&mut validate::object_at(&lists, Some("hostid"), &known, mode, path)?);
    checks::unique_tags(&ruled, path)?;
    checks::macros(ctx, &ruled, path)?;
    Ok(ruled)
}

/// New macros have no origin to name.
pub(super) fn unexpected_origin(
    given: &Value,
    mode: Mode,
    path: &FieldPath,
) -> Result<(), ApiError> {
    if mode == Mode::Update {
        return Ok(());
    }
    let list = given.get("macros").and_then(|it| elements(it, false)).unwrap_or_default();
    match list.iter().position(|it| it.get("automatic").is_some()) {
        Some(at) => Err(ApiError::unexpected(path.member("macros").element(at), "automatic")),
        None => Ok(()),
    }
}

fn ids(fields: &Fields, list: &str, id: &str) -> Vec<u64> {
    crate::json::list_of(fields, list).map(|it| id_of(it, id).unwrap_or_default()).collect()
}

/// An identity has one key among the hosts of a request, the other hosts, and autoregistration.
fn one_key_each(ctx: &Ctx, hosts: &[Wanted<'_>]) -> Result<(), ApiError> {
    let of = |it: &Wanted<'_>| {
        let is_given =
            ["tls_psk_identity", "tls_psk"].iter().any(|name| it.ruled.contains_key(*name));
        let before = it.old.and_then(|it| it.encryption.as_deref()).cloned().unwrap_or_default();
        let now = db::changed_encryption(&before, &it.ruled, &FieldPath::root()).ok()?;
        (is_given && now.uses_psk()).then_some(now)
    };
    let keys: Vec<_> = hosts.iter().map(of).collect();
    let wrong =
        |at: usize| Err(ApiError::field(FieldPath::object(at).member("tls_psk"), OTHER_KEY));
    for (at, key) in keys.iter().enumerate() {
        let Some(key) = key else { continue };
        let mut before = keys[..at].iter().flatten();
        if before.any(|it| it.psk_identity == key.psk_identity && it.psk != key.psk) {
            return wrong(at);
        }
    }
    let renewed: Set<HostId> = hosts.iter().filter_map(|it| it.old).map(|it| it.id).collect();
    for (at, key) in keys.iter().enumerate() {
        if key.as_ref().is_some_and(|it| has_other_key(ctx, it, &renewed)) {
            return wrong(at);
        }
    }
    Ok(())
}

/// Whether the identity of an encryption has another key with autoregistration, or at a host that is none of these.
pub(super) fn has_other_key(ctx: &Ctx, of: &Encryption, except: &Set<HostId>) -> bool {
    let registration = &ctx.snapshot.globals.settings.autoregistration;
    let differs =
        |it: &Encryption| it.uses_psk() && it.psk_identity == of.psk_identity && it.psk != of.psk;
    let others = ctx.snapshot.hosts.values().filter(|it| !except.contains(&it.id));
    differs(registration) || others.filter_map(|it| it.encryption.as_deref()).any(differs)
}

fn names_of_new(hosts: &[Wanted<'_>]) -> Result<(), ApiError> {
    let mut names: Vec<[String; 2]> = Vec::with_capacity(hosts.len());
    for it in hosts {
        let Some(host) = it.given.get("host").filter(|it| !it.is_null()).map(text) else {
            return Err(ApiError::params("Wrong fields for host \"\"."));
        };
        foreign(it.given)?;
        characters(&host)?;
        let visible = it.given.get("name").map(text).filter(|it| !it.trim().is_empty());
        names.push([host.clone(), visible.unwrap_or(host)]);
    }
    for (which, kind) in ["host", "visible"].into_iter().enumerate() {
        let mut seen = Set::default();
        if let Some(twice) = names.iter().find(|it| !seen.insert(it[which].as_str())) {
            return Err(duplicate(kind, &twice[which]));
        }
    }
    Ok(())
}

fn duplicate(kind: &str, name: &str) -> ApiError {
    ApiError::params(format!(
        "Duplicate host. Host with the same {kind} name \"{name}\" already exists in data."
    ))
}

/// A field of proxies, which shared a table with hosts.
fn foreign(given: &Map<String, Value>) -> Result<(), ApiError> {
    if given.contains_key("auto_compress") {
        return Err(ApiError::params("Incorrect input parameters."));
    }
    Ok(())
}

pub(super) fn characters(host: &str) -> Result<(), ApiError> {
    let has_spaces = host.starts_with(' ') || host.ends_with(' ');
    if has_spaces || !lang::host_name::has_allowed_chars(host) {
        let what = format!("Incorrect characters used for host name \"{host}\".");
        return Err(ApiError::params(what));
    }
    Ok(())
}

/// Codes and the inventory of each host, and the names that an update gives.
fn codes(hosts: &[Wanted<'_>], mode: Mode) -> Result<(), ApiError> {
    if mode == Mode::Update {
        hosts.iter().try_for_each(|it| foreign(it.given))?;
    }
    let (mut technical, mut visible) = (Set::default(), Set::default());
    for it in hosts {
        let given = it.given;
        let host = given.get("host").filter(|it| !it.is_null()).map(text);
        let name = host.clone().or_else(|| Some(it.old?.host.to_string())).unwrap_or_default();
        if mode == Mode::Create {
            interfaces(given)?;
        }
        if !is_code(given, "status", &[0, 1]) {
            return Err(ApiError::application(format!("Incorrect status for host \"{name}\".")));
        }
        inventory(given)?;
        if mode == Mode::Create {
            continue;
        }
        interfaces(given)?;
        if let Some(host) = &host {
            characters(host)?;
            if !technical.insert(host.clone()) {
                return Err(duplicate("host", host));
            }
        }
        let Some(shown) = given.get("name").map(text) else { continue };
        let shown = match host {
            _ if !shown.trim().is_empty() => shown,
            Some(host) => host,
            None => {
                let what = "Visible name cannot be empty if host name is missing.";
                return Err(ApiError::params(what));
            }
        };
        if !visible.insert(shown.clone()) {
            return Err(duplicate("visible", &shown));
        }
    }
    Ok(())
}

fn is_code(given: &Map<String, Value>, field: &str, codes: &[i64]) -> bool {
    let code = given.get(field).map(validate::number);
    code.is_none_or(|it| it.is_some_and(|it| codes.contains(&it)))
}

fn interfaces(given: &Map<String, Value>) -> Result<(), ApiError> {
    let is_list = |it: &Value| it.is_array() || it.is_object() || it.is_null();
    match given.get("interfaces") {
        Some(it) if !is_list(it) => Err(ApiError::params(MISSING)),
        _ => Ok(()),
    }
}

/// The mode of an inventory, and its fields as far as they are named.
pub(super) fn inventory(given: &Map<String, Value>) -> Result<(), ApiError> {
    if !is_code(given, "inventory_mode", &[-1, 0, 1]) {
        let what = "Incorrect value for field \"inventory_mode\": value must be one of -1, 0, 1.";
        return Err(ApiError::application(what));
    }
    let Some(Value::Object(fields)) = given.get("inventory") else { return Ok(()) };
    if fields.is_empty() {
        return Ok(());
    }
    if given.get("inventory_mode").and_then(validate::number) == Some(-1) {
        return Err(ApiError::params("Cannot set inventory fields for disabled inventory."));
    }
    match fields.keys().find(|name| INVENTORY_FIELDS.iter().all(|it| it.name != **name)) {
        Some(name) => Err(ApiError::params(format!("Incorrect inventory field \"{name}\"."))),
        None => Ok(()),
    }
}

/// A host that is renamed is shown by its new name, unless another is given.
pub(super) fn follow_name(fields: &mut Fields) {
    if !fields.contains_key("host") {
        return;
    }
    if str_of(fields, "name").trim().is_empty() {
        let name = str_of(fields, "host").to_owned();
        fields.insert("name".to_owned(), Value::String(name));
    }
}
