//! Tools for the stored values of a server that run outside of it: `saker history …`.
//!
//! - [`verify`]: all files are read, and damage is reported.
//! - [`stats`]: the contents of the files.
//! - [`export`]: values or trends with the names of their items, as CSV, NDJSON or Parquet.
//! - [`copy`]: all values and trends go to another store.
//!
//! [`stopped`] opens the data of a stopped server.

pub mod copy;
pub mod export;
pub mod stats;
pub mod stopped;
pub mod verify;
