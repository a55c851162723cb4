//! Business services and agreements about them.

pub(crate) mod getsli;
pub(crate) mod service;
pub(crate) mod sla;
