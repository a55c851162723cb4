//! Audit records of a change.

use std::borrow::Cow;

use model::{GraphId, GroupId, HostId, ItemId, TemplateGroupId, TriggerId};
use serde_json::{Map as JsonMap, Value as Json, json};

use super::Editor;
use super::audited::{AuditedObject, Fields};
use crate::actor::Actor;
use crate::configuration::audit::details::{self, Subject, keep_updates_of_fields};
use crate::configuration::audit::kinds::{AuditScope, audit_scope};
use crate::configuration::audit::{AuditAction, AuditEntry};
use crate::configuration::objects::ObjectKind;
use crate::configuration::objects::httptest::IN_ITEM;

/// Of which objects a change of many is noted: Zabbix has a record of those that the method is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotedAs {
    Groups,
    Holders,
}

/// The longest name that is kept.
const NAME_CHARS_MAX: usize = 255;

impl Editor {
    /// Whether what is done is noted. Changes by the server itself are recorded if the settings say
    /// so; the initial configuration is not.
    pub(super) fn is_noted(&self) -> bool {
        match self.actor {
            Actor::User(_) => true,
            Actor::Action | Actor::Discovery => self.base.globals.settings.is_server_audited,
            Actor::System => false,
        }
    }

    /// How much Zabbix says of what is done to an object.
    fn audit_scope(&self, kind: ObjectKind, name: &str) -> AuditScope {
        let scope =
            if kind == ObjectKind::HostMacro { AuditScope::Nothing } else { audit_scope(name) };
        let is_of_user = matches!(self.actor, Actor::User(_));
        if scope == AuditScope::Fields && !is_of_user { AuditScope::Whole } else { scope }
    }

    /// Notes a new object.
    pub(super) fn note_added(&mut self, kind: ObjectKind, id: u64, given: &Fields) {
        let Some(now) = self.audited(kind, id) else { return };
        let given = &given_by_name(now.kind, given);
        let subject = Subject { kind: now.kind, id, given };
        let details = details::added(subject, &now.fields);
        let scope = self.audit_scope(kind, now.kind);
        self.push_note(AuditAction::Add, id, now, (scope, details));
    }

    /// Notes a change of what an object was. One that leaves all as it is is not noted.
    pub(super) fn note_updated(
        &mut self,
        (kind, id): (ObjectKind, u64),
        before: Option<AuditedObject>,
        given: &Fields,
    ) {
        let (Some(before), Some(now)) = (before, self.audited(kind, id)) else { return };
        let given = &*given_by_name(now.kind, given);
        let subject = Subject { kind: now.kind, id, given };
        let details = details::updated(subject, &before.fields, &now.fields);
        if details.is_empty() {
            return;
        }
        let mut scope = self.audit_scope(kind, now.kind);
        if scope == AuditScope::Fields {
            let mut of_fields = details.clone();
            keep_updates_of_fields(&mut of_fields);
            if of_fields.is_empty() {
                scope = AuditScope::Nothing;
            }
        }
        let is_of_switch = kind.name() == "settings" && given.contains_key("auditlog_enabled");
        self.push_note(AuditAction::Update, id, before, (scope, details));
        if let Some(entry) = self.audit.last_mut() {
            entry.is_of_switch = is_of_switch;
        }
    }

    /// Notes that an object is about to be deleted.
    pub(super) fn note_deleted(&mut self, kind: ObjectKind, id: u64) {
        let Some(before) = self.audited(kind, id) else { return };
        let scope = match self.audit_scope(kind, before.kind) {
            AuditScope::Nothing => AuditScope::Nothing,
            _ => AuditScope::Whole,
        };
        self.push_note(AuditAction::Delete, id, before, (scope, Fields::new()));
    }

    /// Records an object that a discovery rule has made on a host: its name; its content is in its
    /// prototype's record. There may be hundreds of thousands.
    pub(crate) fn note_found(&mut self, kind: ObjectKind, id: u64) {
        if !self.is_noted() {
            return;
        }
        let found = match kind {
            ObjectKind::Trigger => self.next.trigger(TriggerId(id)).map(|(_, row)| {
                let name = row.name().into_owned();
                let priority = row.content.priority.code().to_string();
                (json!({"description": name, "priority": priority}), name)
            }),
            ObjectKind::Graph => self.graph(GraphId(id)).ok().map(|(_, row)| {
                let name = row.name().into_owned();
                (json!({ "name": name }), name)
            }),
            _ => self.next.item(ItemId(id)).map(|(holder, row)| {
                let name = row.name().into_owned();
                let fields = json!({
                    "name": name,
                    "key_": row.key(),
                    "hostid": holder.id.to_string(),
                    "type": row.content.kind.code().to_string(),
                    "value_type": row.content.value_type.code().to_string(),
                });
                (fields, name)
            }),
        };
        let Some((Json::Object(fields), name)) = found else { return };
        let given = Fields::new();
        let details = details::added(Subject { kind: kind.name(), id, given: &given }, &fields);
        let object = AuditedObject { kind: kind.name(), name, fields };
        self.push_note(AuditAction::Add, id, object, (AuditScope::Whole, details));
    }

    /// Notes what discovery is about to delete.
    pub(crate) fn note_lost(&mut self, kind: ObjectKind, ids: impl IntoIterator<Item = u64>) {
        if self.is_noted() {
            ids.into_iter().for_each(|id| self.note_deleted(kind, id));
        }
    }

    /// Makes a change of an object other than those of its fields by name, and records it.
    pub(crate) fn noted(&mut self, (kind, id): (ObjectKind, u64), change: impl FnOnce(&mut Self)) {
        let before = if self.is_noted() { self.audited(kind, id) } else { None };
        change(self);
        self.note_updated((kind, id), before, &Fields::new());
    }

    /// Records that a secret of an object has changed.
    pub(super) fn note_secret(&mut self, (kind, id): (ObjectKind, u64), secret: &str) {
        let Some(now) = self.audited(kind, id) else { return };
        let given = JsonMap::from_iter([(secret.to_owned(), Json::Null)]);
        let none = Fields::new();
        let details = details::updated(Subject { kind: now.kind, id, given: &given }, &none, &none);
        self.push_note(AuditAction::Update, id, now, (AuditScope::Whole, details));
    }

    /// Notes what an import says of its templates; Zabbix says nothing like it.
    pub(crate) fn note_import(&mut self, template: HostId, said: &Json) {
        let Some(now) = self.audited(ObjectKind::Template, template.0).filter(|_| self.is_noted())
        else {
            return;
        };
        let mut details = Fields::new();
        flatten("template.import", said, &mut details);
        self.push_note(AuditAction::Update, template.0, now, (AuditScope::Nothing, details));
    }

    fn push_note(
        &mut self,
        action: AuditAction,
        resourceid: u64,
        object: AuditedObject,
        (scope, details): (AuditScope, Fields),
    ) {
        let AuditedObject { kind, mut name, .. } = object;
        if NAME_CHARS_MAX < name.chars().count() {
            name = name.chars().take(NAME_CHARS_MAX - 3).chain("...".chars()).collect();
        }
        self.audit.push(AuditEntry {
            action,
            kind,
            resourceid,
            name,
            scope,
            details,
            is_of_switch: false,
        });
    }

    /// Makes a change of hosts or templates and notes it for each of them.
    pub(super) fn noted_for_each<T, E>(
        &mut self,
        holders: &[HostId],
        change: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        if !self.is_noted() {
            return change(self);
        }
        let kind_of = |it: &HostId| {
            let is_template = self.next.templates.contains_key(it);
            if is_template { ObjectKind::Template } else { ObjectKind::Host }
        };
        let kinds: Vec<(ObjectKind, u64)> = holders.iter().map(|it| (kind_of(it), it.0)).collect();
        let before: Vec<Option<AuditedObject>> =
            kinds.iter().map(|(kind, id)| self.audited(*kind, *id)).collect();
        let done = change(self)?;
        for (of, before) in kinds.into_iter().zip(before) {
            self.note_updated(of, before, &Fields::new());
        }
        Ok(done)
    }

    /// Makes a change of which hosts are in groups and notes it for each of the groups.
    pub(super) fn noted_for_host_groups<T, E>(
        &mut self,
        (hosts, groups): (&[HostId], &[GroupId]),
        change: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let members = |e: &Self, group: GroupId| {
            let hosts = hosts.iter().filter_map(|it| e.next.hosts.get(it));
            let members = hosts.filter(|it| it.groups.contains(&group));
            members.map(|it| json!({"hostid": it.id.to_string()})).collect::<Json>()
        };
        let ids: Vec<u64> = groups.iter().map(|it| it.0).collect();
        self.noted_for_groups(
            (ObjectKind::HostGroup, "hosts", &ids),
            |e, id| members(e, GroupId(id)),
            change,
        )
    }

    /// As [`Self::noted_for_host_groups`], of templates.
    pub(super) fn noted_for_template_groups<T, E>(
        &mut self,
        (templates, groups): (&[HostId], &[TemplateGroupId]),
        change: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let members = |e: &Self, group: TemplateGroupId| {
            let templates = templates.iter().filter_map(|it| e.next.templates.get(it));
            let members = templates.filter(|it| it.template_groups.contains(&group));
            members.map(|it| json!({"templateid": it.id.to_string()})).collect::<Json>()
        };
        let ids: Vec<u64> = groups.iter().map(|it| it.0).collect();
        self.noted_for_groups(
            (ObjectKind::TemplateGroup, "templates", &ids),
            |e, id| members(e, TemplateGroupId(id)),
            change,
        )
    }

    fn noted_for_groups<T, E>(
        &mut self,
        (kind, list, ids): (ObjectKind, &str, &[u64]),
        members: impl Fn(&Self, u64) -> Json,
        change: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        if !self.is_noted() {
            return change(self);
        }
        let before: Vec<Json> = ids.iter().map(|it| members(self, *it)).collect();
        let done = change(self)?;
        for (id, before) in ids.iter().zip(before) {
            let now = members(self, *id);
            let Some(object) = self.audited(kind, *id).filter(|_| before != now) else { continue };
            let fields = |it: Json| Fields::from_iter([(list.to_owned(), it)]);
            let given = Fields::new();
            let subject = Subject { kind: kind.name(), id: *id, given: &given };
            let details = details::updated(subject, &fields(before), &fields(now));
            self.push_note(AuditAction::Update, *id, object, (AuditScope::Whole, details));
        }
        Ok(done)
    }
}

/// The given fields by the names of the object: web scenarios are given as their items.
fn given_by_name<'a>(kind: &str, given: &'a Fields) -> Cow<'a, Fields> {
    if kind != "httptest" {
        return Cow::Borrowed(given);
    }
    let named = IN_ITEM.iter().filter(|it| given.contains_key(it.1));
    Cow::Owned(named.map(|it| (it.0.field.name.to_owned(), Json::Null)).collect())
}

fn flatten(path: &str, said: &Json, details: &mut Fields) {
    match said {
        Json::Object(fields) => {
            for (name, value) in fields {
                flatten(&format!("{path}.{name}"), value, details);
            }
        }
        Json::Null => {}
        Json::String(it) => {
            details.insert(path.to_owned(), json!(["add", it]));
        }
        other => {
            details.insert(path.to_owned(), json!(["add", other.to_string()]));
        }
    }
}
