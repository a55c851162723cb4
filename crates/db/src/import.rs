//! Templates from Zabbix's export format (YAML or JSON, 7.0 to 7.4).
//!
//! Objects are matched by uuid first, so that a new key or name under the same uuid is a rename
//! that keeps ids and history; then by key or name. Everything goes through the editor, so hosts
//! that link an imported template follow. What has its place in a later version (graphs,
//! dashboards, host prototypes, web scenarios) is counted in the report; all else that is not known
//! is refused with its path: nothing is left out silently.

mod item;
mod overrides;
mod reader;
mod trigger;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

use model::snapshot::Host;
use model::{HostId, ItemId, TemplateGroupId, TriggerId};
use serde_json::{Map as JsonMap, Value as Json, json};

use self::reader::{Kept, Node, unsupported};
use crate::editor::Editor;
use crate::{Actor, ConfigError, Db, ObjectKind};

type Fields = JsonMap<String, Json>;

/// What an import may do. Template groups are made as needed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImportRules {
    /// Make templates that are not there.
    pub create: bool,
    /// Bring templates that are there to what the file says.
    pub update: bool,
    /// Delete objects of such templates that the file does not have.
    pub delete_missing: bool,
}

impl Default for ImportRules {
    fn default() -> Self {
        Self { create: true, update: true, delete_missing: true }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ImportReport {
    /// Technical names of the templates made or updated.
    pub templates: Vec<String>,
    /// What the file has of what is not used yet, by tag.
    pub kept_for_later: BTreeMap<String, usize>,
}

/// Versions of the format that are understood.
const VERSIONS: &[&str] = &["7.0", "7.2", "7.4"];

/// Exports are YAML, of which JSON is a part that is read faster.
fn parse(text: &str) -> Result<Json, ConfigError> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text)
            .map_err(|error| ConfigError::parameters(format_args!("Cannot read JSON: {error}.")));
    }
    serde_saphyr::from_str(text)
        .map_err(|error| ConfigError::parameters(format_args!("Cannot read YAML: {error}.")))
}

pub(crate) fn import(
    db: &Db,
    actor: Actor,
    text: &str,
    rules: &ImportRules,
) -> Result<ImportReport, ConfigError> {
    let kept = Kept::default();
    let mut root = Node::root(parse(text)?, &kept)?;
    let mut export = root.child("zabbix_export")?.ok_or_else(|| root.missing("zabbix_export"))?;
    root.finish()?;
    match export.text("version")?.as_deref() {
        Some(it) if VERSIONS.contains(&it) => {}
        Some(_) => {
            return Err(unsupported(&export.path_of("version"), "unsupported version number"));
        }
        None => return Err(export.missing("version")),
    }
    db.edit(actor, |e| {
        let mut importer = Importer::new(e, rules);
        importer.run(export)?;
        let kept = std::mem::take(&mut *kept.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(ImportReport { templates: importer.names, kept_for_later: kept })
    })
}

/// One import under way.
struct Importer<'e> {
    e: &'e mut Editor,
    rules: &'e ImportRules,
    /// What the file names; all else that templates own goes if it may.
    kept_items: BTreeSet<ItemId>,
    kept_triggers: BTreeSet<TriggerId>,
    names: Vec<String>,
}

/// A template whose objects are still to be read.
struct Pending {
    id: HostId,
    is_new: bool,
    node: Node,
}

impl<'e> Importer<'e> {
    fn new(e: &'e mut Editor, rules: &'e ImportRules) -> Self {
        Self {
            e,
            rules,
            kept_items: BTreeSet::new(),
            kept_triggers: BTreeSet::new(),
            names: Vec::new(),
        }
    }

    /// Groups, templates, links, items, and triggers last: they may use items of all.
    fn run(&mut self, mut export: Node) -> Result<(), ConfigError> {
        export.keep_for_later(&["graphs", "host_groups", "hosts", "images", "maps", "media_types"]);
        export.text("date")?;
        for group in export.list("template_groups")? {
            self.template_group(group)?;
        }
        let mut pending = Vec::new();
        for template in export.list("templates")? {
            pending.extend(self.template(template)?);
        }
        for template in &mut pending {
            self.links(template)?;
        }
        let mut triggers = Vec::new();
        for template in &mut pending {
            triggers.extend(self.objects(template)?);
        }
        triggers.extend(trigger::of_list(export.list("triggers")?, ObjectKind::Trigger));
        export.finish()?;
        self.triggers(triggers)?;
        for template in pending {
            template.node.finish()?;
            if !template.is_new && self.rules.delete_missing {
                self.delete_missing(template.id)?;
            }
        }
        Ok(())
    }

    fn template_group(&mut self, mut node: Node) -> Result<TemplateGroupId, ConfigError> {
        let name = node.needed_text("name")?;
        let uuid = node.text("uuid")?.unwrap_or_default();
        node.finish()?;
        let groups = &self.e.snapshot().template_groups;
        let by_uuid = groups.iter().find(|(_, it)| !uuid.is_empty() && it.uuid == uuid);
        let known = by_uuid.or_else(|| groups.iter().find(|(_, it)| it.name == name));
        if let Some((id, group)) = known {
            let id = *id;
            if group.uuid.is_empty() && !uuid.is_empty() {
                self.e.update(ObjectKind::TemplateGroup, id.0, object(json!({"uuid": uuid})))?;
            }
            return Ok(id);
        }
        let wish = object(json!({"name": name, "uuid": uuid}));
        Ok(TemplateGroupId(self.e.create(ObjectKind::TemplateGroup, wish)?))
    }

    /// The template itself without links and items; `None` if the rules leave it alone.
    fn template(&mut self, mut node: Node) -> Result<Option<Pending>, ConfigError> {
        let host = node.needed_text("template")?;
        let uuid = node.text("uuid")?.unwrap_or_default();
        let snapshot = self.e.snapshot();
        let mut templates = snapshot.templates.values();
        let by_uuid = templates.find(|it| !uuid.is_empty() && it.uuid == uuid);
        let known = by_uuid.or_else(|| snapshot.template_named(&host)).map(|it| it.id);
        let is_wanted = if known.is_some() { self.rules.update } else { self.rules.create };
        if !is_wanted {
            return Ok(None);
        }
        let mut groups = Vec::new();
        for group in node.list("groups")? {
            let id = self.template_group(group)?;
            groups.push(json!({"groupid": id.to_string()}));
        }
        node.child("vendor")?;
        node.keep_for_later(&["dashboards", "httptests", "wizard_ready", "readme"]);
        let wish = json!({
            "host": host,
            "name": node.text("name")?.unwrap_or_default(),
            "description": node.text("description")?.unwrap_or_default(),
            "uuid": uuid,
            "groups": groups,
            "macros": node.list("macros")?.into_iter().map(user_macro).collect::<Result<Vec<_>, _>>()?,
            "tags": tags(&mut node)?,
            "valuemaps": node.list("valuemaps")?.into_iter().map(valuemap).collect::<Result<Vec<_>, _>>()?,
        });
        let id = match known {
            Some(id) => {
                self.e.update(ObjectKind::Template, id.0, object(wish))?;
                id
            }
            None => HostId(self.e.create(ObjectKind::Template, object(wish))?),
        };
        self.names.push(host);
        Ok(Some(Pending { id, is_new: known.is_none(), node }))
    }

    fn links(&mut self, template: &mut Pending) -> Result<(), ConfigError> {
        let mut linked = Vec::new();
        for mut node in template.node.list("templates")? {
            let name = node.needed_text("name")?;
            node.finish()?;
            let found = self.e.snapshot().template_named(&name).map(|it| it.id);
            let id = found.ok_or_else(|| {
                ConfigError::parameters(format_args!("Template \"{name}\" does not exist."))
            })?;
            linked.push(json!({"templateid": id.to_string()}));
        }
        self.e.update(ObjectKind::Template, template.id.0, object(json!({"templates": linked})))
    }

    fn delete_missing(&mut self, id: HostId) -> Result<(), ConfigError> {
        let Some(template) = self.e.snapshot().holder(id) else { return Ok(()) };
        let triggers = template
            .triggers
            .iter()
            .filter(|it| it.source.is_none() && !self.kept_triggers.contains(&it.id));
        let triggers: Vec<TriggerId> = triggers.map(|it| it.id).collect();
        let items = template
            .items
            .iter()
            .filter(|it| it.source.is_none() && !self.kept_items.contains(&it.id));
        let items: Vec<ItemId> = items.map(|it| it.id).collect();
        if !items.is_empty() || !triggers.is_empty() {
            self.e.remove(items, triggers);
        }
        Ok(())
    }

    fn holder(&self, id: HostId) -> Result<&Host, ConfigError> {
        self.e.snapshot().holder(id).map(|it| &**it).ok_or_else(ConfigError::no_permissions)
    }
}

fn object(value: Json) -> Fields {
    match value {
        Json::Object(it) => it,
        _ => Fields::new(),
    }
}

fn tags(node: &mut Node) -> Result<Json, ConfigError> {
    let mut tags = Vec::new();
    for mut tag in node.list("tags")? {
        let wish = json!({
            "tag": tag.needed_text("tag")?, "value": tag.text("value")?.unwrap_or_default()
        });
        tag.finish()?;
        tags.push(wish);
    }
    Ok(Json::Array(tags))
}

fn user_macro(mut node: Node) -> Result<Json, ConfigError> {
    let kinds = &[("TEXT", 0), ("SECRET_TEXT", 1), ("VAULT", 2)];
    // How a wizard asks for the value.
    node.keep_for_later(&["config"]);
    let wish = json!({
        "macro": node.needed_text("macro")?,
        "value": node.text("value")?.unwrap_or_default(),
        "description": node.text("description")?.unwrap_or_default(),
        "type": node.code("type", kinds, 0)?,
    });
    node.finish()?;
    Ok(wish)
}

fn valuemap(mut node: Node) -> Result<Json, ConfigError> {
    let kinds = &[
        ("EQUAL", 0),
        ("GREATER_OR_EQUAL", 1),
        ("LESS_OR_EQUAL", 2),
        ("IN_RANGE", 3),
        ("REGEXP", 4),
        ("DEFAULT", 5),
    ];
    let mut mappings = Vec::new();
    for mut mapping in node.list("mappings")? {
        mappings.push(json!({
            "type": mapping.code("type", kinds, 0)?,
            "value": mapping.text("value")?.unwrap_or_default(),
            "newvalue": mapping.needed_text("newvalue")?,
        }));
        mapping.finish()?;
    }
    let wish = json!({
        "uuid": node.text("uuid")?.unwrap_or_default(),
        "name": node.needed_text("name")?,
        "mappings": mappings,
    });
    node.finish()?;
    Ok(wish)
}
