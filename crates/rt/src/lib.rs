//! How a process runs: tasks and shutdown, clock, bounded queues, settings, metrics, logging.
//!
//! Nothing in here knows what Saker does. Rules that the other crates rely on:
//!
//! - the clock is asked here and nowhere else ([`clock`]);
//! - every task and thread that runs alongside its caller was started by [`task::Tasks`] and has a
//!   name, a parent and a request to stop ([`shutdown`]);
//! - every message that waits for a reader waits in a [`queue`], which has a bound and counts;
//! - there is no global state but the log.

// So that the macros, which name this crate, work in it too.
extern crate self as rt;

pub mod budget;
pub mod clock;
pub mod health;
pub mod lanes;
pub mod log;
pub mod metrics;
pub mod net;
pub mod places;
pub mod priority;
pub mod process_stat;
pub mod queue;
pub mod reading;
pub mod settings;
pub mod shutdown;
pub mod signal;
pub mod signing;
pub mod task;
pub mod tls;
pub mod worker;

pub use clock::Clock;
pub use shutdown::Shutdown;
pub use task::Tasks;
