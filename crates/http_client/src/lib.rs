//! Single HTTP/1.1 exchanges with servers, without a thread for any of them.
//!
//! What curl does between exchanges (redirects, cookies, authentication) is [`wire::http`]'s; what
//! curl does for one of them is here: names, denied addresses, proxies, TLS, connections that are kept,
//! bounds of time and size, compressed bodies. Errors are in curl's words, because users know them.
//!
//! Invariants:
//!
//! - A connection serves one exchange at a time and belongs to it meanwhile: the exchange's own future
//!   drives it, so that an answer wakes one task, and who drops the future closes the connection.
//! - No more connections wait for the next exchange than the client is told to keep, none longer than
//!   [`pool::IDLE_TIME_MAX`].
//! - Only addresses that [`Destinations`] admits are connected to. They are the ones that were looked at, so
//!   that a name cannot lead elsewhere the next moment; each redirect is an exchange of its own.
//! - A request is repeated once at most, when a kept connection was closed before anything of an answer
//!   came: the server has not seen it then, or closed without a word, and curl does the same.

mod body;
mod connect;
mod connection;
mod decode;
mod endpoint;
mod error;
mod pool;
mod proxy;
mod request;
mod stream;
mod tls;

use std::fmt;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use model::networks::Destinations;
use rt::clock::{Clock, nanos};
use rt::task::Tasks;
use tokio::time::timeout;
use wire::http::Response;

pub use error::Error;
pub use request::{Request, Verify};

use connection::{Connection, Exchanged};
use pool::{Key, Pool};
use request::Prepared;
use tls::Connectors;

/// Finds the addresses of names.
pub trait Names: Send + Sync {
    /// At least one address; `None`: there is none, or none within the time.
    fn addresses<'a>(&'a self, name: &'a str, time: Duration) -> Addresses<'a>;
}

/// What [`Names::addresses`] gives.
pub type Addresses<'a> = Pin<Box<dyn Future<Output = Option<Arc<[IpAddr]>>> + Send + 'a>>;

/// The client; a clone is the same.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    destinations: Destinations,
    names: Box<dyn Names>,
    clock: Clock,
    pool: Arc<Pool>,
    connectors: Connectors,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

impl Client {
    /// A client without connections. Of those that wait for their next exchange it keeps `idle_max`, over all
    /// servers. `tasks`: where connections are closed that nobody needs any more.
    ///
    /// # Panics
    /// Outside a runtime.
    #[must_use]
    pub fn new(
        idle_max: usize,
        destinations: Destinations,
        names: Box<dyn Names>,
        (clock, tasks): (Clock, &Tasks),
    ) -> Self {
        let pool = Arc::new(Pool::new(idle_max));
        let (kept, of) = (Arc::downgrade(&pool), clock.clone());
        tasks.spawn("idle HTTP connections", pool::sweep(kept, of, tasks.shutdown().clone()));
        Self(Arc::new(Inner {
            destinations,
            names,
            clock,
            pool,
            connectors: Connectors::default(),
        }))
    }

    /// Makes one exchange within the request's time. Cancel-safe: a future that is dropped closes its
    /// connection.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn exchange(&self, request: Request) -> Result<Response, Error> {
        let time = request.time;
        // On the heap, so that futures of callers stay small.
        let made = Box::pin(self.0.exchange(request));
        timeout(time, made).await.map_err(|_late| Error::Late)?
    }
}

impl Inner {
    async fn exchange(&self, request: Request) -> Result<Response, Error> {
        let deadline_ns = self.clock.mono_ns().saturating_add(nanos(request.time));
        let prepared = Prepared::new(request)?;
        let key = Key::of(&prepared);
        if let Some(mut kept) = self.pool.take(&key, self.clock.mono_ns()) {
            match kept.exchange(&prepared).await {
                Err(failed) if failed.is_untouched => {}
                answer => return self.done(key, kept, answer),
            }
        }
        let mut made = Box::pin(self.connect(&prepared, deadline_ns)).await?;
        let answer = made.exchange(&prepared).await;
        self.done(key, made, answer)
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
