//! Events and problems.

pub(crate) mod acknowledge;
pub(crate) mod alert;
pub(crate) mod event;
mod event_alerts;
pub(crate) mod opdata;
pub(crate) mod problem;
mod select;
mod urls;
pub(crate) mod visibility;
