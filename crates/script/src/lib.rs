//! JavaScript for preprocessing steps and other scripts of users.
//!
//! An [`Engine`] runs [`Script`]s: bodies of a function of `value`. It belongs to one thread and
//! keeps the costly parts: a context with the objects that scripts know (`prelude.js`) and the
//! compiled functions. A run cannot see another one: objects that outlive a run are frozen, the
//! global object is swept, and a context that cannot be swept is thrown away.
//!
//! Time, memory, stack and output of a run are limited ([`Limits`]). A clock, sleeping, the log,
//! requests and signatures come from outside, through [`Host`].
//!
//! A function of the engine itself (`indexOf` over long texts) never checks the time, and only the
//! end of its process ends it. An engine can therefore run in a process of its own ([`serve`]),
//! which has its [`Host`] at the other end of a pipe ([`attend`]).

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
pub use host::{Host, HostRequest, Limits, Opened, WebDriver, WebDriverCommand};
pub use scripts::{NoScripts, Scripts};
pub use shared::TIMEOUT;
pub use source::{Script, Secret};
pub use worker::{Attended, Channel, attend, begin, order_run, serve};
