//! JSON-RPC, access rules, live streams, hosting of the UI.
//!
//! **How a call runs.** `http` reads the request and identifies the caller; `dispatch` looks the method up in
//! the table of [`objects`], checks the type of the user, and runs it on a blocking thread; the object's file
//! reads the snapshot and the live state, or changes the configuration by one `db` edit.
//!
//! **Outside of it.** It stores nothing: configuration, sessions and problems are `db`'s, values the store's.
//! It reads no SQL for configuration.
//!
//! **Invariants.** Objects that a user may not read do not exist for that user. Every method has the least
//! type of user that may call it. Descriptions ([`describe`]) are the one source of field names, types and
//! defaults.

pub mod answer;
mod cors;
mod cross_host;
pub mod describe;
pub mod described;
mod dispatch;
pub mod error;
pub mod generate;
mod http;
mod json;
mod login;
mod memory;
mod method;
mod metrics;
mod native;
mod response_stream;

#[cfg(test)]
mod fixture;
mod objects;
mod pool;
pub mod ports;
pub mod query;
mod registry;
mod relation;
mod role_rules;
pub mod rpc;
mod shared;
mod shares;
mod task_log;
pub mod validate;
mod visibility;

pub use cors::Cors;
pub use http::router::{metrics_router, router};
pub use http::serve::{ServeSettings, serve};
pub use shared::{ApiParts, ApiSettings};
