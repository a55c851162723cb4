//! Host prototypes of discovery rules.

use std::sync::Arc;

use formats::document::Value;
use model::ItemId;
use model::snapshot::{HolderKind, Host, HostPrototypeRow};

use super::document::add_content;
use super::entry::{Entry, one, tags};
use super::holder::{macros, named};
use super::{Exporter, uuid};
use crate::configuration::objects::hostprototype::{
    HostPrototypeField, HostPrototypePart, IN_FILES, in_file,
};

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
        // The value that a reader assumes if it is left out.
        let left_out = if holder.kind == HolderKind::Template { "-1" } else { "0" };
        let shown = |described: &HostPrototypeField| {
            (in_file(&described.field, left_out), (described.read)(it))
        };
        add_content(&mut entry, IN_FILES, true, &shown, &mut |part, entry| {
            self.part_of_host_prototype(*part, holder, row, entry);
        });
        entry.into()
    }

    fn part_of_host_prototype(
        &self,
        part: HostPrototypePart,
        holder: &Arc<Host>,
        row: &HostPrototypeRow,
        entry: &mut Entry,
    ) {
        let it = &*row.content;
        match part {
            HostPrototypePart::Uuid if holder.kind == HolderKind::Template => {
                // Rules of one template may have prototypes of one name.
                let rule = holder.item(it.ruleid);
                let rule = rule.map_or_else(String::new, |it| it.key().into_owned());
                let made_of = ["hostprototype", &*holder.host, &rule, &it.host];
                entry.text("uuid", uuid::or_made(&it.uuid, &made_of));
            }
            HostPrototypePart::Uuid => {}
            HostPrototypePart::GroupLinks => {
                let groups = it.groups.iter().filter_map(|id| self.snapshot.host_groups.get(id));
                let mut groups: Vec<&str> = groups.map(|it| it.name.as_str()).collect();
                groups.sort_unstable();
                let link = |name: &&str| {
                    let mut link = Entry::default();
                    link.child("group", one("name", name));
                    link.into()
                };
                entry.list("group_links", groups.iter().map(link).collect());
            }
            HostPrototypePart::GroupPrototypes => {
                entry.list("group_prototypes", named(it.group_names.iter().map(String::as_str)));
            }
            HostPrototypePart::Templates => entry.list("templates", self.linked(&it.templates)),
            HostPrototypePart::Macros => entry.list("macros", macros(&it.macros)),
            HostPrototypePart::Tags => entry.list("tags", tags(&it.tags)),
            HostPrototypePart::Interfaces => {
                let interfaces = it.interfaces.iter().map(|it| self.interface(holder, it).into());
                entry.list("interfaces", interfaces.collect());
            }
        }
    }
}
