//! Objects as fields of the API: the audit log records which of them a change modifies.

use std::borrow::Cow;

use model::content::{
    GraphContent, HostPrototypeContent, ItemContent, ItemFlags, ItemType, Media, WebScenario,
};
use model::snapshot::{Host, ItemRow};
use model::{
    GraphId, GroupId, HostId, HostMacroId, InterfaceId, ItemId, TemplateGroupId, TokenId,
    TriggerId, UserGroupId, UserId, ValueMapId,
};
use serde_json::{Map as JsonMap, Value as Json, json};

use super::Editor;
use super::content::to_object;
use crate::configuration::objects::action::operation_id;
use crate::configuration::objects::httptest::IN_ITEM;
use crate::configuration::objects::{DocumentKind, ObjectKind, SINGLE};

pub(super) type Fields = JsonMap<String, Json>;

/// An object as it is.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct AuditedObject {
    /// As in method names of the API.
    pub(super) kind: &'static str,
    /// Its name for people; empty if it has none.
    pub(super) name: String,
    pub(super) fields: Fields,
}

/// The name and the fields of one.
type Named<'a> = (Cow<'a, str>, Fields);

/// Whether a row is a web scenario.
pub(super) fn is_scenario(row: &ItemRow) -> bool {
    row.flags == ItemFlags::Plain
        && row.content.kind == ItemType::WebItem
        && WebScenario::is_of(&row.content.key_)
}

/// Members of the content that only rules and prototypes of rules have.
const OF_RULES: &[&str] = &[
    "filter",
    "lld_macro_paths",
    "lifetime",
    "lifetime_type",
    "enabled_lifetime",
    "enabled_lifetime_type",
    "overrides",
];
/// Those that rules do not have.
const OF_ITEMS: &[&str] =
    &["value_type", "units", "history", "trends", "valuemapid", "logtimefmt", "tags"];
const OF_PROTOTYPES: &[&str] = &["ruleid", "discover"];

impl Editor {
    /// An object as it is now; `None` if there is none, or if it comes and goes with another one.
    pub(super) fn audited(&self, kind: ObjectKind, id: u64) -> Option<AuditedObject> {
        let next = &self.next;
        let (name, fields): Named<'_> = match kind {
            ObjectKind::Host | ObjectKind::Template => {
                let it = next.holder(HostId(id))?;
                // Zabbix names hosts by what people see, templates by their technical name.
                let name = if kind == ObjectKind::Host { &it.name } else { &it.host };
                (Cow::Borrowed(name), self.audited_holder(it))
            }
            ObjectKind::Item
            | ObjectKind::DiscoveryRule
            | ObjectKind::ItemPrototype
            | ObjectKind::DiscoveryRulePrototype => return self.audited_item(kind, ItemId(id)),
            ObjectKind::Trigger | ObjectKind::TriggerPrototype => {
                let (_, row) = next.trigger(TriggerId(id))?;
                (row.name(), self.audited_trigger(TriggerId(id))?)
            }
            ObjectKind::Graph | ObjectKind::GraphPrototype => {
                let (_, row) = self.graph(GraphId(id)).ok()?;
                (row.name(), graph(&row.content))
            }
            ObjectKind::HostPrototype => {
                let (_, row) = self.host_prototype(HostId(id)).ok()?;
                (Cow::Borrowed(&*row.content.host), host_prototype(&row.content))
            }
            ObjectKind::HostGroup => {
                let it = next.host_groups.get(&GroupId(id))?;
                (Cow::Borrowed(&*it.name), to_object(&**it))
            }
            ObjectKind::TemplateGroup => {
                let it = next.template_groups.get(&TemplateGroupId(id))?;
                (Cow::Borrowed(&*it.name), to_object(&**it))
            }
            ObjectKind::User | ObjectKind::UserGroup | ObjectKind::Token => {
                self.audited_access(kind, id)?
            }
            ObjectKind::HostMacro
            | ObjectKind::GlobalMacro
            | ObjectKind::HostInterface
            | ObjectKind::ValueMap => self.audited_part(kind, id)?,
            ObjectKind::Document(kind) => self.audited_document(kind, id)?,
        };
        Some(AuditedObject { kind: kind.name(), name: name.into_owned(), fields })
    }

    fn audited_access(&self, kind: ObjectKind, id: u64) -> Option<Named<'_>> {
        let access = &self.next.access;
        Some(match kind {
            ObjectKind::User => {
                let it = access.users.get(&UserId(id))?;
                let mut fields = without(to_object(&**it), &["userid", "groups"]);
                fields.insert("medias".to_owned(), it.medias.iter().map(media).collect());
                let groups = it.groups.iter().map(|it| json!({"usrgrpid": it.to_string()}));
                fields.insert("usrgrps".to_owned(), groups.collect());
                (Cow::Borrowed(&*it.username), fields)
            }
            ObjectKind::UserGroup => {
                let it = access.groups.get(&UserGroupId(id))?;
                let mut fields = without(to_object(&**it), &["usrgrpid"]);
                let members = access.users.values();
                let members = members.filter(|it| it.groups.contains(&UserGroupId(id)));
                let members = members.map(|it| json!({"userid": it.userid.to_string()}));
                fields.insert("users".to_owned(), members.collect());
                (Cow::Borrowed(&*it.name), fields)
            }
            ObjectKind::Token => {
                let it = access.tokens.get(&TokenId(id))?;
                (Cow::Borrowed(&*it.name), without(to_object(&**it), &["tokenid"]))
            }
            _ => return None,
        })
    }

    /// A part of a host or template, or a global macro.
    fn audited_part(&self, kind: ObjectKind, id: u64) -> Option<Named<'_>> {
        let next = &self.next;
        Some(match kind {
            ObjectKind::HostMacro => {
                let id = HostMacroId(id);
                let holder = next.holder(self.macro_owner(id).ok()?)?;
                let it = holder.macros.iter().find(|it| it.hostmacroid == id)?;
                (Cow::Borrowed(&*it.name), without(to_object(it), &["hostmacroid"]))
            }
            ObjectKind::GlobalMacro => {
                let mut macros = next.globals.macros.iter();
                let it = macros.find(|it| it.hostmacroid == HostMacroId(id))?;
                (Cow::Borrowed(&*it.name), without(to_object(it), &["hostmacroid"]))
            }
            ObjectKind::HostInterface => {
                let id = InterfaceId(id);
                let owner = next.holder(*next.interface_owner.get(&id)?)?;
                let it = owner.interfaces.iter().find(|it| it.interfaceid == id)?;
                (Cow::Borrowed(""), without(to_object(it), &["interfaceid"]))
            }
            ObjectKind::ValueMap => {
                let id = ValueMapId(id);
                let owner = next.holder(*next.valuemap_owner.get(&id)?)?;
                let it = owner.valuemaps.iter().find(|it| it.valuemapid == id)?;
                (Cow::Borrowed(&*it.name), without(to_object(it), &["valuemapid"]))
            }
            _ => return None,
        })
    }

    fn audited_document(&self, kind: DocumentKind, id: u64) -> Option<Named<'_>> {
        let next = &self.next;
        let it = next.documents.get(kind.name(), id)?;
        let name = if id == SINGLE && it.body.get("name").is_none() { "" } else { it.text("name") };
        let mut fields = it.body.clone();
        match kind.name() {
            "action" => number_operations(id, &mut fields),
            "service" => {
                let children = next.services.children(id);
                let children = children.map(|it| json!({"serviceid": it.to_string()}));
                fields.insert("children".to_owned(), children.collect());
            }
            _ => {}
        }
        Some((Cow::Borrowed(name), fields))
    }

    fn audited_item(&self, kind: ObjectKind, id: ItemId) -> Option<AuditedObject> {
        let (holder, row) = self.next.item(id)?;
        let content = &*row.content;
        if content.kind == ItemType::WebItem {
            if !is_scenario(row) {
                return None;
            }
            let scenario = WebScenario::parse(&content.params).ok()?;
            let name = scenario.name.clone();
            let mut fields = web_scenario(content, &scenario);
            fields.insert("hostid".to_owned(), holder.id.to_string().into());
            return Some(AuditedObject { kind: "httptest", name, fields });
        }
        let mut fields = to_object(content);
        let is_rule =
            matches!(kind, ObjectKind::DiscoveryRule | ObjectKind::DiscoveryRulePrototype);
        fields = without(fields, if is_rule { OF_ITEMS } else { OF_RULES });
        if matches!(kind, ObjectKind::Item | ObjectKind::DiscoveryRule) {
            fields = without(fields, OF_PROTOTYPES);
        }
        if is_rule && content.filter.conditions.is_empty() {
            fields.remove("filter");
        }
        for list in ["headers", "query_fields"] {
            if let Some(Json::Array(lines)) = fields.get_mut(list) {
                number(lines, "sortorder");
            }
        }
        fields.insert("name".to_owned(), Json::from(row.name()));
        fields.insert("key_".to_owned(), Json::from(row.key()));
        fields.insert("hostid".to_owned(), holder.id.to_string().into());
        Some(AuditedObject { kind: kind.name(), name: row.name().into_owned(), fields })
    }

    fn audited_trigger(&self, id: TriggerId) -> Option<Fields> {
        let (_, row) = self.next.trigger(id)?;
        let content = &*row.content;
        let mut fields = without(to_object(content), &["functions", "ruleid"]);
        fields.insert("discover".to_owned(), discover(content.discover));
        for (name, stored) in [
            ("expression", &content.expression),
            ("recovery_expression", &content.recovery_expression),
        ] {
            match self.render(stored, content) {
                Ok(text) => fields.insert(name.to_owned(), Json::from(text)),
                Err(_) => fields.remove(name),
            };
        }
        let masters = content.dependencies.iter();
        let masters = masters.map(|it| json!({"triggerid": it.to_string()}));
        fields.insert("dependencies".to_owned(), masters.collect());
        Some(fields)
    }

    fn audited_holder(&self, it: &Host) -> Fields {
        let groups =
            it.groups.iter().map(|it| it.0).chain(it.template_groups.iter().map(|it| it.0));
        let groups = groups.map(|it| json!({"groupid": it.to_string()}));
        let templates = it.templates.iter().map(|it| json!({"templateid": it.to_string()}));
        let mut fields = json!({
            "host": &*it.host,
            "name": &*it.name,
            "description": it.description,
            "groups": groups.collect::<Json>(),
            "templates": templates.collect::<Json>(),
            "tags": it.tags,
            "macros": it.macros,
        });
        if self.next.templates.contains_key(&it.id) {
            let vendor = it.vendor.as_deref().cloned().unwrap_or_default();
            fields["uuid"] = json!(it.uuid);
            fields["vendor_name"] = json!(vendor.name);
            fields["vendor_version"] = json!(vendor.version);
        } else {
            let parents = it.parents.iter().map(|it| json!({"hostid": it.to_string()}));
            let login = it.ipmi.as_deref().cloned().unwrap_or_default();
            let encryption = it.encryption.as_deref().cloned().unwrap_or_default();
            fields["status"] = json!(it.status);
            fields["parents"] = parents.collect();
            fields["interfaces"] = json!(it.interfaces);
            fields["inventory_mode"] = json!(it.inventory_mode.code().to_string());
            fields["ipmi_authtype"] = json!(login.authtype.to_string());
            fields["ipmi_privilege"] = json!(login.privilege.to_string());
            fields["ipmi_username"] = json!(login.username);
            fields["ipmi_password"] = json!(login.password);
            fields["tls_connect"] = json!(encryption.connect.to_string());
            fields["tls_accept"] = json!(encryption.accept.to_string());
            fields["tls_issuer"] = json!(encryption.issuer);
            fields["tls_subject"] = json!(encryption.subject);
            fields["tls_psk_identity"] = json!(encryption.psk_identity);
            fields["tls_psk"] = json!(encryption.psk);
            if let Some(inventory) = self.next.inventories.get(&it.id) {
                fields["inventory"] = json!(**inventory);
            }
        }
        match fields {
            Json::Object(it) => it,
            _ => Fields::new(),
        }
    }
}

fn without(mut fields: Fields, names: &[&str]) -> Fields {
    fields.retain(|name, _| !names.contains(&name.as_str()));
    fields
}

/// The API writes it 0 for yes.
fn discover(it: bool) -> Json {
    Json::from(if it { "0" } else { "1" })
}

/// Gives each part its place as a field.
fn number(parts: &mut [Json], field: &str) {
    for (at, part) in parts.iter_mut().filter_map(Json::as_object_mut).enumerate() {
        part.insert(field.to_owned(), Json::from((at + 1).to_string()));
    }
}

/// Operations have the ids that the API answers.
fn number_operations(action: u64, fields: &mut Fields) {
    let mut before = 0;
    for list in ["operations", "recovery_operations", "update_operations"] {
        let Some(Json::Array(operations)) = fields.get_mut(list) else { continue };
        for operation in operations.iter_mut().filter_map(Json::as_object_mut) {
            let id = operation_id(action, before);
            operation.insert("operationid".to_owned(), id.to_string().into());
            before += 1;
        }
    }
}

fn graph(it: &GraphContent) -> Fields {
    let mut fields = without(to_object(it), &["ruleid"]);
    fields.insert("discover".to_owned(), discover(it.discover));
    fields
}

fn host_prototype(it: &HostPrototypeContent) -> Fields {
    let mut fields = without(to_object(it), &["groups", "group_names", "group_keys"]);
    let groups = it.groups.iter().map(|it| json!({"groupid": it.to_string()}));
    let names = it.group_names.iter().map(|it| json!({ "name": it }));
    let templates = it.templates.iter().map(|it| json!({"templateid": it.to_string()}));
    fields.insert("groupLinks".to_owned(), groups.collect());
    fields.insert("groupPrototypes".to_owned(), names.collect());
    fields.insert("templates".to_owned(), templates.collect());
    fields.insert("discover".to_owned(), discover(it.discover));
    fields
}

/// A media in the API's fields; addresses are one text.
fn media(it: &Media) -> Json {
    json!({
        "mediaid": it.mediaid.to_string(),
        "mediatypeid": it.mediatypeid.to_string(),
        "sendto": it.sendto.join("\n"),
        "active": if it.is_disabled { "1" } else { "0" },
        "severity": it.severity.to_string(),
        "period": it.period,
        "quiet_period": it.quiet_period,
        "quiet_severity": it.quiet_severity.to_string(),
    })
}

/// A scenario by its own names: fields of its item, and those in the item's `params`.
fn web_scenario(content: &ItemContent, scenario: &WebScenario) -> Fields {
    let item = to_object(content);
    let mut fields = to_object(scenario);
    for (described, member) in IN_ITEM {
        if let Some(value) = item.get(member) {
            fields.insert(described.field.name.to_owned(), value.clone());
        }
    }
    fields.insert("tags".to_owned(), item.get("tags").cloned().unwrap_or_default());
    if let Some(Json::Array(steps)) = fields.get_mut("steps") {
        number(steps, "no");
    }
    fields
}
