//! The cores in one process under a seeded clock and disk, with an oracle.
//!
//! So far: shards of `pipeline`, the journal and the history store on disks in memory that lose what
//! was not synced. A run is one seed: configuration, values, the order in which threads get their
//! turn, flushes, checkpoints, kills and power cuts all follow from it. The oracle knows each value
//! that was sent and acknowledged, and works out the problems due by rules of its own.
//!
//! With work ([`Settings::has_work`]) hosts also have scripts, documents whose rows go to other hosts,
//! functions over many items and event names that wait; workers get lost, steps panic and shards are
//! built anew, and checkpoints of all partitions begin with a barrier while everything goes on.
//!
//! Not here: real threads, sockets, the relational store.

mod config;
mod oracle;
mod random;
mod world;

pub use oracle::Summary;
pub use world::{Settings, World, run};
