//! What happens while the configuration stands: events and problems, messages and escalations, services,
//! maintenances, what discovery has found, whether interfaces answer, and what of all this expires.

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
