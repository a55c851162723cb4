//! Windows: rings of recent values, and cells that answer functions over them.

mod cell;
mod ring;

pub(crate) use cell::{Answer, Compare, CompareOp, Fold, FoldCell, Span};
pub(crate) use ring::{Arrival, Asked, Depth, Ring, ValueRef};

#[cfg(test)]
mod tests;
