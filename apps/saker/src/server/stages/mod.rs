//! How a server comes to be, stage by stage, each made of those before it:
//!
//! 1. [`opened`]: settings, data directory, sockets and stores are there; nothing runs.
//! 2. [`engine`]: what was stored is read back, and shards take values.
//! 3. [`workers`]: what follows configuration, problems and the journal.
//! 4. [`ports`]: collectors, and what the API and alerting ask of all these.
//! 5. [`listeners`]: those who connect are served.

mod api_ports;
mod collectors;
pub(super) mod engine;
pub(super) mod inside;
pub(super) mod listeners;
pub(super) mod opened;
pub(super) mod ports;
pub(super) mod sockets;
pub(super) mod workers;
