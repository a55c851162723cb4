//! Followers of problems, the clock, devices and agents: the workers of `followers` on the
//! product's database and journal, with their surroundings simulated.
//!
//! One run is one seed. Problems begin and end in the journal, its reader writes them into the
//! database whenever it gets a turn, services follow them and write events of their own, and
//! maintenances begin and end by a clock that is set now and then. Rounds of network discovery
//! report addresses that come and go, rules are changed, and agents register themselves. The
//! database is unavailable or loses responses, the journal refuses, and the process is killed
//! between any two of its writes. Workers are driven by [`rt::worker::WorkerGroup::pass`].
//!
//! The oracle works by rules of its own. It finds the status of each service after each event of
//! the journal ([`check`]): each change of it is one row, at the time of the event, and each
//! problem of a service one event. It knows hosts in maintenance by the clock. Each address that
//! was checked makes the events that follow from the state before ([`devices`]), each agent with a
//! new registration one ([`agents`]), or none if the process ended before. The world continues
//! after the end of a process, and stays as large as it is: agents are forgotten, rows expire, and
//! the journal removes its files. Now and then nothing fails or happens for two minutes: all work
//! has to be done then.

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
