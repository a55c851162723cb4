//! Requests and answers on one socket for all devices.
//!
//! Requests are collected and sent together, many at a time: a device that answers many is woken
//! once for them, and so is the server by the answers. A request without an answer is sent once
//! more in the middle of its time. Requests with equal time end in the order in which they were
//! made, so there is a queue for each length of time and no timer for each request.
//!
//! A request is part of a conversation, which waits for its answer ([`Engine::exchange`]), or
//! stands alone ([`Engine::begin`]): the ends of those are taken together ([`Engine::take_ended`]).
//!
//! An answer is matched by its request id (of version 3 the message's), and must come from the
//! address that was asked. Ids follow a secret sequence, so that only a peer that sees the requests
//! can answer them. Each request has a place of its own, and places are reused soon: so the
//! requests under way stay in the cache however many ids there have been.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use model::Time;
use model::map::{Entry, Map};
use rt::clock::{Clock, nanos};
use rt::task::Tasks;
use socket2::{Domain, Protocol, Type};
use tokio::sync::Notify;
use wire::snmp::{Pdu, RequestTemplate, SnmpError, SnmpMessage, V3Message};

use super::super::datagrams::{Buffer, Datagram, Datagrams, RETRY};
use super::super::request::Reading;
use super::key::{Check, Joined, Request};

/// How often a request is sent, evenly over its time.
const SENDS: u8 = 2;
/// Requests sent before answers are read.
const SENDS_A_TURN: usize = 64;
/// Enough for most requests and answers. Larger ones grow.
const DATAGRAM_BYTES: usize = 512;
/// After so many requests or answers at once the following answers are read together, after a rest.
const MANY: usize = 4;
/// A table walk waits at most this long for each of its answers.
const REST: Duration = Duration::from_millis(1);

/// Reads the answer to a joined request, received at this time: a reading for each check, or `None`
/// if there is more to ask.
pub(super) type ReadJoined = fn(&Joined, &Pdu<'_>, &[Check], Time) -> Option<Vec<Reading>>;

#[derive(Debug)]
pub(super) struct Engine {
    clock: Clock,
    tasks: Tasks,
    read_joined: ReadJoined,
    v4: Datagrams,
    /// Opened when the first device has such an address; `None`: the machine has no IPv6.
    v6: OnceLock<Option<Datagrams>>,
    state: Mutex<Exchanges>,
    /// Wakes the sender when there is something to send.
    noted: Notify,
    next_id: AtomicU32,
    id_mask: u32,
}

/// State of reading between turns.
#[derive(Debug, Default)]
pub(super) struct Reader {
    buffers: (Buffer, Buffer),
    /// When answers are read that the runtime does not watch for; `None`: when one arrives.
    read_at_ns: Option<u64>,
}

/// Why a request has no answer.
#[derive(Debug)]
pub(super) enum NoAnswer {
    TimedOut,
    /// It could not be sent.
    Io(io::Error),
}

/// The progress of sending.
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
    /// By the place of the request.
    waiting: Vec<Option<Waiting>>,
    /// Places in `waiting` without a request; the last one freed is used first.
    free: Vec<u32>,
    /// Requests by id.
    places: Map<i32, u32>,
    /// Requests to send, as many as there are under way.
    unsent: VecDeque<Name>,
    /// When requests are sent again or given up, by the length of their time; answered ones are
    /// removed later.
    due: Map<u64, VecDeque<(u64, Name)>>,
    /// Requests without a waiting conversation, until they are taken.
    ended: Vec<Ended>,
    /// Room for a datagram.
    datagram: Vec<u8>,
}

/// A request's place, with its id: another request may have the place by now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Name {
    place: u32,
    id: i32,
}

/// A request that is answered, or never will be.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) request: Request,
    pub(super) joined: Arc<Joined>,
    pub(super) answered: Result<EngineAnswer, NoAnswer>,
}

/// A device's answer to a joined request.
#[derive(Debug)]
pub(super) enum EngineAnswer {
    /// A reading for each check.
    All(Vec<Reading>),
    /// The answer does not have a value for each object: it begins a conversation.
    Part(Vec<u8>),
    /// Reading it has panicked.
    Unreadable,
}

/// A request, until its caller has the answer.
#[derive(Debug)]
struct Waiting {
    name: Name,
    to: SocketAddr,
    /// From one sending to the next, and from the last to the end.
    step_ns: u64,
    sends_left: u8,
    asker: Asker,
}

#[derive(Debug)]
enum Asker {
    Conversation { datagram: Vec<u8>, answered: Option<Answered>, waker: Waker },
    Joined(Request, Arc<Joined>),
}

impl Engine {
    pub(super) fn open(
        (secret, read_joined): (u64, ReadJoined),
        (clock, tasks): (&Clock, &Tasks),
    ) -> io::Result<Self> {
        let [a, b, c, d, e, f, g, h] = secret.to_le_bytes();
        Ok(Self {
            clock: clock.clone(),
            tasks: tasks.clone(),
            read_joined,
            v4: Datagrams::open(Domain::IPV4, Type::DGRAM, Protocol::UDP, tasks)?,
            v6: OnceLock::new(),
            state: Mutex::default(),
            noted: Notify::new(),
            next_id: AtomicU32::new(u32::from_le_bytes([a, b, c, d])),
            id_mask: u32::from_le_bytes([e, f, g, h]),
        })
    }

    /// Sends the request that `encode` makes for a request id and waits for the answer, a whole
    /// datagram. Another task has to make [`Engine::turn`]s meanwhile.
    pub(super) async fn exchange(
        &self,
        to: SocketAddr,
        time: Duration,
        encode: impl FnOnce(i32, &mut Vec<u8>),
    ) -> Answered {
        let name = self.reserve(&mut self.lock());
        let listed = Listed { engine: self, name };
        let mut datagram = Vec::with_capacity(DATAGRAM_BYTES);
        encode(name.id, &mut datagram);
        let asker = Asker::Conversation { datagram, answered: None, waker: Waker::noop().clone() };
        self.note(&mut self.lock(), Waiting::new(name, (to, time), asker));
        poll_fn(|cx| listed.poll(cx)).await
    }

    /// Sends a joined request. [`Engine::take_ended`] returns its end after some turn.
    pub(super) fn begin(&self, request: Request, joined: Arc<Joined>) {
        let (to, time) = (joined.to, joined.timeout);
        let mut state = self.lock();
        let name = self.reserve(&mut state);
        self.note(&mut state, Waiting::new(name, (to, time), Asker::Joined(request, joined)));
    }

    /// A place, and an id that no other request under way has.
    fn reserve(&self, state: &mut Exchanges) -> Name {
        loop {
            let id = self.take_id();
            if let Some(place) = state.reserve(id) {
                return Name { place, id };
            }
        }
    }

    fn note(&self, state: &mut Exchanges, waiting: Waiting) {
        let name = waiting.name;
        if let Some(place) = state.waiting.get_mut(name.place as usize) {
            *place = Some(waiting);
        }
        state.unsent.push_back(name);
        // The sender continues as long as requests are left.
        if state.unsent.len() == 1 {
            self.noted.notify_one();
        }
    }

    /// The requests that have ended since the last time.
    pub(super) fn take_ended(&self, ended: &mut Vec<Ended>) {
        ended.append(&mut self.lock().ended);
    }

    /// Whether there are requests under way.
    pub(super) fn is_waiting(&self) -> bool {
        let state = self.lock();
        !state.places.is_empty() || !state.ended.is_empty()
    }

    /// Waits until there are answers, something to send or a request whose time is over, and
    /// handles it. Cancel-safe.
    pub(super) async fn turn(&self, reader: &mut Reader) {
        if MANY <= self.lock().unsent.len() {
            // Their answers may arrive while the others are sent.
            self.rest(reader);
        }
        let now_ns = self.clock.mono_ns();
        // Between any two sendings: answers are read even while there is always something to send.
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
                // Reads answers that arrived meanwhile, so that no request with a received answer
                // is given up.
                self.read(reader);
                if self.lock().step(self.clock.mono_ns()) {
                    self.noted.notify_one();
                }
            }
        }
    }

    /// Answers are read together after a rest, and not one by one as they arrive.
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

    /// Returns how many datagrams were read.
    async fn receive(&self, buffers: &mut (Buffer, Buffer)) -> usize {
        let v4 = self.v4.receive(&mut buffers.0, self.taking());
        let v6 = async {
            match self.v6.get().and_then(Option::as_ref) {
                Some(it) => it.receive(&mut buffers.1, self.taking()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            n = v4 => n,
            n = v6 => n,
        }
    }

    /// Reads waiting datagrams; returns how many.
    fn read(&self, reader: &mut Reader) -> usize {
        let buffers = &mut reader.buffers;
        let n = self.v4.read(&mut buffers.0, self.taking());
        let v6 = self.v6.get().and_then(Option::as_ref);
        let n = n + v6.map_or(0, |it| it.read(&mut buffers.1, self.taking()));
        reader.read_at_ns = None;
        if MANY <= n {
            self.rest(reader);
        }
        n
    }

    /// Waits until there is something to send, and sends some of it, or waits until the kernel has
    /// room for it.
    async fn send_noted(&self) {
        self.noted.notified().await;
        match self.send_some() {
            Sent::All => {}
            // Answers are read in between.
            Sent::Some => self.noted.notify_one(),
            Sent::NoRoom => {
                // It is sent even if the caller gives up waiting.
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
            let Some(name) = state.unsent.pop_front() else { return Sent::All };
            // The caller may have given up.
            let Some(waiting) = named(&mut state.waiting, name) else { continue };
            let to = waiting.to;
            let datagram = match &waiting.asker {
                Asker::Conversation { datagram, .. } => datagram,
                Asker::Joined(_, joined) => {
                    joined.template.write(name.id, &mut state.datagram);
                    &state.datagram
                }
            };
            match self.socket(to).and_then(|it| it.send(to, datagram)) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    state.unsent.push_front(name);
                    return Sent::NoRoom;
                }
                Err(error) => state.give_up(name, NoAnswer::Io(error)),
                Ok(()) => {
                    waiting.sends_left = waiting.sends_left.saturating_sub(1);
                    let step_ns = waiting.step_ns;
                    let due_ns = now_ns.saturating_add(step_ns);
                    state.due.entry(step_ns).or_default().push_back((due_ns, name));
                }
            }
        }
        if state.unsent.is_empty() { Sent::All } else { Sent::Some }
    }

    fn socket(&self, to: SocketAddr) -> io::Result<&Datagrams> {
        if to.is_ipv4() {
            return Ok(&self.v4);
        }
        let open = || Datagrams::open(Domain::IPV6, Type::DGRAM, Protocol::UDP, &self.tasks).ok();
        let v6 = self.v6.get_or_init(open).as_ref();
        v6.ok_or_else(|| io::Error::from(io::ErrorKind::AddrNotAvailable))
    }

    /// For datagrams that are read together: all have the same time.
    fn taking(&self) -> impl FnMut(&Datagram<'_>) {
        let mut now = None;
        move |it| self.take(it.from, it.bytes, *now.get_or_insert_with(|| self.clock.wall()))
    }

    fn take(&self, from: SocketAddr, bytes: &[u8], now: Time) {
        let message = SnmpMessage::decode(bytes);
        let Some(id) = id_of(&message, bytes) else { return };
        let mut state = self.lock();
        let state = &mut *state;
        let Some(place) = state.places.get(&id).copied() else { return };
        let name = Name { place, id };
        let Some(waiting) = named(&mut state.waiting, name) else { return };
        if waiting.to.ip() != from.ip() {
            return;
        }
        match &mut waiting.asker {
            Asker::Conversation { answered: Some(_), .. } => {}
            Asker::Conversation { answered, waker, .. } => {
                *answered = Some(Ok(bytes.to_vec()));
                waker.wake_by_ref();
            }
            Asker::Joined(request, joined) => {
                let read = || (self.read_joined)(joined, &message.ok()?.pdu, &request.checks, now);
                let whose = std::fmt::from_fn(|f| {
                    write!(f, "host {}, {} objects", request.host, request.checks.len())
                });
                let said = match self.tasks.contain_sync("SNMP check", whose, read) {
                    Ok(Some(readings)) => EngineAnswer::All(readings),
                    Ok(None) => EngineAnswer::Part(bytes.to_vec()),
                    Err(_panicked) => EngineAnswer::Unreadable,
                };
                state.end(name, Ok(said));
            }
        }
    }

    /// Ids that take four bytes, in an order that the mask hides. Each occurs twice in a round of
    /// the counter, possibly at two close moments.
    fn take_id(&self) -> i32 {
        loop {
            let mut x = self.next_id.fetch_add(1, Ordering::Relaxed);
            // Each step is invertible, so different numbers stay different, except for the bit that
            // is left out below.
            x = (x ^ self.id_mask).wrapping_mul(0x9e37_79b1);
            x ^= x >> 15;
            x = x.wrapping_mul(0x85eb_ca6b) ^ self.id_mask.rotate_left(16);
            x ^= x >> 13;
            let id = (x & 0x7fff_ffff).cast_signed();
            // One in 256 does not take four bytes.
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
        let waiting = &mut self.waiting;
        for queue in self.due.values_mut() {
            // Answered requests are forgotten here, not when their time is over: each would cause
            // one more wake-up.
            let mut is_over = |it: Name| named(waiting, it).is_none_or(|it| it.is_over());
            while queue.pop_front_if(|it| is_over(it.1)).is_some() {}
            next_ns = queue.front().map(|it| it.0).into_iter().chain(next_ns).min();
        }
        next_ns
    }

    /// Sends due requests again, or gives them up. Returns whether there is something to send.
    fn step(&mut self, now_ns: u64) -> bool {
        let mut timed_out = Vec::new();
        for queue in self.due.values_mut() {
            while let Some((_, name)) = queue.pop_front_if(|it| it.0 <= now_ns) {
                match named(&mut self.waiting, name) {
                    None => {}
                    Some(waiting) if waiting.is_over() => {}
                    Some(waiting) if waiting.sends_left == 0 => timed_out.push(name),
                    Some(_) => self.unsent.push_back(name),
                }
            }
        }
        self.due.retain(|_, it| !it.is_empty());
        for name in timed_out {
            self.give_up(name, NoAnswer::TimedOut);
        }
        !self.unsent.is_empty()
    }

    /// A place for the request with this id; `None`: another request has the id.
    fn reserve(&mut self, id: i32) -> Option<u32> {
        let Entry::Vacant(vacant) = self.places.entry(id) else { return None };
        let place = self.free.pop().unwrap_or_else(|| {
            self.waiting.push(None);
            u32::try_from(self.waiting.len() - 1).expect("fewer than 2^32 requests are under way")
        });
        vacant.insert(place);
        Some(place)
    }

    fn remove(&mut self, name: Name) -> Option<Waiting> {
        self.places.remove(&name.id)?;
        self.free.push(name.place);
        self.waiting.get_mut(name.place as usize)?.take()
    }

    /// Ends a request without an answer.
    fn give_up(&mut self, name: Name, why: NoAnswer) {
        match named(&mut self.waiting, name).map(|it| &mut it.asker) {
            Some(Asker::Conversation { answered, waker, .. }) => {
                *answered = Some(Err(why));
                waker.wake_by_ref();
            }
            Some(Asker::Joined(..)) => self.end(name, Err(why)),
            None => {}
        }
    }

    /// A joined request has ended.
    fn end(&mut self, name: Name, answered: Result<EngineAnswer, NoAnswer>) {
        let asker = self.remove(name).map(|it| it.asker);
        if let Some(Asker::Joined(request, joined)) = asker {
            self.ended.push(Ended { request, joined, answered });
        }
    }
}

/// The request, if it still has its place.
fn named(waiting: &mut [Option<Waiting>], name: Name) -> Option<&mut Waiting> {
    waiting.get_mut(name.place as usize)?.as_mut().filter(|it| it.name == name)
}

impl Waiting {
    fn new(name: Name, (to, time): (SocketAddr, Duration), asker: Asker) -> Self {
        Self { name, to, step_ns: nanos(time) / u64::from(SENDS), sends_left: SENDS, asker }
    }

    /// It is answered, but not taken yet.
    fn is_over(&self) -> bool {
        matches!(self.asker, Asker::Conversation { answered: Some(_), .. })
    }
}

/// The id that matches an answer to its request. With version 3 the PDU may not be readable.
fn id_of(message: &Result<SnmpMessage<'_>, SnmpError>, datagram: &[u8]) -> Option<i32> {
    match message {
        Ok(message) => Some(message.pdu.request_id),
        Err(SnmpError::UnsupportedVersion(3)) => {
            V3Message::decode(datagram).ok().map(|it| it.message_id)
        }
        Err(_damaged) => None,
    }
}

/// Takes a request off the list when its caller no longer waits for the answer.
struct Listed<'a> {
    engine: &'a Engine,
    name: Name,
}

impl Listed<'_> {
    fn poll(&self, cx: &mut Context<'_>) -> Poll<Answered> {
        let mut state = self.engine.lock();
        // It is on the list as long as this lives.
        let Some(waiting) = named(&mut state.waiting, self.name) else { return Poll::Pending };
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
        self.engine.lock().remove(self.name);
    }
}

#[cfg(test)]
mod tests {
    use model::map::Set;
    use rt::metrics::Registry;

    use super::*;

    /// A request that lost its id to another one would never end, and its device would never be
    /// asked again.
    #[tokio::test]
    async fn requests_under_way_have_ids_of_their_own() {
        let tasks = Tasks::new("test", &Registry::new());
        let of_nobody: ReadJoined = |_, _, _, _| None;
        let engine = Engine::open((0x1234_5678_9abc_def0, of_nobody), (&Clock::real(), &tasks));
        let engine = engine.expect("a socket");
        let mut state = engine.lock();
        // With this secret two pairs of that many are equal.
        let n = 200_000;
        let names: Vec<_> = (0..n).map(|_| engine.reserve(&mut state)).collect();
        assert_eq!(names.iter().map(|it| it.id).collect::<Set<_>>().len(), n);
        assert_eq!(names.iter().map(|it| it.place).collect::<Set<_>>().len(), n);
        for name in &names {
            assert!(state.remove(*name).is_none(), "nothing was noted");
        }
        drop(state);
        assert!(!engine.is_waiting());
    }
}
