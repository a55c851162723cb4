//! Programs for scripts and for trying things out. They need no settings and no data directory: `saker send`
//! (zabbix_sender) and `saker get` (zabbix_get) after Zabbix's of the same use, `saker import` and `saker export`
//! for configuration by the API of a running server.

pub mod api;
pub mod connection;
pub mod export;
pub mod get;
pub mod import;
pub mod send;
mod terminal;
pub mod tls;

pub use terminal::say;
