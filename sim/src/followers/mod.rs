//! What follows problems, the clock, devices and agents: the workers of `followers` on a database and a journal that ship,
//! with what is outside of them simulated.
//!
//! One run is one seed. Problems begin and end in the journal, its shipped reader carries them into the database whenever
//! it gets a turn, services follow them and write events of their own, and maintenances begin and end by a clock that
//! somebody sets. Rounds of network discovery report addresses that come and go, rules are changed, and agents register
//! themselves. The database goes away or does not say what it has done, the journal refuses, and the process is killed
//! between any two of its writes. Workers are driven by [`rt::worker::Group::pass`].
//!
//! The oracle works by rules of its own. It finds the status of each service after each event of the journal ([`check`]):
//! each change of it is one row, at the time of the event, and each problem of a service one event. What is in maintenance it
//! knows by the clock. Each address that was looked at makes the events that follow from what was found before ([`devices`]),
//! each agent that says something new one ([`agents`]), or none if the process ended before. It goes on from where it was, and the
//! world stays as large as it is: agents are forgotten, rows expire, and the journal lets go of its files. Now and then nothing fails or
//! happens for two minutes: all of it has to be done then.

mod agents;
mod carrier;
mod check;
mod devices;
mod journal_events;
mod kept;
mod network;
mod process;
mod scene;
mod world;

pub use check::FollowersSummary;
pub use world::{FollowersSettings, run_followers};
