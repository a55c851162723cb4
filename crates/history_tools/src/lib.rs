//! Tools for the stored values of a server that run outside of it: `saker history …`.
//!
//! - [`verify`]: all files are read, and damage is reported.
//! - [`stats`]: what the files hold.
//! - [`export`]: values or trends with the names of their items, as CSV, NDJSON or Parquet.
//! - [`copy`]: all values and trends go to another store.
//!
//! [`stopped`] opens what a server has left behind.

pub mod copy;
pub mod export;
pub mod stats;
pub mod stopped;
pub mod verify;
