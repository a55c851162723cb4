//! How the server itself is doing: [`figures`] are taken each second, and [`items`] answers internal items by them.

pub mod figures;
pub mod items;
mod watched;

pub use watched::Watched;
