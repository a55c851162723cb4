//! Graphs: `graph.*`, `graphprototype.*` and `graphitem.get`.

pub(crate) mod fields;
pub(crate) mod graph;
pub(crate) mod graphitem;
pub(crate) mod graphprototype;
mod judge;
