//! Users, their groups, roles and tokens.

pub(crate) mod role;
pub(crate) mod token;
pub(crate) mod user;
pub(crate) mod usergroup;
