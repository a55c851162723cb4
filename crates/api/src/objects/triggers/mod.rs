//! Triggers and their prototypes.

pub(crate) mod fields;
pub(crate) mod masters;
pub(crate) mod trigger;
pub(crate) mod triggerprototype;
