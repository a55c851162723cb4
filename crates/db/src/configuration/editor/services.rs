//! Relations between services. Parents are kept with the child; the children that a request names
//! become its children by that.

use std::sync::Arc;

use model::document::{Body, Document};
use model::field_path::FieldPath;
use serde_json::{Value as Json, json};

use super::Editor;
use crate::configuration::objects::service::{self, SERVICE};
use crate::error::ConfigError;

const KIND: &str = "service";

impl Editor {
    /// Makes a service of its fields.
    pub(super) fn create_service(&mut self, fields: &Body) -> Result<u64, ConfigError> {
        let mut body = SERVICE.made_of(fields)?;
        let children = service::ids_of(&body, "children");
        body.remove("children");
        body.insert("created_at".to_owned(), self.now.clock().to_string().into());
        let id = self.take_id();
        self.put_service(id, body, children)?;
        Ok(id)
    }

    pub(super) fn update_service(&mut self, id: u64, fields: &Body) -> Result<(), ConfigError> {
        let old = self.next.documents.get(KIND, id).cloned();
        let old = old.ok_or_else(ConfigError::no_permissions)?;
        let mut body = SERVICE.changed_by(&old.body, fields)?;
        let children = service::ids_of(&body, "children");
        body.remove("children");
        self.put_service(id, body, children)
    }

    /// Deletes services; their children lose a parent.
    pub(super) fn delete_services(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        if ids.iter().any(|it| self.next.documents.get(KIND, *it).is_none()) {
            return Err(ConfigError::no_permissions());
        }
        for id in ids {
            let children: Vec<u64> = self.next.services.children(*id).collect();
            for child in children {
                self.change_parents(child, |parents| parents.retain(|it| it != id))?;
            }
            self.next.documents.remove(KIND, *id);
            self.changed_document(&SERVICE, *id);
            self.next.services.remove(*id);
        }
        Ok(())
    }

    fn put_service(
        &mut self,
        id: u64,
        body: Body,
        children: Option<Vec<u64>>,
    ) -> Result<(), ConfigError> {
        let parents = service::ids_of(&body, "parents").unwrap_or_default();
        let named = parents.iter().chain(children.iter().flatten());
        if named.clone().any(|it| *it != id && self.next.services.get(*it).is_none()) {
            return Err(ConfigError::no_permissions());
        }
        let has_tags =
            body.get("problem_tags").and_then(Json::as_array).is_some_and(|it| !it.is_empty());
        let has_children = match &children {
            Some(it) => !it.is_empty(),
            None => self.next.services.children(id).next().is_some(),
        };
        if has_tags && has_children {
            let name = body.get("name").and_then(Json::as_str).unwrap_or_default();
            return Err(tags_and_children(name));
        }
        for parent in &parents {
            let parent = self.next.services.get(*parent);
            if let Some(parent) = parent.filter(|it| !it.problem_tags.is_empty()) {
                return Err(tags_and_children(&parent.name));
            }
        }
        self.put_document(&SERVICE, id, body)?;
        if let Some(children) = children {
            let old: Vec<u64> = self.next.services.children(id).collect();
            for child in old.iter().filter(|it| !children.contains(it)) {
                self.change_parents(*child, |parents| parents.retain(|it| *it != id))?;
            }
            for child in children.iter().filter(|it| !old.contains(it)) {
                self.change_parents(*child, |parents| parents.push(id))?;
            }
        }
        // Each new relation begins or ends at this one.
        if self.next.services.below([id]).contains(&id) {
            return Err(ConfigError::parameters("Services form a circular dependency."));
        }
        Ok(())
    }

    fn change_parents(
        &mut self,
        id: u64,
        change: impl FnOnce(&mut Vec<u64>),
    ) -> Result<(), ConfigError> {
        let Some(old) = self.next.documents.get(KIND, id).cloned() else { return Ok(()) };
        let mut parents = service::ids_of(&old.body, "parents").unwrap_or_default();
        change(&mut parents);
        let mut body = old.body.clone();
        let row = |it: &u64| json!({"serviceid": it.to_string()});
        body.insert("parents".to_owned(), parents.iter().map(row).collect());
        (SERVICE.project)(&mut self.next, id, Some(&body))
            .map_err(|error| ConfigError::invalid(FieldPath::object(0), error))?;
        self.next.documents.put(KIND, Document { id, key: Arc::clone(&old.key), body });
        self.changed_document(&SERVICE, id);
        Ok(())
    }
}

fn tags_and_children(name: &str) -> ConfigError {
    ConfigError::parameters(format_args!(
        "Service \"{name}\" cannot have problem tags and children at the same time."
    ))
}
