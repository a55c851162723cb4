//! Configuration in Zabbix's export format, version 7.0, or 7.4 where it has nested discovery or what maps have since then: the counterpart of
//! [`crate::configuration::import`].
//!
//! Objects stand in Zabbix's order with their fields in Zabbix's order; fields at their defaults are
//! left out, codes have names, and other objects are named, never referred to by id. Secrets (values
//! of secret macros, passwords of media types) are not exported, nor is what was inherited or
//! discovered: templates and rules make it again. Triggers and graphs that use hosts or templates
//! outside of the export are left out, as Zabbix does.

mod dashboard;
mod document;
mod entry;
mod graph;
mod holder;
mod host;
mod hostprototype;
mod item;
mod map;
mod map_images;
mod map_version;
mod rule;
mod trigger;
mod uuid;
mod web;

use std::collections::BTreeSet;
use std::sync::Arc;

use formats::document::Value;
use model::content::{Group, ItemFlags, ItemType};
use model::content_field::{ContentField, FieldValue};
use model::snapshot::{Host, Snapshot};
use model::{GroupId, HostId, TemplateGroupId};

use self::entry::Entry;
use crate::configuration::import::{ImportFormat, entry_of};
use crate::configuration::objects;

/// The version of the format that is written.
const VERSION: &str = "7.0";
/// Older ones have no nested discovery.
const VERSION_OF_7_4: &str = "7.4";

/// The objects to be exported, by id. Groups of hosts and templates come with them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ExportOptions {
    pub host_groups: BTreeSet<u64>,
    pub template_groups: BTreeSet<u64>,
    pub hosts: BTreeSet<u64>,
    pub templates: BTreeSet<u64>,
    pub media_types: BTreeSet<u64>,
    pub images: BTreeSet<u64>,
    pub maps: BTreeSet<u64>,
    /// Of the hosts and templates, those whose passwords, keys and communities are left out.
    pub without_credentials: BTreeSet<u64>,
}

impl ExportOptions {
    /// Everything that can be exported.
    #[must_use]
    pub fn all(snapshot: &Snapshot) -> Self {
        let documents = |tag: &str| {
            let stored = objects::ALL.iter().find(|it| it.tag == Some(tag));
            let all = stored.into_iter().flat_map(|it| snapshot.documents.of(it.object.name));
            all.map(|it| it.id).collect()
        };
        Self {
            host_groups: snapshot.host_groups.keys().map(|it| it.0).collect(),
            template_groups: snapshot.template_groups.keys().map(|it| it.0).collect(),
            hosts: snapshot.hosts.keys().map(|it| it.0).collect(),
            templates: snapshot.templates.keys().map(|it| it.0).collect(),
            media_types: documents("media_types"),
            images: documents("images"),
            maps: documents("maps"),
            without_credentials: BTreeSet::new(),
        }
    }

    /// With the icons and backgrounds that the maps show: a map without them cannot be imported.
    #[must_use]
    pub fn with_images_of_maps(mut self, snapshot: &Snapshot) -> Self {
        self.images.extend(map_images::images_of(snapshot, &self.maps));
        self
    }
}

/// The document of an export. Ids of missing objects are skipped: the caller checks them, together
/// with permissions.
#[must_use]
pub fn export(snapshot: &Snapshot, options: &ExportOptions) -> Value {
    let mut templates: Vec<&Arc<Host>> =
        options.templates.iter().filter_map(|it| snapshot.templates.get(&HostId(*it))).collect();
    templates.sort_by(|one, two| one.host.cmp(&two.host));
    let mut hosts: Vec<&Arc<Host>> =
        options.hosts.iter().filter_map(|it| snapshot.hosts.get(&HostId(*it))).collect();
    hosts.sort_by(|one, two| one.host.cmp(&two.host));
    let exporter = Exporter {
        snapshot,
        holders: templates.iter().chain(&hosts).map(|it| it.id).collect(),
        closed: options.without_credentials.iter().map(|it| HostId(*it)).collect(),
        is_of_7_4: templates.iter().chain(&hosts).any(|it| has_nested(it))
            || map_version::are_of_7_4(snapshot, &options.maps),
    };

    let mut host_groups: BTreeSet<GroupId> =
        options.host_groups.iter().map(|it| GroupId(*it)).collect();
    host_groups.extend(hosts.iter().flat_map(|it| it.groups.iter().copied()));
    let holders = templates.iter().chain(&hosts);
    host_groups.extend(holders.flat_map(|it| groups_of_prototypes(it)));
    let mut template_groups: BTreeSet<TemplateGroupId> =
        options.template_groups.iter().map(|it| TemplateGroupId(*it)).collect();
    template_groups.extend(templates.iter().flat_map(|it| it.template_groups.iter().copied()));
    let host_groups = host_groups.iter().filter_map(|it| snapshot.host_groups.get(it));
    let template_groups = template_groups.iter().filter_map(|it| snapshot.template_groups.get(it));

    let mut whole = Entry::default();
    whole.text("version", if exporter.is_of_7_4 { VERSION_OF_7_4 } else { VERSION });
    whole.list("media_types", exporter.documents("media_types", &options.media_types));
    whole.list("host_groups", groups("host_groups", host_groups));
    whole.list("template_groups", groups("template_groups", template_groups));
    whole.list("hosts", hosts.iter().map(|it| exporter.host(it)).collect());
    whole.list("templates", templates.iter().map(|it| exporter.template(it)).collect());
    whole.list("triggers", exporter.shared_triggers());
    whole.list("graphs", exporter.graphs());
    whole.list("images", exporter.documents("images", &options.images));
    whole.list("maps", exporter.maps(&options.maps));
    let mut root = Entry::default();
    root.child("zabbix_export", whole);
    root.into()
}

/// Whether something of a holder's own is new with nested discovery.
fn has_nested(holder: &Host) -> bool {
    let own = holder.items.iter();
    let mut own = own.filter(|it| it.source.is_none() && it.discovered().is_none());
    own.any(|it| it.flags == ItemFlags::RulePrototype || it.content.kind == ItemType::Nested)
}

/// The groups that host prototypes of a holder name.
fn groups_of_prototypes(holder: &Host) -> impl Iterator<Item = GroupId> {
    let own = holder.host_prototypes.iter().filter(|it| it.source.is_none());
    own.flat_map(|it| it.content.groups.iter().copied())
}

/// The text of a document.
#[must_use]
pub fn write(document: &Value, format: ImportFormat, is_pretty: bool) -> String {
    match format {
        ImportFormat::Yaml => document.to_yaml(),
        ImportFormat::Json => document.to_json(is_pretty),
        ImportFormat::Xml => document.to_xml(is_pretty, &entry_of),
    }
}

fn groups<'a>(list: &str, of: impl Iterator<Item = &'a Arc<Group>>) -> Vec<Value> {
    let mut groups: Vec<&Arc<Group>> = of.collect();
    groups.sort_by(|one, two| one.name.cmp(&two.name));
    let entry = |it: &Arc<Group>| {
        let mut entry = Entry::default();
        entry.text("uuid", uuid::or_made(&it.uuid, &[list, &it.name]));
        entry.text("name", it.name.as_str());
        entry.into()
    };
    groups.into_iter().map(entry).collect()
}

/// One export under way.
struct Exporter<'s> {
    snapshot: &'s Snapshot,
    /// Hosts and templates that are exported.
    holders: BTreeSet<HostId>,
    /// Those of them whose credentials are left out.
    closed: BTreeSet<HostId>,
    /// The version that is written: it has what is new with it.
    is_of_7_4: bool,
}

impl Exporter<'_> {
    /// The value of a field, as far as the file may have it.
    fn shown_of<'c, C>(
        &self,
        holder: &Host,
        described: &ContentField<C>,
        content: &'c C,
    ) -> FieldValue<'c> {
        match (described.read)(content) {
            FieldValue::Text(text) if described.is_credential => {
                FieldValue::Text(self.credential(holder, text))
            }
            value => value,
        }
    }

    /// A credential of a host or template, or nothing.
    fn credential<'t>(&self, holder: &Host, text: &'t str) -> &'t str {
        if self.closed.contains(&holder.id) { "" } else { text }
    }
}
