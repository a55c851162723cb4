//! The installation as a whole.

pub(crate) mod auditlog;
pub(crate) mod configuration;
pub(crate) mod connector;
pub(crate) mod hanode;
pub(crate) mod task;
