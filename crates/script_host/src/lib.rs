//! What scripts of users run in.
//!
//! [`host`] is the world that they ask for the clock, the log and requests; [`items`] runs those of items, with
//! browsers by a [`web_driver`]; [`processes`] are the ones that they run in, whose other side is [`worker`];
//! [`secrets`] come into scripts of preprocessing when these are run.

pub mod host;
pub mod items;
pub mod processes;
pub mod secrets;
pub mod web_driver;
pub mod worker;

#[cfg(test)]
mod testing;
