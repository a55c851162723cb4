//! Exchanges with servers that the tests play. Tests that count the threads of their process are a
//! program of their own (`dead_servers`).

mod exchanges;
mod odd_heads;
#[path = "../support/mod.rs"]
mod support;
mod turns;
