//! The environment of users' scripts.
//!
//! [`host`] serves their requests for the clock, the log and HTTP; [`items`] runs the scripts of
//! items, with browsers by a [`web_driver`]; [`processes`] are the processes that they run in,
//! whose other side is [`worker`]; [`secrets`] are inserted into scripts of preprocessing when
//! these are run.

pub mod host;
pub mod items;
pub mod processes;
pub mod secrets;
pub mod web_driver;
pub mod worker;

#[cfg(test)]
mod testing;
