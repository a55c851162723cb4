//! Answers of `get` methods: the part that is common to all objects.
//!
//! An object's own file finds the candidates (permissions, `hostids` and the like) and gives single
//! fields of a row on demand ([`Rows`]); here parameters are read ([`Options`]) and rows filtered,
//! searched, sorted, limited and written ([`answer`]).

mod answer;
pub mod given;
mod key;
mod options;
pub mod output;
mod rows;
mod sort;
mod strict;
pub(crate) mod table;

pub(crate) use answer::is_hit;
pub use answer::{answer, fields, related};
pub(crate) use given::texts;
pub use given::{ids, is_true, text};
pub use key::SortKey;
pub(crate) use key::natural;
pub use options::{Options, patterns};
pub use output::Output;
pub use rows::Rows;
pub(crate) use strict::is_strict;
pub(crate) use table::{Column, RowFamily, Table, TableRows};
