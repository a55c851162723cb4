//! Exchanges with servers that the tests play. What counts the threads of its process is apart (`dead_servers`).

mod exchanges;
mod odd_heads;
#[path = "../support/mod.rs"]
mod support;
mod turns;
