//! Host prototypes of discovery rules.

use model::snapshot::HostPrototypeRow;
use model::{HostId, ItemId};
use serde_json::{Value as Json, json};

use super::documents::read_content;
use super::fields::{object, tags};
use super::host::interface;
use super::reader::Node;
use super::{Importer, user_macro};
use crate::configuration::objects::ObjectKind;
use crate::configuration::objects::hostprototype::{IN_FILES, NAME, in_file};
use crate::configuration::objects::names::Codes;
use crate::error::ConfigError;

const INTERFACES: Codes = &[("ZABBIX", 1), ("AGENT", 1), ("SNMP", 2), ("IPMI", 3), ("JMX", 4)];

impl Importer<'_> {
    /// Makes or updates a prototype; read when all templates are there, which it may link.
    pub(super) fn host_prototype(
        &mut self,
        template: HostId,
        rule: ItemId,
        mut node: Node,
    ) -> Result<(), ConfigError> {
        let host = node.needed_text("host")?;
        let uuid = node.uuid()?;
        let path = node.path().to_owned();
        // Where it is left out: of templates none in every version, of hosts by version.
        let of_template = self.e.snapshot().templates.contains_key(&template);
        let left_out = if of_template || self.has_no_inventory { "-1" } else { "0" };
        let mut groups = Vec::new();
        for mut link in node.list("group_links")? {
            let mut group = link.child("group")?.ok_or_else(|| link.missing("group"))?;
            let name = group.needed_text("name")?;
            group.finish()?;
            link.finish()?;
            groups.push(json!({"groupid": self.host_group(&name)?.to_string()}));
        }
        let mut group_prototypes = Vec::new();
        for mut group in node.list("group_prototypes")? {
            group_prototypes.push(json!({"name": group.needed_text("name")?}));
            group.finish()?;
        }
        let mut templates = Vec::new();
        for mut linked in node.list("templates")? {
            let name = linked.needed_text("name")?;
            linked.finish()?;
            let id = self.template_named(&name)?;
            templates.push(json!({"templateid": id.to_string()}));
        }
        let macros = node.list("macros")?.into_iter().map(user_macro);
        let mut fields = object(json!({ "host": host, "uuid": uuid }));
        read_content(&mut fields, &mut node, IN_FILES, true, &|it| in_file(it, left_out))?;
        // None is the technical one.
        fields.entry(NAME.field.name).or_insert_with(|| "".into());
        fields.extend(object(json!({
            "interfaces": interfaces(&mut node)?,
            "groupLinks": groups,
            "groupPrototypes": group_prototypes,
            "templates": templates,
            "macros": macros.collect::<Result<Vec<_>, _>>()?,
            "tags": tags(&mut node)?,
        })));
        node.finish()?;
        let holder = self.holder(template)?;
        let is_own = |it: &HostPrototypeRow| it.source.is_none();
        let known = holder
            .host_prototype_by_uuid_where(&uuid, is_own)
            .or_else(|| holder.host_prototype_by_name_where(rule, &host, is_own))
            .map(|it| it.id);
        self.kept_host_prototypes.extend(known);
        let kind = ObjectKind::HostPrototype;
        let at_path = |error: ConfigError| error.at(&path);
        match known {
            Some(id) => {
                if uuid.is_empty() {
                    fields.remove("uuid");
                }
                self.e.update(kind, id.0, fields).map_err(at_path)
            }
            None => {
                fields.insert("ruleid".to_owned(), rule.to_string().into());
                let id = HostId(self.e.create(kind, fields).map_err(at_path)?);
                self.kept_host_prototypes.insert(id);
                Ok(())
            }
        }
    }

    /// A template that is there, or of the same file.
    pub(super) fn template_named(&self, name: &str) -> Result<HostId, ConfigError> {
        let found = self.e.snapshot().template_named(name).map(|it| it.id);
        found.ok_or_else(|| {
            ConfigError::application(format_args!("Template \"{name}\" does not exist."))
        })
    }

    /// A host group of this name. Files of templates name groups of hosts without saying more of them,
    /// so it is made if there is none.
    fn host_group(&mut self, name: &str) -> Result<u64, ConfigError> {
        if let Some(id) = self.e.host_group_named(name) {
            return Ok(id.0);
        }
        if !self.rules.host_groups.create {
            return Err(ConfigError::application(format_args!("Group \"{name}\" does not exist.")));
        }
        self.e.create(ObjectKind::HostGroup, object(json!({"name": name})))
    }
}

fn interfaces(node: &mut Node) -> Result<Json, ConfigError> {
    let interfaces = node.list("interfaces")?.into_iter();
    let interfaces = interfaces.map(|it| Ok(Json::Object(interface(it, INTERFACES)?.fields)));
    interfaces.collect::<Result<Vec<Json>, ConfigError>>().map(Json::Array)
}
