//! Maps: parts have ids of their own, links name elements by them, and maps forget what is deleted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::document::{Body, Document};
use model::{ItemId, TriggerId, UserId};
use serde_json::Value as Json;

use super::Editor;
use super::content::id_field;
use crate::configuration::objects::map::{
    HOST, HOST_GROUP, MAP, OF_ITEM, OF_TRIGGERS, SUBMAP, TRIGGER, is_in_itself, link_items, list,
    parts_mut, target_field, text,
};
use crate::error::{ConfigError, edited};

/// Lists of parts with the names of their ids; parts of parts after a slash.
const PARTS: [(&str, &str); 5] = [
    ("selements", "selementid"),
    ("links", "linkid"),
    ("shapes", "sysmap_shapeid"),
    ("lines", "sysmap_shapeid"),
    ("urls", "sysmapurlid"),
];
const PARTS_OF_PARTS: [(&str, &str, &str); 2] =
    [("selements", "urls", "sysmapelementurlid"), ("links", "linktriggers", "linktriggerid")];

/// Deleted objects, of each kind that elements stand for.
#[derive(Default)]
pub(super) struct GoneFromMaps {
    pub(super) hosts: BTreeSet<u64>,
    pub(super) groups: BTreeSet<u64>,
    pub(super) triggers: BTreeSet<u64>,
    /// By whose values links look.
    pub(super) items: BTreeSet<u64>,
    pub(super) maps: BTreeSet<u64>,
}

impl GoneFromMaps {
    fn is_empty(&self) -> bool {
        let all = [&self.hosts, &self.groups, &self.triggers, &self.items, &self.maps];
        all.iter().all(|it| it.is_empty())
    }

    fn of(&self, kind: i64) -> Option<&BTreeSet<u64>> {
        match kind {
            HOST => Some(&self.hosts),
            SUBMAP => Some(&self.maps),
            TRIGGER => Some(&self.triggers),
            HOST_GROUP => Some(&self.groups),
            _ => None,
        }
    }

    /// Whether a map names any of it.
    fn is_named(&self, body: &Body) -> bool {
        let of_element = |it: &Body| {
            let (kind, ids) = crate::configuration::objects::map::targets(it);
            self.of(kind).is_some_and(|gone| ids.iter().any(|it| gone.contains(it)))
        };
        list(body, "selements").any(of_element)
            || crate::configuration::objects::map::link_triggers(body)
                .any(|it| self.triggers.contains(&it))
            || link_items(body).any(|it| self.items.contains(&it))
    }
}

impl Editor {
    pub(super) fn create_map(&mut self, fields: &Body) -> Result<u64, ConfigError> {
        let mut body = MAP.made_of(fields)?;
        let id = self.take_id();
        self.number_parts(&mut body, &Body::new())?;
        self.put_map(id, body)?;
        Ok(id)
    }

    pub(super) fn update_map(&mut self, id: u64, fields: &Body) -> Result<(), ConfigError> {
        let old = self.next.documents.get(MAP.object.name, id).cloned();
        let old = old.ok_or_else(ConfigError::no_permissions)?;
        let mut fields = fields.clone();
        for (name, of) in PARTS {
            complete(&mut fields, &old.body, name, of);
        }
        let mut body = MAP.changed_by(&old.body, &fields)?;
        if fields.contains_key("selements") && !fields.contains_key("links") {
            drop_loose_links(&mut body);
        }
        self.number_parts(&mut body, &old.body)?;
        self.put_map(id, body)
    }

    fn put_map(&mut self, id: u64, body: Body) -> Result<(), ConfigError> {
        if is_in_itself(&self.next, id, &body) {
            return Err(ConfigError::parameters(format_args!(
                "Cannot add map element of the map \"{}\" due to circular reference.",
                text(&body, "name")
            )));
        }
        self.put_document(&MAP, id, body)
    }

    /// Gives parts their ids: those that they had, or new ones. Links follow the elements.
    fn number_parts(&mut self, body: &mut Body, old: &Body) -> Result<(), ConfigError> {
        let mut known = ids_of(old);
        let mut elements: BTreeMap<String, String> = BTreeMap::new();
        for (name, of) in PARTS {
            for part in parts_mut(body, name) {
                let given = text(part, of).to_owned();
                let id = self.part_id(part, of, &mut known);
                if name == "selements" && !given.is_empty() && elements.insert(given, id).is_some()
                {
                    let what = "selementid values should be unique";
                    return Err(ConfigError::invalid(edited("selements"), what));
                }
            }
        }
        for (name, inner, of) in PARTS_OF_PARTS {
            for part in parts_mut(body, name) {
                for part in parts_mut(part, inner) {
                    self.part_id(part, of, &mut known);
                }
            }
        }
        for link in parts_mut(body, "links") {
            for end in ["selementid1", "selementid2"] {
                // The check reports ends that name no element.
                if let Some(id) = elements.get(text(link, end)) {
                    link.insert(end.to_owned(), id.as_str().into());
                }
            }
        }
        Ok(())
    }

    fn part_id(&mut self, part: &mut Body, name: &str, known: &mut BTreeSet<u64>) -> String {
        // Each part is there once.
        let given = id_field(part, name).filter(|it| known.remove(it));
        let id = given.unwrap_or_else(|| self.take_id()).to_string();
        part.insert(name.to_owned(), id.as_str().into());
        id
    }

    /// Maps forget what is gone: elements of nothing go, with their links.
    pub(super) fn leave_maps(&mut self, gone: &GoneFromMaps) {
        if gone.is_empty() {
            return;
        }
        let all = self.next.documents.of(MAP.object.name);
        let named: Vec<Arc<Document>> = all.filter(|it| gone.is_named(&it.body)).cloned().collect();
        for it in named {
            let mut body = it.body.clone();
            forget(&mut body, gone);
            self.replace_map(&it, body);
        }
    }

    pub(super) fn leave_maps_of_parts<'a>(
        &mut self,
        triggers: impl Iterator<Item = &'a TriggerId>,
        items: impl Iterator<Item = &'a ItemId>,
    ) {
        self.leave_maps(&GoneFromMaps {
            triggers: triggers.map(|it| it.0).collect(),
            items: items.map(|it| it.0).collect(),
            ..GoneFromMaps::default()
        });
    }

    /// Users and groups that are gone share nothing any more (`users`, `userid`).
    pub(super) fn leave_map_shares(&mut self, shares: &str, field: &str, ids: &[u64]) {
        let is_gone = |it: &Body| id_field(it, field).is_some_and(|it| ids.contains(&it));
        let all = self.next.documents.of(MAP.object.name);
        let named = all.filter(|it| list(&it.body, shares).any(is_gone));
        let named: Vec<Arc<Document>> = named.cloned().collect();
        for it in named {
            let mut body = it.body.clone();
            retain(&mut body, shares, |it| !is_gone(it));
            self.replace_map(&it, body);
        }
    }

    fn replace_map(&mut self, old: &Document, body: Body) {
        let key = Arc::clone(&old.key);
        self.next.documents.put(MAP.object.name, Document { id: old.id, key, body });
        self.changed_document(&MAP, old.id);
    }

    /// A map that the user owns.
    /// The name of a map or dashboard that a user owns.
    pub(super) fn owned_by(&self, object: &str, user: UserId) -> Option<&str> {
        let mut all = self.next.documents.of(object);
        let id = user.to_string();
        all.find(|it| it.text("userid") == id).map(|it| it.text("name"))
    }
}

fn retain(body: &mut Body, name: &str, keep: impl Fn(&Body) -> bool) {
    if let Some(Json::Array(list)) = body.get_mut(name) {
        list.retain(|it| it.as_object().is_some_and(&keep));
    }
}

/// The ids of all parts.
fn ids_of(body: &Body) -> BTreeSet<u64> {
    let own = PARTS.iter().flat_map(|(name, of)| list(body, name).map(|it| id_field(it, of)));
    let inner = PARTS_OF_PARTS.iter().flat_map(|(name, inner, of)| {
        let parts = list(body, name).flat_map(|it| list(it, inner));
        parts.map(|it| id_field(it, of))
    });
    own.chain(inner).flatten().collect()
}

/// Gives parts that are there what is not given of them.
fn complete(fields: &mut Body, old: &Body, name: &str, of: &str) {
    for part in parts_mut(fields, name) {
        let id = id_field(part, of);
        let known = list(old, name).find(|it| id.is_some() && id_field(it, of) == id);
        for (name, value) in known.into_iter().flatten() {
            part.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
}

/// Links of which an end is gone.
fn drop_loose_links(body: &mut Body) {
    let known: BTreeSet<String> =
        list(body, "selements").map(|it| text(it, "selementid").to_owned()).collect();
    let is_whole =
        |it: &Body| ["selementid1", "selementid2"].iter().all(|end| known.contains(text(it, end)));
    retain(body, "links", is_whole);
}

fn forget(body: &mut Body, gone: &GoneFromMaps) {
    for element in parts_mut(body, "selements") {
        let (kind, _) = crate::configuration::objects::map::targets(element);
        let (Some(field), Some(gone)) = (target_field(kind), gone.of(kind)) else { continue };
        retain(element, "elements", |it| !id_field(it, field).is_some_and(|it| gone.contains(&it)));
    }
    // Images stand for nothing from the start.
    let stands = |it: &Body| {
        target_field(crate::configuration::objects::map::targets(it).0).is_none()
            || list(it, "elements").next().is_some()
    };
    retain(body, "selements", stands);
    drop_loose_links(body);
    for link in parts_mut(body, "links") {
        let is_gone =
            |it: &Body| id_field(it, "triggerid").is_some_and(|it| gone.triggers.contains(&it));
        retain(link, "linktriggers", |it| !is_gone(it));
        let is_left_with_nothing = match text(link, "indicator_type") {
            OF_TRIGGERS => list(link, "linktriggers").next().is_none(),
            OF_ITEM => id_field(link, "itemid").is_none_or(|it| gone.items.contains(&it)),
            _ => false,
        };
        if is_left_with_nothing {
            link.insert("indicator_type".to_owned(), "0".into());
            link.insert("itemid".to_owned(), "0".into());
            for name in ["thresholds", "highlights"] {
                link.insert(name.to_owned(), Json::Array(Vec::new()));
            }
        }
    }
}
