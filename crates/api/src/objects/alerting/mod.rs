//! How users hear of events: actions, and the media types by which they get messages.

pub(crate) mod action;
pub(crate) mod mediatype;
pub(crate) mod oncall;
pub(crate) mod script;
