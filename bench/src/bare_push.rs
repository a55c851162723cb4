//! The least that a receiver of pushes can do, in one thread as a lane of the server is one: read requests of HTTP with
//! the server's library and answer as the server does, or read lines and count them.

use std::convert::Infallible;
use std::net::TcpListener;
use std::pin::Pin;

use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use crate::common::{BenchError, io_error};

/// Serves connections until the process is ended.
pub(super) fn serve<F>(listener: TcpListener, one: fn(TcpStream) -> F) -> Result<(), BenchError>
where
    F: Future<Output = ()> + Send + 'static,
{
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let served = runtime.and_then(|runtime| {
        listener.set_nonblocking(true)?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            loop {
                let (stream, _) = listener.accept().await?;
                stream.set_nodelay(true)?;
                tokio::spawn(one(stream));
            }
        })
    });
    served.map_err(io_error("serve pushes"))
}

/// Requests of one connection, to its end.
pub(super) async fn http(stream: TcpStream) {
    let connection = http1::Builder::new();
    // However it ends.
    drop(connection.serve_connection(TokioIo::new(stream), service_fn(answer)).await);
}

async fn answer(request: Request<Incoming>) -> Result<Response<String>, Infallible> {
    let is_call = request.uri().path().ends_with(".php");
    let is_otlp = request.uri().path().ends_with("/metrics");
    let mut body = request.into_body();
    let mut n_bytes = 0;
    while let Some(Ok(frame)) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await
    {
        n_bytes += frame.data_ref().map_or(0, |it| it.len());
    }
    std::hint::black_box(n_bytes);
    let mut response = Response::new(String::new());
    if is_call {
        let result = r#"{"response":"success","data":[]}"#;
        *response.body_mut() = format!(r#"{{"jsonrpc":"2.0","result":{result},"id":1}}"#);
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    } else if !is_otlp {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    Ok(response)
}

/// Lines of one connection, to its end.
pub(super) async fn lines(mut stream: TcpStream) {
    let (mut buffer, mut n_lines) = (vec![0; 16 << 10], 0);
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        let part = buffer.get(..read).unwrap_or_default();
        n_lines += part.iter().filter(|it| **it == b'\n').count();
    }
    std::hint::black_box(n_lines);
}
