//! Connections: how many, how patient, and their end.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::ConnectInfo;
use axum::http::header::{CONNECTION, HOST, HeaderValue, LOCATION};
use axum::http::{Request, StatusCode};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::{http1, http2};
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rt::Clock;
use rt::lanes::{Accepted, Lanes};
use rt::metrics::{Counter, Registry};
use rt::places::{Place, PlaceMark, PlaceSettings, Places, owner};
use rt::task::Tasks;
use rt::tls::{PageStream, PageTls};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::origin::Encrypted;
use super::stall_guard::StallGuard;
use crate::shares::{SharePlace, Shares};

/// The pause after a failed accept: mostly the process is out of descriptors, and some are freed soon.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The time for a TLS handshake, and for the answer to a ping of HTTP/2; then the connection ends.
const HANDSHAKE_TIME_MAX: Duration = Duration::from_secs(20);
/// Requests that run at once on a connection of HTTP/2: browsers use some ten, more wait.
const STREAMS_MAX: u32 = 32;
/// One address has at most one in this many parts of the running requests over HTTP/2, which are as many as
/// there are connections: each takes some 20 KB, however little its client sends or takes. More are refused.
const REQUESTS_SHARE: u32 = 2;
/// Bytes that a connection buffers of a request before it is read, and of an answer before it is written: the
/// longest head of a request.
const BUFFER_BYTES: usize = 16 << 10;
/// The headers of a request over HTTP/2, unpacked: bounds their memory.
const HEADERS_BYTES: u32 = 16 << 10;
/// Bytes that clients may send ahead over HTTP/2, for a request and for all of a connection.
const STREAM_WINDOW: u32 = 64 << 10;
const CONNECTION_WINDOW: u32 = 128 << 10;
/// When all places are taken, a connection without progress for this long loses its own.
const IDLE_MIN: Duration = Duration::from_secs(1);

/// The settings of connections.
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
    /// Encrypts connections; clients without TLS are redirected to the same address by `https`. `None`: HTTP.
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
    /// The defaults, with their metrics registered.
    #[must_use]
    pub fn counted(registry: &Registry) -> Self {
        Self { ended: PortMetrics::register(registry).idle_ended_total, ..Self::default() }
    }
}

rt::metrics! {
    /// The metrics of the HTTP port.
    pub(crate) struct PortMetrics in "saker_http", formerly "http" {
        /// Connections that were ended or turned away since all places were taken.
        pub(crate) idle_ended_total: Counter,
    }
}

/// Answers requests until the tasks are asked to stop, then finishes those that have begun. It runs in the
/// lane that accepts, to which the listener belongs.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    settings: ServeSettings,
    (tasks, lanes, clock): (Tasks, Lanes, Clock),
) {
    let places = PlaceSettings { places_max: settings.connections_max, idle_min: IDLE_MIN };
    let places = Places::new(places, clock.clone(), settings.ended.clone());
    let n_requests = settings.connections_max.max(REQUESTS_SHARE);
    let wide = |it: u32| usize::try_from(it).unwrap_or(usize::MAX);
    let requests = Shares::new(wide(n_requests), wide(n_requests / REQUESTS_SHARE));
    let serving = Serving { router, settings, tasks: tasks.clone(), requests: Arc::new(requests) };
    loop {
        let accepted = tokio::select! {
            () = tasks.shutdown().cancelled() => return,
            accepted = accept(&listener, &places) => accepted,
        };
        match accepted {
            Ok(None) => {}
            Ok(Some((place, stream, peer))) => {
                let (serving, lane) = (serving.clone(), lanes.place());
                let runtime = lane.runtime().clone();
                let stream = Accepted::for_lane(stream, &lane);
                tasks.spawn_contained_on(&runtime, "http connection", peer, async move {
                    let stream = match stream.and_then(Accepted::here) {
                        Ok(it) => it,
                        Err(error) => {
                            tracing::debug!(%peer, %error, "lost a connection on the HTTP port");
                            return;
                        }
                    };
                    let mark = place.mark();
                    let gone = mark.gone();
                    tokio::select! {
                        () = connection(stream, (peer, mark), serving) => {}
                        () = gone.notified() => {
                            tracing::debug!(%peer, "ended a connection without progress");
                        }
                    }
                    drop(place);
                    drop(lane);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection on the HTTP port");
                clock.sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// A connection comes before its place: only then another one has to go. `None`: there was no place for it.
async fn accept(
    listener: &TcpListener,
    places: &Places,
) -> std::io::Result<Option<(Place, TcpStream, SocketAddr)>> {
    let (stream, peer) = listener.accept().await?;
    Ok(places.take(peer.ip()).await.map(|place| (place, stream, peer)))
}

/// The state for the requests of one connection.
#[derive(Clone)]
struct Serving {
    router: Router,
    settings: ServeSettings,
    tasks: Tasks,
    /// Requests under way over HTTP/2, by address.
    requests: Arc<Shares<IpAddr>>,
}

async fn connection(stream: TcpStream, (peer, mark): (SocketAddr, PlaceMark), serving: Serving) {
    // Answers are written whole: waiting for more would only delay them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection stays without TCP_NODELAY");
    }
    let stall_max = serving.settings.stall_max;
    let Some(tls) = serving.settings.tls.clone() else {
        let service = service(serving.router, (peer, mark.clone()), false);
        let io = TokioIo::new(StallGuard::new(stream, mark, stall_max));
        return over_http1(io, service, peer, (&serving.settings, &serving.tasks)).await;
    };
    let accepted = tokio::select! {
        accepted = timeout(HANDSHAKE_TIME_MAX, tls.accept(stream)) => accepted,
        () = serving.tasks.shutdown().cancelled() => return,
    };
    match accepted {
        Ok(Ok(PageStream::Encrypted { stream, is_http2 })) => {
            let service = service(serving.router, (peer, mark.clone()), true);
            let io = TokioIo::new(StallGuard::new(stream, mark, stall_max));
            let with = (&serving.settings, &serving.tasks);
            if is_http2 {
                let requests = Arc::clone(&serving.requests);
                over_http2(io, sharing(service, requests, peer), peer, with).await;
            } else {
                over_http1(io, service, peer, with).await;
            }
        }
        Ok(Ok(PageStream::Plain(stream))) => {
            let redirect = service_fn(async |request| Ok::<_, Infallible>(redirected(&request)));
            let with = (&serving.settings, &serving.tasks);
            let io = TokioIo::new(StallGuard::new(stream, mark, stall_max));
            over_http1(io, redirect, peer, with).await;
        }
        Ok(Err(error)) => tracing::debug!(%peer, %error, "no TLS on the HTTP port"),
        Err(_elapsed) => tracing::debug!(%peer, "a TLS handshake on the HTTP port took too long"),
    }
}

/// The routes, with the sender of each request.
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

/// The routes, for as many requests as an address may have under way at once.
fn sharing<S>(
    service: S,
    requests: Arc<Shares<IpAddr>>,
    peer: SocketAddr,
) -> impl Service<
    Request<Incoming>,
    Response = axum::response::Response,
    Error = Infallible,
    Future: Send + 'static,
>
where
    S: Service<Request<Incoming>, Response = axum::response::Response, Error = Infallible>,
    S::Future: Send + 'static,
{
    service_fn(move |request: Request<Incoming>| {
        let place = requests.take(owner(peer.ip()));
        // Without a place nothing is begun.
        let answer = place.map(|place| (service.call(request), place));
        async move {
            let Some((answer, place)) = answer else {
                let mut refused = axum::response::Response::default();
                *refused.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
                return Ok(refused);
            };
            let (parts, body) = answer.await?.into_parts();
            Ok(axum::response::Response::from_parts(parts, Body::new(Placed { body, place })))
        }
    })
}

/// The body of an answer, whose request has its place until it is taken.
struct Placed {
    body: Body,
    #[expect(dead_code, reason = "held until the answer is taken")]
    place: SharePlace<IpAddr>,
}

impl HttpBody for Placed {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
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
    log_lost(ended, peer);
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
    log_lost(ended, peer);
}

fn log_lost(ended: hyper::Result<()>, peer: SocketAddr) {
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
