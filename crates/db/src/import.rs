//! Templates from Zabbix's export format (YAML, JSON or XML, 7.0 to 7.4).
//!
//! What is made, brought to the file's state or deleted goes by [`ImportRules`], kind by kind.
//! Objects are matched by uuid first, so that a new key or name under the same uuid is a rename
//! that keeps ids and history; then by key or name. Everything goes through the editor, so hosts
//! that link an imported template follow. What has its place in a later version
//! (host prototypes) is counted in the report, with the items that nothing
//! collects yet; kinds of objects that cannot be imported at all are refused if the rules ask for
//! them; all else that is not known is refused with its path: nothing is left out silently.

mod dashboard;
mod documents;
mod fields;
mod graph;
mod hostprototype;
mod item;
mod overrides;
mod pending;
mod reader;
mod report;
mod rules;
mod trigger;
mod web;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use model::content::{Group, ItemFlags, ItemType, ValueMap};
use model::snapshot::Host;
use model::{GraphId, HostId, ItemId, TriggerId};
use serde_json::{Value as Json, json};

use self::fields::{Fields, object, tags};
use self::reader::{File, Node, unsupported};
pub use self::report::{ImportReport, Uncollected};
pub use self::rules::{ImportRule, ImportRules};
use crate::editor::{Editor, Removal};
use crate::objects::valuemap::VALUEMAP;
use crate::{ConfigError, ObjectKind, locks};

/// Versions of the format that are understood.
const VERSIONS: &[&str] = &["7.0", "7.2", "7.4"];

/// How an export is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImportFormat {
    Yaml,
    Json,
    Xml,
}

impl ImportFormat {
    /// By the first character, as no text can be two of them (JSON is YAML too, but read faster).
    #[must_use]
    pub fn guess(text: &str) -> Self {
        match text.trim_start_matches('\u{feff}').trim_start().as_bytes().first() {
            Some(b'{') => Self::Json,
            Some(b'<') => Self::Xml,
            _ => Self::Yaml,
        }
    }
}

fn parse(text: &str, format: ImportFormat) -> Result<Json, ConfigError> {
    let failed = |name: &str, error: &dyn std::fmt::Display| {
        ConfigError::application(format_args!("Cannot read {name}: {error}."))
    };
    match format {
        ImportFormat::Json => serde_json::from_str(text).map_err(|error| failed("JSON", &error)),
        ImportFormat::Yaml => match serde_saphyr::from_str(text) {
            Ok(Json::Null) => Err(failed("YAML", &"File is empty")),
            Ok(it) => Ok(it),
            Err(error) => Err(failed("YAML", &error)),
        },
        ImportFormat::Xml if text.is_empty() => Err(failed("XML", &"XML is empty")),
        ImportFormat::Xml => {
            let json = formats::xml::to_json(text).map_err(|error| failed("XML", &error))?;
            serde_json::from_str(&json).map_err(|error| failed("XML", &error))
        }
    }
}

/// An export that was read, to be applied.
pub struct ImportFile {
    export: Node,
    file: Arc<File>,
}

impl std::fmt::Debug for ImportFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ImportFile")
    }
}

impl ImportFile {
    /// Reads the text; what it means is found out by [`ImportFile::apply`].
    ///
    /// # Errors
    /// If the text is not of that format, or not an export of a version that is understood.
    pub fn read(text: &str, format: ImportFormat) -> Result<Self, ConfigError> {
        let text = text.trim_start_matches('\u{feff}');
        let file = Arc::new(File { is_xml: format == ImportFormat::Xml, kept: Mutex::default() });
        let mut root = Node::root(parse(text, format)?, &file)?;
        let mut export =
            root.child("zabbix_export")?.ok_or_else(|| root.missing("zabbix_export"))?;
        root.finish()?;
        match export.text("version")?.as_deref() {
            Some(it) if VERSIONS.contains(&it) => Ok(Self { export, file }),
            Some(_) => Err(unsupported(&export.path_of("version"), "unsupported version number")),
            None => Err(export.missing("version")),
        }
    }

    /// Brings the configuration to the file's state as far as the rules allow.
    ///
    /// # Errors
    /// If the file holds what is not known (the error names the path), or breaks a rule of the
    /// configuration. The edit has to be given up then.
    pub fn apply(self, e: &mut Editor, rules: &ImportRules) -> Result<ImportReport, ConfigError> {
        refuse_without_place(&self.export, rules)?;
        let mut importer = Importer::new(e, rules);
        importer.run(self.export)?;
        let mut kept = locks::lock(&self.file.kept);
        let kept = std::mem::take(&mut *kept);
        let report = ImportReport::new(importer.e.snapshot(), &importer.imported, kept);
        if let Some(first) = importer.imported.first() {
            report.note(importer.e, *first);
        }
        Ok(report)
    }
}

/// An import that would pass over what it is asked for is none.
fn refuse_without_place(export: &Node, rules: &ImportRules) -> Result<(), ConfigError> {
    let asked = rules
        .by_tag()
        .into_iter()
        .filter(|(tag, it)| (it.create || it.update) && documents::of_tag(tag).is_none());
    let counted = asked.map(|(tag, _)| (tag, export.count(tag))).filter(|(_, n)| *n != 0);
    let found: Vec<String> = counted.map(|(tag, n)| format!("{tag} ({n})")).collect();
    if found.is_empty() {
        return Ok(());
    }
    let found = found.join(", ");
    Err(ConfigError::application(format_args!(
        "Cannot import {found}: not supported yet. Nothing was imported."
    )))
}

/// One import under way.
struct Importer<'e> {
    e: &'e mut Editor,
    rules: &'e ImportRules,
    /// What the file names; all else that templates own goes if it may.
    kept_items: BTreeSet<ItemId>,
    kept_triggers: BTreeSet<TriggerId>,
    kept_graphs: BTreeSet<GraphId>,
    kept_host_prototypes: BTreeSet<HostId>,
    /// Read when all templates are there, which they may link.
    host_prototypes: Vec<(HostId, ItemId, Node)>,
    imported: Vec<HostId>,
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
            kept_graphs: BTreeSet::new(),
            kept_host_prototypes: BTreeSet::new(),
            host_prototypes: Vec::new(),
            imported: Vec::new(),
        }
    }

    /// Groups, templates, links, items, and triggers and graphs last: they may use items of all.
    fn run(&mut self, mut export: Node) -> Result<(), ConfigError> {
        export.text("date")?;
        for (tag, rule) in self.rules.by_tag() {
            match documents::of_tag(tag) {
                Some(stored) => documents::import(self.e, stored, export.list(tag)?, rule)?,
                None => export.keep_for_later(&[tag]),
            }
        }
        for group in export.list("host_groups")? {
            self.group(group, ObjectKind::HostGroup, self.rules.host_groups)?;
        }
        for group in export.list("template_groups")? {
            self.group(group, ObjectKind::TemplateGroup, self.rules.template_groups)?;
        }
        let mut pending = Vec::new();
        for template in export.list("templates")? {
            pending.extend(self.template(template)?);
        }
        for template in &mut pending {
            self.links(template)?;
        }
        let (mut triggers, mut graphs) = (Vec::new(), Vec::new());
        for template in &mut pending {
            let (of_template, graphs_of_template) = self.objects(template)?;
            triggers.extend(of_template);
            graphs.extend(graphs_of_template);
        }
        triggers.extend(pending::of_list(export.list("triggers")?, ObjectKind::Trigger));
        graphs.extend(pending::of_list(export.list("graphs")?, ObjectKind::Graph));
        export.finish()?;
        self.triggers(triggers)?;
        for graph in graphs {
            self.graph(graph)?;
        }
        for (template, rule, node) in std::mem::take(&mut self.host_prototypes) {
            self.host_prototype(template, rule, node)?;
        }
        for mut template in pending {
            let dashboards = template.node.list("dashboards")?;
            self.dashboards(template.id, dashboards)?;
            template.node.finish()?;
            if !template.is_new {
                self.delete_missing(template.id)?;
            }
        }
        Ok(())
    }

    /// A host group or template group.
    fn group(
        &mut self,
        mut node: Node,
        kind: ObjectKind,
        rule: ImportRule,
    ) -> Result<(), ConfigError> {
        let name = node.needed_text("name")?;
        let uuid = node.text("uuid")?.unwrap_or_default();
        node.finish()?;
        let snapshot = self.e.snapshot();
        let groups: Vec<(u64, &Arc<Group>)> = if kind == ObjectKind::HostGroup {
            snapshot.host_groups.iter().map(|(id, it)| (id.0, it)).collect()
        } else {
            snapshot.template_groups.iter().map(|(id, it)| (id.0, it)).collect()
        };
        let by_uuid = groups.iter().find(|(_, it)| !uuid.is_empty() && it.uuid == uuid);
        let known = by_uuid.or_else(|| groups.iter().find(|(_, it)| it.name == name));
        if let Some((id, group)) = known {
            let id = *id;
            let mut request = Fields::new();
            if group.uuid.is_empty() && !uuid.is_empty() {
                request.insert("uuid".to_owned(), uuid.into());
            }
            if group.name != name {
                request.insert("name".to_owned(), name.into());
            }
            if rule.update && !request.is_empty() {
                self.e.update(kind, id, request)?;
            }
        } else if rule.create {
            self.e.create(kind, object(json!({"name": name, "uuid": uuid})))?;
        }
        Ok(())
    }

    /// The template itself without links and items; `None` if the rules leave it alone.
    fn template(&mut self, mut node: Node) -> Result<Option<Pending>, ConfigError> {
        let host = node.needed_text("template")?;
        let uuid = node.text("uuid")?.unwrap_or_default();
        let snapshot = self.e.snapshot();
        let mut templates = snapshot.templates.values();
        let by_uuid = templates.find(|it| !uuid.is_empty() && it.uuid == uuid);
        let known = by_uuid.or_else(|| snapshot.template_named(&host)).map(|it| it.id);
        let rule = self.rules.templates;
        if !(if known.is_some() { rule.update } else { rule.create }) {
            return Ok(None);
        }
        let mut groups = Vec::new();
        for mut group in node.list("groups")? {
            // The file's list of groups says more of them; here they are only named.
            let name = group.text("name")?.unwrap_or_default();
            let named = self.e.snapshot().template_groups.iter().find(|(_, it)| it.name == name);
            let id = named.map(|(id, _)| *id).ok_or_else(|| {
                ConfigError::application(format_args!("Group \"{name}\" does not exist."))
            })?;
            group.finish()?;
            groups.push(json!({"groupid": id.to_string()}));
        }
        node.child("vendor")?;
        node.keep_for_later(&["wizard_ready", "readme"]);
        let request = json!({
            "host": host,
            "name": node.text("name")?.unwrap_or_default(),
            "description": node.text("description")?.unwrap_or_default(),
            "uuid": uuid,
            "groups": groups,
            "macros": node.list("macros")?.into_iter().map(user_macro).collect::<Result<Vec<_>, _>>()?,
            "tags": tags(&mut node)?,
            "valuemaps": self.valuemaps(known, node.list("valuemaps")?)?,
        });
        let id = match known {
            Some(id) => {
                self.e.update(ObjectKind::Template, id.0, object(request))?;
                id
            }
            None => HostId(self.e.create(ObjectKind::Template, object(request))?),
        };
        self.imported.push(id);
        Ok(Some(Pending { id, is_new: known.is_none(), node }))
    }

    /// The value maps that a template is to have, as the rule for them has it.
    fn valuemaps(&self, template: Option<HostId>, nodes: Vec<Node>) -> Result<Json, ConfigError> {
        let rule = self.rules.value_maps;
        let mut old = match template {
            Some(id) => self.holder(id)?.valuemaps.clone(),
            None => Vec::new(),
        };
        let mut requests = Vec::with_capacity(nodes.len());
        for node in nodes {
            let request = valuemap(node)?;
            let is_text = |name: &str, text: &str| request[name].as_str() == Some(text);
            let by_uuid =
                old.iter().position(|it| !it.uuid.is_empty() && is_text("uuid", &it.uuid));
            let known = by_uuid.or_else(|| old.iter().position(|it| is_text("name", &it.name)));
            match known.map(|at| old.remove(at)) {
                Some(it) if !rule.update => requests.push(valuemap_as_it_is(&it)?),
                None if !rule.create => {}
                _ => requests.push(request),
            }
        }
        if !rule.delete_missing {
            for it in &old {
                requests.push(valuemap_as_it_is(it)?);
            }
        }
        Ok(Json::Array(requests))
    }

    fn links(&mut self, template: &mut Pending) -> Result<(), ConfigError> {
        let rule = self.rules.template_linkage;
        let old = self.holder(template.id)?.templates.clone();
        let mut wanted = Vec::new();
        for mut node in template.node.list("templates")? {
            let name = node.needed_text("name")?;
            node.finish()?;
            let found = self.e.snapshot().template_named(&name).map(|it| it.id);
            let id = found.ok_or_else(|| {
                ConfigError::application(format_args!("Template \"{name}\" does not exist."))
            })?;
            wanted.push(id);
        }
        let mut linked: Vec<HostId> = wanted.clone();
        linked.retain(|it| rule.create || old.contains(it));
        linked.extend(old.iter().filter(|it| !rule.delete_missing && !wanted.contains(it)));
        let linked: Vec<Json> =
            linked.iter().map(|it| json!({"templateid": it.to_string()})).collect();
        self.e.update(ObjectKind::Template, template.id.0, object(json!({"templates": linked})))
    }

    fn delete_missing(&mut self, id: HostId) -> Result<(), ConfigError> {
        let Some(template) = self.e.snapshot().holder(id) else { return Ok(()) };
        let may = |flags: ItemFlags, of_plain: ImportRule| match flags {
            ItemFlags::Rule | ItemFlags::Prototype => self.rules.discovery_rules.delete_missing,
            _ => of_plain.delete_missing,
        };
        let triggers = template.triggers.iter().filter(|it| {
            it.source.is_none()
                && !self.kept_triggers.contains(&it.id)
                && may(it.flags, self.rules.triggers)
        });
        let triggers: Vec<TriggerId> = triggers.map(|it| it.id).collect();
        let items = template.items.iter().filter(|it| {
            it.source.is_none()
                && it.content.kind != ItemType::WebItem
                && !self.kept_items.contains(&it.id)
                && may(it.flags, self.rules.items)
        });
        let items: Vec<ItemId> = items.map(|it| it.id).collect();
        let graphs = template.graphs.iter().filter(|it| {
            it.source.is_none()
                && !self.kept_graphs.contains(&it.id)
                && may(it.flags, self.rules.graphs)
        });
        let graphs: Vec<GraphId> = graphs.map(|it| it.id).collect();
        let may_go = self.rules.discovery_rules.delete_missing;
        let host_prototypes = template.host_prototypes.iter().filter(|it| {
            may_go && it.source.is_none() && !self.kept_host_prototypes.contains(&it.id)
        });
        let host_prototypes: Vec<HostId> = host_prototypes.map(|it| it.id).collect();
        let is_none = items.is_empty() && triggers.is_empty() && graphs.is_empty();
        if !is_none || !host_prototypes.is_empty() {
            self.e.remove(Removal { items, triggers, graphs, host_prototypes });
        }
        Ok(())
    }

    fn holder(&self, id: HostId) -> Result<&Host, ConfigError> {
        self.e.snapshot().holder(id).map(|it| &**it).ok_or_else(ConfigError::no_permissions)
    }
}

fn user_macro(mut node: Node) -> Result<Json, ConfigError> {
    let kinds = &[("TEXT", 0), ("SECRET_TEXT", 1), ("VAULT", 2)];
    // How a wizard asks for the value.
    node.keep_for_later(&["config"]);
    let request = json!({
        "macro": node.needed_text("macro")?,
        "value": node.text("value")?.unwrap_or_default(),
        "description": node.text("description")?.unwrap_or_default(),
        "type": node.code("type", kinds, 0)?,
    });
    node.finish()?;
    Ok(request)
}

fn valuemap_as_it_is(valuemap: &ValueMap) -> Result<Json, ConfigError> {
    serde_json::to_value(valuemap).map_err(|error| {
        ConfigError::application(format_args!("Cannot write a value map: {error}."))
    })
}

fn valuemap(mut node: Node) -> Result<Json, ConfigError> {
    let request = documents::fields_of(VALUEMAP.object.fields, &mut node)?;
    node.finish()?;
    Ok(Json::Object(request))
}
