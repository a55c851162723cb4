//! Whether addresses answer pings, for network discovery. With sockets of its own, so that items
//! never wait for it. They are opened at the first request: the kernel copies each packet for each
//! raw socket that there is.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;

use model::map::Map;
use rt::clock::nanos;
use rt::queue::Receiver;
use tokio::sync::oneshot;

use super::super::context::CollectorContext;
use super::super::datagrams::RETRY;
use super::key::Series;
use super::pinger::{Over, Pinger};
use super::{Buffer, SENDS_A_TURN, Sockets};

/// The first answer ends it; without an answer it takes some 2.4 s.
const SERIES: Series = Series {
    packets: 3,
    interval_ms: 0,
    size: 68,
    timeout_ms: 500,
    takes_redirected: false,
    retry_growth: Some(1_500),
};

/// A request for one address.
#[derive(Debug)]
pub(crate) struct EchoRequest {
    pub(crate) target: IpAddr,
    /// Replies of other addresses count.
    pub(crate) takes_redirected: bool,
    /// Whether there was a reply, or why nothing can be sent.
    pub(crate) answer: oneshot::Sender<Result<bool, String>>,
}

/// Answers requests until all senders are gone.
pub(crate) async fn answer_echoes(shared: Arc<CollectorContext>, requests: Receiver<EchoRequest>) {
    let Some(first) = requests.receive().await else { return };
    let mut first = Some(first);
    let mut pinger = Pinger::new(shared.secret.rotate_left(53));
    let mut sockets = Sockets::open(pinger.identifier(), &shared.tasks);
    let mut waiting: Map<u32, oneshot::Sender<Result<bool, String>>> = Map::default();
    let mut buffers = <(Buffer, Buffer)>::default();
    let mut unsent = VecDeque::new();
    loop {
        let next_ns = if unsent.is_empty() {
            pinger.next_ns()
        } else {
            Some(shared.clock.mono_ns().saturating_add(nanos(RETRY)))
        };
        let mut arrived = Vec::new();
        tokio::select! {
            biased;
            () = sockets.receive(&mut buffers, &shared.clock, &mut arrived) => {}
            () = shared.clock.sleep_until(next_ns.unwrap_or(0)), if next_ns.is_some() => {}
            request = async {
                match first.take() {
                    None => requests.receive().await,
                    taken => taken,
                }
            } => {
                let Some(request) = request else { return };
                match sockets.check(request.target) {
                    Ok(()) => {
                        let series =
                            Series { takes_redirected: request.takes_redirected, ..SERIES };
                        let place = pinger.start(request.target, series);
                        waiting.insert(place, request.answer);
                    }
                    // The caller may have left.
                    Err(reason) => drop(request.answer.send(Err(reason.to_owned()))),
                }
            }
        }
        let mut over: Vec<Over> = Vec::new();
        for it in &arrived {
            let take = || pinger.take(it.from, &it.payload, it.at_ns);
            over.extend(shared.tasks.contain_sync("datagram", it.from, take).ok().flatten());
        }
        if unsent.is_empty() {
            let todo = pinger.step(shared.clock.mono_ns(), SENDS_A_TURN);
            unsent.extend(todo.send);
            over.extend(todo.over);
        }
        sockets.send_all(&mut unsent);
        for it in over {
            if let Some(answer) = waiting.remove(&it.series) {
                drop(answer.send(Ok(it.tally.received > 0)));
            }
        }
    }
}
