//! Connections: how many, how patient, and their end.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::header::{CONNECTION, HOST, HeaderValue, LOCATION};
use axum::http::{Request, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rt::Clock;
use rt::task::Tasks;
use rt::tls::{PageStream, PageTls};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::origin::Encrypted;

/// After a failed accept: mostly there are no descriptors left, and some are given back soon.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// For a handshake of TLS, and for an answer to a sign of life.
const HANDSHAKE_TIME_MAX: Duration = Duration::from_secs(20);
/// Requests under way at once on a connection of HTTP/2.
const STREAMS_MAX: u32 = 128;

/// How connections are treated.
#[derive(Clone, Debug)]
pub struct ServeSettings {
    /// Connections at once, one at least; later ones wait to be accepted. Live streams do not
    /// count.
    pub connections_max: u32,
    /// Within this the head of a request has to arrive; a connection that is kept but not used
    /// ends as well.
    pub head_time_max: Duration,
    /// Encrypts connections; who comes without is sent to the same address by `https`. `None`: HTTP.
    pub tls: Option<Arc<PageTls>>,
}

impl Default for ServeSettings {
    fn default() -> Self {
        // Browsers keep connections for a minute or more; those of slow senders are few.
        Self { connections_max: 10_000, head_time_max: Duration::from_secs(60), tls: None }
    }
}

/// Answers requests until the tasks are asked to stop, then finishes those under way.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    settings: ServeSettings,
    (tasks, clock): (Tasks, Clock),
) {
    let permits = usize::try_from(settings.connections_max.max(1)).unwrap_or(usize::MAX);
    let slots = Arc::new(Semaphore::new(permits.min(Semaphore::MAX_PERMITS)));
    let serving = Serving { router, settings, tasks: tasks.clone() };
    loop {
        let accepted = tokio::select! {
            () = tasks.shutdown().cancelled() => return,
            accepted = accept(&listener, &slots) => accepted,
        };
        match accepted {
            Ok((permit, stream, peer)) => {
                let serving = serving.clone();
                tasks.spawn_contained("http connection", peer, async move {
                    connection(stream, peer, serving).await;
                    drop(permit);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection on the HTTP port");
                clock.sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> std::io::Result<(tokio::sync::OwnedSemaphorePermit, TcpStream, SocketAddr)> {
    let permit = Arc::clone(slots).acquire_owned().await.map_err(std::io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    Ok((permit, stream, peer))
}

/// What one connection is served with.
#[derive(Clone)]
struct Serving {
    router: Router,
    settings: ServeSettings,
    tasks: Tasks,
}

async fn connection(stream: TcpStream, peer: SocketAddr, serving: Serving) {
    // Answers are written whole: waiting for more would only delay them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection stays without TCP_NODELAY");
    }
    let Some(tls) = serving.settings.tls.clone() else {
        let service = service(serving.router, peer, false);
        return over_http1(
            TokioIo::new(stream),
            service,
            peer,
            (&serving.settings, &serving.tasks),
        )
        .await;
    };
    let accepted = tokio::select! {
        accepted = timeout(HANDSHAKE_TIME_MAX, tls.accept(stream)) => accepted,
        () = serving.tasks.shutdown().cancelled() => return,
    };
    match accepted {
        Ok(Ok(PageStream::Encrypted { stream, is_http2 })) => {
            let service = service(serving.router, peer, true);
            let (io, with) = (TokioIo::new(stream), (&serving.settings, &serving.tasks));
            if is_http2 {
                over_http2(io, service, peer, with).await;
            } else {
                over_http1(io, service, peer, with).await;
            }
        }
        Ok(Ok(PageStream::Plain(stream))) => {
            let redirect = service_fn(async |request| Ok::<_, Infallible>(redirected(&request)));
            let with = (&serving.settings, &serving.tasks);
            over_http1(TokioIo::new(stream), redirect, peer, with).await;
        }
        Ok(Err(error)) => tracing::debug!(%peer, %error, "no TLS on the HTTP port"),
        Err(_elapsed) => tracing::debug!(%peer, "a TLS handshake on the HTTP port took too long"),
    }
}

/// The routes, told who asks and how.
fn service(
    router: Router,
    peer: SocketAddr,
    is_encrypted: bool,
) -> impl Service<
    Request<Incoming>,
    Response = axum::response::Response,
    Error = Infallible,
    Future: Send + 'static,
> {
    let routes = TowerToHyperService::new(router);
    service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        if is_encrypted {
            request.extensions_mut().insert(Encrypted);
        }
        // HTTP/2 says it in another place.
        let host = request.uri().authority().map(|it| HeaderValue::from_str(it.as_str()));
        if let (Some(Ok(host)), false) = (host, request.headers().contains_key(HOST)) {
            request.headers_mut().insert(HOST, host);
        }
        routes.call(request)
    })
}

/// The same address, encrypted.
fn redirected<B>(request: &Request<B>) -> axum::response::Response {
    let host = request.headers().get(HOST).and_then(|it| it.to_str().ok());
    let path = request.uri().path_and_query().map_or("/", |it| it.as_str());
    let to = host.and_then(|it| HeaderValue::from_str(&format!("https://{it}{path}")).ok());
    let mut answer = axum::response::Response::default();
    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    *answer.status_mut() = StatusCode::BAD_REQUEST;
    if let Some(to) = to {
        *answer.status_mut() = StatusCode::PERMANENT_REDIRECT;
        answer.headers_mut().insert(LOCATION, to);
    }
    answer
}

async fn over_http1<S>(
    io: TokioIo<impl AsyncRead + AsyncWrite + Unpin + Send + 'static>,
    service: S,
    peer: SocketAddr,
    (settings, tasks): (&ServeSettings, &Tasks),
) where
    S: Service<Request<Incoming>, Response = axum::response::Response, Error = Infallible>,
    S::Future: Send + 'static,
{
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(settings.head_time_max);
    let mut served = pin!(builder.serve_connection(io, service).with_upgrades());
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = tasks.shutdown().cancelled() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    told_of(ended, peer);
}

async fn over_http2<S>(
    io: TokioIo<impl AsyncRead + AsyncWrite + Unpin + Send + 'static>,
    service: S,
    peer: SocketAddr,
    (settings, tasks): (&ServeSettings, &Tasks),
) where
    S: Service<Request<Incoming>, Response = axum::response::Response, Error = Infallible>,
    S::Future: Send + 'static,
{
    let mut builder = http2::Builder::new(StreamTasks { tasks: tasks.clone(), peer });
    builder
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS_MAX)
        .keep_alive_interval(settings.head_time_max)
        .keep_alive_timeout(HANDSHAKE_TIME_MAX);
    let mut served = pin!(builder.serve_connection(io, service));
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = tasks.shutdown().cancelled() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    told_of(ended, peer);
}

fn told_of(ended: hyper::Result<()>, peer: SocketAddr) {
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "lost a connection on the HTTP port");
    }
}

/// Answers of one connection of HTTP/2 are made side by side.
#[derive(Clone)]
struct StreamTasks {
    tasks: Tasks,
    peer: SocketAddr,
}

impl<F: Future<Output = ()> + Send + 'static> hyper::rt::Executor<F> for StreamTasks {
    fn execute(&self, answer: F) {
        self.tasks.spawn_contained("http stream", self.peer, answer);
    }
}
