//! HTTP requests that leave the server: those of items are futures, those of scripts, exports, media and the
//! vault are waited for by threads. One client makes all of them.

use std::future::ready;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use collect::DnsCache;
use collect::ports::{HttpAnswer, HttpClient, HttpRequest, HttpTls};
use http_client::{Addresses, Client, Verify};
use model::networks::Destinations;
use rt::clock::Clock;
use rt::shutdown::Shutdown;
use rt::task::Tasks;
use script::Request;
use tokio::runtime::Handle;
use wire::http::Response;

use crate::settings::Settings;

/// Whoever makes requests gets its client from here.
#[derive(Clone)]
pub(super) struct Outgoing {
    /// Of these clients and of the collectors.
    pub(super) names: DnsCache,
    /// Not where `outgoing.denied` forbids.
    guarded: Client,
    /// Where the operator says, in settings that users don't see.
    operated: Client,
    runtime: Handle,
    /// When nobody waits any more, because the runtime is about to end.
    ending: Shutdown,
    /// What scripts check of certificates.
    script_verify: Verify,
}

impl Outgoing {
    /// # Panics
    /// Outside a runtime.
    pub(super) fn new(settings: &Settings, clock: &Clock, tasks: &Tasks) -> Self {
        let is_verified = settings.script.tls_verify;
        let script_verify = Verify { peer: is_verified, host: is_verified };
        let descriptors_max = crate::descriptors::raise();
        let idle_max = settings.for_collectors(descriptors_max).collectors.http.requests_max;
        let destinations = settings.outgoing.destinations();
        Self::to((destinations, script_verify), idle_max.get(), (clock, tasks))
    }

    fn to(
        (destinations, script_verify): (Destinations, Verify),
        idle_max: usize,
        (clock, tasks): (&Clock, &Tasks),
    ) -> Self {
        let names = DnsCache::new(clock.clone(), tasks.clone());
        let client = |destinations| {
            let names = Box::new(Names(names.clone()));
            Client::new(idle_max, destinations, names, (clock.clone(), tasks))
        };
        Self {
            guarded: client(destinations),
            operated: client(Destinations::default()),
            names: names.clone(),
            runtime: Handle::current(),
            ending: tasks.shutdown().clone(),
            script_verify,
        }
    }

    /// For scripts and what else users name addresses for.
    pub(super) fn exchanger(&self) -> Exchanger {
        self.waiting(&self.guarded, self.script_verify)
    }

    /// For addresses of settings.
    pub(super) fn operated(&self) -> Exchanger {
        self.waiting(&self.operated, Verify::BOTH)
    }

    fn waiting(&self, client: &Client, verify: Verify) -> Exchanger {
        let (runtime, ending) = (self.runtime.clone(), self.ending.clone());
        Exchanger { client: client.clone(), verify, runtime, ending }
    }

    /// For items.
    pub(super) fn items(&self) -> ItemHttp {
        ItemHttp(self.guarded.clone())
    }
}

struct Names(DnsCache);

impl http_client::Names for Names {
    fn addresses<'a>(&'a self, name: &'a str, time: Duration) -> Addresses<'a> {
        Box::pin(async move {
            let found: Option<Arc<[IpAddr]>> = self.0.addresses(name, time).await.ok();
            found
        })
    }
}

/// The HTTP client of items.
pub(super) struct ItemHttp(Client);

impl HttpClient for ItemHttp {
    fn exchange(&self, request: HttpRequest) -> HttpAnswer<'_> {
        let verify = match verify(&request.tls) {
            Ok(it) => it,
            Err(error) => return Box::pin(ready(Err(error))),
        };
        let HttpRequest { method, url, headers, body, proxy, time, body_bytes_max, .. } = request;
        let request = http_client::Request {
            method,
            url,
            headers,
            body,
            proxy,
            verify,
            time,
            body_bytes_max,
        };
        Box::pin(async move { self.0.exchange(request).await.map_err(|it| it.to_string()) })
    }
}

/// What of certificates is checked.
fn verify(tls: &HttpTls) -> Result<Verify, String> {
    if !tls.cert_file.is_empty() || !tls.key_file.is_empty() {
        return Err("SSL certificates of items are not supported yet".to_owned());
    }
    Ok(Verify { peer: tls.verify_peer, host: tls.verify_host })
}

/// Makes single HTTP exchanges for threads, which wait for each.
#[derive(Clone)]
pub(super) struct Exchanger {
    client: Client,
    verify: Verify,
    runtime: Handle,
    ending: Shutdown,
}

impl Exchanger {
    /// Blocking, as long as the request's time at most.
    ///
    /// # Errors
    /// As [`script::Host::exchange`].
    ///
    /// # Panics
    /// In a task of the runtime.
    pub(super) fn exchange(&self, asked: &Request<'_>) -> Result<Response, String> {
        self.exchange_verifying(asked, self.verify)
    }

    /// As [`Exchanger::exchange`].
    ///
    /// # Errors
    /// As there.
    pub(super) fn exchange_verifying(
        &self,
        asked: &Request<'_>,
        verify: Verify,
    ) -> Result<Response, String> {
        let request = http_client::Request {
            method: asked.method.to_owned(),
            url: asked.url.to_owned(),
            headers: asked.headers.to_vec(),
            body: asked.body.map(<[u8]>::to_vec),
            proxy: asked.proxy.to_owned(),
            verify,
            time: asked.time,
            body_bytes_max: asked.body_bytes_max,
        };
        self.runtime.block_on(async {
            // First, because the runtime's timers are not to be asked once it has ended.
            tokio::select! {
                biased;
                () = self.ending.cancelled() => Err("the server is stopping".to_owned()),
                answer = self.client.exchange(request) => answer.map_err(|it| it.to_string()),
            }
        })
    }
}

impl export::HttpClient for Exchanger {
    fn exchange(&self, request: &export::HttpRequest<'_>) -> Result<export::HttpAnswer, String> {
        let asked = Request {
            method: request.method,
            url: request.url,
            headers: request.headers,
            body: Some(request.body),
            proxy: request.proxy,
            time: request.time,
            body_bytes_max: request.answer_bytes_max,
        };
        let export::TlsVerify { peer, host } = request.tls_verify;
        let answer = self.exchange_verifying(&asked, Verify { peer, host })?;
        Ok(export::HttpAnswer { status: answer.status, body: answer.body })
    }
}

/// Clients of tests, on the runtime of the caller or one that is never ended.
#[cfg(test)]
pub(super) fn outgoing_to(destinations: Destinations) -> Outgoing {
    let runtime = Handle::try_current().unwrap_or_else(|_outside| {
        let runtime = rt::task::runtime(1).expect("threads");
        let handle = runtime.handle().clone();
        std::mem::forget(runtime);
        handle
    });
    let _inside = runtime.enter();
    let tasks = Tasks::new("test", &rt::metrics::Registry::new());
    Outgoing::to((destinations, Verify::BOTH), 10, (&Clock::real(), &tasks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_is_told_when_the_server_stops() {
        let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}/", silent.local_addr().expect("bound"));
        let outgoing = outgoing_to(Destinations::default());
        let exchanger = outgoing.exchanger();
        let ask = move || {
            exchanger.exchange(&Request {
                method: "GET",
                url: &url,
                headers: &[],
                body: None,
                proxy: "",
                time: Duration::from_secs(600),
                body_bytes_max: 1,
            })
        };
        let waiting = std::thread::spawn(move || (ask(), ask()));
        let (_asking, _) = silent.accept().expect("a connection");
        outgoing.ending.cancel();
        let (first, second) = waiting.join().expect("an answer");
        assert_eq!(first.expect_err("stopped"), "the server is stopping");
        assert_eq!(second.expect_err("stopped"), "the server is stopping");
    }

    #[test]
    fn certificates_of_items_are_refused() {
        let of = |cert_file: &str| HttpTls {
            verify_peer: true,
            verify_host: false,
            cert_file: cert_file.to_owned(),
            ..HttpTls::default()
        };
        assert_eq!(verify(&of("")), Ok(Verify { peer: true, host: false }));
        assert!(verify(&of("a.pem")).is_err());
    }
}
