//! The objects of the API, by area: one file each, and one line in [`crate::registry`].
//!
//! An object knows the vocabulary (queries, descriptions, errors), the permissions of its caller, and the
//! code in `common`. It doesn't know its siblings: related objects are requested by name, through
//! [`crate::shared::Ctx::related`].

pub(crate) mod administration;
pub(crate) mod alerting;
pub(crate) mod common;
pub(crate) mod dashboards;
pub(crate) mod graphs;
pub(crate) mod history;
pub(crate) mod hosts;
pub(crate) mod items;
pub(crate) mod maps;
pub(crate) mod networkdiscovery;
pub(crate) mod problems;
pub(crate) mod services;
pub(crate) mod triggers;
pub(crate) mod users;
