//! Connections that are kept from one request to the next, and closed by the other side meanwhile.
//!
//! A server may close an idle connection at any time, also while the next request is on its way. Then
//! it has not seen the request, and as curl does, the request is made once more on another connection.
//! What was answered in part, or failed on a connection of its own, is not repeated.
//!
//! Requests block their thread, so what a thread's connections report is about its one request.

use std::cell::Cell;
use std::io::ErrorKind;

use ureq::Error;

thread_local! {
    static REQUEST: Cell<Progress> = const { Cell::new(Progress { is_new: false, has_answer: false }) };
}

#[derive(Clone, Copy)]
struct Progress {
    /// The connection was made for it.
    is_new: bool,
    /// Something of an answer has come.
    has_answer: bool,
}

/// A request begins.
pub(super) fn begin() {
    REQUEST.set(Progress { is_new: false, has_answer: false });
}

/// A connection is made for the request.
pub(super) fn connected() {
    REQUEST.set(Progress { is_new: true, ..REQUEST.get() });
}

/// Bytes have come.
pub(super) fn received() {
    REQUEST.set(Progress { has_answer: true, ..REQUEST.get() });
}

/// Whether the request failed because a kept connection was closed already.
pub(super) fn was_closed(error: &Error) -> bool {
    let Progress { is_new, has_answer } = REQUEST.get();
    let is_end = |it: ErrorKind| {
        matches!(
            it,
            ErrorKind::UnexpectedEof
                | ErrorKind::ConnectionReset
                | ErrorKind::ConnectionAborted
                | ErrorKind::BrokenPipe
        )
    };
    !is_new && !has_answer && matches!(error, Error::Io(it) if is_end(it.kind()))
}
