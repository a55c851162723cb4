//! What follows problems and the clock: the workers of `followers` on a database and a journal that ship, with what is
//! outside of them simulated.
//!
//! One run is one seed. Problems begin and end in the journal, its shipped reader carries them into the database whenever
//! it gets a turn, services follow them and write events of their own, and maintenances begin and end by a clock that
//! somebody sets. The database goes away or does not say what it has done, and the process is killed between any two of
//! its writes. Workers are driven by [`rt::worker::Group::pass`].
//!
//! The oracle ([`check`]) works out the status of each service after each event of the journal by rules of its own: each
//! change of it is one row, at the time of the event, and each problem of a service one event. What is in maintenance it
//! knows by the clock.

mod check;
mod process;
mod scene;
mod world;

pub use check::FollowersSummary;
pub use world::{FollowersSettings, run_followers};
