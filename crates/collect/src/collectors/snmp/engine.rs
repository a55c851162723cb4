//! Requests and answers on one socket for all devices.
//!
//! An answer is known by its request id (of version 3 the message's), and must come from the address that was asked. Ids follow
//! a secret sequence, so that nobody who does not see the requests can answer them.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use model::map::Map;
use rt::task::Tasks;
use socket2::{Domain, Protocol, Type};
use tokio::sync::oneshot;
use tokio::time::timeout;
use wire::snmp::{Message, SnmpError, V3Message};

use super::super::datagrams::{Buffer, Datagrams};

/// A request is sent this often, evenly over its time.
const SENDS: u32 = 2;

#[derive(Debug)]
pub(super) struct Engine {
    v4: Datagrams,
    tasks: Tasks,
    /// Opened when the first device has such an address; `None`: the machine has no IPv6.
    v6: OnceLock<Option<Datagrams>>,
    state: Mutex<EngineState>,
    next_id: AtomicU32,
    id_mask: u32,
}

#[derive(Debug, Default)]
struct EngineState {
    waiting: Map<i32, Waiting>,
    /// What the kernel has not taken yet.
    unsent: VecDeque<(SocketAddr, Vec<u8>)>,
}

#[derive(Debug)]
struct Waiting {
    from: SocketAddr,
    answer: oneshot::Sender<Vec<u8>>,
}

/// Why a request has no answer.
#[derive(Debug)]
pub(super) enum NoAnswer {
    TimedOut,
    /// It could not be sent.
    Io(io::Error),
}

impl Engine {
    pub(super) fn open(secret: u64, tasks: &Tasks) -> io::Result<Self> {
        let [a, b, c, d, e, f, g, h] = secret.to_le_bytes();
        Ok(Self {
            v4: Datagrams::open(Domain::IPV4, Type::DGRAM, Protocol::UDP, tasks)?,
            tasks: tasks.clone(),
            v6: OnceLock::new(),
            state: Mutex::default(),
            next_id: AtomicU32::new(u32::from_le_bytes([a, b, c, d])),
            id_mask: u32::from_le_bytes([e, f, g, h]),
        })
    }

    /// Sends what `encode` makes of a request id and waits for the answer, a whole datagram.
    pub(super) async fn exchange(
        &self,
        to: SocketAddr,
        time: Duration,
        encode: impl FnOnce(i32, &mut Vec<u8>),
    ) -> Result<Vec<u8>, NoAnswer> {
        let id = self.take_id();
        let mut datagram = Vec::with_capacity(512);
        encode(id, &mut datagram);
        let (answer, mut answered) = oneshot::channel();
        self.lock().waiting.insert(id, Waiting { from: to, answer });
        let _listed = Listed { engine: self, id };
        for _ in 0..SENDS {
            self.send(to, &datagram).map_err(NoAnswer::Io)?;
            if let Ok(Ok(bytes)) = timeout(time / SENDS, &mut answered).await {
                return Ok(bytes);
            }
        }
        Err(NoAnswer::TimedOut)
    }

    /// Waits for answers and hands them to who waits for them. Cancel-safe.
    pub(super) async fn receive(&self, buffers: &mut (Buffer, Buffer)) {
        let v4 = self.v4.receive(&mut buffers.0, |from, bytes| self.take(from, bytes));
        let v6 = async {
            match self.v6.get().and_then(Option::as_ref) {
                Some(it) => it.receive(&mut buffers.1, |from, bytes| self.take(from, bytes)).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = v4 => {}
            () = v6 => {}
        }
    }

    /// Waits until something can be sent that could not be before. Cancel-safe.
    pub(super) async fn send_unsent(&self) {
        let Some((to, _)) = self.lock().unsent.front().cloned() else {
            return std::future::pending().await;
        };
        if let Ok(socket) = self.socket(to) {
            socket.writable().await;
        }
        loop {
            let Some((to, datagram)) = self.lock().unsent.pop_front() else { return };
            let sent = self.socket(to).and_then(|it| it.send(to, &datagram));
            if sent.is_err_and(|it| it.kind() == io::ErrorKind::WouldBlock) {
                self.lock().unsent.push_front((to, datagram));
                return;
            }
        }
    }

    fn send(&self, to: SocketAddr, datagram: &[u8]) -> io::Result<()> {
        match self.socket(to)?.send(to, datagram) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                // As many as there are requests under way.
                self.lock().unsent.push_back((to, datagram.to_vec()));
                Ok(())
            }
            sent => sent,
        }
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
        if state.waiting.get(&id).is_some_and(|it| it.from.ip() == from.ip())
            && let Some(waiting) = state.waiting.remove(&id)
        {
            // Who gave up has taken itself off the list.
            drop(waiting.answer.send(bytes.to_vec()));
        }
    }

    /// Each of 2^31 ids once, in an order that the mask hides.
    fn take_id(&self) -> i32 {
        let mut x = self.next_id.fetch_add(1, Ordering::Relaxed);
        // Each step can be undone, so different numbers stay different.
        x = (x ^ self.id_mask).wrapping_mul(0x9e37_79b1);
        x ^= x >> 15;
        x = x.wrapping_mul(0x85eb_ca6b) ^ self.id_mask.rotate_left(16);
        x ^= x >> 13;
        (x & 0x7fff_ffff).cast_signed()
    }

    fn lock(&self) -> MutexGuard<'_, EngineState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        self.engine.lock().waiting.remove(&self.id);
    }
}
