//! Network discovery: rules, their checks, and what they have found.

pub(crate) mod dcheck;
pub(crate) mod drule;
pub(crate) mod found;
