//! Network discovery: rules, their checks, and the devices that they found.

pub(crate) mod dcheck;
pub(crate) mod drule;
pub(crate) mod found;
