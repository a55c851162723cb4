//! Operations of actions on the hosts of events: agents that registered themselves and devices that
//! network discovery found become hosts here.
//!
//! They are executed before the turn is saved, in an edit of its own, and are made again with the
//! turn. Each operation adds only missing parts, so that a repetition changes nothing.

use std::net::IpAddr;
use std::sync::Arc;

use db::{Actor, ConfigError, Db, Editor, ErrorCode, ObjectKind};
use model::content::{HostStatus, Interface, InterfaceType, SnmpDetails, Tag};
use model::encryption::PSK;
use model::snapshot::{Host, Snapshot};
use model::{EventId, GroupId, HostId, Time};
use serde_json::{Map, Value as Json, json};

use alert::operation::HostOperation;

/// Zabbix's default of the group for hosts that are found.
const FOUND_GROUP: u64 = 5;

/// A host that registered itself or was discovered, as far as the event describes it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct FoundHost {
    /// Technical and visible name.
    pub(super) host: String,
    pub(super) ip: String,
    pub(super) dns: String,
    pub(super) port: u16,
    /// Whether its agent is to be asked by its name.
    pub(super) is_by_dns: bool,
    /// Its agent connected by the key of autoregistration.
    pub(super) is_by_key: bool,
    /// Of network discovery; addresses and port of the host itself say nothing then.
    pub(super) device: Option<FoundDevice>,
}

/// A device that network discovery found: known by its addresses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct FoundDevice {
    /// Visible name; "" if it is to have none of its own.
    pub(super) name: String,
    pub(super) addresses: Vec<IpAddr>,
    pub(super) interfaces: Vec<FoundInterface>,
}

/// How a device can be asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FoundInterface {
    pub(super) kind: InterfaceType,
    pub(super) ip: String,
    pub(super) dns: String,
    pub(super) port: u16,
    pub(super) snmp: Option<SnmpDetails>,
}

impl FoundHost {
    pub(super) fn in_snapshot<'s>(&self, snapshot: &'s Snapshot) -> Option<&'s Host> {
        let Some(device) = &self.device else {
            return snapshot.host_named(&self.host).map(AsRef::as_ref);
        };
        let has_address = |it: &&Arc<Host>| {
            let mut addresses = it.interfaces.iter().filter_map(|it| it.ip.parse().ok());
            addresses.any(|it: IpAddr| device.addresses.contains(&it))
        };
        // As in Zabbix, the first one by id.
        snapshot.hosts.values().filter(has_address).min_by_key(|it| it.id).map(AsRef::as_ref)
    }
}

/// The operations of an action for one event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct HostChange {
    pub(super) action: u64,
    pub(super) event: EventId,
    pub(super) found: FoundHost,
    pub(super) operations: Vec<HostOperation>,
}

/// An operation that a rule of the configuration forbids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Refused {
    pub(super) action: u64,
    pub(super) event: EventId,
    pub(super) host: String,
    pub(super) operation: &'static str,
    pub(super) why: String,
}

/// Executes all of them; returns those that failed.
///
/// # Errors
/// If the store is away: nothing of the last edit is done then, and all has to be done again.
pub(super) fn apply(
    db: &Db,
    changes: &[HostChange],
    now: Time,
) -> Result<Vec<Refused>, ConfigError> {
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    // Thousands of agents that register themselves make one edit.
    if edit(db, now, |editor| changes.iter().try_for_each(|it| change(editor, it)))?.is_ok() {
        return Ok(Vec::new());
    }
    // Somebody's fails, and must not keep others from theirs.
    let mut refused = Vec::new();
    for it in changes {
        if changes.len() > 1 && edit(db, now, |editor| change(editor, it))?.is_ok() {
            continue;
        }
        for operation in &it.operations {
            if let Err(why) = edit(db, now, |editor| operate(editor, &it.found, operation))? {
                refused.push(Refused {
                    action: it.action,
                    event: it.event,
                    host: it.found.host.clone(),
                    operation: operation.name(),
                    why,
                });
            }
        }
    }
    Ok(refused)
}

/// The inner error is one of the configuration, the outer one of the store.
fn edit(
    db: &Db,
    now: Time,
    change: impl FnOnce(&mut Editor) -> Result<(), ConfigError>,
) -> Result<Result<(), String>, ConfigError> {
    let done = db.edit(Actor::Action, |editor| {
        editor.set_time(now);
        change(editor)
    });
    match done {
        Ok(()) => Ok(Ok(())),
        Err(error) if error.code == ErrorCode::System => Err(error),
        Err(error) => Ok(Err(error.text())),
    }
}

fn change(editor: &mut Editor, it: &HostChange) -> Result<(), ConfigError> {
    it.operations.iter().try_for_each(|operation| operate(editor, &it.found, operation))
}

fn operate(
    editor: &mut Editor,
    found: &FoundHost,
    operation: &HostOperation,
) -> Result<(), ConfigError> {
    let id = match found.in_snapshot(editor.snapshot()).map(|it| it.id) {
        Some(id) => id,
        None if operation.makes_host() => create(editor, found)?,
        None => return Ok(()),
    };
    match operation {
        HostOperation::Add => add_interfaces(editor, id, found),
        HostOperation::Remove => editor.delete(ObjectKind::Host, &[id.0]),
        HostOperation::AddGroups(groups) => {
            let missing = of_host(editor, id, |it| without(groups, &it.groups));
            if missing.is_empty() { Ok(()) } else { editor.add_groups(&[id], &missing) }
        }
        HostOperation::RemoveGroups(groups) => {
            let there = of_host(editor, id, |it| both(groups, &it.groups));
            if there.is_empty() { Ok(()) } else { editor.remove_groups(&[id], &there) }
        }
        HostOperation::Link(templates) => {
            let missing = of_host(editor, id, |it| without(templates, &it.templates));
            if missing.is_empty() { Ok(()) } else { editor.link(&[id], &missing) }
        }
        HostOperation::Unlink(templates) => {
            let there = of_host(editor, id, |it| both(templates, &it.templates));
            if there.is_empty() { Ok(()) } else { editor.unlink(&[id], &there, true) }
        }
        HostOperation::Enable => set_status(editor, id, HostStatus::Monitored),
        HostOperation::Disable => set_status(editor, id, HostStatus::NotMonitored),
        HostOperation::SetInventoryMode(mode) => {
            if of_host(editor, id, |it| it.inventory_mode == *mode) {
                return Ok(());
            }
            update(editor, id, "inventory_mode", json!(mode.code().to_string()))
        }
        HostOperation::AddTags(tags) => {
            let old = of_host(editor, id, |it| it.tags.clone());
            let new = without(tags, &old);
            if new.is_empty() { Ok(()) } else { set_tags(editor, id, [old, new].concat()) }
        }
        HostOperation::RemoveTags(tags) => {
            let old = of_host(editor, id, |it| it.tags.clone());
            let left = without(&old, tags);
            if left.len() == old.len() { Ok(()) } else { set_tags(editor, id, left) }
        }
    }
}

fn of_host<T: Default>(editor: &Editor, id: HostId, ask: impl FnOnce(&Host) -> T) -> T {
    editor.snapshot().hosts.get(&id).map(|it| ask(it)).unwrap_or_default()
}

/// Those of a list that another one does not have.
fn without<T: PartialEq + Clone>(list: &[T], other: &[T]) -> Vec<T> {
    list.iter().filter(|it| !other.contains(it)).cloned().collect()
}

fn both<T: PartialEq + Clone>(list: &[T], other: &[T]) -> Vec<T> {
    list.iter().filter(|it| other.contains(it)).cloned().collect()
}

fn update(editor: &mut Editor, id: HostId, name: &str, value: Json) -> Result<(), ConfigError> {
    let fields = Map::from_iter([(name.to_owned(), value)]);
    editor.update(ObjectKind::Host, id.0, fields)
}

fn set_status(editor: &mut Editor, id: HostId, status: HostStatus) -> Result<(), ConfigError> {
    let is_it = editor.snapshot().hosts.get(&id).is_some_and(|it| it.status == status);
    if is_it { Ok(()) } else { update(editor, id, "status", json!(status.code().to_string())) }
}

fn set_tags(editor: &mut Editor, id: HostId, tags: Vec<Tag>) -> Result<(), ConfigError> {
    let list: Json = tags.iter().map(|it| json!({"tag": it.tag, "value": it.value})).collect();
    update(editor, id, "tags", list)
}

/// The group for hosts that are found, by the settings.
fn found_group(snapshot: &Snapshot) -> GroupId {
    let settings = snapshot.documents.get("settings", db::objects::SINGLE);
    let id = settings.and_then(|it| it.text("discovery_groupid").parse().ok());
    GroupId(id.unwrap_or(FOUND_GROUP))
}

fn create(editor: &mut Editor, found: &FoundHost) -> Result<HostId, ConfigError> {
    let snapshot = editor.snapshot();
    let mut fields = json!({
        "host": found.host,
        "groups": [{"groupid": found_group(snapshot).0.to_string()}],
        "interfaces": [],
    });
    if let Some(device) = &found.device {
        let is_host = |name: &str| snapshot.host_named(name).is_some();
        fields["host"] = json!(unused(&found.host, is_host));
        if !device.name.is_empty() {
            let is_name = |name: &str| snapshot.hosts.values().any(|it| *it.name == *name);
            fields["name"] = json!(unused(&device.name, is_name));
        }
    }
    let mut interfaces: Vec<Json> = Vec::new();
    for it in found.interfaces() {
        let is_main = interfaces.iter().all(|other| other["type"] != it["type"]);
        interfaces.push(with_main(it, is_main));
    }
    fields["interfaces"] = Json::Array(interfaces);
    let mut fields = fields.as_object().cloned().unwrap_or_default();
    // As in Zabbix: the new host keeps the encryption of its first connection.
    let by = &editor.snapshot().globals.settings.autoregistration;
    if found.is_by_key && by.uses_psk() {
        for (name, value) in [
            ("tls_connect", PSK.to_string()),
            ("tls_accept", PSK.to_string()),
            ("tls_psk_identity", by.psk_identity.clone()),
            ("tls_psk", by.psk.clone()),
        ] {
            fields.insert(name.to_owned(), Json::from(value));
        }
    }
    editor.create(ObjectKind::Host, fields).map(HostId)
}

/// A name that nobody has: with a number where somebody has it, as Zabbix makes it.
fn unused(name: &str, is_used: impl Fn(&str) -> bool) -> String {
    if !is_used(name) {
        return name.to_owned();
    }
    let numbered = (2_u64..).map(|n| format!("{name}_{n}"));
    numbered.into_iter().find(|it| !is_used(it)).unwrap_or_else(|| name.to_owned())
}

impl FoundHost {
    /// How it can be asked, in the fields of the API; each once.
    fn interfaces(&self) -> Vec<Json> {
        let Some(device) = &self.device else {
            return vec![json!({
                "type": InterfaceType::Agent.code().to_string(),
                "useip": u8::from(!self.is_by_dns).to_string(),
                "ip": self.ip,
                "dns": self.dns,
                "port": self.port.to_string(),
            })];
        };
        let mut all: Vec<Json> = Vec::new();
        for it in &device.interfaces {
            let mut fields = json!({
                "type": it.kind.code().to_string(),
                "useip": "1",
                "ip": it.ip,
                "dns": it.dns,
                "port": it.port.to_string(),
            });
            if let Some(details) = &it.snmp {
                fields["details"] = details_of(details);
            }
            let is_same = |other: &Json| {
                ["type", "ip", "port"].into_iter().all(|name| other[name] == fields[name])
            };
            if !all.iter().any(is_same) {
                all.push(fields);
            }
        }
        all
    }
}

/// Details of an SNMP interface in the fields of the API: those that its version has.
fn details_of(of: &SnmpDetails) -> Json {
    let mut fields = json!({"version": of.version.to_string(), "bulk": "1"});
    if of.version != 3 {
        fields["community"] = json!(of.community);
        return fields;
    }
    fields["securityname"] = json!(of.securityname);
    fields["securitylevel"] = json!(of.securitylevel.to_string());
    fields["contextname"] = json!(of.contextname);
    if of.securitylevel > 0 {
        fields["authprotocol"] = json!(of.authprotocol.to_string());
        fields["authpassphrase"] = json!(of.authpassphrase);
    }
    if of.securitylevel > 1 {
        fields["privprotocol"] = json!(of.privprotocol.to_string());
        fields["privpassphrase"] = json!(of.privpassphrase);
    }
    fields
}

fn with_main(mut interface: Json, is_main: bool) -> Json {
    interface["main"] = json!(u8::from(is_main).to_string());
    interface
}

/// A host that is there already gets the addresses by which it was found, if it has none like them.
fn add_interfaces(editor: &mut Editor, id: HostId, found: &FoundHost) -> Result<(), ConfigError> {
    for wanted in found.interfaces() {
        let of = |it: &Interface| it.kind.code().to_string();
        let host = editor.snapshot().hosts.get(&id);
        let interfaces = host.map(|it| it.interfaces.as_slice()).unwrap_or_default();
        let is_same = |it: &Interface| {
            let has_address = match it.useip {
                true => wanted["useip"] == "1" && wanted["ip"] == *it.ip,
                false => wanted["useip"] == "0" && wanted["dns"] == *it.dns,
            };
            wanted["type"] == of(it) && has_address && wanted["port"] == *it.port
        };
        if interfaces.iter().any(is_same) {
            continue;
        }
        let has_main = interfaces.iter().any(|it| wanted["type"] == of(it) && it.main);
        let wanted = with_main(wanted, !has_main);
        let mut fields = wanted.as_object().cloned().unwrap_or_default();
        fields.insert("hostid".to_owned(), json!(id.to_string()));
        editor.create(ObjectKind::HostInterface, fields)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
