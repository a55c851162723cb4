//! Objects of the API, described once: see [`model::describe`].

pub use model::describe::*;
