//! Hosts: their parts in addition to those of templates.

use model::HostId;
use model::content::INVENTORY_FIELDS;
use model::describe::{Field, Rule};
use serde_json::{Value as Json, json};

use super::documents::read_content;
use super::fields::{Fields, object, tags};
use super::reader::{Node, unsupported};
use super::{Importer, Pending, user_macro};
use crate::configuration::objects::ObjectKind;
use crate::configuration::objects::host::{IN_FILES, INVENTORY_MODE, NAME};
use crate::configuration::objects::interface::{self as described, DETAILS_IN_FILES, TYPE};
use crate::configuration::objects::names::{Codes, INTERFACE_TYPES};
use crate::error::ConfigError;

/// An interface of a file.
pub(super) struct FileInterface {
    /// Its name in the file.
    name: String,
    pub(super) fields: Fields,
}

impl Importer<'_> {
    /// The host itself without links and items; `None` if the rules leave it alone.
    pub(super) fn host(&mut self, mut node: Node) -> Result<Option<Pending>, ConfigError> {
        let host = node.needed_text("host")?;
        let known = self.e.snapshot().host_named(&host).map(|it| it.id);
        let rule = self.rules.hosts;
        match known {
            Some(id) if !rule.update => {
                self.interfaces_as_they_are(id, &mut node)?;
                node.keep_only(super::OF_RULES);
                let valuemaps = self.valuemaps(known, node.list("valuemaps")?)?;
                return self.parts_of(ObjectKind::Host, id, valuemaps, node);
            }
            None if !rule.create => return Ok(None),
            _ => {}
        }
        refuse_proxy(&mut node)?;
        let interfaces = interfaces(&mut node)?;
        let requests: Vec<&Fields> = interfaces.iter().map(|it| &it.fields).collect();
        let mut fields = object(json!({ "host": host }));
        let left_out = Rule::Default(if self.has_no_inventory { "-1" } else { "0" });
        let in_file = |field: &Field| match field.name {
            it if it == INVENTORY_MODE.field.name => Field { rule: left_out, ..*field },
            _ => *field,
        };
        read_content(&mut fields, &mut node, IN_FILES, false, &in_file)?;
        // None is the technical one.
        fields.entry(NAME.field.name).or_insert_with(|| "".into());
        fields.extend(object(json!({
            "groups": self.host_groups(&mut node)?,
            "interfaces": requests,
            "macros": node.list("macros")?.into_iter().map(user_macro).collect::<Result<Vec<_>, _>>()?,
            "tags": tags(&mut node)?,
            "valuemaps": self.valuemaps(known, node.list("valuemaps")?)?,
        })));
        inventory(&mut node, &mut fields)?;
        let path = node.path().to_owned();
        let at_path = |error: ConfigError| error.at(&path);
        let id = match known {
            Some(id) => {
                self.e.update(ObjectKind::Host, id.0, fields).map_err(at_path)?;
                id
            }
            None => HostId(self.e.create(ObjectKind::Host, fields).map_err(at_path)?),
        };
        // They stand in the order in which they were given.
        let ids = self.holder(id)?.interfaces.iter().map(|it| it.interfaceid).collect::<Vec<_>>();
        for (it, interface) in interfaces.into_iter().zip(ids) {
            self.interfaces.insert((id, it.name), interface);
        }
        self.imported.push(id);
        Ok(Some(Pending { kind: ObjectKind::Host, id, is_new: known.is_none(), node }))
    }

    /// Names in the file for the interfaces that a host has: those of the same type, in their
    /// order.
    fn interfaces_as_they_are(&mut self, id: HostId, node: &mut Node) -> Result<(), ConfigError> {
        let there = self.holder(id)?.interfaces.clone();
        for FileInterface { name, fields } in interfaces(node)? {
            let given = |field: &str| fields.get(field).and_then(Json::as_str);
            let is_same = |field: &str, value: &str| given(field) == Some(value);
            let mut of_type =
                there.iter().filter(|it| is_same("type", &it.kind.code().to_string()));
            let found = of_type
                .clone()
                .find(|it| {
                    is_same("ip", &it.ip) && is_same("dns", &it.dns) && is_same("port", &it.port)
                })
                .or_else(|| of_type.next());
            if let Some(it) = found {
                self.interfaces.insert((id, name), it.interfaceid);
            }
        }
        Ok(())
    }

    /// The host groups that a host names.
    fn host_groups(&self, node: &mut Node) -> Result<Vec<Json>, ConfigError> {
        let mut groups = Vec::new();
        for mut group in node.list("groups")? {
            let name = group.text("name")?.unwrap_or_default();
            group.finish()?;
            let id = self.e.host_group_named(&name).ok_or_else(|| {
                ConfigError::application(format_args!("Group \"{name}\" does not exist."))
            })?;
            groups.push(json!({"groupid": id.to_string()}));
        }
        Ok(groups)
    }
}

/// There are no proxies: a host that one watched would be watched by the server, from elsewhere.
fn refuse_proxy(node: &mut Node) -> Result<(), ConfigError> {
    let path = node.path_of("monitored_by");
    let by = node.text("monitored_by")?;
    let mut has_proxy = by.is_some_and(|it| !it.is_empty() && it != "SERVER");
    for name in ["proxy", "proxy_group"] {
        if let Some(mut proxy) = node.child(name)? {
            has_proxy |= proxy.text("name")?.is_some_and(|it| !it.is_empty());
            proxy.finish()?;
        }
    }
    if has_proxy {
        return Err(unsupported(&path, "there are no proxies; \"SERVER\" is expected"));
    }
    Ok(())
}

/// The fields of the inventory, if the host is to have one.
fn inventory(node: &mut Node, host: &mut Fields) -> Result<(), ConfigError> {
    let mut fields = Fields::new();
    let child = node.child("inventory")?;
    if let Some(mut inventory) = child {
        for field in &INVENTORY_FIELDS {
            if let Some(text) = inventory.text(field.name)? {
                fields.insert(field.name.to_owned(), text.into());
            }
        }
        inventory.finish()?;
    }
    if host.get(INVENTORY_MODE.field.name).and_then(Json::as_str) != Some("-1") {
        // Fields that the file does not name are empty.
        for field in &INVENTORY_FIELDS {
            fields.entry(field.name).or_insert_with(|| "".into());
        }
        host.insert("inventory".to_owned(), Json::Object(fields));
    }
    Ok(())
}

fn interfaces(node: &mut Node) -> Result<Vec<FileInterface>, ConfigError> {
    let mut found = Vec::new();
    for node in node.list("interfaces")? {
        let mut it = interface(node, INTERFACE_TYPES)?;
        // Details mean nothing on interfaces of other types.
        let details = it.fields.remove("details");
        if it.fields.get("type").and_then(Json::as_str) == Some("2") {
            let details = details.unwrap_or_else(|| json!({"version": "2"}));
            it.fields.insert("details".to_owned(), details);
        }
        found.push(it);
    }
    Ok(found)
}

/// An interface of a host, or of a host prototype. `types`: the names of the types in files.
pub(super) fn interface(mut node: Node, types: Codes) -> Result<FileInterface, ConfigError> {
    let in_file = |field: &Field| {
        if field.name == TYPE.field.name { field.named(types) } else { *field }
    };
    let mut fields = Fields::new();
    read_content(&mut fields, &mut node, described::IN_FILES, false, &in_file)?;
    if let Some(mut of_snmp) = node.child("details")? {
        let mut details = Fields::new();
        read_content(&mut details, &mut of_snmp, DETAILS_IN_FILES, false, &|it| *it)?;
        of_snmp.finish()?;
        fields.insert("details".to_owned(), Json::Object(details));
    }
    let name = node.text("interface_ref")?.unwrap_or_default();
    node.finish()?;
    Ok(FileInterface { name, fields })
}
