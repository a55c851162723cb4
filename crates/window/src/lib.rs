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
mod samples;
mod stairs;

pub use calm::{Calm, beside};
pub use fold::{Answer, Compare, CompareOp, Fold, Span};
pub use folds::{FoldAt, Folds, FoldsBuilder, FoldsPlan, scan};
pub use glance::Glance;
pub use limits::lasting;
pub use margins::Compared;
pub use ring::{Arrival, Asked, Depth, Ring, ValueRef};
pub use samples::Samples;

#[cfg(test)]
mod tests;
