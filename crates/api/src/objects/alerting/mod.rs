//! Reactions to events: correlation rules, actions, and the media types by which users get messages.

pub(crate) mod action;
pub(crate) mod correlation;
pub(crate) mod mediatype;
pub(crate) mod oncall;
pub(crate) mod script;
