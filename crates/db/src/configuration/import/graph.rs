//! Graphs and graph prototypes, at the top level or at their rule.

use model::content::GraphContent;
use model::{GraphId, ItemId};
use serde_json::Value as Json;

use super::Importer;
use super::documents::{complete, fields_of, fields_with_items};
use super::fields::Fields;
use super::pending::Pending;
use super::reader::{Node, unsupported};
use crate::configuration::editor::content::{merge, to_object};
use crate::configuration::objects::{ObjectKind, graph as described};
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
        let find = |item: Node| self.item_named(item);
        let mut fields = fields_with_items(described::IN_FILES, &mut node, Some(&find))?;
        complete(described::IN_FILES, &mut fields);
        if kind == ObjectKind::GraphPrototype {
            fields.extend(fields_of(described::OF_PROTOTYPES_IN_FILES, &mut node)?);
            complete(described::OF_PROTOTYPES_IN_FILES, &mut fields);
        }
        let mut items = Vec::new();
        for item in node.list("graph_items")? {
            items.push(Json::Object(self.graph_item(item)?));
        }
        fields.insert("name".to_owned(), name.into());
        fields.insert("uuid".to_owned(), Json::from(uuid.as_str()));
        fields.insert("gitems".to_owned(), items.into());
        let path = node.path().to_owned();
        node.finish()?;
        self.save_graph(kind, &uuid, fields).map_err(|error| error.at(&path))
    }

    fn graph_item(&self, mut node: Node) -> Result<Fields, ConfigError> {
        let color = node.text("color")?.map_or_else(|| "009600".to_owned(), |it| color(&it));
        let find = |item: Node| self.item_named(item);
        let mut fields = fields_with_items(described::ITEMS_IN_FILES, &mut node, Some(&find))?;
        complete(described::ITEMS_IN_FILES, &mut fields);
        fields.insert("color".to_owned(), color.into());
        node.finish()?;
        Ok(fields)
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
        // What the file does not name is at its default.
        let whole: GraphContent = {
            let mut fields = fields.clone();
            fields.remove("discover");
            merge(&GraphContent::default(), &fields)?
        };
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
                let mut request = to_object(&whole);
                request.remove("ruleid");
                if uuid.is_empty() {
                    request.remove("uuid");
                }
                let discover = fields.get("discover").cloned();
                request.insert("discover".to_owned(), discover.unwrap_or_else(|| Json::from("0")));
                self.e.update(kind, id.0, request)?;
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
