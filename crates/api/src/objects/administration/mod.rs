//! The installation as a whole.

mod audit_old_records;
pub(crate) mod auditlog;
pub(crate) mod configuration;
pub(crate) mod connector;
mod cuid;
pub(crate) mod hanode;
pub(crate) mod task;
