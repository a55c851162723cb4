//! Low-level discovery: rows of a discovery value, the filter over them, and prototypes expanded with
//! a row.

mod escape;
mod expand;
mod filter;
mod overrides;
mod rows;
mod steps;

pub use escape::EscapeTarget;
pub use expand::{
    ExpandError, expand_expression, expand_key, expand_oid, expand_parameter, expand_stored,
    expand_text,
};
pub use filter::{FilterError, RowFilter, RowVerdict};
pub use overrides::{OverrideChanges, OverrideTarget, Overrides, RowOverrides};
pub use rows::{Paths, RowIn, RowsError, same_rows};
pub use steps::expand_step;
