//! Dashboards of templates.

use formats::document::Value;
use model::document::{Body, Document};
use model::snapshot::Host;
use model::{GraphId, GroupId, HostId, ItemId};

use super::entry::{Entry, one};
use super::{Exporter, uuid};
use crate::configuration::objects::dashboard::{
    FIELD_TYPES, GRAPH, GRAPH_PROTOTYPE, ITEM, ITEM_PROTOTYPE, TEMPLATE_DASHBOARD, list, reference,
};
use crate::configuration::objects::names::NO_YES;

fn number(of: &Body, name: &str) -> i64 {
    text(of, name).parse().unwrap_or_default()
}

fn text<'b>(of: &'b Body, name: &str) -> &'b str {
    of.get(name).and_then(serde_json::Value::as_str).unwrap_or_default()
}

impl Exporter<'_> {
    /// The dashboards of a template, by name.
    pub(super) fn dashboards(&self, template: &Host) -> Vec<Value> {
        let id = template.id.to_string();
        let all = self.snapshot.documents.of(TEMPLATE_DASHBOARD.object.name);
        let mut own: Vec<&Document> =
            all.filter(|it| it.text("templateid") == id).map(|it| &**it).collect();
        own.sort_by(|one, two| one.text("name").cmp(two.text("name")));
        own.into_iter().map(|it| self.dashboard(template, &it.body)).collect()
    }

    fn dashboard(&self, template: &Host, it: &Body) -> Value {
        let mut entry = Entry::default();
        let names = ["dashboard", &template.host, text(it, "name")];
        entry.text("uuid", uuid::or_made(text(it, "uuid"), &names));
        entry.text("name", text(it, "name"));
        entry.number("display_period", &number(it, "display_period"), &30);
        entry.code_unless("auto_start", number(it, "auto_start"), NO_YES, 1);
        entry.list("pages", list(it, "pages").map(|it| self.page(it)).collect());
        entry.into()
    }

    fn page(&self, it: &Body) -> Value {
        let mut entry = Entry::default();
        entry.filled("name", text(it, "name"));
        entry.number("display_period", &number(it, "display_period"), &0);
        entry.list("widgets", list(it, "widgets").map(|it| self.widget(it)).collect());
        entry.into()
    }

    fn widget(&self, it: &Body) -> Value {
        let mut entry = one("type", text(it, "type"));
        entry.filled("name", text(it, "name"));
        for (name, default) in [("x", 0), ("y", 0), ("width", 1), ("height", 2)] {
            entry.number(name, &number(it, name), &default);
        }
        entry.code_unless("hide_header", number(it, "view_mode"), NO_YES, 0);
        entry.list("fields", list(it, "fields").filter_map(|it| self.field(it)).collect());
        entry.into()
    }

    /// `None` if what it refers to is gone, or has no name in files.
    fn field(&self, it: &Body) -> Option<Value> {
        let mut entry = Entry::default();
        entry.code("type", number(it, "type"), FIELD_TYPES);
        entry.filled("name", text(it, "name"));
        match reference(it) {
            None => entry.text("value", text(it, "value")),
            Some((kind, id)) => entry.child("value", self.named(kind, id)?),
        }
        Some(entry.into())
    }

    fn named(&self, kind: i64, id: u64) -> Option<Entry> {
        let snapshot = self.snapshot;
        Some(match kind {
            2 => one("name", &snapshot.host_groups.get(&GroupId(id))?.name),
            3 => one("host", &snapshot.hosts.get(&HostId(id))?.host),
            ITEM | ITEM_PROTOTYPE => {
                let (holder, row) = snapshot.item(ItemId(id))?;
                let mut entry = one("host", &holder.host);
                entry.text("key", row.key());
                entry
            }
            GRAPH | GRAPH_PROTOTYPE => {
                let (holder, row) = snapshot.graph(GraphId(id))?;
                let mut entry = one("host", &holder.host);
                entry.text("name", row.name());
                entry
            }
            _ => return None,
        })
    }
}
