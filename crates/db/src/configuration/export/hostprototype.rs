//! Host prototypes of discovery rules.

use std::sync::Arc;

use formats::document::Value;
use model::ItemId;
use model::snapshot::{HolderKind, Host, HostPrototypeRow};

use super::entry::{Entry, one, tags};
use super::holder::{macros, named};
use super::{Exporter, uuid};
use crate::configuration::objects::names::{ENABLED, INVENTORY_MODES};

impl Exporter<'_> {
    /// The own host prototypes of a rule, by name.
    pub(super) fn host_prototypes(&self, holder: &Arc<Host>, rule: ItemId) -> Vec<Value> {
        let own = holder
            .host_prototypes
            .iter()
            .filter(|it| it.source.is_none() && it.content.ruleid == rule);
        let mut own: Vec<&HostPrototypeRow> = own.collect();
        own.sort_by(|one, two| one.content.host.cmp(&two.content.host));
        own.into_iter().map(|it| self.host_prototype(holder, it)).collect()
    }

    fn host_prototype(&self, holder: &Arc<Host>, row: &HostPrototypeRow) -> Value {
        let it = &*row.content;
        let mut entry = Entry::default();
        if holder.kind == HolderKind::Template {
            // Rules of one template may have prototypes of one name.
            let rule = holder.item(it.ruleid).map_or_else(String::new, |it| it.key().into_owned());
            let made_of = ["hostprototype", &*holder.host, &rule, &it.host];
            entry.text("uuid", uuid::or_made(&it.uuid, &made_of));
        }
        entry.text("host", it.host.as_str());
        entry.text("name", it.name.as_str());
        entry.code_unless("status", it.status.code().into(), ENABLED, 0);
        if !it.discover {
            entry.text("discover", "NO_DISCOVER");
        }
        let groups = it.groups.iter().filter_map(|id| self.snapshot.host_groups.get(id));
        let mut groups: Vec<&str> = groups.map(|it| it.name.as_str()).collect();
        groups.sort_unstable();
        let link = |name: &&str| {
            let mut link = Entry::default();
            link.child("group", one("name", name));
            link.into()
        };
        entry.list("group_links", groups.iter().map(link).collect());
        entry.list("group_prototypes", named(it.group_names.iter().map(String::as_str)));
        entry.list("templates", self.linked(&it.templates));
        entry.list("macros", macros(&it.macros));
        entry.list("tags", tags(&it.tags));
        entry.flag("custom_interfaces", it.custom_interfaces, false);
        let interfaces = it.interfaces.iter().map(|it| self.interface(holder, it).into());
        entry.list("interfaces", interfaces.collect());
        // What a reader takes where it is left out.
        let left_out = if holder.kind == HolderKind::Template { -1 } else { 0 };
        entry.code_unless("inventory_mode", it.inventory_mode, INVENTORY_MODES, left_out);
        entry.into()
    }
}
