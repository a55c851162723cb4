//! Graphs and graph prototypes, at the top level or at their rule.

use model::content::GraphContent;
use model::content_field::ContentField;
use model::describe::Rule;
use model::{GraphId, ItemId};
use serde_json::{Value as Json, json};

use super::Importer;
use super::documents::{read_content, whole, whole_request};
use super::fields::{Fields, object};
use super::pending::Pending;
use super::reader::{Node, unsupported};
use crate::configuration::objects::ObjectKind;
use crate::configuration::objects::graph::{
    COLOR, GITEMS, GraphItemPart, GraphPart, IN_FILES, ITEM_IN_FILES,
};
use crate::configuration::objects::in_file::InFile;
use crate::error::ConfigError;

/// A color. YAML without quotes takes one of digits for a number, and drops the zeros in front.
fn color(text: &str) -> String {
    let digits = text.strip_suffix(".0").unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit());
    if is_number { format!("{digits:0>6}") } else { text.to_owned() }
}

impl Importer<'_> {
    /// Makes or updates one graph or prototype, if the rules let it.
    pub(super) fn graph(&mut self, Pending { mut node, kind }: Pending) -> Result<(), ConfigError> {
        let name = node.needed_text("name")?;
        let uuid = node.uuid()?;
        let mut fields = object(json!({ "name": name, "uuid": uuid }));
        let is_prototype = kind == ObjectKind::GraphPrototype;
        read_content(&mut fields, &mut node, IN_FILES, is_prototype, &|it| *it)?;
        for place in IN_FILES.iter().copied().flatten() {
            if let InFile::Part(GraphPart::Item(described)) = place {
                self.read_item(described, &mut fields, &mut node)?;
            }
        }
        let mut items = Vec::new();
        for item in node.list("graph_items")? {
            items.push(Json::Object(self.graph_item(item)?));
        }
        fields.insert(GITEMS.name.to_owned(), items.into());
        let path = node.path().to_owned();
        node.finish()?;
        self.save_graph(kind, &uuid, fields).map_err(|error| error.at(&path))
    }

    fn graph_item(&self, mut node: Node) -> Result<Fields, ConfigError> {
        let color = node.text(COLOR.tag())?.map_or_else(|| "009600".to_owned(), |it| color(&it));
        let mut fields = object(json!({ COLOR.field.name: color }));
        read_content(&mut fields, &mut node, ITEM_IN_FILES, false, &|it| *it)?;
        for place in ITEM_IN_FILES.iter().copied().flatten() {
            if let InFile::Part(GraphItemPart::Item(described)) = place {
                self.read_item(described, &mut fields, &mut node)?;
            }
        }
        node.finish()?;
        Ok(fields)
    }

    /// An id that files write as host and key of an item.
    fn read_item<C>(
        &self,
        described: &ContentField<C>,
        fields: &mut Fields,
        node: &mut Node,
    ) -> Result<(), ConfigError> {
        let tag = described.tag();
        // Exports of old versions write 0 for none.
        let item = if node.peek(tag) == Some("0") {
            node.text(tag)?;
            None
        } else {
            node.child(tag)?
        };
        match item {
            Some(item) => {
                let id = self.item_named(item)?.to_string();
                fields.insert(described.field.name.to_owned(), id.into());
                Ok(())
            }
            None if described.field.rule == Rule::Required => Err(node.missing(tag)),
            None => Ok(()),
        }
    }

    /// An item or item prototype by host and key.
    pub(super) fn item_named(&self, mut node: Node) -> Result<ItemId, ConfigError> {
        let (host, key) = (node.needed_text("host")?, node.needed_text("key")?);
        let path = node.path().to_owned();
        node.finish()?;
        let snapshot = self.e.snapshot();
        let holder = snapshot.template_named(&host).or_else(|| snapshot.host_named(&host));
        let item = holder.and_then(|it| it.item_by_key(&key)).map(|it| it.id);
        item.ok_or_else(|| {
            unsupported(&path, format_args!("item \"{key}\" of \"{host}\" does not exist"))
        })
    }

    fn save_graph(
        &mut self,
        kind: ObjectKind,
        uuid: &str,
        fields: Fields,
    ) -> Result<(), ConfigError> {
        let whole: GraphContent = whole(&fields)?;
        let name = (kind == ObjectKind::Graph, uuid.to_owned());
        let by_uuid = self.graphs_by_uuid.get(&name).copied();
        let known = by_uuid.or_else(|| self.find_graph(kind, &whole));
        let may = self.rules.of(kind);
        if !(if known.is_some() { may.update } else { may.create }) {
            self.kept_graphs.extend(known);
            return Ok(());
        }
        let id = match known {
            Some(id) => {
                self.e.update(kind, id.0, whole_request(&whole, &fields, &["ruleid"]))?;
                id
            }
            None => GraphId(self.e.create(kind, fields)?),
        };
        self.kept_graphs.insert(id);
        if !uuid.is_empty() {
            self.graphs_by_uuid.insert(name, id);
        }
        Ok(())
    }

    /// An own graph of this name where the first item is.
    fn find_graph(&self, kind: ObjectKind, graph: &GraphContent) -> Option<GraphId> {
        let item = graph.gitems.first()?.itemid;
        let holder = self.e.snapshot().item_holder(item)?;
        let found = holder.graph_by_name_where(&graph.name, |it| {
            it.source.is_none()
                && it.discovered().is_none()
                && it.is_live() == (kind == ObjectKind::Graph)
        });
        found.map(|it| it.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_keep_the_zeros_that_yaml_drops() {
        for (read, meant) in [("9900.0", "009900"), ("0", "000000"), ("00FF00", "00FF00"), ("", "")]
        {
            assert_eq!(color(read), meant);
        }
    }
}
