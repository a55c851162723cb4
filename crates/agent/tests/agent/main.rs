//! The agent as its owner sees it: fixture trees, hostile files, and a comparison with the real
//! zabbix_agentd.
#![allow(clippy::print_stdout, reason = "a test that skips itself says so")]
#![allow(clippy::string_slice, reason = "a wrong cut fails the test")]

mod collectors;
mod golden;
mod hostile;
mod names;
mod templates;
mod tree;
mod web_pages;
