//! State that follows from configuration, problems, values and devices: the status of services,
//! inventories, maintenances, ranks of problems, agents that register themselves, devices that
//! discovery finds, deletion of expired data.
//!
//! Each file is one worker ([`rt::worker::Worker`]), or what a reader of the journal calls ([`event_sink`],
//! [`nested_rules`]). Computations without the database are in modules of their own. Results are
//! derived: after an error or a panic it is found again from what is saved.
//!
//! **What it does not.** It starts no thread and opens no socket, and knows no settings: the binary makes the workers,
//! and simulations give them turns on their own clock.

macro_rules! opaque_debug {
    ($name:ident) => {
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

pub mod autoregistration;
pub mod event_sink;
pub mod expiry;
pub mod inventory;
pub mod item_directory;
pub mod maintenance;
pub mod nested_rules;
pub mod network_discovery;
pub mod ports;
mod quarantine;
pub mod ranks;
pub mod services;
