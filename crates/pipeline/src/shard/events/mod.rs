//! Events: their texts, and events that wait for their names.

mod awaiting_names;
mod draft;
mod journaled;
mod make;
mod texts;

pub(super) use awaiting_names::{AwaitingEvent, EventsAwaitingNames};
pub(super) use draft::{Draft, as_name};
pub(super) use make::{closes, decided_open, draft, lacks_value};
pub(super) use texts::{tags_of_item, tags_of_trigger};
