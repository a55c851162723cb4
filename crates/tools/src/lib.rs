//! Programs for scripts and for tests. They need no settings and no data directory: `saker send`
//! (zabbix_sender) and `saker get` (zabbix_get), modeled on Zabbix's, and `saker import` and `saker
//! export` for configuration through the API of a running server.

pub mod api;
pub mod connection;
pub mod export;
pub mod get;
pub mod import;
pub mod send;
mod terminal;
pub mod tls;

pub use terminal::say;
