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
use rt::metrics::{Counter, Registry};
use rt::places::{Place, PlaceMark, PlaceSettings, Places};
use rt::task::Tasks;
use rt::tls::{PageStream, PageTls};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::moving::Moving;
use super::origin::Encrypted;

/// After a failed accept: mostly there are no descriptors left, and some are given back soon.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// For a handshake of TLS, and for an answer to a sign of life.
const HANDSHAKE_TIME_MAX: Duration = Duration::from_secs(20);
/// Requests under way at once on a connection of HTTP/2: browsers use some ten.
const STREAMS_MAX: u32 = 32;
/// What a connection keeps of a request before it is read, and of an answer before it is written: the head
/// of a request is no longer.
const BUFFER_BYTES: usize = 16 << 10;
/// Headers of a request over HTTP/2, as they are once unpacked.
const HEADERS_BYTES: u32 = 16 << 10;
/// What clients may send ahead over HTTP/2, for a request and for all of a connection.
const STREAM_WINDOW: u32 = 64 << 10;
const CONNECTION_WINDOW: u32 = 128 << 10;
/// When all places are taken, a connection without progress for this long loses its own.
const IDLE_MIN: Duration = Duration::from_secs(1);

/// How connections are treated.
#[derive(Clone, Debug)]
pub struct ServeSettings {
    /// Connections at once, one at least. Later ones wait for a place: one without progress loses its
    /// own. Live streams do not count.
    pub connections_max: u32,
    /// A client takes 16 KiB of an answer within this, or all that is there.
    pub stall_max: Duration,
    /// Counts connections that lost their place.
    pub ended: Counter,
    /// Within this the head of a request has to arrive; a connection that is kept but not used
    /// ends as well.
    pub head_time_max: Duration,
    /// Encrypts connections; who comes without is sent to the same address by `https`. `None`: HTTP.
    pub tls: Option<Arc<PageTls>>,
}

impl Default for ServeSettings {
    fn default() -> Self {
        // Browsers keep connections for a minute or more; those of slow senders are few.
        let (head_time_max, stall_max) = (Duration::from_secs(60), Duration::from_secs(30));
        let ended = Counter::default();
        Self { connections_max: 4_096, head_time_max, stall_max, ended, tls: None }
    }
}

impl ServeSettings {
    /// The defaults, with what they count registered.
    #[must_use]
    pub fn counted(registry: &Registry) -> Self {
        Self { ended: PortMetrics::register(registry).idle_ended_total, ..Self::default() }
    }
}

rt::metrics! {
    /// What the HTTP port counts.
    pub(crate) struct PortMetrics in "http" {
        /// Connections ended without progress, since all places were taken.
        pub(crate) idle_ended_total: Counter,
    }
}

/// Answers requests until the tasks are asked to stop, then finishes those under way.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    settings: ServeSettings,
    (tasks, clock): (Tasks, Clock),
) {
    let places = PlaceSettings { places_max: settings.connections_max, idle_min: IDLE_MIN };
    let places = Places::new(places, clock.clone(), settings.ended.clone());
    let serving = Serving { router, settings, tasks: tasks.clone() };
    loop {
        let accepted = tokio::select! {
            () = tasks.shutdown().cancelled() => return,
            accepted = accept(&listener, &places) => accepted,
        };
        match accepted {
            Ok((place, stream, peer)) => {
                let serving = serving.clone();
                tasks.spawn_contained("http connection", peer, async move {
                    let mark = place.mark();
                    let gone = mark.gone();
                    tokio::select! {
                        () = connection(stream, (peer, mark), serving) => {}
                        () = gone.notified() => {
                            tracing::debug!(%peer, "ended a connection without progress");
                        }
                    }
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection on the HTTP port");
                clock.sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// A connection comes before its place: only then one without progress has to go.
async fn accept(
    listener: &TcpListener,
    places: &Places,
) -> std::io::Result<(Place, TcpStream, SocketAddr)> {
    let (stream, peer) = listener.accept().await?;
    Ok((places.take().await, stream, peer))
}

/// What one connection is served with.
#[derive(Clone)]
struct Serving {
    router: Router,
    settings: ServeSettings,
    tasks: Tasks,
}

async fn connection(stream: TcpStream, (peer, mark): (SocketAddr, PlaceMark), serving: Serving) {
    // Answers are written whole: waiting for more would only delay them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection stays without TCP_NODELAY");
    }
    let stall_max = serving.settings.stall_max;
    let Some(tls) = serving.settings.tls.clone() else {
        let service = service(serving.router, (peer, mark.clone()), false);
        let io = TokioIo::new(Moving::new(stream, mark, stall_max));
        return over_http1(io, service, peer, (&serving.settings, &serving.tasks)).await;
    };
    let accepted = tokio::select! {
        accepted = timeout(HANDSHAKE_TIME_MAX, tls.accept(stream)) => accepted,
        () = serving.tasks.shutdown().cancelled() => return,
    };
    match accepted {
        Ok(Ok(PageStream::Encrypted { stream, is_http2 })) => {
            let service = service(serving.router, (peer, mark.clone()), true);
            let io = TokioIo::new(Moving::new(stream, mark, stall_max));
            let with = (&serving.settings, &serving.tasks);
            if is_http2 {
                over_http2(io, service, peer, with).await;
            } else {
                over_http1(io, service, peer, with).await;
            }
        }
        Ok(Ok(PageStream::Plain(stream))) => {
            let redirect = service_fn(async |request| Ok::<_, Infallible>(redirected(&request)));
            let with = (&serving.settings, &serving.tasks);
            let io = TokioIo::new(Moving::new(stream, mark, stall_max));
            over_http1(io, redirect, peer, with).await;
        }
        Ok(Err(error)) => tracing::debug!(%peer, %error, "no TLS on the HTTP port"),
        Err(_elapsed) => tracing::debug!(%peer, "a TLS handshake on the HTTP port took too long"),
    }
}

/// The routes, with who asks and how.
fn service(
    router: Router,
    (peer, mark): (SocketAddr, PlaceMark),
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
        request.extensions_mut().insert(mark.clone());
        if is_encrypted {
            request.extensions_mut().insert(Encrypted);
        }
        // HTTP/2 says it in another place.
        let host = request.uri().authority().map(|it| HeaderValue::from_str(it.as_str()));
        if let (Some(Ok(host)), false) = (host, request.headers().contains_key(HOST)) {
            request.headers_mut().insert(HOST, host);
        }
        let (works, answer) = (mark.works(), routes.call(request));
        async move {
            let answer = answer.await;
            drop(works);
            answer
        }
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
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(settings.head_time_max)
        .max_buf_size(BUFFER_BYTES);
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
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_header_list_size(HEADERS_BYTES)
        .max_send_buf_size(BUFFER_BYTES)
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
