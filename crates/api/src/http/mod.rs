//! The HTTP surface: routes, senders of requests, headers of all answers.

mod assets;
mod batch;
pub(crate) mod body;
mod cors;
mod counted;
mod origin;
mod policy;
mod reference;
mod request_context;
pub(crate) mod router;
mod rpc;
pub(crate) mod sender;
mod series;
pub(crate) mod serve;
mod stall_guard;
mod status;
mod tree;
mod unread;
pub(crate) mod websocket;
