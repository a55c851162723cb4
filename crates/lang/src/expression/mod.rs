//! Trigger and calculated-item expressions: parse, store, render, compile, evaluate.
//!
//! - [`parse`] gives an [`Ast`]: nodes in postfix order with their positions, so nothing here recurses
//!   and nesting can't overflow a stack.
//! - [`bind`] turns history calls into `{functionid}` with a list of [`Function`]s (the form that is stored and
//!   shown by the API); [`render`] turns them back into `/host/key`.
//! - [`Program`] is the compiled form; it is evaluated for every value received.
//!
//! History functions are not evaluated here: a program names its operands and the caller supplies
//! their values (see [`Operands`]).

mod ast;
mod bind_error;
mod calls;
mod check;
mod eval;
mod event_name;
mod filter;
pub mod formula;
mod operators;
mod parse;
mod program;
mod query;
mod stored;
mod text;
mod value;

pub use ast::{Ast, HistoryCall, Node, NodeKind, Op, Rules};
pub use bind_error::BindError;
pub(crate) use calls::bucket_quantile;
pub use calls::is_time_function;
pub use check::{Usage, check};
pub use eval::{EvalError, Operands};
pub use event_name::{EventNameError, check_event_name};
pub use filter::{Filter, FilterNode, GroupFilter};
pub use parse::{parse, parse_with};
pub use program::{Comparison, CompileError, OperandRef, Program, Right};
pub use query::{ItemQuery, parse_query};
pub use stored::{Stored, bind, explain, functions_in_text, parse_stored, render};
pub use text::{constants, quote_string, substitute, unquote_string};
pub use value::{Env, Operand, Value};
