//! Objects that are kept as documents, by their descriptions.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::describe::{Field, FieldType, Refers};
use model::document::{Body, Document};
use model::field_path::FieldPath;
use model::{GroupId, HostId};
use serde_json::Value as Json;

use super::Editor;
use super::maps::GoneFromMaps;
use crate::configuration::objects::{
    self, ChangeKind, DocumentKind, Edited, Stored, drule, maintenance,
};
use crate::error::ConfigError;

impl Editor {
    pub(super) fn create_document(
        &mut self,
        kind: DocumentKind,
        fields: &Body,
    ) -> Result<u64, ConfigError> {
        let stored = objects::of_kind(kind);
        match stored.edited {
            Edited::AsService => return self.create_service(fields),
            Edited::AsDashboard => return self.create_dashboard(stored, fields),
            Edited::AsMap => return self.create_map(fields),
            Edited::Plainly | Edited::AsNetworkDiscovery | Edited::AsMediaType => {}
        }
        let mut body = stored.made_of(fields)?;
        let id = self.take_id();
        if stored.edited == Edited::AsNetworkDiscovery {
            drule::number_checks(&mut body, &Body::new(), || self.take_id());
        }
        self.put_document(stored, id, body)?;
        Ok(id)
    }

    pub(super) fn update_document(
        &mut self,
        kind: DocumentKind,
        id: u64,
        fields: &Body,
    ) -> Result<(), ConfigError> {
        let stored = objects::of_kind(kind);
        match stored.edited {
            Edited::AsService => return self.update_service(id, fields),
            Edited::AsDashboard => return self.update_dashboard(stored, id, fields),
            Edited::AsMap => return self.update_map(id, fields),
            Edited::Plainly | Edited::AsNetworkDiscovery | Edited::AsMediaType => {}
        }
        let old = self.next.documents.get(kind.name(), id).cloned();
        let old = old.ok_or_else(ConfigError::no_permissions)?;
        (stored.guard)(&self.next, &old, ChangeKind::Update)?;
        if stored.edited == Edited::AsNetworkDiscovery {
            let given = drule::completed(&self.next, &old, fields)?;
            let mut body = stored.changed_by(&old.body, &given)?;
            drule::number_checks(&mut body, &given, || self.take_id());
            return self.put_document(stored, id, body);
        }
        let body = stored.changed_by(&old.body, fields)?;
        self.put_document(stored, id, body)
    }

    pub(super) fn delete_documents(
        &mut self,
        kind: DocumentKind,
        ids: &[u64],
    ) -> Result<(), ConfigError> {
        let stored = objects::of_kind(kind);
        if stored.edited == Edited::AsService {
            return self.delete_services(ids);
        }
        for id in ids {
            let old = self.next.documents.get(kind.name(), *id);
            let old = old.ok_or_else(ConfigError::no_permissions)?;
            (stored.guard)(&self.next, old, ChangeKind::Delete)?;
        }
        self.check_unused(stored, ids)?;
        match stored.edited {
            Edited::AsMediaType => self.leave_medias(ids),
            Edited::AsMap => {
                let maps = ids.iter().copied().collect();
                self.leave_maps(&GoneFromMaps { maps, ..GoneFromMaps::default() });
            }
            Edited::Plainly
            | Edited::AsService
            | Edited::AsDashboard
            | Edited::AsNetworkDiscovery => {}
        }
        for id in ids {
            self.next.documents.remove(kind.name(), *id);
            self.changed_document(stored, *id);
            (stored.project)(&mut self.next, *id, None)
                .map_err(|error| ConfigError::invalid(FieldPath::object(0), error))?;
        }
        Ok(())
    }

    pub(super) fn put_document(
        &mut self,
        stored: &'static Stored,
        id: u64,
        mut body: Body,
    ) -> Result<(), ConfigError> {
        let kind = stored.object.name;
        (stored.check)(&self.next, &mut body)?;
        let key = stored.key_of(&body);
        let other = self.next.documents.by_key(kind, &key);
        if other.is_some_and(|it| it.id != id) {
            return Err(stored.taken(&body));
        }
        self.check_references(stored, &body)?;
        if self.next.documents.get(kind, id).is_some_and(|it| it.body == body) {
            return Ok(());
        }
        (stored.project)(&mut self.next, id, Some(&body))
            .map_err(|error| ConfigError::invalid(FieldPath::object(0), error))?;
        self.next.documents.put(kind, Document { id, key, body });
        self.changed_document(stored, id);
        Ok(())
    }

    /// Referenced objects must exist.
    fn check_references(&self, stored: &Stored, body: &Body) -> Result<(), ConfigError> {
        let mut missing = None;
        each_reference(stored.object.fields, body, &mut |refers, id| {
            let is_there =
                id.parse().is_ok_and(|id| self.next.documents.get(refers.to, id).is_some());
            if !is_there && missing.is_none() {
                missing = Some(refers.missing_message.replacen("{}", id, 1));
            }
        });
        missing.map_or(Ok(()), |message| Err(ConfigError::parameters(message)))
    }

    /// Takes hosts or host groups that are about to be deleted (`list`: `hosts` or `groups`) out of
    /// maintenances. One that would be of nothing then keeps them from being deleted.
    pub(super) fn leave_maintenances(
        &mut self,
        list: &'static str,
        ids: &[u64],
    ) -> Result<(), ConfigError> {
        let stored = &maintenance::MAINTENANCE;
        let documents = self.next.documents.of(stored.object.name);
        let changed = documents.filter_map(|it| {
            let body = maintenance::without(&it.body, list, ids)?;
            Some(Document { id: it.id, key: Arc::clone(&it.key), body })
        });
        let changed: Vec<Document> = changed.collect();
        if let Some(left) = changed.iter().find(|it| maintenance::is_of_none(&it.body)) {
            let old = self.next.documents.get(stored.object.name, left.id);
            let ids = old.map(|it| maintenance::ids_of(&it.body, list)).unwrap_or_default();
            return Err(self.would_be_of_none(list, &ids, left.text("name")));
        }
        for it in changed {
            self.changed_document(stored, it.id);
            self.next.documents.put(stored.object.name, it);
        }
        Ok(())
    }

    fn would_be_of_none(&self, list: &str, ids: &[u64], maintenance: &str) -> ConfigError {
        let name = |it: &u64| {
            let host = || self.next.hosts.get(&HostId(*it)).map(|it| it.host.to_string());
            let group = || self.next.host_groups.get(&GroupId(*it)).map(|it| it.name.clone());
            if list == "hosts" { host() } else { group() }
        };
        let names: Vec<String> =
            ids.iter().filter_map(name).map(|it| format!("\"{it}\"")).collect();
        let noun = if list == "hosts" { "host" } else { "host group" };
        let plural = if names.len() == 1 { "" } else { "s" };
        ConfigError::parameters(format_args!(
            "Cannot delete {noun}{plural} {} because maintenance \"{maintenance}\" must contain at \
             least one host or host group.",
            names.join(", ")
        ))
    }

    /// Objects to which others refer must stay.
    fn check_unused(&self, stored: &Stored, ids: &[u64]) -> Result<(), ConfigError> {
        for user in objects::ALL {
            let mut names = BTreeSet::new();
            let mut message = None;
            for document in self.next.documents.of(user.object.name) {
                let used = used_by(stored, ids, user.object.fields, &document.body);
                if let Some((refers, id)) = used {
                    names.insert(format!("\"{}\"", document.text("name")));
                    message = Some((refers.used_messages, id));
                }
            }
            if let Some(([one, several], id)) = message {
                let text = if names.len() == 1 { one } else { several };
                let names: Vec<String> = names.into_iter().collect();
                let used = self.next.documents.get(stored.object.name, id);
                let text = text.replacen("{}", &names.join(", "), 1);
                let name = used.map_or("", |it| it.text("name"));
                return Err(ConfigError::parameters(text.replacen("{name}", name, 1)));
            }
        }
        Ok(())
    }
}

/// Where a body refers to one of these objects.
fn used_by(stored: &Stored, ids: &[u64], fields: &[Field], body: &Body) -> Option<(Refers, u64)> {
    let mut found = None;
    each_reference(fields, body, &mut |refers, id| {
        let is_one = refers.to == stored.object.name;
        if let Some(id) = id.parse().ok().filter(|id| is_one && ids.contains(id)) {
            found = Some((*refers, id));
        }
    });
    found
}

/// Calls for each field that holds the id of another object.
fn each_reference(fields: &[Field], body: &Body, found: &mut dyn FnMut(&Refers, &str)) {
    for field in fields {
        match (field.kind, body.get(field.name)) {
            (FieldType::Id, Some(Json::String(id))) if !matches!(id.as_str(), "" | "0") => {
                if let Some(refers) = &field.refers {
                    found(refers, id);
                }
            }
            (FieldType::Object(inner), Some(Json::Object(part))) => {
                each_reference(inner, part, found);
            }
            (FieldType::List(inner), Some(Json::Array(list))) => {
                for part in list.iter().filter_map(Json::as_object) {
                    each_reference(inner, part, found);
                }
            }
            _ => {}
        }
    }
}
