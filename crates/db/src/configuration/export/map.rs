//! Maps: the counterpart of [`crate::configuration::import`]'s reading of them.
//!
//! Everything is written, defaults too, as Zabbix 7.0 wants it of maps. Elements have numbers in the
//! order in which they stand, by which links name them: so the same map is the same text wherever it
//! is kept. Owners and shares are no part of the format.

use std::collections::{BTreeMap, BTreeSet};

use formats::document::Value;
use model::document::{Body, Document};
use model::{GroupId, HostId, ItemId, TriggerId};

use super::Exporter;
use super::entry::{Entry, one};
use crate::configuration::objects::map::{
    HOST, HOST_GROUP, MAP, OF_ITEM, SUBMAP, TRIGGER, list, targets, text,
};
use crate::configuration::objects::names::{
    BACKGROUND_SCALE, ITEM_VALUE, LINK_HIGHLIGHT_FIELDS, LINK_THRESHOLD_FIELDS, MAP_ELEMENT,
    MAP_ICONS, MAP_LINE, MAP_OWN, MAP_SHAPE, MAP_SINCE_7_4, PART_SINCE_7_4, SinceV74,
};

/// Fields that stand in files as the API has them.
fn plain(entry: &mut Entry, names: &[&'static str], of: &Body) {
    for name in names {
        entry.text(name, text(of, name));
    }
}

/// Fields of 7.4, left out where they are as they have ever been.
fn since_7_4(entry: &mut Entry, fields: &[SinceV74], of: &Body) {
    for (name, words, usual) in fields {
        let word = words.iter().find(|(_, code)| *code == text(of, name));
        if let Some((word, _)) = word.filter(|it| it.1 != *usual) {
            entry.text(name, *word);
        }
    }
}

fn parts<'b>(
    of: &'b Body,
    name: &'static str,
    names: &'static [&'static str],
) -> impl Iterator<Item = Value> + use<'b> {
    list(of, name).map(|it| {
        let mut entry = Entry::default();
        plain(&mut entry, names, it);
        entry.into()
    })
}

impl Exporter<'_> {
    pub(super) fn maps(&self, ids: &BTreeSet<u64>) -> Vec<Value> {
        let all = self.snapshot.documents.of(MAP.object.name);
        let mut chosen: Vec<&Document> =
            all.filter(|it| ids.contains(&it.id)).map(|it| &**it).collect();
        chosen.sort_by(|one, two| one.text("name").cmp(two.text("name")));
        chosen.into_iter().map(|it| self.map(&it.body)).collect()
    }

    fn map(&self, it: &Body) -> Value {
        let mut entry = one("name", text(it, "name"));
        plain(&mut entry, MAP_OWN, it);
        since_7_4(&mut entry, MAP_SINCE_7_4, it);
        if self.is_of_7_4 {
            let scale = text(it, "background_scale");
            let word = BACKGROUND_SCALE.iter().find(|it| it.1 == scale);
            entry.text("background_scale", word.map_or("COVER", |it| it.0));
        }
        entry.whole_child("background", self.document_name("image", text(it, "backgroundid")));
        entry.whole_child("iconmap", self.document_name("iconmap", text(it, "iconmapid")));
        entry.whole_list("urls", parts(it, "urls", &["name", "url", "elementtype"]).collect());
        let mut numbers = BTreeMap::new();
        let elements = list(it, "selements").zip(1_usize..).map(|(element, number)| {
            numbers.insert(text(element, "selementid"), number.to_string());
            self.element(element, number)
        });
        let elements: Vec<Value> = elements.collect();
        entry.whole_list("selements", elements);
        entry.whole_list("shapes", parts(it, "shapes", MAP_SHAPE).collect());
        entry.whole_list("lines", parts(it, "lines", MAP_LINE).collect());
        let links = list(it, "links").map(|it| self.link(it, &numbers));
        entry.whole_list("links", links.collect());
        entry.into()
    }

    fn element(&self, it: &Body, number: usize) -> Value {
        let (kind, ids) = targets(it);
        let mut entry = Entry::default();
        entry.text("elementtype", kind.to_string());
        entry.whole_list(
            "elements",
            ids.into_iter().filter_map(|id| self.target(kind, id)).map(Value::from).collect(),
        );
        let others: Vec<&'static str> = MAP_ELEMENT
            .iter()
            .copied()
            .filter(|it| !matches!(*it, "elementtype" | "evaltype"))
            .collect();
        plain(&mut entry, &others, it);
        since_7_4(&mut entry, PART_SINCE_7_4, it);
        entry.text("selementid", number.to_string());
        for (tag, field) in MAP_ICONS {
            entry.whole_child(tag, self.document_name("image", text(it, field)));
        }
        entry.whole_list("urls", parts(it, "urls", &["name", "url"]).collect());
        plain(&mut entry, &["evaltype"], it);
        entry.list("tags", parts(it, "tags", &["tag", "value", "operator"]).collect());
        entry.into()
    }

    fn target(&self, kind: i64, id: u64) -> Option<Entry> {
        let snapshot = self.snapshot;
        Some(match kind {
            HOST => one("host", &snapshot.hosts.get(&HostId(id))?.host),
            HOST_GROUP => one("name", &snapshot.host_groups.get(&GroupId(id))?.name),
            SUBMAP => one("name", snapshot.documents.get(MAP.object.name, id)?.text("name")),
            TRIGGER => self.trigger_of_map(TriggerId(id))?,
            _ => return None,
        })
    }

    fn trigger_of_map(&self, id: TriggerId) -> Option<Entry> {
        let (holder, row) = self.snapshot.trigger(id)?;
        let content = &*row.content;
        let mut entry = one("description", &row.name());
        entry.text("expression", self.rendered(holder, &content.expression, content));
        entry.text(
            "recovery_expression",
            self.rendered(holder, &content.recovery_expression, content),
        );
        Some(entry)
    }

    fn link(&self, it: &Body, numbers: &BTreeMap<&str, String>) -> Value {
        let mut entry = Entry::default();
        plain(&mut entry, &["drawtype", "color", "label"], it);
        for end in ["selementid1", "selementid2"] {
            entry.text(end, numbers.get(text(it, end)).cloned().unwrap_or_default());
        }
        let triggers = list(it, "linktriggers").filter_map(|it| {
            let mut entry = Entry::default();
            plain(&mut entry, &["drawtype", "color"], it);
            let id = text(it, "triggerid").parse().ok()?;
            entry.whole_child("trigger", self.trigger_of_map(TriggerId(id))?);
            Some(Value::from(entry))
        });
        entry.whole_list("linktriggers", triggers.collect());
        since_7_4(&mut entry, PART_SINCE_7_4, it);
        if text(it, "indicator_type") == OF_ITEM {
            entry.text("indicator_type", ITEM_VALUE);
            let item =
                text(it, "itemid").parse().ok().and_then(|id| self.snapshot.item(ItemId(id)));
            let item = item.map(|(host, row)| {
                let mut item = one("host", &host.host);
                item.text("key", row.key());
                item
            });
            entry.child("item", item.unwrap_or_default());
            let looks = |name, of| parts(it, name, of).collect();
            entry.list("thresholds", looks("thresholds", LINK_THRESHOLD_FIELDS));
            entry.list("highlights", looks("highlights", LINK_HIGHLIGHT_FIELDS));
        }
        entry.into()
    }

    /// An object by its name; an empty object if there is none.
    fn document_name(&self, kind: &str, id: &str) -> Entry {
        let found = id.parse().ok().and_then(|it| self.snapshot.documents.get(kind, it));
        found.map_or_else(Entry::default, |it| one("name", it.text("name")))
    }
}
