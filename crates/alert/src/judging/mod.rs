//! Which actions an event concerns: their conditions, and how these are joined.
//!
//! A [`ActionFilter`] is made of an action once and asked for each event. Its [`FilterVerdict`] states for each
//! condition whether it is met and by which values, so that the pages can show why an action did or
//! did not run. Facts about an event are behind [`ConditionFacts`]: nothing here knows tables or snapshots.
//!
//! A malformed formula, a condition that cannot be parsed, and one on a deleted object are a
//! [`FilterFault`]: the action matches no event until somebody has corrected it, and reports the fault.

mod condition;
mod facts;
mod filter;
mod formula;
mod operator;

pub use self::condition::{Condition, ConditionKind, ConditionResult};
pub use self::facts::{
    AutoregistrationFacts, ConditionFacts, DiscoveryFacts, EventFacts, InternalKind, ObjectLink,
};
pub use self::filter::{ActionFilter, EvalType, FilterFault, FilterVerdict};
pub use self::formula::{Formula, FormulaError, letter};
pub use self::operator::ConditionOperator;
