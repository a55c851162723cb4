//! Triggers and graphs that are read when all items are there.

use super::reader::Node;
use crate::configuration::objects::ObjectKind;

/// A trigger or graph that is to be read when all items are there.
pub(super) struct Pending {
    pub(super) node: Node,
    pub(super) kind: ObjectKind,
}

pub(super) fn of_list(nodes: Vec<Node>, kind: ObjectKind) -> Vec<Pending> {
    nodes.into_iter().map(|node| Pending { node, kind }).collect()
}
