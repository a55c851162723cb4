//! From events to messages: the product's workers, on the product's database, with their
//! surroundings simulated.
//!
//! One run is one seed. Problems begin and end, and hosts of one link close each other's by global
//! correlation; the database is unavailable or loses responses, the clock is set, receivers are
//! slow, refuse and lie, and the process is killed between any two of its writes. The workers of
//! escalations, correlation, delivery and commands are driven by [`rt::worker::WorkerGroup::pass`] on a
//! clock that goes from one due time to the next, so that a week takes seconds.
//!
//! The oracle ([`check`]) knows the configuration by its own description, and so all notifications
//! that are due. Not here: the journal and its readers (the other simulation has them); events are
//! a list that outlives the process and is fed again from the position that the database has.

mod check;
mod defects;
mod outside;
mod process;
mod scene;
mod world;

pub use check::AlertingSummary;
pub use defects::AlertingDefect;
pub use world::{AlertingSettings, AlertingWorld, run_alerting};
