//! JSON-RPC, access rules, live streams, hosting of the UI.

pub mod describe;
pub mod error;
pub mod query;
pub mod rpc;
pub mod validate;
