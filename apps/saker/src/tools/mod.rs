//! Programs for scripts and for trying things out. They need no settings and no data directory: `saker send`
//! (zabbix_sender) and `saker get` (zabbix_get) after Zabbix's of the same use, `saker import` and `saker export`
//! for configuration by the API of a running server.

mod api;
pub(crate) mod connection;
pub(crate) mod export;
pub(crate) mod get;
pub(crate) mod import;
pub(crate) mod send;
pub(crate) mod tls;
