//! What the API and the collectors ask of a running server, answered by engine, collectors and database: each type here is
//! a port of `api` or `collect`.
//!
//! - [`running`]: the running configuration with the collectors, and the directory as these see it.
//! - [`api`]: live state, what users make the server do, storage, polling.
//! - [`trials`]: what is tried out; [`push`] and [`series`]: what users push.
//! - [`collecting`]: what the collectors ask; [`requests`]: what others ask at the trapper port.

pub mod api;
pub mod collecting;
pub mod push;
pub mod requests;
pub mod running;
pub mod series;
pub mod trials;
