//! Permissions of an import.

use crate::configuration::objects::image::IMAGE;
use crate::configuration::objects::mediatype::MEDIATYPE;
use crate::configuration::objects::{ObjectKind, Stored};

/// Permissions of an import on objects of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ImportRule {
    /// Make what is not there.
    pub create: bool,
    /// Bring what is there to what the file says.
    pub update: bool,
    /// Delete what templates of the file have and the file does not.
    pub delete_missing: bool,
}

/// Permissions of an import. Prototypes follow their discovery rule: where it is made or updated,
/// they come to the file's state, and those that the file lacks are deleted from a rule that is
/// updated; else they stay.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ImportRules {
    /// Never deleted.
    pub host_groups: ImportRule,
    /// Never deleted.
    pub template_groups: ImportRule,
    /// With their macros and tags. Never deleted.
    pub templates: ImportRule,
    /// Links between templates: made and taken away.
    pub template_linkage: ImportRule,
    pub value_maps: ImportRule,
    pub items: ImportRule,
    pub discovery_rules: ImportRule,
    pub triggers: ImportRule,
    pub web_scenarios: ImportRule,
    pub graphs: ImportRule,
    pub template_dashboards: ImportRule,
    /// With their groups' names, interfaces, macros, tags and inventory. Never deleted.
    pub hosts: ImportRule,
    pub images: ImportRule,
    /// With all that stands on them. Never deleted.
    pub maps: ImportRule,
    pub media_types: ImportRule,
}

impl ImportRules {
    /// Everything comes to the file's state.
    pub const ALL: Self = {
        let all = ImportRule { create: true, update: true, delete_missing: true };
        Self {
            host_groups: all,
            template_groups: all,
            templates: all,
            template_linkage: all,
            value_maps: all,
            items: all,
            discovery_rules: all,
            triggers: all,
            web_scenarios: all,
            graphs: all,
            template_dashboards: all,
            hosts: all,
            images: all,
            maps: all,
            media_types: all,
        }
    };

    pub(super) fn of(&self, kind: ObjectKind) -> ImportRule {
        match kind {
            ObjectKind::Item => self.items,
            ObjectKind::Trigger => self.triggers,
            ObjectKind::Graph => self.graphs,
            ObjectKind::DiscoveryRule => self.discovery_rules,
            // Of a rule that is made or updated; those of others are not read.
            _ => ImportRule { create: true, update: true, delete_missing: false },
        }
    }

    /// Objects that stand in lists of a file by their descriptions alone.
    pub(super) fn of_documents(&self) -> [(&'static Stored, &'static str, ImportRule); 2] {
        [(&IMAGE, "images", self.images), (&MEDIATYPE, "media_types", self.media_types)]
    }
}
