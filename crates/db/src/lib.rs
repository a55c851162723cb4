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
//! ([`configuration::store::persist`]), so memory and tables cannot diverge. Readers read the
//! snapshot. All SQL runs on the threads of [`sql::worker`].

mod actor;
pub mod auth;
mod configuration;
pub mod error;
#[doc(hidden)]
pub mod fuzz;
mod handle;
mod locks;
mod metrics;
mod runtime;
mod sql;

pub use configuration::{audit, editor, import, lld, objects};
pub use runtime::{alerts, availability, events, housekeeping, maintenance, services};

pub use actor::{Actor, SYSTEM};
pub use auth::{
    FailedLogins, LastUse, LoginError, PASSWORD_CHARS_MAX, Permission, ProblemScope, ReadScope,
    Rights, ServiceRights, Session, TagScope, UserIdentity,
};
pub use configuration::audit::{Act, Audit, AuditAction, AuditRecord, AuditScope, Origin};
pub use configuration::commit::Subscriber;
pub use configuration::comparison::ImportComparison;
pub use configuration::editor::{Editor, NotedAs, WebChange};
pub use configuration::encryption::changed as changed_encryption;
pub use configuration::export::{ExportOptions, export, write};
pub use configuration::import::{
    ImportChanges, ImportFile, ImportFormat, ImportReport, ImportRule, ImportRules, Room,
    Uncollected, read_yaml,
};
pub use configuration::lld::{LldReport, LldRow, RuleError, RuleErrors};
pub use configuration::objects::ObjectKind;
pub use error::{ConfigError, DbError, ErrorCode};
pub use handle::{DISCOVERY_ROWS_MAX, Db, DbSettings};
pub use model::snapshot::{Delta, Snapshot};
pub use runtime::alerts::{AlertOutcome, AlertQuery, AlertRow, Alerts, NewDigest, Unsent};
pub use runtime::autoregistered::AutoregisteredHost;
pub use runtime::availability::{Availability, InterfaceAvailability};
pub use runtime::discovered::{
    DiscoveredDevice, DiscoveredHost, DiscoveredRow, DiscoveredRows, DiscoveredService,
    DiscoveryErrors,
};
pub use runtime::escalations::{
    EscalationStore, EscalationTurn, Judged, SavedEscalations, ToJudge,
};
pub use runtime::events::{
    Acknowledge, Acknowledged, Acknowledgement, Changes, Correlation, Correlator, EventQuery,
    EventRow, EventSettings, Events, Problem, RowsOfEvents,
};
pub use runtime::housekeeping::{HousekeepingPart, HousekeepingRound, HousekeepingStep};
pub use runtime::maintenance::{RunningMaintenance, RunningMaintenances, Suppression};
pub use runtime::parents::{Topology, shows_reachability};
pub use runtime::views::{UserView, UserViews};
pub use sql::Absence;
pub use sql::backup::PinnedTables;
pub use sql::faults::{TransactionFate, TransactionFaults};
pub use sql::location::Location;
