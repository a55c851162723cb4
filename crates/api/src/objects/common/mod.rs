//! Building blocks of objects of several areas.

pub(crate) mod access;
pub(crate) mod checks;
pub(crate) mod crud;
pub(crate) mod document;
pub(crate) mod graphs;
pub(crate) mod holder;
pub(crate) mod items;
pub(crate) mod parts;
pub(crate) mod refs;
pub(crate) mod resolve;
pub(crate) mod scope;
pub(crate) mod service_rights;
pub(crate) mod single;
pub(crate) mod tag_filter;
pub(crate) mod triggers;
pub(crate) mod vault;
