//! JavaScript, as preprocessing steps and other scripts of users have it.
//!
//! An [`Engine`] runs [`Script`]s: bodies of a function of `value`. It belongs to one thread and
//! keeps what is costly to make: a context with the objects that scripts know (`prelude.js`) and the
//! compiled functions. Nothing of one run is seen by another: what outlives a run is frozen, the
//! global object is swept, and a context that can't be swept is thrown away.
//!
//! Time, memory, stack and output of a run are limited ([`Limits`]). A clock, sleeping, the log,
//! requests and signatures come from outside, through [`Host`].
//!
//! A function of the engine itself (`indexOf` over long texts) asks nobody whether the time is up, and only the end of
//! its process ends it. So an engine can also stand in a process of its own ([`serve`]), which has its [`Host`] at the
//! other end of a pipe ([`attend`]).

mod bytes;
mod engine;
mod errors;
mod exchange;
pub mod frames;
#[doc(hidden)]
pub mod fuzz;
mod host;
mod key;
mod natives;
mod scripts;
mod shared;
mod source;
mod worker;

pub use engine::{Engine, RunError};
pub use host::{Command, Host, Limits, Opened, Request, WebDriver};
pub use scripts::{NoScripts, Scripts};
pub use shared::TIMEOUT;
pub use source::{Script, Secret};
pub use worker::{Attended, Channel, attend, begin, order_run, serve};
