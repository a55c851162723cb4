//! Metrics of this crate.

use rt::metrics::{Counter, Gauge};

rt::metrics! {
    /// The relational store.
    pub(crate) struct DbMetrics in "saker_db", formerly "db" {
        /// Panics in threads of the database, which go on: each is a bug.
        pub(crate) panics_total: Counter,
        /// Waits for the database that were given up because they took too long.
        pub(crate) timeouts_total: Counter,
        /// Transactions whose connection ended before the answer to their commit: what became of
        /// them is asked afterwards.
        pub(crate) unknown_outcomes_total: Counter,
        /// Since when the database does not answer or takes no changes, in seconds since 1970; 0 while it works.
        pub(crate) absent_since_seconds: Gauge,
        /// Times the database stopped answering or taking changes.
        pub(crate) absences_total: Counter,
        /// Sessions, failed logins and records of the audit log that wait for the database.
        pub(crate) behind_waiting: Gauge,
        /// Sessions, failed logins and records of the audit log that were dropped: too many waited, or the server
        /// stopped first.
        pub(crate) behind_dropped_total: Counter,
        /// Times the configuration was read again because another server had changed it.
        pub(crate) reloads_total: Counter,
        /// Events that are not in the database yet.
        pub(crate) events_waiting: Gauge,
    }
}
