//! The HTTP surface: routes, senders of requests, headers of all answers.

mod asked;
mod assets;
mod batch;
pub(crate) mod body;
mod cors;
mod counted;
mod moving;
mod origin;
mod policy;
mod reference;
pub(crate) mod router;
mod rpc;
pub(crate) mod sender;
mod series;
pub(crate) mod serve;
mod status;
mod tree;
mod unread;
pub(crate) mod websocket;
