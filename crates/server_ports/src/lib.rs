//! Requests of the API and the collectors to a running server, answered by engine, collectors and
//! database: each type here is a port of `api` or `collect`.
//!
//! - [`running`]: the running configuration with the collectors, and the directory as these see it.
//! - [`api`]: live state, commands of users, storage, polling.
//! - [`trials`]: tests; [`push`] and [`series`]: pushed values.
//! - [`collecting`]: requests of the collectors; [`requests`]: those at the trapper port.

pub mod api;
pub mod collecting;
pub mod push;
pub mod requests;
pub mod running;
pub mod series;
pub mod trials;
