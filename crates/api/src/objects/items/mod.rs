//! Items, their prototypes, discovery rules.

pub(crate) mod discoveryrule;
pub(crate) mod discoveryruleprototype;
pub(crate) mod fields;
pub(crate) mod httptest;
pub(crate) mod interval;
pub(crate) mod item;
pub(crate) mod itemprototype;
pub(crate) mod overrides;
pub(crate) mod rules;
