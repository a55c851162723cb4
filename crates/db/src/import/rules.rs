//! What an import may do.

use crate::ObjectKind;

/// What an import may do to objects of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ImportRule {
    /// Make what is not there.
    pub create: bool,
    /// Bring what is there to what the file says.
    pub update: bool,
    /// Delete what templates of the file have and the file does not.
    pub delete_missing: bool,
}

/// What an import may do. Prototypes go by the rule of discovery rules. What belongs to templates
/// is left alone where the templates are.
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
    /// Not imported yet: what asks for one that the file has is refused. So it is for the next three as
    /// long as there are no such objects.
    pub hosts: ImportRule,
    pub images: ImportRule,
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
            _ => self.discovery_rules,
        }
    }

    /// Lists of a file beside templates and groups: imported where their objects have a description
    /// ([`crate::objects::Stored::tag`]).
    pub(super) fn by_tag(&self) -> [(&'static str, ImportRule); 4] {
        [
            ("hosts", self.hosts),
            ("images", self.images),
            ("maps", self.maps),
            ("media_types", self.media_types),
        ]
    }
}
