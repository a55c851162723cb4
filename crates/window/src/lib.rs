//! Windows: rings of recent values, and what is kept of them to answer functions along the way.

mod aggregate;
mod aggregates;
mod bits;
mod compared;
mod extremes;
mod limits;
mod margins;
mod monotonic_deque;
mod numbers;
mod rescan;
mod ring;
mod samples;
mod stable_until;

pub use aggregate::{AggregateRef, Compare, CompareOp, WindowAnswer, WindowFunction, WindowSpan};
pub use aggregates::{AggregatePlan, AggregatePlanBuilder, Aggregates, scan};
pub use compared::Compared;
pub use limits::no_change_bound;
pub use rescan::Rescan;
pub use ring::{Arrival, Depth, HistoryRequest, Ring, ValueRef};
pub use samples::Samples;
pub use stable_until::{StableUntil, same_side};

#[cfg(test)]
mod tests;
