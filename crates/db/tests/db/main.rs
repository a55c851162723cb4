//! What the store promises, case by case, on SQLite and PostgreSQL.

mod accounts;
mod changes;
mod common;
mod discovery;
mod linking;
