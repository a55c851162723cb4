//! JavaScript, as preprocessing steps and other scripts of users have it.
//!
//! An [`Engine`] runs [`Script`]s: bodies of a function of `value`. It belongs to one thread and
//! keeps what is costly to make: a context with the objects that scripts know (`prelude.js`) and the
//! compiled functions. Nothing of one run is seen by another: what outlives a run is frozen, the
//! global object is swept, and a context that can't be swept is thrown away.
//!
//! Time, memory, stack and output of a run are limited ([`Limits`]). A clock, sleeping, the log,
//! requests and signatures come from outside, through [`Host`].

mod bytes;
mod engine;
mod errors;
mod exchange;
#[doc(hidden)]
pub mod fuzz;
mod host;
mod key;
mod natives;
mod scripts;
mod shared;
mod source;

pub use engine::{Engine, RunError};
pub use host::{Command, Host, Limits, Opened, Request, WebDriver};
pub use scripts::{NoScripts, Scripts};
pub use shared::TIMEOUT;
pub use source::{Script, Secret};
