//! Commands on other machines and on the server's own.
//!
//! [`commands`] executes those of scripts and actions, [`items`] those of items; SSH and Telnet are spoken in `shells`.

pub mod commands;
pub mod items;
mod shells;
