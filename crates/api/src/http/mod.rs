//! The HTTP surface: routes, who sent a request, headers that every answer has.

mod assets;
pub(crate) mod body;
mod origin;
mod policy;
mod reference;
pub(crate) mod router;
mod rpc;
pub(crate) mod sender;
mod series;
pub(crate) mod serve;
mod status;
