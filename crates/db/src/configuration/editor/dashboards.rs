//! Dashboards: pages and widgets have ids of their own, and widgets forget what is deleted.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::HostId;
use model::document::{Body, Document};
use model::snapshot::Host;
use serde_json::Value as Json;

use super::Editor;
use super::content::{id_field, id_of};
use super::delete::Doomed;
use crate::configuration::objects::Stored;
use crate::configuration::objects::dashboard::{
    self, DASHBOARD, GRAPH, GRAPH_PROTOTYPE, ITEM, ITEM_PROTOTYPE, TEMPLATE_DASHBOARD, reference,
};
use crate::error::ConfigError;

const BOTH: [&Stored; 2] = [&DASHBOARD, &TEMPLATE_DASHBOARD];

/// The ids that pages and their widgets have, in order; `None`: new ones.
type Ids = Vec<(Option<u64>, Vec<Option<u64>>)>;

impl Editor {
    pub(super) fn create_dashboard(
        &mut self,
        stored: &'static Stored,
        fields: &Body,
    ) -> Result<u64, ConfigError> {
        let mut body = stored.made_of(fields)?;
        let template = id_field(&body, "templateid").map(HostId);
        if template.is_some_and(|it| !self.next.templates.contains_key(&it)) {
            return Err(ConfigError::no_permissions());
        }
        let id = self.take_id();
        self.give_ids(&mut body, Ids::new());
        self.put_document(stored, id, body)?;
        Ok(id)
    }

    pub(super) fn update_dashboard(
        &mut self,
        stored: &'static Stored,
        id: u64,
        fields: &Body,
    ) -> Result<(), ConfigError> {
        let old = self.next.documents.get(stored.object.name, id).cloned();
        let old = old.ok_or_else(ConfigError::no_permissions)?;
        let mut fields = fields.clone();
        let mut ids = ids_of(&old.body);
        if let Some(Json::Array(pages)) = fields.get_mut("pages") {
            ids.clear();
            for page in pages.iter_mut().filter_map(Json::as_object_mut) {
                ids.push(complete_page(page, &old.body)?);
            }
        }
        let mut body = stored.changed_by(&old.body, &fields)?;
        self.give_ids(&mut body, ids);
        self.put_document(stored, id, body)
    }

    /// Writes the ids of pages and widgets, which bodies lose when they are brought into their form.
    fn give_ids(&mut self, body: &mut Body, ids: Ids) {
        let mut ids = ids.into_iter();
        let Some(Json::Array(pages)) = body.get_mut("pages") else { return };
        for page in pages.iter_mut().filter_map(Json::as_object_mut) {
            let (id, of_widgets) = ids.next().unwrap_or_default();
            let id = id.unwrap_or_else(|| self.take_id());
            page.insert("dashboard_pageid".to_owned(), id.to_string().into());
            let mut of_widgets = of_widgets.into_iter();
            let Some(Json::Array(widgets)) = page.get_mut("widgets") else { continue };
            for widget in widgets.iter_mut().filter_map(Json::as_object_mut) {
                let id = of_widgets.next().flatten().unwrap_or_else(|| self.take_id());
                widget.insert("widgetid".to_owned(), id.to_string().into());
            }
        }
    }

    /// Widgets forget items and graphs that are gone.
    pub(super) fn leave_dashboards(&mut self, doomed: &Doomed) {
        let items = doomed.items.values().flatten().map(|it| it.0);
        let graphs = doomed.graphs.values().flatten().map(|it| it.0);
        self.forget_in_widgets(&items.collect(), &graphs.collect());
    }

    /// A host or template is gone, with its items, graphs and dashboards.
    pub(super) fn leave_dashboards_of(&mut self, gone: &Host) {
        let items = gone.items.iter().map(|it| it.id.0).collect();
        let graphs = gone.graphs.iter().map(|it| it.id.0).collect();
        self.forget_in_widgets(&items, &graphs);
        let kind = TEMPLATE_DASHBOARD.object.name;
        let id = gone.id.to_string();
        let own = self.next.documents.of(kind).filter(|it| it.text("templateid") == id);
        let own: Vec<u64> = own.map(|it| it.id).collect();
        for id in own {
            self.next.documents.remove(kind, id);
            self.changed_document(&TEMPLATE_DASHBOARD, id);
        }
    }

    fn forget_in_widgets(&mut self, items: &BTreeSet<u64>, graphs: &BTreeSet<u64>) {
        if items.is_empty() && graphs.is_empty() {
            return;
        }
        let is_gone = |field: &Body| match reference(field) {
            Some((ITEM | ITEM_PROTOTYPE, id)) => items.contains(&id),
            Some((GRAPH | GRAPH_PROTOTYPE, id)) => graphs.contains(&id),
            _ => false,
        };
        for stored in BOTH {
            let all = self.next.documents.of(stored.object.name);
            let named = all.filter(|it| dashboard::widget_fields(&it.body).any(is_gone));
            let changed: Vec<Arc<Document>> = named.cloned().collect();
            for it in changed {
                let mut body = it.body.clone();
                each_list_of_fields(&mut body, |fields| {
                    fields.retain(|it| !it.as_object().is_some_and(is_gone));
                });
                let key = Arc::clone(&it.key);
                self.next.documents.put(stored.object.name, Document { id: it.id, key, body });
                self.changed_document(stored, it.id);
            }
        }
    }
}

/// Calls for the fields of each widget.
fn each_list_of_fields(body: &mut Body, mut change: impl FnMut(&mut Vec<Json>)) {
    let pages = body.get_mut("pages").and_then(Json::as_array_mut);
    for page in pages.into_iter().flatten().filter_map(Json::as_object_mut) {
        let widgets = page.get_mut("widgets").and_then(Json::as_array_mut);
        let widgets = widgets.into_iter().flatten().filter_map(Json::as_object_mut);
        let fields = widgets.filter_map(|it| it.get_mut("fields")?.as_array_mut());
        fields.for_each(&mut change);
    }
}

fn ids_of(body: &Body) -> Ids {
    let widgets =
        |page: &Body| dashboard::list(page, "widgets").map(|it| id_field(it, "widgetid")).collect();
    let pages = dashboard::list(body, "pages");
    pages.map(|page| (id_field(page, "dashboard_pageid"), widgets(page))).collect()
}

/// Gives a page that is there, and its widgets that are, what is not given of them. Gives their ids.
fn complete_page(
    page: &mut Body,
    old: &Body,
) -> Result<(Option<u64>, Vec<Option<u64>>), ConfigError> {
    let has_widgets = page.contains_key("widgets");
    let (id, old_page) = complete(page, "dashboard_pageid", Some(old), "pages")?;
    page.remove("dashboard_pageid");
    let mut of_widgets = Vec::new();
    if !has_widgets {
        // They are those of the page as it was.
        let old = old_page.iter().flat_map(|it| dashboard::list(it, "widgets"));
        of_widgets.extend(old.map(|it| id_field(it, "widgetid")));
    } else if let Some(Json::Array(widgets)) = page.get_mut("widgets") {
        for widget in widgets.iter_mut().filter_map(Json::as_object_mut) {
            let (id, _) = complete(widget, "widgetid", old_page.as_ref(), "widgets")?;
            of_widgets.push(id);
        }
    }
    Ok((id, of_widgets))
}

/// Gives a part that is there what is not given of it. Gives its id, and what it was.
fn complete(
    part: &mut Body,
    name: &str,
    old: Option<&Body>,
    list: &str,
) -> Result<(Option<u64>, Option<Body>), ConfigError> {
    let id = part.remove(name).as_ref().and_then(id_of).filter(|it| *it != 0);
    let Some(id) = id else { return Ok((None, None)) };
    let mut parts = old.into_iter().flat_map(|old| dashboard::list(old, list));
    let known = parts.find(|it| id_field(it, name) == Some(id)).cloned();
    let known = known.ok_or_else(ConfigError::no_permissions)?;
    for (name, value) in &known {
        part.entry(name.clone()).or_insert_with(|| value.clone());
    }
    Ok((Some(id), Some(known)))
}
