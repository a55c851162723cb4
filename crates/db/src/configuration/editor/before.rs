//! What an object was before a change: the audit log keeps it beside what was given.

use model::content::{GraphContent, HostPrototypeContent, ItemType, Media, Tag, WebScenario};
use model::snapshot::Host;
use model::{
    GraphId, GroupId, HostId, HostMacroId, InterfaceId, ItemId, TemplateGroupId, TokenId,
    TriggerId, UserGroupId, UserId, ValueMapId,
};
use serde_json::{Map as JsonMap, Value as Json, json};

use super::Editor;
use super::changes::keep_changes;
use super::content::to_object;
use crate::configuration::audit::{self, Action};
use crate::configuration::objects::ObjectKind;

type Fields = JsonMap<String, Json>;

impl Editor {
    /// The fields of an object that a change gives, as they are now. Those that are not kept in the form in which they are
    /// given are left out.
    pub(super) fn before(&self, kind: ObjectKind, id: u64, given: &Fields) -> Fields {
        let mut fields = self.fields_now(kind, id);
        fields.retain(|name, _| given.contains_key(name));
        fields
    }

    /// Puts what a change has made of an object into the given fields, where it is kept in another form or where parts
    /// are given in part: what was before is told in the same form.
    pub(super) fn as_kept(&self, kind: ObjectKind, id: u64, given: &mut Fields) {
        let is_partial = matches!(
            kind,
            ObjectKind::Graph
                | ObjectKind::GraphPrototype
                | ObjectKind::HostPrototype
                | ObjectKind::ValueMap
                | ObjectKind::User
        );
        if is_partial {
            let now = self.before(kind, id, given);
            given.extend(now);
        }
    }

    /// Notes an update for the audit log with what was there before. One that leaves all as it is is not noted.
    pub(super) fn note_update(
        &mut self,
        (kind, id): (ObjectKind, u64),
        mut given: Fields,
        mut before: Fields,
    ) {
        let is_known = !before.is_empty();
        keep_changes(&mut given, &mut before);
        if is_known && given.is_empty() {
            return;
        }
        if !before.is_empty() {
            given.insert(audit::BEFORE.to_owned(), Json::Object(before));
        }
        self.note(Action::Update, kind, id, given);
    }

    fn fields_now(&self, kind: ObjectKind, id: u64) -> Fields {
        let next = &self.next;
        let access = &next.access;
        let found = match kind {
            ObjectKind::Host | ObjectKind::Template => next.holder(HostId(id)).map(|it| holder(it)),
            ObjectKind::Item
            | ObjectKind::DiscoveryRule
            | ObjectKind::ItemPrototype
            | ObjectKind::DiscoveryRulePrototype => {
                let row = next.item(ItemId(id)).map(|(_, row)| row);
                // Items of a scenario come and go with it.
                let row = row.filter(|it| {
                    it.content.kind != ItemType::WebItem || WebScenario::is_of(&it.content.key_)
                });
                row.map(|it| to_object(&*it.content))
            }
            ObjectKind::Trigger | ObjectKind::TriggerPrototype => self.trigger_now(TriggerId(id)),
            ObjectKind::HostGroup => {
                next.host_groups.get(&GroupId(id)).map(|it| named(it.name.as_str()))
            }
            ObjectKind::TemplateGroup => {
                next.template_groups.get(&TemplateGroupId(id)).map(|it| named(it.name.as_str()))
            }
            ObjectKind::User => access.users.get(&UserId(id)).map(|it| {
                let mut fields = to_object(&**it);
                fields.insert("medias".to_owned(), it.medias.iter().map(media).collect());
                let groups = it.groups.iter().map(|it| json!({"usrgrpid": it.to_string()}));
                fields.insert("usrgrps".to_owned(), groups.collect());
                fields
            }),
            ObjectKind::UserGroup => access.groups.get(&UserGroupId(id)).map(|it| to_object(&**it)),
            ObjectKind::Token => access.tokens.get(&TokenId(id)).map(|it| to_object(&**it)),
            ObjectKind::HostMacro => {
                let id = HostMacroId(id);
                let holder = self.macro_owner(id).ok().and_then(|it| next.holder(it));
                let found = holder.and_then(|it| it.macros.iter().find(|it| it.hostmacroid == id));
                found.map(to_object)
            }
            ObjectKind::GlobalMacro => {
                let mut macros = next.globals.macros.iter();
                macros.find(|it| it.hostmacroid == HostMacroId(id)).map(to_object)
            }
            ObjectKind::HostInterface => {
                let id = InterfaceId(id);
                let owner = next.interface_owner.get(&id).and_then(|it| next.holder(*it));
                let found = owner.map(|it| it.interfaces.iter());
                found.and_then(|mut it| it.find(|it| it.interfaceid == id)).map(to_object)
            }
            ObjectKind::Document(kind) => {
                next.documents.get(kind.name(), id).map(|it| it.body.clone())
            }
            ObjectKind::Graph | ObjectKind::GraphPrototype => {
                self.graph(GraphId(id)).ok().map(|(_, it)| graph(&it.content))
            }
            ObjectKind::HostPrototype => {
                self.host_prototype(HostId(id)).ok().map(|(_, it)| host_prototype(&it.content))
            }
            ObjectKind::ValueMap => {
                let id = ValueMapId(id);
                let owner = next.valuemap_owner.get(&id).and_then(|it| next.holder(*it));
                let found = owner.map(|it| it.valuemaps.iter());
                found.and_then(|mut it| it.find(|it| it.valuemapid == id)).map(to_object)
            }
        };
        found.unwrap_or_default()
    }

    fn trigger_now(&self, id: TriggerId) -> Option<Fields> {
        let (_, row) = self.next.trigger(id)?;
        let content = &*row.content;
        let mut fields = to_object(content);
        // Written the other way round by the API.
        fields.remove("discover");
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
}

/// The API writes it 0 for yes.
fn discover(it: bool) -> Json {
    Json::from(if it { "0" } else { "1" })
}

fn graph(it: &GraphContent) -> Fields {
    let mut fields = to_object(it);
    fields.insert("discover".to_owned(), discover(it.discover));
    fields
}

fn host_prototype(it: &HostPrototypeContent) -> Fields {
    let mut fields = to_object(it);
    let groups = it.groups.iter().map(|it| json!({"groupid": it.to_string()}));
    let names = it.group_names.iter().map(|it| json!({ "name": it }));
    let templates = it.templates.iter().map(|it| json!({"templateid": it.to_string()}));
    fields.insert("groupLinks".to_owned(), groups.collect());
    fields.insert("groupPrototypes".to_owned(), names.collect());
    fields.insert("templates".to_owned(), templates.collect());
    fields.insert("discover".to_owned(), discover(it.discover));
    fields
}

/// A media in the API's fields.
fn media(it: &Media) -> Json {
    json!({
        "mediatypeid": it.mediatypeid.to_string(),
        "sendto": it.sendto,
        "active": if it.is_disabled { "1" } else { "0" },
        "severity": it.severity.to_string(),
        "period": it.period,
        "quiet_period": it.quiet_period,
        "quiet_severity": it.quiet_severity.to_string(),
    })
}

fn named(name: &str) -> Fields {
    JsonMap::from_iter([("name".to_owned(), Json::from(name))])
}

fn holder(it: &Host) -> Fields {
    let groups = it.groups.iter().map(|it| it.0).chain(it.template_groups.iter().map(|it| it.0));
    let groups = groups.map(|it| json!({"groupid": it.to_string()}));
    let templates = it.templates.iter().map(|it| json!({"templateid": it.to_string()}));
    let parents = it.parents.iter().map(|it| json!({"hostid": it.to_string()}));
    // Given with all their fields.
    let tag = |it: &Tag| json!({"tag": it.tag, "value": it.value, "automatic": "0"});
    let tags = it.tags.iter().map(tag);
    let fields = [
        ("host", json!(&*it.host)),
        ("name", json!(&*it.name)),
        ("status", json!(it.status)),
        ("description", json!(it.description)),
        ("groups", groups.collect()),
        ("templates", templates.collect()),
        ("parents", parents.collect()),
        ("tags", tags.collect()),
        ("macros", json!(it.macros)),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
