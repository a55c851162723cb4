//! Windows: rings of recent values, and what is kept of them to answer functions along the way.

mod bits;
mod calm;
mod compared;
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
pub use compared::Compared;
pub use fold::{Answer, Compare, CompareOp, Fold, FoldAt, Span};
pub use folds::{Folds, FoldsBuilder, FoldsPlan, scan};
pub use glance::Glance;
pub use limits::lasting;
pub use ring::{Arrival, Asked, Depth, Ring, ValueRef};
pub use samples::Samples;

#[cfg(test)]
mod tests;
