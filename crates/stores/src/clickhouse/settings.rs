//! Settings of a ClickHouse store.

use std::fmt;
use std::time::Duration;

#[derive(Clone)]
pub struct ClickHouseSettings {
    /// `http://host:8123` or `https://host:8443`.
    pub url: String,
    pub user: String,
    pub password: String,
    pub database: String,
    /// Of the server's configuration: then tables are replicated and distributed over it.
    pub cluster: Option<String>,
    /// Certificate authority for `https`, as PEM; else those of the machine.
    pub ca_pem: Option<String>,
    /// Of a request that stores, whole.
    pub timeout: Duration,
    /// Of one that reads.
    pub read_timeout: Duration,
    /// Rows that make an insert worth its while.
    pub flush_rows: usize,
    /// How long fewer of them wait.
    pub flush_interval: Duration,
    /// Rows in memory; no more are taken while so many cannot be stored.
    pub rows_max: usize,
}

impl Default for ClickHouseSettings {
    fn default() -> Self {
        Self {
            url: "http://127.0.0.1:8123".to_owned(),
            user: "default".to_owned(),
            password: String::new(),
            database: "saker".to_owned(),
            cluster: None,
            ca_pem: None,
            timeout: Duration::from_secs(30),
            read_timeout: Duration::from_secs(10),
            flush_rows: 500_000,
            flush_interval: Duration::from_secs(1),
            rows_max: 2_000_000,
        }
    }
}

impl fmt::Debug for ClickHouseSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the password.
        f.debug_struct("ClickHouseSettings")
            .field("url", &self.url)
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}
