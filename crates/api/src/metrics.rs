//! The metrics of the API.

use rt::metrics::{Counter, Family, Gauge, TimeHistogram};

rt::metrics! {
    /// The metrics of the API.
    pub(crate) struct Metrics in "saker_api", formerly "api" {
        /// Calls of the JSON-RPC API, by method.
        pub(crate) calls_total: Family<Counter> = "method",
        /// Calls that were answered by an error.
        pub(crate) call_errors_total: Counter,
        /// Calls that ended by a panic: each is a bug.
        pub(crate) panics_total: Counter,
        /// Calls and logins that run on threads, by pool.
        pub(crate) work_running: Family<Gauge> = "pool",
        /// Callers that wait for a turn, by pool.
        pub(crate) work_waiting: Family<Gauge> = "pool",
        /// Calls refused because the server was too busy, by pool.
        pub(crate) work_refused_total: Family<Counter> = "pool",
        /// Bytes of requests and unread answers, of users, of clients before their login, and of the state
        /// that live streams keep.
        pub(crate) memory_bytes: Family<Gauge> = "of",
        /// Requests ended because their client neither sent nor took anything, or others needed the room.
        pub(crate) memory_evicted_total: Family<Counter> = "of",
        /// Long answers that ended before they were complete: their client went or was too slow, or
        /// reading failed.
        pub(crate) answers_cut_total: Counter,
        /// Time that calls took, from the parsed request to the answer.
        pub(crate) call_seconds: TimeHistogram,
        /// Failed logins.
        pub(crate) login_failures_total: Counter,
        /// Problems acknowledged by a link in a message.
        pub(crate) acknowledge_links_total: Counter,
        /// Links of messages that were refused: wrong, expired, or too many wrong ones from an address.
        pub(crate) acknowledge_links_refused_total: Counter,
        /// Live streams that are open.
        pub(crate) streams_open: Gauge,
        /// Live streams that were ended because the client was too slow.
        pub(crate) streams_slow_total: Counter,
        /// Times that changes of problems left the queue before a slow client took them: the client got the
        /// newest state instead.
        pub(crate) stream_lags_total: Counter,
        /// Times that a client had to fetch all problems again: too much had changed, or its rights.
        pub(crate) stream_resyncs_total: Counter,
        /// Messages sent on live streams.
        pub(crate) stream_messages_total: Counter,
    }
}
