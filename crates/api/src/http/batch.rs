//! Lists of calls: their answers go out one after another.
//!
//! A list is held until its answers are longer than [`HELD_BYTES`], so that most have a length and are
//! compressed. From then on its calls are made as the client takes the answers: a list has no more
//! answers in memory than a call alone.

use std::io;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::response::Response;
use futures_util::{StreamExt, stream};
use serde_json::Value;
use tokio::sync::mpsc;

use super::body::{bytes_of, json_response, send};
use super::request_context::{RequestContext, Work, written};
use crate::answer::Text;
use crate::dispatch;
use crate::response_stream::Envelope;
use crate::rpc::{self, RpcCall};

/// The part of a list's answers that is held before they flow.
const HELD_BYTES: usize = 256 << 10;
/// … of clients without a login.
const BEFORE_LOGIN_BYTES: usize = 16 << 10;

pub(super) async fn answer_batch(
    asked: RequestContext,
    calls: Vec<Result<RpcCall, Value>>,
) -> Response {
    let (shared, headers) = (Arc::clone(&asked.shared), asked.headers.clone());
    let held_max = if asked.held.is_user() { HELD_BYTES } else { BEFORE_LOGIN_BYTES };
    let mut batch = Batch {
        asked,
        calls: calls.into_iter(),
        answers: 0,
        is_ended: false,
        ready: Vec::new().into_iter(),
        flow: None,
    };
    let (mut held, mut n_bytes) = (Vec::new(), 0);
    while n_bytes <= held_max {
        match batch.next().await {
            Some(Ok(piece)) => {
                n_bytes += piece.len();
                held.push(piece);
            }
            Some(Err(error)) => {
                // No client takes a list that is cut off for a whole one.
                let body = stream::once(std::future::ready(Err::<Bytes, _>(error)));
                return json_response(Body::from_stream(body), false);
            }
            None => {
                let mut whole = Text::default();
                held.iter().for_each(|it| whole.push(it));
                return send(&shared, &headers, whole).await;
            }
        }
    }
    let first = stream::iter(held.into_iter().map(Ok));
    let rest = stream::unfold(batch, |mut batch| async { Some((batch.next().await?, batch)) });
    json_response(Body::from_stream(first.chain(rest)), false)
}

/// The answers of a list, made as they are taken.
struct Batch {
    asked: RequestContext,
    calls: std::vec::IntoIter<Result<RpcCall, Value>>,
    answers: usize,
    is_ended: bool,
    /// Pieces of an answer that is there.
    ready: std::vec::IntoIter<Bytes>,
    /// An answer that flows.
    flow: Option<(mpsc::Receiver<Vec<u8>>, Work)>,
}

impl Batch {
    /// The next bytes of the list.
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            if let Some(piece) = self.ready.next() {
                return Some(Ok(piece));
            }
            if let Some((mut pieces, work)) = self.flow.take() {
                if let Some(piece) = pieces.recv().await {
                    self.flow = Some((pieces, work));
                    return Some(Ok(Bytes::from(piece)));
                }
                if let Err(error) = work.await {
                    tracing::warn!(error = %error.data(), "a list of answers ended before it was complete");
                    self.is_ended = true;
                    return Some(Err(io::Error::other(error.data())));
                }
                continue;
            }
            if self.is_ended {
                return None;
            }
            let Some(call) = self.calls.next() else {
                self.is_ended = true;
                return (self.answers != 0).then(|| Ok(Bytes::from_static(b"]")));
            };
            self.answer(call).await;
        }
    }

    async fn answer(&mut self, call: Result<RpcCall, Value>) {
        let call = match call {
            Ok(it) => it,
            Err(answer) => return self.whole(Text::of(&answer)),
        };
        let (shared, sender) = (Arc::clone(&self.asked.shared), self.asked.sender.clone());
        let Some(id) = call.id.clone() else {
            let _answer = dispatch::call(&shared, &sender, call, None).await;
            return;
        };
        let mut before = self.separator().to_vec();
        before.extend(rpc::before_result(&id));
        let envelope = Envelope { before, after: rpc::AFTER_RESULT, is_gzip: false };
        let (opening, mut pieces) = shared.flows.open(envelope, self.asked.held.clone());
        let mut work: Work =
            Box::pin(async move { dispatch::call(&shared, &sender, call, Some(opening)).await });
        let answer = tokio::select! {
            first = pieces.recv() => match first {
                Some(first) => return self.flows(first, pieces, work),
                None => work.await,
            },
            answer = &mut work => answer,
        };
        match pieces.try_recv() {
            Ok(first) => self.flows(first, pieces, Box::pin(std::future::ready(answer))),
            Err(_none) => self.whole(written(&id, answer)),
        }
    }

    fn separator(&self) -> &'static [u8] {
        if self.answers == 0 { b"[" } else { b"," }
    }

    fn whole(&mut self, answer: Text) {
        let mut chunks = vec![Bytes::from_static(self.separator())];
        chunks.extend(answer.into_chunks().into_iter().map(bytes_of));
        self.answers += 1;
        self.ready = chunks.into_iter();
    }

    /// The separator went into the first piece.
    fn flows(&mut self, first: Vec<u8>, pieces: mpsc::Receiver<Vec<u8>>, work: Work) {
        self.answers += 1;
        self.ready = vec![Bytes::from(first)].into_iter();
        self.flow = Some((pieces, work));
    }
}
