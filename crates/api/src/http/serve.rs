//! Connections: how many, how patient, and their end.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rt::task::Tasks;
use rt::{Clock, Shutdown};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// After a failed accept: mostly there are no descriptors left, and some are given back soon.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How connections are treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServeSettings {
    /// Connections at once, one at least; later ones wait to be accepted. Live streams do not
    /// count.
    pub connections_max: u32,
    /// Within this the head of a request has to arrive; a connection that is kept but not used
    /// ends as well.
    pub head_time_max: Duration,
}

impl Default for ServeSettings {
    fn default() -> Self {
        // Browsers keep connections for a minute or more; those of slow senders are few.
        Self { connections_max: 10_000, head_time_max: Duration::from_secs(60) }
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
    loop {
        let accepted = tokio::select! {
            () = tasks.shutdown().cancelled() => return,
            accepted = accept(&listener, &slots) => accepted,
        };
        match accepted {
            Ok((permit, stream, peer)) => {
                let (router, shutdown) = (router.clone(), tasks.shutdown().clone());
                let head_time_max = settings.head_time_max;
                tasks.spawn_contained("http connection", peer, async move {
                    connection(stream, peer, (router, head_time_max), &shutdown).await;
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

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    (router, head_time_max): (Router, Duration),
    shutdown: &Shutdown,
) {
    // Answers are written whole: waiting for more would only delay them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection stays without TCP_NODELAY");
    }
    let routes = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        routes.call(request)
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(head_time_max);
    let served = builder.serve_connection(TokioIo::new(stream), service).with_upgrades();
    let mut served = pin!(served);
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = shutdown.cancelled() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "lost a connection on the HTTP port");
    }
}
