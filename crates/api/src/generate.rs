//! Files written from the descriptions: TypeScript types for the pages, the reference page and that of
//! versions.
//!
//! Pure functions to texts. `cargo xtask docs` writes them, a test holds them fresh.

mod code_names;
mod common;
mod described;
pub mod openrpc;
mod reference;
mod sentences;
mod typescript;
mod versions;

pub(crate) use common::method_for;
pub use common::{Page, TYPES_FOLDER};

/// All files that are written from the descriptions.
#[must_use]
pub fn pages() -> Vec<Page> {
    let mut pages = typescript::pages();
    pages.push(reference::page());
    pages.push(versions::page());
    pages
}
