//! Hosts, templates, their groups, and their objects apart from items.

pub(crate) mod discovered;
pub(crate) mod group;
pub(crate) mod group_mass;
pub(crate) mod host;
mod host_filter;
mod host_rules;
pub(crate) mod hostprototype;
pub(crate) mod interface;
pub(crate) mod interface_mass;
pub(crate) mod inventory;
pub(crate) mod maintenance;
pub(crate) mod mass;
pub(crate) mod propagate;
pub(crate) mod prototype_interface;
pub(crate) mod template;
pub(crate) mod usermacro;
pub(crate) mod valuemap;
