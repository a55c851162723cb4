//! Configuration from Zabbix's export format (YAML, JSON or XML, 6.0 to 7.4).
//!
//! [`ImportRules`] decide, kind by kind, which objects are made, updated or deleted. Objects are
//! matched by uuid first, so that a new key or name under the same uuid is a rename that keeps ids
//! and history; then by key or name. Everything goes through the editor, so hosts that link an
//! imported template follow; maps come last, since they name all else. Parts that a later version
//! will use are counted in the report, with the items that nothing collects yet; all other unknown
//! parts are refused with their path: nothing is left out silently.

mod changes;
mod convert;
mod dashboard;
mod documents;
mod fields;
mod graph;
mod host;
mod hostprototype;
mod item;
mod map;
mod of_type;
mod overrides;
mod pending;
mod reader;
mod report;
mod rule_order;
mod rules;
mod trigger;
mod triggers_by_name;
mod web;
mod weight;
mod yaml;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use model::content::{ItemFlags, ItemType, ValueMap};
use model::field_path::FieldPath;
use model::snapshot::{Host, Snapshot, comparisons};
use model::{GraphId, HostId, InterfaceId, ItemId, TriggerId, UserId};
use serde_json::{Value as Json, json};

pub use self::changes::ImportChanges;
use self::documents::read_content;
use self::fields::{Fields, object, tags};
pub(crate) use self::reader::entry_of;
use self::reader::{File, Node, unsupported};
pub use self::report::{ImportReport, Uncollected};
pub use self::rules::{ImportRule, ImportRules};
use self::triggers_by_name::TriggersByName;
pub use self::weight::Room;
use crate::configuration::editor::{Editor, Removal};
use crate::configuration::objects::names::MACRO_TYPES;
use crate::configuration::objects::valuemap::VALUEMAP;
use crate::configuration::objects::{ObjectKind, template};
use crate::error::ConfigError;
use crate::locks;

/// Versions of the format that are understood.
const VERSIONS: &[&str] = &["7.0", "7.2", "7.4"];

/// Parts of a template or host that have rules of their own.
const OF_RULES: &[&str] =
    &["templates", "items", "discovery_rules", "httptests", "dashboards", "valuemaps"];

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

/// Reads YAML as imports do: plain scalars are texts.
///
/// # Errors
/// If it is none; the text says where.
pub fn read_yaml(text: &str) -> Result<Json, String> {
    yaml::parse(text, &mut |_bytes| Ok(())).map_err(|it| match it {
        yaml::YamlError::NoYaml(what) => what,
        yaml::YamlError::NoRoom(error) => error.text(),
    })
}

fn parse(text: &str, format: ImportFormat, room: Room<'_>) -> Result<Json, ConfigError> {
    match format {
        // Counted while it is read.
        ImportFormat::Yaml => {}
        ImportFormat::Json => room(weight::of_json(text))?,
        ImportFormat::Xml => room(weight::of_xml(text))?,
    }
    let failed = |name: &str, error: &dyn std::fmt::Display| {
        ConfigError::application(format_args!("Cannot read {name}: {error}."))
    };
    match format {
        ImportFormat::Json => serde_json::from_str(text).map_err(|error| failed("JSON", &error)),
        ImportFormat::Yaml => match yaml::parse(text, room) {
            Ok(Json::Null) => Err(failed("YAML", &"File is empty")),
            Ok(it) => Ok(it),
            Err(yaml::YamlError::NoYaml(what)) => Err(failed("YAML", &what)),
            Err(yaml::YamlError::NoRoom(error)) => Err(error),
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
    owner: Option<UserId>,
    is_of_7_4: bool,
    has_no_inventory: bool,
}

impl std::fmt::Debug for ImportFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ImportFile")
    }
}

impl ImportFile {
    /// Reads the text; [`ImportFile::apply`] interprets it.
    ///
    /// # Errors
    /// If the text is not of that format, or not an export of a version that is understood.
    pub fn read(text: &str, format: ImportFormat) -> Result<Self, ConfigError> {
        Self::read_within(text, format, &mut |_bytes| Ok(()))
    }

    /// As [`ImportFile::read`], asking for room for what is read before it is there.
    ///
    /// # Errors
    /// Those of `room` as well.
    pub fn read_within(
        text: &str,
        format: ImportFormat,
        room: Room<'_>,
    ) -> Result<Self, ConfigError> {
        let text = text.trim_start_matches('\u{feff}');
        let file = Arc::new(File { is_xml: format == ImportFormat::Xml, kept: Mutex::default() });
        let mut root = Node::root(parse(text, format, room)?, &file)?;
        let export = root.child("zabbix_export")?;
        let missing = root.missing("zabbix_export");
        root.finish()?;
        let mut export = export.ok_or(missing)?;
        let path = export.path_of("version");
        let version = export.text("version")?;
        match version.as_deref() {
            Some(it) if VERSIONS.contains(&it) => {}
            Some(it) if convert::VERSIONS.contains(&it) => export.convert(it),
            Some(it) if convert::is_too_old(it) => {
                let what = format!(
                    "files of version {it} are not read; 6.0 is the oldest: import it there and export it again"
                );
                return Err(unsupported(&path, what));
            }
            Some(_) => return Err(unsupported(&path, "unsupported version number")),
            None => return Err(export.missing("version")),
        }
        let version = version.as_deref();
        Ok(Self {
            export,
            file,
            owner: None,
            is_of_7_4: version == Some("7.4"),
            has_no_inventory: matches!(version, Some("7.2" | "7.4")),
        })
    }

    /// Whether there is something in a list of the file.
    #[must_use]
    pub fn has(&self, list: &str) -> bool {
        self.export.has(list)
    }

    /// New maps belong to this user.
    #[must_use]
    pub fn owned_by(self, owner: UserId) -> Self {
        Self { owner: Some(owner), ..self }
    }

    /// Brings the configuration to the file's state as far as the rules allow.
    ///
    /// # Errors
    /// If the file holds what is not known (the error names the path), or breaks a rule of the
    /// configuration. The edit has to be given up then.
    pub fn apply(self, e: &mut Editor, rules: &ImportRules) -> Result<ImportReport, ConfigError> {
        let done = self.done(e, rules)?;
        let templates = &e.snapshot().templates;
        let first = done.holders.iter().find(|it| templates.contains_key(*it)).copied();
        if let Some(first) = first {
            done.report.note(e, first);
        }
        Ok(done.report)
    }

    /// As [`ImportFile::apply`], without a word in the audit log.
    pub(crate) fn done(self, e: &mut Editor, rules: &ImportRules) -> Result<Done, ConfigError> {
        let before = e.snapshot().clone();
        let mut importer = Importer::new(e, rules, self.owner);
        importer.is_of_7_4 = self.is_of_7_4;
        importer.has_no_inventory = self.has_no_inventory;
        importer.run(self.export)?;
        let Importer { e, imported, documents, .. } = importer;
        let kept = std::mem::take(&mut *locks::lock(&self.file.kept));
        let report = ImportReport::new(&before, e.snapshot(), &imported, kept);
        Ok(Done { before, holders: imported, documents, report })
    }
}

/// The result of an import.
pub(crate) struct Done {
    pub(crate) before: Snapshot,
    /// Templates and hosts that it made or updated.
    pub(crate) holders: Vec<HostId>,
    /// Objects of other lists that it made or updated, by list.
    pub(crate) documents: BTreeMap<&'static str, BTreeSet<u64>>,
    pub(crate) report: ImportReport,
}

/// One import under way.
struct Importer<'e> {
    e: &'e mut Editor,
    rules: &'e ImportRules,
    /// Of new maps.
    owner: Option<UserId>,
    /// Fields missing in the file have the defaults of 7.4.
    is_of_7_4: bool,
    /// Hosts of which the file does not say it have no inventory, as since 7.2.
    has_no_inventory: bool,
    /// Items that the file names; all others that templates own go if they may.
    kept_items: BTreeSet<ItemId>,
    kept_triggers: BTreeSet<TriggerId>,
    kept_graphs: BTreeSet<GraphId>,
    kept_host_prototypes: BTreeSet<HostId>,
    /// Discovery rules that were made or updated.
    rules_done: BTreeSet<ItemId>,
    /// Read when all templates are there, which they may link.
    host_prototypes: Vec<(HostId, ItemId, Node)>,
    imported: Vec<HostId>,
    /// Own triggers and graphs of all templates that have a uuid: found without a look at each template.
    triggers_by_uuid: BTreeMap<String, TriggerId>,
    graphs_by_uuid: BTreeMap<(bool, String), GraphId>,
    templates_by_uuid: BTreeMap<String, HostId>,
    triggers_by_name: RefCell<TriggersByName>,
    /// Interfaces of imported hosts by what the file calls them.
    interfaces: BTreeMap<(HostId, String), InterfaceId>,
    /// Objects of other lists that were made or updated, by list.
    documents: BTreeMap<&'static str, BTreeSet<u64>>,
}

/// A template or host whose objects are still to be read.
struct Pending {
    kind: ObjectKind,
    id: HostId,
    is_new: bool,
    node: Node,
}

impl<'e> Importer<'e> {
    fn new(e: &'e mut Editor, rules: &'e ImportRules, owner: Option<UserId>) -> Self {
        let (mut triggers_by_uuid, mut graphs_by_uuid) = (BTreeMap::new(), BTreeMap::new());
        let mut templates_by_uuid = BTreeMap::new();
        for template in e.snapshot().templates.values() {
            comparisons::count();
            if !template.uuid.is_empty() {
                templates_by_uuid.insert(template.uuid.clone(), template.id);
            }
            let triggers = template.triggers.iter().filter(|it| it.source.is_none());
            for it in triggers.filter(|it| !it.content.uuid.is_empty()) {
                triggers_by_uuid.insert(it.content.uuid.clone(), it.id);
            }
            let graphs = template.graphs.iter().filter(|it| it.source.is_none());
            for it in graphs.filter(|it| !it.content.uuid.is_empty()) {
                graphs_by_uuid.insert((it.is_live(), it.content.uuid.clone()), it.id);
            }
        }
        Self {
            triggers_by_uuid,
            graphs_by_uuid,
            templates_by_uuid,
            triggers_by_name: RefCell::default(),
            e,
            rules,
            owner,
            is_of_7_4: false,
            has_no_inventory: false,
            kept_items: BTreeSet::new(),
            kept_triggers: BTreeSet::new(),
            kept_graphs: BTreeSet::new(),
            kept_host_prototypes: BTreeSet::new(),
            rules_done: BTreeSet::new(),
            host_prototypes: Vec::new(),
            imported: Vec::new(),
            interfaces: BTreeMap::new(),
            documents: BTreeMap::new(),
        }
    }

    /// Groups, templates, links, items, then triggers and graphs, which may use items of all, and maps.
    fn run(&mut self, mut export: Node) -> Result<(), ConfigError> {
        export.text("date")?;
        for (stored, tag, rule) in self.rules.of_documents() {
            let ids = documents::import(self.e, stored, export.list(tag)?, rule)?;
            self.documents.entry(tag).or_default().extend(ids);
        }
        self.groups(export.list("host_groups")?, ObjectKind::HostGroup, self.rules.host_groups)?;
        let of_templates = export.list("template_groups")?;
        self.groups(of_templates, ObjectKind::TemplateGroup, self.rules.template_groups)?;
        let mut pending = Vec::new();
        for template in export.list("templates")? {
            pending.extend(self.template(template)?);
        }
        for host in export.list("hosts")? {
            pending.extend(self.host(host)?);
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
        let maps = export.list("maps")?;
        export.finish()?;
        self.triggers(triggers)?;
        for graph in graphs {
            self.graph(graph)?;
        }
        for (template, rule, node) in std::mem::take(&mut self.host_prototypes) {
            self.host_prototype(template, rule, node)?;
        }
        for mut template in pending {
            if template.kind == ObjectKind::Template {
                let dashboards = template.node.list("dashboards")?;
                self.dashboards(template.id, dashboards)?;
            }
            template.node.finish()?;
            if !template.is_new {
                self.delete_missing(template.id)?;
            }
        }
        self.maps(maps)
    }

    /// Host groups or template groups. New ones are created together: each identity and name once.
    fn groups(
        &mut self,
        nodes: Vec<Node>,
        kind: ObjectKind,
        rule: ImportRule,
    ) -> Result<(), ConfigError> {
        let (mut made, mut n_made) = (BTreeSet::new(), 0);
        for mut node in nodes {
            let name = node.needed_text("name")?;
            let uuid = node.uuid()?;
            node.finish()?;
            let identity = [("uuid", uuid), ("name", name)];
            if let Some((field, text)) = identity.iter().find(|it| made.contains(*it)) {
                let what = format!("value ({field})=({text}) already exists");
                return Err(ConfigError::invalid(FieldPath::object(n_made), what));
            }
            let [(_, uuid), (_, name)] = &identity;
            if self.group([uuid, name], kind, rule)? {
                n_made += 1;
                made.extend(identity.into_iter().filter(|it| !it.1.is_empty()));
            }
        }
        Ok(())
    }

    /// A host group or template group. Returns whether it is new.
    fn group(
        &mut self,
        [uuid, name]: [&str; 2],
        kind: ObjectKind,
        rule: ImportRule,
    ) -> Result<bool, ConfigError> {
        let (e, snapshot) = (&*self.e, self.e.snapshot());
        let known = if kind == ObjectKind::HostGroup {
            let id = e.host_group_by_uuid(uuid).or_else(|| e.host_group_named(name));
            id.and_then(|id| Some((id.0, snapshot.host_groups.get(&id)?)))
        } else {
            let id = e.template_group_by_uuid(uuid).or_else(|| e.template_group_named(name));
            id.and_then(|id| Some((id.0, snapshot.template_groups.get(&id)?)))
        };
        if let Some((id, group)) = known {
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
            return Ok(true);
        }
        Ok(false)
    }

    /// The template itself without links and items; `None` if the rules leave it alone.
    fn template(&mut self, mut node: Node) -> Result<Option<Pending>, ConfigError> {
        let host = node.needed_text("template")?;
        let uuid = node.uuid()?;
        let snapshot = self.e.snapshot();
        let by_uuid = self.templates_by_uuid.get(&uuid).filter(|id| {
            // One that this file has changed may have another by now.
            snapshot.templates.get(*id).is_some_and(|it| it.uuid == uuid)
        });
        let known = by_uuid.copied().or_else(|| Some(snapshot.template_named(&host)?.id));
        let rule = self.rules.templates;
        match known {
            Some(id) if !rule.update => {
                node.keep_only(OF_RULES);
                let valuemaps = self.valuemaps(known, node.list("valuemaps")?)?;
                return self.parts_of(ObjectKind::Template, id, valuemaps, node);
            }
            None if !rule.create => return Ok(None),
            _ => {}
        }
        let mut groups = Vec::new();
        for mut group in node.list("groups")? {
            // The file's list of groups says more of them; here they are only named.
            let name = group.text("name")?.unwrap_or_default();
            let id = self.e.template_group_named(&name).ok_or_else(|| {
                ConfigError::application(format_args!("Group \"{name}\" does not exist."))
            })?;
            group.finish()?;
            groups.push(json!({"groupid": id.to_string()}));
        }
        node.keep_for_later(&["wizard_ready", "readme"]);
        let mut request = object(json!({ "host": host, "uuid": uuid }));
        read_content(&mut request, &mut node, template::IN_FILES, false, &|it| *it)?;
        // None is the technical one.
        request.entry(template::NAME.field.name).or_insert_with(|| "".into());
        let mut vendor = node.child("vendor")?.unwrap_or_else(|| node.empty());
        read_content(&mut request, &mut vendor, template::VENDOR_IN_FILES, false, &|it| *it)?;
        vendor.finish()?;
        request.extend(object(json!({
            "groups": groups,
            "macros": node.list("macros")?.into_iter().map(user_macro).collect::<Result<Vec<_>, _>>()?,
            "tags": tags(&mut node)?,
            "valuemaps": self.valuemaps(known, node.list("valuemaps")?)?,
        })));
        let id = match known {
            Some(id) => {
                if uuid.is_empty() {
                    request.remove("uuid");
                }
                self.e.update(ObjectKind::Template, id.0, request)?;
                id
            }
            None => HostId(self.e.create(ObjectKind::Template, request)?),
        };
        if !uuid.is_empty() {
            self.templates_by_uuid.insert(uuid, id);
        }
        self.imported.push(id);
        Ok(Some(Pending { kind: ObjectKind::Template, id, is_new: known.is_none(), node }))
    }

    /// Parts of a template or host with rules of their own, if the rule for itself leaves it
    /// unchanged.
    fn parts_of(
        &mut self,
        kind: ObjectKind,
        id: HostId,
        valuemaps: Json,
        node: Node,
    ) -> Result<Option<Pending>, ConfigError> {
        self.e.update(kind, id.0, object(json!({"valuemaps": valuemaps})))?;
        self.imported.push(id);
        Ok(Some(Pending { kind, id, is_new: false, node }))
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
            let mut request = valuemap(node)?;
            let has_uuid = request["uuid"].as_str().is_some_and(|it| !it.is_empty());
            let is_text = |name: &str, text: &str| request[name].as_str() == Some(text);
            let by_uuid =
                old.iter().position(|it| !it.uuid.is_empty() && is_text("uuid", &it.uuid));
            let known = by_uuid.or_else(|| old.iter().position(|it| is_text("name", &it.name)));
            match known.map(|at| old.remove(at)) {
                Some(it) if !rule.update => requests.push(valuemap_as_it_is(&it)?),
                Some(it) if !has_uuid => {
                    request["uuid"] = it.uuid.as_str().into();
                    requests.push(request);
                }
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
        self.e.update(template.kind, template.id.0, object(json!({"templates": linked})))
    }

    fn delete_missing(&mut self, id: HostId) -> Result<(), ConfigError> {
        let Some(template) = self.e.snapshot().holder(id) else { return Ok(()) };
        let of_rules = self.rules.discovery_rules;
        // Those of a rule that goes go with it.
        let may_prototype = |rule: ItemId| of_rules.update && self.kept_items.contains(&rule);
        let may = |flags: ItemFlags, rule: ItemId, of_plain: ImportRule| match flags {
            ItemFlags::Rule => of_rules.delete_missing,
            it if it.is_prototype() => may_prototype(rule),
            _ => of_plain.delete_missing,
        };
        let triggers = template.triggers.iter().filter(|it| {
            it.source.is_none()
                && it.discovered().is_none()
                && !self.kept_triggers.contains(&it.id)
                && may(it.flags, it.content.ruleid, self.rules.triggers)
        });
        let triggers: Vec<TriggerId> = triggers.map(|it| it.id).collect();
        let items = template.items.iter().filter(|it| {
            it.source.is_none()
                && it.discovered().is_none()
                && it.content.kind != ItemType::WebItem
                && !self.kept_items.contains(&it.id)
                && may(it.flags, it.content.ruleid, self.rules.items)
        });
        let items: Vec<ItemId> = items.map(|it| it.id).collect();
        let graphs = template.graphs.iter().filter(|it| {
            it.source.is_none()
                && it.discovered().is_none()
                && !self.kept_graphs.contains(&it.id)
                && may(it.flags, it.content.ruleid, self.rules.graphs)
        });
        let graphs: Vec<GraphId> = graphs.map(|it| it.id).collect();
        let host_prototypes = template.host_prototypes.iter().filter(|it| {
            it.source.is_none()
                && !self.kept_host_prototypes.contains(&it.id)
                && may_prototype(it.content.ruleid)
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
    // How a wizard asks for the value.
    node.keep_for_later(&["config"]);
    let kind = node.code("type", MACRO_TYPES, 0)?;
    let value = node.text("value")?;
    let mut request = json!({
        "macro": node.needed_text("macro")?,
        "description": node.text("description")?.unwrap_or_default(),
        "type": kind,
    });
    // Exports have no secrets: one that is there stays.
    if value.is_some() || kind != "1" {
        request["value"] = value.unwrap_or_default().into();
    }
    node.finish()?;
    Ok(request)
}

fn valuemap_as_it_is(valuemap: &ValueMap) -> Result<Json, ConfigError> {
    serde_json::to_value(valuemap).map_err(|error| {
        ConfigError::application(format_args!("Cannot write a value map: {error}."))
    })
}

fn valuemap(mut node: Node) -> Result<Json, ConfigError> {
    let uuid = node.uuid()?;
    let mut request = documents::fields_of(VALUEMAP.object.fields, &mut node)?;
    node.finish()?;
    request.insert("uuid".to_owned(), uuid.into());
    // Files leave out what is empty; the API wants it written.
    let mappings = request.get_mut("mappings").and_then(Json::as_array_mut).into_iter().flatten();
    for mapping in mappings.filter_map(Json::as_object_mut) {
        mapping.entry("value").or_insert_with(|| "".into());
    }
    Ok(Json::Object(request))
}
