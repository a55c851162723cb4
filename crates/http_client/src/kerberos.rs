//! An exchange with a server that authenticates clients by Kerberos (`Negotiate`, RFC 4559).
//!
//! The ticket goes along with the first request: most servers need no more. A call of the library
//! may take as long as it waits for a KDC, so calls run on threads of their own, at most
//! [`AT_ONCE_MAX`]; a request waits for one within its own time. A call that is too late continues
//! on its thread until the library gives up, and holds its place until then: a KDC that is down
//! costs threads, but no more than those.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use gssapi::Initiator;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use wire::http::Response;

use super::connection::Connection;
use super::error::Error;
use super::request::Prepared;

/// Calls of the library at once. One with a ticket in the cache takes a fraction of a millisecond.
const AT_ONCE_MAX: usize = 8;
/// Tokens that are sent. Kerberos has one, SPNEGO two; a server that wants more is refused.
const TOKENS_MAX: usize = 5;

/// The source of tickets.
pub(crate) struct Tickets {
    calls: Arc<Semaphore>,
}

impl Default for Tickets {
    fn default() -> Self {
        Self { calls: Arc::new(Semaphore::new(AT_ONCE_MAX)) }
    }
}

/// A conversation with a server, and the token that it gets next.
pub(crate) struct Ticket {
    initiator: Initiator,
    token: Vec<u8>,
}

impl Tickets {
    /// The first token for a server. `left`: the rest of the request's time.
    pub(crate) async fn first(&self, host: &str, left: Duration) -> Result<Ticket, Error> {
        let host = host.to_owned();
        let call = self.call(move || {
            let mut initiator = Initiator::of_web_server(&host)?;
            let token = initiator.step(&[])?;
            Ok(Ticket { initiator, token })
        });
        // The last tenth is left for the server: it could not answer in less, and the error can say
        // which part was late.
        timeout(left / 10 * 9, call).await.unwrap_or(Err(Error::KerberosLate))?.map_err(Error::from)
    }

    /// Takes the server's token.
    async fn next(&self, mut of: Ticket, token: Vec<u8>) -> Result<Ticket, Error> {
        let step = self.call(move || {
            of.token = of.initiator.step(&token)?;
            Ok(of)
        });
        step.await?.map_err(Error::KerberosServer)
    }

    async fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce() -> Result<T, gssapi::Error> + Send + 'static,
    ) -> Result<Result<T, gssapi::Error>, Error> {
        let place = Arc::clone(&self.calls).acquire_owned().await;
        let place = place.expect("the semaphore is never closed");
        let made = spawn_blocking(move || {
            let made = call();
            drop(place);
            made
        });
        // It is aborted when the process ends.
        made.await.map_err(|_aborted| Error::KerberosLate)
    }
}

/// Makes the exchange, on a connection that is not used afterwards.
pub(crate) async fn exchange(
    mut connection: Connection,
    request: &Prepared,
    (tickets, mut ticket): (&Tickets, Ticket),
) -> Result<Response, Error> {
    for _ in 0..TOKENS_MAX {
        let message = BASE64_STANDARD.encode(&ticket.token);
        let asked = request.with_message("Negotiate", &message, true)?;
        let answer = connection.exchange(&asked).await.map_err(|it| it.error)?;
        // The token proves the server's identity, or asks for more. Without a token the status of
        // the answer says whether the server accepted the ticket.
        let Some(token) = token_of(&answer).filter(|_| !ticket.initiator.is_complete()) else {
            return Ok(answer);
        };
        ticket = tickets.next(ticket, token).await?;
        if answer.status != 401 || ticket.token.is_empty() {
            return Ok(answer);
        }
        if !connection.is_ready() {
            return Err(Error::KerberosClosed);
        }
    }
    Err(Error::KerberosEndless(TOKENS_MAX))
}

/// `Negotiate` and a token in base64.
fn token_of(answer: &Response) -> Option<Vec<u8>> {
    let asked = answer.headers.iter().filter(|it| it.0.eq_ignore_ascii_case("www-authenticate"));
    let mut tokens = asked.filter_map(|(_, value)| {
        let (kind, token) = value.trim().split_once(' ')?;
        let token = token.trim();
        let is_token = kind.eq_ignore_ascii_case("negotiate") && !token.is_empty();
        is_token.then(|| BASE64_STANDARD.decode(token).ok())?
    });
    tokens.next()
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, mpsc};

    use futures_util::future::join_all;

    use super::*;

    #[test]
    fn tokens_are_found_among_other_offers() {
        for (headers, expected) in [
            (&["Negotiate YWJj"][..], Some(&b"abc"[..])),
            (&["Basic realm=\"x\"", "NEGOTIATE  YWJj "], Some(b"abc")),
            (&["Negotiate"], None),
            (&["Negotiate !!"], None),
            (&["NTLM YWJj"], None),
            (&[], None),
        ] {
            let named = headers.iter().map(|it| ("WWW-Authenticate".to_owned(), (*it).to_owned()));
            let answer = Response { headers: named.collect(), ..Response::default() };
            assert_eq!(token_of(&answer).as_deref(), expected, "{headers:?}");
        }
    }

    #[tokio::test]
    async fn calls_that_hang_take_their_places_and_no_thread_of_others() {
        let tickets = Tickets::default();
        let (release, hangs) = mpsc::channel::<()>();
        let hangs = Arc::new(Mutex::new(hangs));
        let hang = |_| {
            let hangs = Arc::clone(&hangs);
            tickets.call(move || {
                let hangs = hangs.lock().expect("nobody panics");
                assert!(hangs.recv().is_err(), "nothing is sent");
                Ok(())
            })
        };
        let hanging = join_all((0..AT_ONCE_MAX).map(hang));
        let asking = async {
            let late = tickets.first("localhost", Duration::from_millis(50)).await;
            assert!(matches!(late, Err(Error::KerberosLate)));
            drop(release);
        };
        // On one thread, which a blocking call would stop.
        let (ended, ()) = tokio::join!(hanging, asking);
        assert!(ended.iter().all(|it| matches!(it, Ok(Ok(())))));
        assert!(matches!(tickets.call(|| Ok(7)).await, Ok(Ok(7))), "their places are free");
    }
}
