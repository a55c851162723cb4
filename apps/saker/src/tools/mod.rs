//! Programs for scripts and for trying things out, after Zabbix's of the same use: `saker send`
//! (zabbix_sender) and `saker get` (zabbix_get). They need no settings and no data directory.

pub(crate) mod connection;
pub(crate) mod get;
pub(crate) mod send;
pub(crate) mod tls;
