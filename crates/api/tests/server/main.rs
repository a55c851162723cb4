//! The whole surface over HTTP, on a real database of its own (SQLite) and with the rest of the
//! server played by [`fake`].

mod configuration;
mod fake;
mod http;
mod live;
mod session;
