//! A connection to PostgreSQL of which no wait is without end.
//!
//! A server that is stopped or whose packets are lost leaves its connections open: the kernel of its machine
//! still answers, or nobody does. A wait that gets no answer for some seconds therefore asks on another
//! connection whether the server is there. If it is not, or if the wait ends all the same, the
//! connection is given up, and with it what was under way.

#![expect(clippy::future_not_send, reason = "each connection's futures stay on its own thread")]

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use postgres_tls::{Carrier, Connector};
use tokio::runtime::{Builder, Runtime};
use tokio::time::{sleep, timeout};
use tokio_postgres::Client;

use crate::error::SqlError;

/// A wait without an answer for so long asks whether the server is there. Far above what a healthy server
/// takes for most statements, and short enough for a person who waits.
const ASK_AFTER: Duration = Duration::from_secs(2);

/// How long to wait for the answer to that, on a connection of its own.
const ASK_MAX: Duration = Duration::from_secs(2);

/// How long to wait for a connection: a server behind a network that drops packets says nothing at
/// all.
const CONNECT_MAX: Duration = Duration::from_secs(4);

pub(super) struct Session {
    client: Client,
    carrier: Carrier,
    connector: Connector,
    /// The longest wait for one answer; without one, as long as the server is there.
    pub(super) silent_max: Option<Duration>,
    /// No answer came in time.
    is_given_up: bool,
    /// Dropped last: resources of the others belong to it.
    runtime: Runtime,
}

impl Session {
    pub(super) fn open(connector: Connector) -> Result<Self, SqlError> {
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(SqlError::Runtime)?;
        let opened = runtime.block_on(async { timeout(CONNECT_MAX, connector.open()).await });
        let seconds = CONNECT_MAX.as_secs();
        let (client, carrier) = opened.map_err(|_elapsed| SqlError::Silent { seconds })??;
        Ok(Self { client, carrier, connector, silent_max: None, is_given_up: false, runtime })
    }

    pub(super) fn is_broken(&self) -> bool {
        self.is_given_up || self.client.is_closed()
    }

    /// Does something with the client; `Answers` bounds each wait for an answer.
    pub(super) fn run<T, E>(
        &mut self,
        work: impl AsyncFnOnce(&Client, &Answers<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let Self { client, carrier, connector, silent_max, runtime, .. } = self;
        let answers = Answers { connector, silent_max: *silent_max, is_given_up: Cell::new(false) };
        let done = runtime.block_on(carried(carrier, work(client, &answers)));
        self.is_given_up |= answers.is_given_up.get();
        done
    }
}

/// Polls what carries the bytes until the work is done.
async fn carried<T>(carrier: &mut Carrier, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    let mut is_over = false;
    poll_fn(|cx| {
        // Its error is that of whatever is under way.
        is_over = is_over || carrier.as_mut().poll(cx).is_ready();
        work.as_mut().poll(cx)
    })
    .await
}

/// Waits for answers.
pub(super) struct Answers<'a> {
    connector: &'a Connector,
    silent_max: Option<Duration>,
    is_given_up: Cell<bool>,
}

impl Answers<'_> {
    /// # Errors
    /// The server's own, or none came: the connection is of no use any more.
    pub(super) async fn of<T>(
        &self,
        answer: impl Future<Output = Result<T, postgres::Error>>,
    ) -> Result<T, SqlError> {
        let mut answer = pin!(answer);
        // Most rows of a long answer are there already and need no timers.
        if let Poll::Ready(it) = poll_fn(|cx| Poll::Ready(answer.as_mut().poll(cx))).await {
            return Ok(it?);
        }
        let mut over = pin!(async {
            match self.silent_max {
                Some(it) => sleep(it).await,
                None => std::future::pending().await,
            }
        });
        loop {
            tokio::select! {
                biased;
                it = &mut answer => return Ok(it?),
                () = &mut over => {
                    self.is_given_up.set(true);
                    let seconds = self.silent_max.unwrap_or_default().as_secs();
                    return Err(SqlError::Silent { seconds });
                }
                is_there = is_there_later(self.connector) => if !is_there {
                    self.is_given_up.set(true);
                    return Err(SqlError::Gone);
                }
            }
        }
    }
}

async fn is_there_later(connector: &Connector) -> bool {
    sleep(ASK_AFTER).await;
    let asked = timeout(ASK_MAX, async {
        let (client, mut carrier) = connector.open().await?;
        carried(&mut carrier, client.batch_execute("select 1")).await
    });
    match asked.await {
        Ok(Ok(())) => true,
        // A server that refuses can be reached.
        Ok(Err(error)) => error.as_db_error().is_some(),
        Err(_elapsed) => false,
    }
}
