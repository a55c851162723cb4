//! A shard alone: values in, effects out.
//!
//! One program for all of them: it is built and linked once.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod backtest;
mod cold;
mod correlation;
mod cross_item;
mod deferred_evaluations;
mod directory;
mod dispatch;
mod fan_out;
mod fuzz;
mod incremental;
mod items;
mod kit;
mod late;
mod layouts;
mod maintenance;
mod names;
mod pending;
mod quarantine;
mod random;
mod repeats;
mod replay;
mod rules;
mod stable_until;
mod time;
mod trends;
mod triggers;
