//! Stores of history on other machines, against real servers of theirs.
#![allow(clippy::disallowed_methods, reason = "outside of the server there is no clock to ask")]

mod clickhouse;
mod postgres;
mod read_order;
mod support;
