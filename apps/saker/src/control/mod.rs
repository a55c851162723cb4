//! The control socket: requests of the command line to a running server.
//!
//! `saker.sock` in the data directory, for the owner of the server alone: its mode ensures that,
//! and the server refuses peers of another user (root is accepted). One request a connection, one
//! JSON object a line, in both directions. There is no network access: a user who can write the
//! data directory could change its contents anyway.
//!
//! [`protocol`] is the format and the command line's side; [`serve`] is the server's.

pub(crate) mod protocol;
pub(crate) mod serve;
