//! The control socket: requests of the command line to a running server.
//!
//! `saker.sock` in the data directory, for the owner of the server alone: its mode says so, and the
//! server refuses peers of another user (root may). One request a connection, one JSON object a
//! line, in both directions. There is no network in this: who can write the data directory could
//! change its contents anyway.
//!
//! [`protocol`] is what both sides say, and the command line's side; [`serve`] is the server's.

pub(crate) mod protocol;
pub(crate) mod serve;
