//! The role `saker agent`: answers requests of servers for keys of this machine (passive checks),
//! and asks servers which keys to send them (active checks).
//!
//! `agent` computes the values of keys; this crate has the rest of an agent: sockets, schedules,
//! the buffer of unsent values, log files, and everything that runs commands (user parameters,
//! `system.run`). The settings are those of zabbix_agentd under new names, and its own file is read
//! as well.
//!
//! Bounds: connections, checks that may block, commands, values of the buffer and lines of a log
//! file have limits of their own; a check that does not end in time fails for its caller, but keeps
//! its place.

pub mod active;
mod address;
mod aliases;
mod allowed;
mod checks;
mod command;
mod config_file;
pub mod log;
mod own_keys;
mod passive;
mod role;
mod security;
pub mod settings;
mod tls_modes;
mod user_parameters;

pub use address::ServerList;
pub use checks::Checks;
pub use config_file::{ConfigError, Read, read};
pub use role::{AgentError, Role};
pub use settings::Settings;
