//! The whole server as a process, with real peers.
//!
//! One program for all of them: it is built and linked once, and while one test waits another one runs.

#![allow(clippy::unwrap_used, reason = "a test may")]
#![allow(clippy::disallowed_macros, clippy::print_stderr, reason = "what a test says")]

mod action_commands;
mod agent_role;
mod agents;
mod autoregistration;
mod away;
mod backup;
mod bad_input;
mod browser_items;
mod causes;
mod command_line;
mod configuration;
mod correlation;
mod crash;
mod crash_deferred_evaluations;
mod crash_matrix;
mod crash_names;
mod crash_sessions;
mod damage;
mod discovery;
mod dispatch;
mod encryption;
mod escalations;
mod event_tags;
mod exports;
mod first_start;
mod forwarding;
mod full_disk;
mod graphs;
mod history_copy;
mod history_export;
mod history_verify;
mod http_items;
mod hung;
mod idle;
mod internal_events;
mod internal_items;
mod inventory;
mod items;
mod last_change;
mod maintenances;
mod network_discovery;
mod odbc;
mod official_templates;
mod outages;
mod parents;
mod queue;
mod read_first;
mod remote_commands;
mod remote_stores;
mod requests;
mod restart_config;
mod script_processes;
mod scripts;
mod sender;
mod services;
mod snmp;
mod snmp_traps;
mod support;
mod symbols;
mod tools;
mod trials;
mod user_password;
mod vault;
mod web_scenarios;
