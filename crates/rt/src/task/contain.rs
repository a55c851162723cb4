//! Futures whose panic is a result.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use thiserror::Error;

/// The contained work has ended by a panic, which is counted and logged.
#[derive(PartialEq, Eq, Debug, Error)]
#[error("ended by a panic")]
pub struct Panicked;

/// Returns a future's output, or its panic; after that it must only be dropped.
pub(super) struct Catching<F>(pub(super) F);

impl<F: Future + Unpin> Future for Catching<F> {
    type Output = Result<F::Output, Box<dyn Any + Send>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match catch_unwind(AssertUnwindSafe(|| Pin::new(&mut self.0).poll(cx))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    }
}
