//! Stores of history on other machines. Each is a [`history::Store`] that the feeder brings the journal to,
//! so that one which is away holds up nothing but itself.
//!
//! Every row carries its place in the journal ([`batch`]): a row that comes twice, because an answer was
//! lost or the process ended, is the same row, and what is read has it once.

mod batch;
pub mod clickhouse;
mod contents;
mod error;
mod positions;
pub mod postgres;
mod ranges;
mod remote_feed;

pub use clickhouse::ClickHouse;
pub use contents::{Contents, DayCount, Table};
pub use postgres::Postgres;
pub use remote_feed::RemoteFeed;
