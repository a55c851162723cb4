//! The server in one process and one thread, under a seeded clock, disk, database and network, with an
//! oracle.
//!
//! The simulated server is the product: [`engine`] with `ingress`, `journal`, `history` and
//! `pipeline`, wired as the server wires them; each part takes turns. A run is one seed:
//! configuration, values, the order of turns, outside faults, kills, power failures and stops all
//! follow from it. The oracle knows each value that was sent and acknowledged, reads the journal by
//! itself, and works out expected results by rules of its own.
//!
//! With work ([`Settings::has_work`]) hosts also have scripts, documents whose rows go to other hosts,
//! functions over many items and event names that wait; workers get lost, and steps panic.
//!
//! Alerting and followers, which use events in SQL, have worlds of their own, with the product's
//! database.
//!
//! Not here: threads, sockets.

mod alerting;
mod config;
mod configuring;
mod faults;
mod followers;
mod oracle;
mod outside;
mod process;
mod random;
mod world;

pub use alerting::{
    AlertingDefect, AlertingSettings, AlertingSummary, AlertingWorld, run_alerting,
};
pub use followers::{FollowersSettings, FollowersSummary, run_followers};
pub use oracle::Summary;
pub use world::{Defect, Settings, World, run};
