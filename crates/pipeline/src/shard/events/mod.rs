//! Events: what they say, and those that wait for their names.

mod draft;
mod held;
mod make;
mod texts;
mod unnamed;

pub(super) use draft::Draft;
pub(super) use make::{closes, decided_open, draft, lacks_value};
pub(super) use unnamed::{Held, Unnamed};
