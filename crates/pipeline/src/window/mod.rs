//! Windows: rings of recent values, and what is kept of them to answer functions along the way.

mod calm;
mod extremes;
mod fold;
mod folds;
mod glance;
mod limits;
mod margins;
mod numbers;
mod ring;
mod stairs;

pub(crate) use calm::{Calm, beside};
pub(crate) use fold::{Answer, Compare, CompareOp, Fold, Span};
pub(crate) use folds::{FoldAt, Folds, FoldsBuilder, FoldsPlan, scan};
pub(crate) use glance::Glance;
pub(crate) use limits::lasting;
pub(crate) use margins::Compared;
pub(crate) use ring::{Arrival, Asked, Depth, Ring, ValueRef};

#[cfg(test)]
mod tests;
