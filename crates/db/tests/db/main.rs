//! The contract of the store, case by case, on SQLite and PostgreSQL.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests stop at the first surprise")]

mod accounts;
mod alerts;
mod audit;
mod changes;
mod commit;
mod common;
mod damage;
mod discovered_hosts;
mod discovered_many;
mod discovered_triggers;
mod discovery;
mod documents;
mod encrypted;
mod events;
mod export;
mod graphs;
mod housekeeping;
mod import;
mod import_defaults;
mod import_files;
mod import_oddities;
mod import_rules;
mod import_whole;
mod inventory;
mod linking;
mod many_named;
mod many_objects;
mod map_files;
mod maps;
mod nested;
mod official;
mod regexps;
mod tables;
