//! Requests and answers on one socket for all devices.
//!
//! Requests are noted and sent together, many at a time: so a device that answers many is woken once for them, and so are we by
//! the answers. One that has no answer is sent once more in the middle of its time. Requests that have the same time for it end in the
//! order in which they were made, so there is a queue for each length of time and no timer for each request.
//!
//! A request is one of a conversation, which waits for its answer ([`Engine::exchange`]), or one that says all by itself
//! ([`Engine::begin`]): of those the ends are taken together ([`Engine::take_ended`]).
//!
//! An answer is known by its request id (of version 3 the message's), and must come from the address that was asked. Ids follow
//! a secret sequence, so that nobody who does not see the requests can answer them.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use model::map::Map;
use rt::clock::{Clock, nanos};
use rt::task::Tasks;
use socket2::{Domain, Protocol, Type};
use tokio::sync::Notify;
use wire::snmp::{Message, RequestTemplate, SnmpError, V3Message};

use super::super::datagrams::{Buffer, Datagram, Datagrams, RETRY};
use super::key::{Joined, Request};

/// A request is sent this often, evenly over its time.
const SENDS: u8 = 2;
/// Requests sent before answers are read.
const SENDS_A_TURN: usize = 64;
/// What most requests and answers have room in.
const DATAGRAM_BYTES: usize = 512;
/// After so many requests or answers at once the answers that follow are read together, after a rest.
const MANY: usize = 4;
/// As long as that is, whoever walks a table waits for each of its answers at most.
const REST: Duration = Duration::from_millis(1);

#[derive(Debug)]
pub(super) struct Engine {
    clock: Clock,
    tasks: Tasks,
    v4: Datagrams,
    /// Opened when the first device has such an address; `None`: the machine has no IPv6.
    v6: OnceLock<Option<Datagrams>>,
    state: Mutex<Exchanges>,
    /// Something waits to be sent.
    noted: Notify,
    next_id: AtomicU32,
    id_mask: u32,
}

/// What reading needs from one turn to the next.
#[derive(Debug, Default)]
pub(super) struct Reader {
    buffers: (Buffer, Buffer),
    /// When answers are read that nobody is told of; `None`: when one comes.
    read_at_ns: Option<u64>,
}

/// Why a request has no answer.
#[derive(Debug)]
pub(super) enum NoAnswer {
    TimedOut,
    /// It could not be sent.
    Io(io::Error),
}

/// How far sending has come.
enum Sent {
    All,
    Some,
    /// The kernel has no room at present.
    NoRoom,
}

/// An answer's datagram.
pub(super) type Answered = Result<Vec<u8>, NoAnswer>;

#[derive(Debug, Default)]
struct Exchanges {
    waiting: Map<i32, Waiting>,
    /// Requests to send, as many as there are under way.
    unsent: VecDeque<i32>,
    /// When requests are sent again or given up, by how long they have; those that were answered leave it later.
    due: Map<u64, VecDeque<(u64, i32)>>,
    /// Of requests that nobody waits for, until they are taken.
    ended: Vec<Ended>,
    /// Room for a datagram.
    datagram: Vec<u8>,
}

/// A request that has its answer, or will have none.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) request: Request,
    pub(super) joined: Arc<Joined>,
    pub(super) answered: Answered,
}

/// A request, until who made it has its answer.
#[derive(Debug)]
struct Waiting {
    to: SocketAddr,
    /// From one sending to the next, and from the last to the end.
    step_ns: u64,
    sends_left: u8,
    asker: Asker,
}

#[derive(Debug)]
enum Asker {
    Conversation { datagram: Vec<u8>, answered: Option<Answered>, waker: Waker },
    Nobody(Request, Arc<Joined>),
}

impl Engine {
    pub(super) fn open(secret: u64, (clock, tasks): (&Clock, &Tasks)) -> io::Result<Self> {
        let [a, b, c, d, e, f, g, h] = secret.to_le_bytes();
        Ok(Self {
            clock: clock.clone(),
            tasks: tasks.clone(),
            v4: Datagrams::open(Domain::IPV4, Type::DGRAM, Protocol::UDP, tasks)?,
            v6: OnceLock::new(),
            state: Mutex::default(),
            noted: Notify::new(),
            next_id: AtomicU32::new(u32::from_le_bytes([a, b, c, d])),
            id_mask: u32::from_le_bytes([e, f, g, h]),
        })
    }

    /// Sends what `encode` makes of a request id and waits for the answer, a whole datagram. Somebody has to make
    /// [`Engine::turn`]s meanwhile.
    pub(super) async fn exchange(
        &self,
        to: SocketAddr,
        time: Duration,
        encode: impl FnOnce(i32, &mut Vec<u8>),
    ) -> Answered {
        let id = self.take_id();
        let mut datagram = Vec::with_capacity(DATAGRAM_BYTES);
        encode(id, &mut datagram);
        let asker = Asker::Conversation { datagram, answered: None, waker: Waker::noop().clone() };
        self.note(id, Waiting::new(to, time, asker));
        let listed = Listed { engine: self, id };
        poll_fn(|cx| listed.poll(cx)).await
    }

    /// Has a request sent that is one of these. Its end is to be taken by [`Engine::take_ended`] after some turn.
    pub(super) fn begin(&self, request: Request, joined: Arc<Joined>) {
        let (to, time) = (joined.to, joined.timeout);
        self.note(self.take_id(), Waiting::new(to, time, Asker::Nobody(request, joined)));
    }

    fn note(&self, id: i32, waiting: Waiting) {
        {
            let mut state = self.lock();
            state.waiting.insert(id, waiting);
            state.unsent.push_back(id);
        }
        self.noted.notify_one();
    }

    /// The requests that have ended since the last time.
    pub(super) fn take_ended(&self, ended: &mut Vec<Ended>) {
        ended.append(&mut self.lock().ended);
    }

    /// Whether there are requests under way.
    pub(super) fn is_waiting(&self) -> bool {
        let state = self.lock();
        !state.waiting.is_empty() || !state.ended.is_empty()
    }

    /// Waits until there are answers, something to send or a request whose time is over, and does what there is to do about it.
    /// Cancel-safe.
    pub(super) async fn turn(&self, reader: &mut Reader) {
        if MANY <= self.lock().unsent.len() {
            // Their answers may come while the others are sent.
            self.rest(reader);
        }
        let now_ns = self.clock.mono_ns();
        // Between any two sendings: who sends without an end reads all the same.
        if reader.read_at_ns.is_some_and(|it| it <= now_ns) && 0 < self.read(reader) {
            return;
        }
        let next_ns = self.lock().next_due_ns();
        let next_ns = next_ns.into_iter().chain(reader.read_at_ns).min();
        tokio::select! {
            biased;
            n = self.receive(&mut reader.buffers), if reader.read_at_ns.is_none() => if MANY <= n {
                self.rest(reader);
            },
            () = self.send_noted() => {}
            () = self.clock.sleep_until(next_ns.unwrap_or(0)), if next_ns.is_some() => {
                // What came meanwhile; and so that nobody is given up whose answer lies there.
                self.read(reader);
                if self.lock().step(self.clock.mono_ns()) {
                    self.noted.notify_one();
                }
            }
        }
    }

    /// Answers are read together after a rest, and not one after the other as they come.
    fn rest(&self, reader: &mut Reader) {
        if reader.read_at_ns.is_some() {
            return;
        }
        reader.read_at_ns = Some(self.clock.mono_ns().saturating_add(nanos(REST)));
        self.v4.unwatch();
        if let Some(Some(it)) = self.v6.get() {
            it.unwatch();
        }
    }

    /// How many datagrams it has read.
    async fn receive(&self, buffers: &mut (Buffer, Buffer)) -> usize {
        let v4 = self.v4.receive(&mut buffers.0, |it| self.take(it.from, it.bytes));
        let v6 = async {
            match self.v6.get().and_then(Option::as_ref) {
                Some(it) => it.receive(&mut buffers.1, |it| self.take(it.from, it.bytes)).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            n = v4 => n,
            n = v6 => n,
        }
    }

    /// Reads what there is; how many datagrams.
    fn read(&self, reader: &mut Reader) -> usize {
        let buffers = &mut reader.buffers;
        let n = self.v4.read(&mut buffers.0, |it| self.take(it.from, it.bytes));
        let v6 = self.v6.get().and_then(Option::as_ref);
        let take = |it: &Datagram<'_>| self.take(it.from, it.bytes);
        let n = n + v6.map_or(0, |it| it.read(&mut buffers.1, take));
        reader.read_at_ns = None;
        if MANY <= n {
            self.rest(reader);
        }
        n
    }

    /// Waits until something is to be sent, and sends some of it, or waits until the kernel has room for it.
    async fn send_noted(&self) {
        self.noted.notified().await;
        match self.send_some() {
            Sent::All => {}
            // Answers are read in between.
            Sent::Some => self.noted.notify_one(),
            Sent::NoRoom => {
                // Should the caller give up waiting, it is still to be sent.
                self.noted.notify_one();
                self.clock.sleep(RETRY).await;
            }
        }
    }

    fn send_some(&self) -> Sent {
        let mut state = self.lock();
        let state = &mut *state;
        let now_ns = self.clock.mono_ns();
        for _ in 0..SENDS_A_TURN {
            let Some(id) = state.unsent.pop_front() else { return Sent::All };
            // Who asked may have given up.
            let Some(waiting) = state.waiting.get_mut(&id) else { continue };
            let to = waiting.to;
            let datagram = match &waiting.asker {
                Asker::Conversation { datagram, .. } => datagram,
                Asker::Nobody(_, joined) => {
                    joined.template.write(id, &mut state.datagram);
                    &state.datagram
                }
            };
            match self.socket(to).and_then(|it| it.send(to, datagram)) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    state.unsent.push_front(id);
                    return Sent::NoRoom;
                }
                Err(error) => state.end(id, Err(NoAnswer::Io(error))),
                Ok(()) => {
                    waiting.sends_left = waiting.sends_left.saturating_sub(1);
                    let step_ns = waiting.step_ns;
                    let due_ns = now_ns.saturating_add(step_ns);
                    state.due.entry(step_ns).or_default().push_back((due_ns, id));
                }
            }
        }
        Sent::Some
    }

    fn socket(&self, to: SocketAddr) -> io::Result<&Datagrams> {
        if to.is_ipv4() {
            return Ok(&self.v4);
        }
        let open = || Datagrams::open(Domain::IPV6, Type::DGRAM, Protocol::UDP, &self.tasks).ok();
        let v6 = self.v6.get_or_init(open).as_ref();
        v6.ok_or_else(|| io::Error::from(io::ErrorKind::AddrNotAvailable))
    }

    fn take(&self, from: SocketAddr, bytes: &[u8]) {
        let Some(id) = id_of(bytes) else { return };
        let mut state = self.lock();
        if state.waiting.get(&id).is_some_and(|it| it.to.ip() == from.ip() && !it.is_over()) {
            state.end(id, Ok(bytes.to_vec()));
        }
    }

    /// Ids that take four bytes, each once, in an order that the mask hides.
    fn take_id(&self) -> i32 {
        loop {
            let mut x = self.next_id.fetch_add(1, Ordering::Relaxed);
            // Each step can be undone, so different numbers stay different.
            x = (x ^ self.id_mask).wrapping_mul(0x9e37_79b1);
            x ^= x >> 15;
            x = x.wrapping_mul(0x85eb_ca6b) ^ self.id_mask.rotate_left(16);
            x ^= x >> 13;
            let id = (x & 0x7fff_ffff).cast_signed();
            // One in 256 does not.
            if RequestTemplate::ID_MIN <= id {
                return id;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Exchanges> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Exchanges {
    /// When [`Exchanges::step`] has something to do.
    fn next_due_ns(&mut self) -> Option<u64> {
        let mut next_ns: Option<u64> = None;
        for queue in self.due.values_mut() {
            // Those that were answered are forgotten here, not when their time is over: each would wake us once more.
            let is_over = |id: &i32| self.waiting.get(id).is_none_or(Waiting::is_over);
            while queue.pop_front_if(|it| is_over(&it.1)).is_some() {}
            next_ns = queue.front().map(|it| it.0).into_iter().chain(next_ns).min();
        }
        next_ns
    }

    /// Has requests whose time has come sent again, or gives them up; whether there is something to send.
    fn step(&mut self, now_ns: u64) -> bool {
        let mut timed_out = Vec::new();
        for queue in self.due.values_mut() {
            while let Some((_, id)) = queue.pop_front_if(|it| it.0 <= now_ns) {
                match self.waiting.get(&id) {
                    None => {}
                    Some(waiting) if waiting.is_over() => {}
                    Some(waiting) if waiting.sends_left == 0 => timed_out.push(id),
                    Some(_) => self.unsent.push_back(id),
                }
            }
        }
        self.due.retain(|_, it| !it.is_empty());
        for id in timed_out {
            self.end(id, Err(NoAnswer::TimedOut));
        }
        !self.unsent.is_empty()
    }

    fn end(&mut self, id: i32, answered: Answered) {
        match self.waiting.get_mut(&id).map(|it| &mut it.asker) {
            Some(Asker::Conversation { answered: place, waker, .. }) => {
                *place = Some(answered);
                waker.wake_by_ref();
            }
            Some(Asker::Nobody(..)) => {
                if let Some(Asker::Nobody(request, joined)) =
                    self.waiting.remove(&id).map(|it| it.asker)
                {
                    self.ended.push(Ended { request, joined, answered });
                }
            }
            None => {}
        }
    }
}

impl Waiting {
    fn new(to: SocketAddr, time: Duration, asker: Asker) -> Self {
        Self { to, step_ns: nanos(time) / u64::from(SENDS), sends_left: SENDS, asker }
    }

    /// It has its answer, which was not taken yet.
    fn is_over(&self) -> bool {
        matches!(self.asker, Asker::Conversation { answered: Some(_), .. })
    }
}

/// By which an answer finds its request. Of version 3 the PDU may not be readable.
fn id_of(datagram: &[u8]) -> Option<i32> {
    match Message::decode(datagram) {
        Ok(message) => Some(message.pdu.request_id),
        Err(SnmpError::UnsupportedVersion(3)) => {
            V3Message::decode(datagram).ok().map(|it| it.message_id)
        }
        Err(_damaged) => None,
    }
}

/// Takes a request off the list when nobody waits for its answer any more.
struct Listed<'a> {
    engine: &'a Engine,
    id: i32,
}

impl Listed<'_> {
    fn poll(&self, cx: &mut Context<'_>) -> Poll<Answered> {
        let mut state = self.engine.lock();
        // It is on the list as long as this lives.
        let Some(waiting) = state.waiting.get_mut(&self.id) else { return Poll::Pending };
        let Asker::Conversation { answered, waker, .. } = &mut waiting.asker else {
            return Poll::Pending;
        };
        match answered.take() {
            Some(answered) => Poll::Ready(answered),
            None => {
                waker.clone_from(cx.waker());
                Poll::Pending
            }
        }
    }
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        self.engine.lock().waiting.remove(&self.id);
    }
}
