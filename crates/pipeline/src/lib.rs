//! One shard as a state machine: preprocess, windows, triggers, effects.
//!
//! Pure: no clock, no files, no sockets, no randomness, no threads. Time comes in with each call,
//! everything that leaves is in [`Effects`], and nothing fails but by a value in them.
//!
//! How the owner of a shard thread drives it:
//! 1. [`Shard::new`], `restore` of its partitions' checkpoints, [`Shard::configure`] with the plan
//!    of the whole configuration, `apply` of the journal's records from there on.
//! 2. Then for each input: clear the effects, [`Shard::step`], write the record, and
//!    [`Shard::committed`]; only then may effects leave (see [`effects`]).
//!    After a panic in a step: a new shard as in 1, made with [`Shard::fresh_copy`], takes the place.
//! 3. Plans come before batches: a plan is handed to all shards before the directory of its epoch
//!    is published, and a shard takes waiting plans first.

pub mod backtest;
pub mod cross_item;
pub mod effects;
mod event_awaiting_name;
#[doc(hidden)]
pub mod fuzz;
mod heavy;
mod in_flight;
pub mod input;
pub mod live;
mod pending;
mod shard;

pub use cross_item::FetchFailed;
pub use effects::{
    Change, Discovery, Effects, Fetch, LostRows, OutBits, OutValue, RunResult, StateChange,
    StateEvent, StateOf, StepEventKind, StepEventRef, TriggerEvent, Values,
};
pub use event_awaiting_name::UnnamedEvent;
pub use heavy::{HeavyDone, HeavyJob, HeavyTask, JobClass, StepResult};
pub use in_flight::InFlightForwards;
pub use input::{
    CloseProblem, Fetched, ForwardBatch, Forwarded, ForwardedValue, HostWithoutData, Input,
};
pub use live::{Last, LiveShard, LiveTable, Note};
pub use pending::Pending;
pub use shard::{
    AtWork, Checkpoint, CheckpointFormatError, Counters, Interrupted, MaintainedHost, RowCounters,
    Shard, ShardQuery, ShardReply, ShardSettings, SharedProgram, Sizes, TriggerNow, WindowSample,
};
