//! Macros: tokens of texts, user macros and their resolution, macro functions, substitution.

mod func;
mod func_env;
mod func_text;
mod func_time;
mod inventory;
mod objects;
mod substitute;
mod token;
mod user;

pub use func::apply;
pub use func_env::{FuncEnv, FuncError};
pub use inventory::inventory_number;
pub use objects::{age, date, is_of_log, main_interface, of_host, of_log, time};
pub use substitute::{Resolution, UNKNOWN, split_index, substitute, substitute_user};
pub use token::{
    MacroToken, Search, TokenKind, UserMacroSpans, find, has_lld_macro, is_lld_macro,
    lld_macro_len, tokens, user_macro_at,
};
pub(crate) use token::{params_len, token_at};
pub use user::{
    ContextError, Layer, Layers, MacroDefinition, SECRET, UserMacro, breadth_first, quote_context,
};
