//! Relational store (SQLite, PostgreSQL): configuration, users, events, problems, audit; discovery
//! results.
//!
//! **What it does.** Loads the whole configuration into a [`Snapshot`] at start; takes changes one
//! at a time ([`Db::edit`]), writes them in one transaction and publishes the next snapshot with a
//! [`Delta`]; applies the results of low-level discovery; keeps users, sessions and tokens; keeps
//! events and problems, in memory for the living ones, in SQL for all.
//!
//! **What it does not.** It never sees a value, never validates the shape of API requests (`api`
//! does), never evaluates anything. It does no asynchronous work: every call may block on SQL and
//! is made from a thread that may wait.
//!
//! **Invariants.** SQL is written only from differences between two snapshots
//! ([`store::persist`]), so memory and tables cannot drift apart. Readers read the snapshot. All
//! SQL runs on the threads of [`sql::worker`].

mod actor;
pub mod alerts;
pub mod audit;
pub mod auth;
mod autoregistered;
pub mod availability;
mod backup;
mod behind;
mod comparison;
mod discovered;
pub mod editor;
mod encryption;
pub mod error;
mod escalations;
pub mod events;
mod export;
#[doc(hidden)]
pub mod fuzz;
mod handle;
pub mod housekeeping;
mod ids;
pub mod import;
pub mod lld;
mod location;
mod locks;
pub mod maintenance;
mod metrics;
pub mod objects;
mod parents;
mod schema;
mod seed;
pub mod services;
mod settle;
mod sql;
mod sqlite_damage;
mod store;
mod views;

pub use actor::Actor;
pub use alerts::{AlertOutcome, AlertQuery, AlertRow, Alerts, NewDigest, Unsent};
pub use audit::{Action as AuditAction, Audit, AuditRecord};
pub use auth::{
    FailedLogins, Identity, LastUse, LoginError, PASSWORD_CHARS_MAX, Permission, ProblemScope,
    ReadScope, Rights, Session, TagScope,
};
pub use autoregistered::AutoregisteredHost;
pub use availability::{Availability, InterfaceState};
pub use backup::PinnedTables;
pub use comparison::Comparison;
pub use discovered::{
    DiscoveredDevice, DiscoveredHost, DiscoveredRow, DiscoveredRows, DiscoveredService,
    DiscoveryErrors,
};
pub use editor::{Editor, WebChange};
pub use encryption::changed as changed_encryption;
pub use error::{ConfigError, DbError, ErrorCode};
pub use escalations::{EscalationStore, EscalationTurn, Judged, SavedEscalations, ToJudge};
pub use events::{
    Acknowledge, Acknowledged, Acknowledgement, Changes, Correlation, Correlator, EventQuery,
    EventRow, EventSettings, Events, Problem, RowsOfEvents,
};
pub use export::{ExportOptions, export, write};
pub use handle::{DISCOVERY_ROWS_MAX, Db, DbSettings};
pub use housekeeping::{HousekeepingPart, HousekeepingRound, HousekeepingStep};
pub use import::{
    ImportChanges, ImportFile, ImportFormat, ImportReport, ImportRule, ImportRules, Room,
    Uncollected, read_yaml,
};
pub use lld::{LldReport, LldRow, RuleError, RuleErrors};
pub use location::Location;
pub use maintenance::{Maintained, RunningMaintenance, Suppression};
pub use model::snapshot::{Delta, Snapshot};
pub use objects::ObjectKind;
pub use parents::{Topology, tells_reachability};
pub use settle::Subscriber;
pub use sql::Absence;
pub use views::{UserView, UserViews};
