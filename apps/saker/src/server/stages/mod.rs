//! The start of a server, stage by stage, each built on those before it:
//!
//! 1. [`opened`]: settings, data directory, sockets and stores are open; nothing runs.
//! 2. [`engine`]: stored data is read back, and shards take values.
//! 3. [`workers`]: followers of configuration, problems and the journal.
//! 4. [`ports`]: collectors, and the ports of the API and alerting.
//! 5. [`listeners`]: connections are accepted.

mod api_ports;
mod collectors;
pub(super) mod engine;
pub(super) mod inside;
pub(super) mod listeners;
pub(super) mod opened;
pub(super) mod ports;
pub(super) mod sockets;
pub(super) mod workers;
