//! From configuration to what runs: which shard and slot an item has, and each shard's plan.
//!
//! [`DirectoryBuilder::apply`] turns a snapshot and a delta into the next [`Directory`] (immutable;
//! the owner of the process publishes it) and one [`PlanDelta`] per shard that is touched.
//!
//! Hosts with the same items and triggers share one *layout*: keys, compiled programs, bindings.
//! A host itself is an id, a pointer to its layout and a run of slots, so a template linked to
//! 10,000 hosts is compiled once.
//!
//! Invariants:
//! - The owner hands plans to the shards *before* it publishes the directory, and a shard takes
//!   plans before batches: so no batch is newer than the plan it meets.
//! - A slot is never moved while its item lives; it is born with an epoch, and batches looked up
//!   before that epoch are refused for it.
//! - Lookup is by configured key: LLD macros expanded, user macros not.

mod builder;
mod compile;
mod delta;
mod dispatch;
mod fingerprint;
mod full_plan;
mod hash;
mod hidden;
mod keys;
mod layout;
mod lookup;
mod macros;
mod members;
mod plan;
mod quick;
mod slots;
mod spans;
pub mod steps;
mod tag_holders;

pub use builder::{BuilderSettings, DirectoryBuilder};
pub use compile::{event_name, expanded, expression_macros, expressions_of};
pub use delta::{PlanDelta, Routes};
pub use dispatch::{NoRoute, Route};
pub use full_plan::FullPlan;
pub use hidden::Hidden;
pub use layout::{
    Bound, BoundFormula, FunctionPlan, ItemPlan, Layout, Master, NameMacro, Quick, RefusedCall,
    TriggerPlan, Way,
};
pub use lookup::{Directory, HostRef};
pub use macros::{HostMacros, host_macro};
pub use members::ForeachMember;
pub use plan::{HostPlan, ItemTarget, ItemView, Reads, shard_of};
pub use spans::span_of;
pub use tag_holders::{OtherHost, TemplatesAbove};
