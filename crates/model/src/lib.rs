//! The nouns: ids, values, time, limits, configuration snapshot and deltas.
//!
//! Pure: no clock, no files, no sockets, no randomness. Everything here fails only by returning a
//! value. What data *mean* (how a key is matched, what an expression computes) is in `lang`
//! and `pipeline`; how it is stored lives in `db`, `journal` and `tsdb`.

pub mod batch;
pub mod content;
pub mod content_field;
pub mod describe;
pub mod document;
pub mod encryption;
pub mod event;
pub mod field_path;
pub mod figures;
#[doc(hidden)]
pub mod fuzz;
pub mod id;
pub mod key;
pub mod limits;
pub mod map;
pub mod networks;
pub mod push;
pub mod record;
pub mod retention;
pub mod services;
pub mod settings;
pub mod snapshot;
pub mod time;
pub mod value;
pub mod version;

pub use id::*;
pub use retention::{Classes, Retention};
pub use time::{Now, Time};
pub use value::{Value, ValueType};
