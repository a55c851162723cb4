//! Single HTTP/1.1 exchanges with servers, without a thread for any of them.
//!
//! [`wire::http`] has the part of curl between exchanges: redirects, cookies, authentication. This
//! crate has the part of one exchange: names, denied addresses, proxies, TLS, kept connections,
//! bounds of time and size, compressed bodies. Errors are in curl's words, because users know them.
//!
//! Invariants:
//!
//! - A connection serves one exchange at a time and belongs to it meanwhile: the exchange's own
//!   future drives it, so that an answer wakes one task, and dropping the future closes the
//!   connection.
//! - A server has no more exchanges at once than it keeps up with; the others wait for their turn,
//!   and the time of a request begins with it ([`turns`]).
//! - At most as many idle connections as the settings allow wait for the next exchange, none longer
//!   than [`pool::IDLE_TIME_MAX`].
//! - Connections go only to addresses that [`Destinations`] admits. They are the resolved ones, so
//!   that a name cannot lead elsewhere a moment later; each redirect is an exchange of its own.
//! - A request is repeated once at most, when a kept connection was closed before any byte of an
//!   answer: the server has not seen it then, or closed without a word, and curl does the same.

mod body;
mod connect;
mod connection;
mod decode;
mod endpoint;
mod error;
mod kerberos;
mod key;
mod names;
mod ntlm;
mod pool;
mod proxy;
mod request;
mod stream;
mod tls;
mod turns;

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use model::networks::Destinations;
use rt::clock::{Clock, nanos};
use rt::reading::{Reading, Readings};
use rt::task::Tasks;
use tokio::sync::Mutex;
use tokio::time::timeout;
use wire::http::{ConnectionAuth, Response};

pub use error::Error;
pub use request::{ClientRequest, Identity, Verify};
pub use turns::HttpMetrics;

use connection::{Connection, Exchanged};
use kerberos::Tickets;
use key::Key;
use pool::Pool;
use request::Prepared;
use tls::Connectors;
use turns::{Sign, Turn, Turns};

/// Finds the addresses of names.
pub trait Names: Send + Sync {
    /// At least one address; `None`: there is none, or none within the time.
    fn addresses<'a>(&'a self, name: &'a str, time: Duration) -> Addresses<'a>;
}

/// The result of [`Names::addresses`].
pub type Addresses<'a> = Pin<Box<dyn Future<Output = Option<Arc<[IpAddr]>>> + Send + 'a>>;

/// A finished exchange.
#[derive(Debug)]
pub struct Exchange {
    pub answer: Response,
    /// From its turn on.
    pub time: Duration,
    /// The memory of the answer's body, until it is dropped.
    pub reading: Option<Reading>,
}

/// The client; a clone shares its state.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    destinations: Destinations,
    names: Box<dyn Names>,
    clock: Clock,
    pool: Arc<Pool>,
    turns: Arc<Turns>,
    readings: Readings,
    connectors: Connectors,
    tickets: Tickets,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

impl Client {
    /// A client without connections. It keeps at most `connections_max` idle connections, over all
    /// servers; no server has more exchanges at once. `authorities`: a file or folder with trusted
    /// certificates instead of the system's. `readings`: the memory of answers. `tasks`: where
    /// unused connections are closed.
    ///
    /// # Panics
    /// Outside a runtime.
    #[must_use]
    pub fn new(
        connections_max: usize,
        destinations: Destinations,
        (names, authorities): (Box<dyn Names>, Option<PathBuf>),
        (metrics, readings): (HttpMetrics, Readings),
        (clock, tasks): (Clock, &Tasks),
    ) -> Self {
        let pool = Arc::new(Pool::new(connections_max));
        let turns = Arc::new(Turns::new(connections_max, metrics));
        let (kept, of) = ((Arc::downgrade(&pool), Arc::downgrade(&turns)), clock.clone());
        tasks.spawn("idle HTTP connections", pool::sweep(kept, of, tasks.shutdown().clone()));
        Self(Arc::new(Inner {
            destinations,
            names,
            clock,
            pool,
            turns,
            readings,
            connectors: Connectors::trusting(authorities),
            tickets: Tickets::default(),
        }))
    }

    /// Makes one exchange, within the request's time after the start of its turn. Cancel-safe: a
    /// future that is dropped closes its connection.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn exchange(&self, request: ClientRequest) -> Result<Response, Error> {
        self.exchange_timed(request).await.map(|it| it.answer)
    }

    /// As [`Client::exchange`], with the time that it took from its turn on.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn exchange_timed(&self, request: ClientRequest) -> Result<Exchange, Error> {
        let Inner { turns, clock, readings, .. } = &*self.0;
        let time = request.time;
        let prepared = Prepared::new(request, readings)?;
        let key = Key::of(&prepared);
        let turn = turns.take(&key, time, clock).await?;
        let start_ns = clock.mono_ns();
        let reading = Arc::clone(&prepared.reading);
        // On the heap, so that futures of callers stay small.
        let deadline_ns = start_ns.saturating_add(nanos(time));
        let made = Box::pin(self.0.exchange(prepared, key, (&turn, deadline_ns)));
        let answer = timeout(time, made).await.unwrap_or(Err(Error::Late));
        let end_ns = clock.mono_ns();
        let took = Duration::from_nanos(end_ns.saturating_sub(start_ns));
        turns.end(turn, Sign::of(&answer, (took, time)), end_ns);
        // Only the exchange shared it, and that has ended.
        let reading = Arc::into_inner(reading).map(Mutex::into_inner);
        Ok(Exchange { answer: answer?, time: took, reading })
    }
}

impl Inner {
    async fn exchange(
        &self,
        prepared: Prepared,
        key: Key,
        (turn, deadline_ns): (&Turn, u64),
    ) -> Result<Response, Error> {
        if let Some(auth) = &prepared.auth {
            return Box::pin(self.exchange_showing(&prepared, auth, (turn, deadline_ns))).await;
        }
        if let Some(mut kept) = self.pool.take(&key, self.clock.mono_ns()) {
            match kept.exchange(&prepared).await {
                Err(failed) if failed.is_untouched => {}
                answer => {
                    self.turns.metrics.reuses_total.inc();
                    return self.done(key, kept, answer);
                }
            }
        }
        self.turns.metrics.connects_total.inc();
        let connecting = turn.connecting();
        let mut made = Box::pin(self.connect(&prepared, deadline_ns)).await?;
        drop(connecting);
        let answer = made.exchange(&prepared).await;
        self.done(key, made, answer)
    }

    /// On a connection of its own: the server takes every later request on it for the same user.
    async fn exchange_showing(
        &self,
        prepared: &Prepared,
        auth: &ConnectionAuth,
        (turn, deadline_ns): (&Turn, u64),
    ) -> Result<Response, Error> {
        let connect = async {
            let connecting = turn.connecting();
            let made = Box::pin(self.connect(prepared, deadline_ns)).await;
            drop(connecting);
            made
        };
        match auth {
            ConnectionAuth::Ntlm(login) => {
                let wall_ns = u64::try_from(self.clock.wall().0).unwrap_or(0);
                ntlm::exchange(connect.await?, prepared, (login, wall_ns)).await
            }
            ConnectionAuth::Negotiate => {
                let left = Duration::from_nanos(deadline_ns.saturating_sub(self.clock.mono_ns()));
                // The ticket is fetched before the connection: the server need not wait for it.
                let ticket = self.tickets.first(&prepared.server.host, left).await?;
                kerberos::exchange(connect.await?, prepared, (&self.tickets, ticket)).await
            }
        }
    }

    /// Keeps the connection, if another exchange may follow on it.
    fn done(&self, key: Key, connection: Connection, answer: Exchanged) -> Result<Response, Error> {
        let answer = answer.map_err(|it| it.error)?;
        if connection.is_ready() {
            self.pool.keep(key, connection, self.clock.mono_ns());
        }
        Ok(answer)
    }
}
