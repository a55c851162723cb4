//! Dashboards of templates, read when all items and graphs are there.

use std::collections::{BTreeMap, BTreeSet};

use model::HostId;
use model::content::ItemFlags;
use model::document::Documents;
use serde_json::{Value as Json, json};

use super::Importer;
use super::fields::{Fields, object};
use super::reader::{Node, unsupported};
use crate::configuration::objects::Stored;
use crate::configuration::objects::dashboard::{
    FIELD_TYPES, GRAPH, GRAPH_PROTOTYPE, INTEGER, ITEM, ITEM_PROTOTYPE, STRING, TEMPLATE_DASHBOARD,
    list,
};
use crate::configuration::objects::names::NO_YES;
use crate::error::ConfigError;

/// The objects of a list.
fn parts<'a>(of: &'a mut Fields, name: &str) -> impl Iterator<Item = &'a mut Fields> {
    let list = of.get_mut(name).and_then(Json::as_array_mut);
    list.into_iter().flatten().filter_map(Json::as_object_mut)
}

fn keep_id(part: &mut Fields, known: &Fields, name: &str) {
    if let Some(id) = known.get(name) {
        part.insert(name.to_owned(), id.clone());
    }
}

/// The dashboards of a template by what files call them. Some may have another name by now, so each that is found is
/// looked at.
#[derive(Default)]
struct KnownDashboards {
    ids: BTreeSet<u64>,
    by_name: BTreeMap<String, u64>,
    by_uuid: BTreeMap<String, u64>,
}

impl KnownDashboards {
    fn find(&self, documents: &Documents, name: &str, uuid: &str) -> Option<u64> {
        let has = |id: &u64, field: &str, text: &str| {
            let it = documents.get(TEMPLATE_DASHBOARD.object.name, *id);
            it.is_some_and(|it| it.text(field) == text)
        };
        let by_uuid = self.by_uuid.get(uuid).filter(|it| has(it, "uuid", uuid));
        let by_name = || self.by_name.get(name).filter(|it| has(it, "name", name));
        by_uuid.or_else(by_name).copied()
    }

    fn note(&mut self, id: u64, name: String, uuid: String) {
        self.ids.insert(id);
        self.by_name.insert(name, id);
        if !uuid.is_empty() {
            self.by_uuid.insert(uuid, id);
        }
    }
}

impl Importer<'_> {
    /// Makes and updates the dashboards of a template, and deletes others if it may.
    pub(super) fn dashboards(
        &mut self,
        template: HostId,
        nodes: Vec<Node>,
    ) -> Result<(), ConfigError> {
        let stored: &Stored = &TEMPLATE_DASHBOARD;
        let may = self.rules.template_dashboards;
        let mut kept = BTreeSet::new();
        let mut known_ones = self.dashboards_of(template);
        for mut node in nodes {
            let name = node.needed_text("name")?;
            let uuid = node.uuid()?;
            let known = known_ones.find(&self.e.snapshot().documents, &name, &uuid);
            kept.extend(known);
            if !(if known.is_some() { may.update } else { may.create }) {
                continue;
            }
            let path = node.path().to_owned();
            let fields = self.dashboard(node, name.clone(), uuid.clone())?;
            let at_path = |error: ConfigError| error.at(&path);
            let id = match known {
                Some(id) => {
                    let mut fields = fields;
                    self.keep_ids(id, &mut fields);
                    self.e.update(stored.kind(), id, fields).map_err(at_path)?;
                    id
                }
                None => {
                    let mut fields = fields;
                    fields.insert("templateid".to_owned(), template.to_string().into());
                    self.e.create(stored.kind(), fields).map_err(at_path)?
                }
            };
            kept.insert(id);
            known_ones.note(id, name, uuid);
        }
        if may.delete_missing {
            let gone = known_ones.ids.into_iter().filter(|it| !kept.contains(it));
            let gone: Vec<u64> = gone.collect();
            self.e.delete(stored.kind(), &gone)?;
        }
        Ok(())
    }

    /// Files have no ids of pages and widgets: those at the same places stay the same ones, so that a file that says
    /// nothing new changes nothing.
    fn keep_ids(&self, id: u64, fields: &mut Fields) {
        let kind = TEMPLATE_DASHBOARD.object.name;
        let Some(known) = self.e.snapshot().documents.get(kind, id) else { return };
        for (page, known) in parts(fields, "pages").zip(list(&known.body, "pages")) {
            keep_id(page, known, "dashboard_pageid");
            for (widget, known) in parts(page, "widgets").zip(list(known, "widgets")) {
                keep_id(widget, known, "widgetid");
            }
        }
    }

    fn dashboards_of(&self, template: HostId) -> KnownDashboards {
        let id = template.to_string();
        let all = self.e.snapshot().documents.of(TEMPLATE_DASHBOARD.object.name);
        let mut known = KnownDashboards::default();
        for it in all.filter(|it| it.text("templateid") == id) {
            known.note(it.id, it.text("name").to_owned(), it.text("uuid").to_owned());
        }
        known
    }

    fn dashboard(&self, mut node: Node, name: String, uuid: String) -> Result<Fields, ConfigError> {
        let mut pages = Vec::new();
        for mut page in node.list("pages")? {
            let mut widgets = Vec::new();
            for widget in page.list("widgets")? {
                widgets.push(self.widget(widget, &name)?);
            }
            pages.push(json!({
                "name": page.text("name")?.unwrap_or_default(),
                "display_period": page.text("display_period")?.unwrap_or_else(|| "0".to_owned()),
                "widgets": widgets,
            }));
            page.finish()?;
        }
        let request = json!({
            "name": name,
            "uuid": uuid,
            "display_period": node.text("display_period")?.unwrap_or_else(|| "30".to_owned()),
            "auto_start": node.code("auto_start", NO_YES, 1)?,
            "pages": pages,
        });
        node.finish()?;
        Ok(object(request))
    }

    fn widget(&self, mut node: Node, dashboard: &str) -> Result<Json, ConfigError> {
        let mut fields = Vec::new();
        for mut field in node.list("fields")? {
            let kind = field.code("type", FIELD_TYPES, 1)?;
            let name = field.text("name")?.unwrap_or_default();
            let value = match kind.parse().unwrap_or(STRING) {
                INTEGER | STRING => field.text("value")?.unwrap_or_default(),
                kind => self.named(kind, &mut field, dashboard)?.to_string(),
            };
            fields.push(json!({"type": kind, "name": name, "value": value}));
            field.finish()?;
        }
        let number = |node: &mut Node, name: &str, default: &str| {
            Ok::<String, ConfigError>(node.text(name)?.unwrap_or_else(|| default.to_owned()))
        };
        let request = json!({
            "type": node.needed_text("type")?,
            "name": node.text("name")?.unwrap_or_default(),
            "x": number(&mut node, "x", "0")?,
            "y": number(&mut node, "y", "0")?,
            "width": number(&mut node, "width", "1")?,
            "height": number(&mut node, "height", "2")?,
            "view_mode": node.code("hide_header", NO_YES, 0)?,
            "fields": fields,
        });
        node.finish()?;
        Ok(request)
    }

    /// The id of what a field refers to by its names.
    fn named(&self, kind: i64, field: &mut Node, dashboard: &str) -> Result<u64, ConfigError> {
        let value = field.child("value")?;
        let mut value = value.ok_or_else(|| field.missing("value"))?;
        let path = value.path().to_owned();
        let snapshot = self.e.snapshot();
        let mut by = String::new();
        let found = match kind {
            ITEM | ITEM_PROTOTYPE | GRAPH | GRAPH_PROTOTYPE => {
                let host = value.needed_text("host")?;
                let of_item = matches!(kind, ITEM | ITEM_PROTOTYPE);
                by = value.needed_text(if of_item { "key" } else { "name" })?;
                let holder = snapshot.template_named(&host).or_else(|| snapshot.host_named(&host));
                let is_prototype = matches!(kind, ITEM_PROTOTYPE | GRAPH_PROTOTYPE);
                let is_kind = |it: ItemFlags| (it == ItemFlags::Prototype) == is_prototype;
                holder.and_then(|it| {
                    if of_item {
                        return it
                            .item_by_key(&by)
                            .filter(|it| is_kind(it.flags))
                            .map(|it| it.id.0);
                    }
                    it.graph_by_name_where(&by, |it| is_kind(it.flags)).map(|it| it.id.0)
                })
            }
            2 => {
                by = value.needed_text("name")?;
                self.e.host_group_named(&by).map(|it| it.0)
            }
            3 => {
                by = value.needed_text("host")?;
                snapshot.host_named(&by).map(|it| it.id.0)
            }
            _ => None,
        };
        let id = found.ok_or_else(|| {
            let what = match kind {
                2 => "host group",
                3 => "host",
                ITEM => "item",
                ITEM_PROTOTYPE => "item prototype",
                GRAPH => "graph",
                GRAPH_PROTOTYPE => "graph prototype",
                _ => {
                    return unsupported(
                        &path,
                        "fields of this type are not supported in templates",
                    );
                }
            };
            ConfigError::application(format_args!(
                "Cannot find {what} \"{by}\" used in dashboard \"{dashboard}\". ({path})"
            ))
        })?;
        value.finish()?;
        Ok(id)
    }
}
