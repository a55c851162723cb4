//! Runtime data in addition to the configuration: events and problems, messages and escalations,
//! services, maintenances, discovered devices, availability of interfaces, and expiry.

pub mod alerts;
pub(crate) mod autoregistered;
pub mod availability;
pub(crate) mod behind;
pub(crate) mod discovered;
pub(crate) mod escalations;
pub mod events;
pub mod housekeeping;
pub mod maintenance;
pub(crate) mod parents;
pub mod services;
pub(crate) mod views;
