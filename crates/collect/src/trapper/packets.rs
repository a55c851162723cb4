//! Packets of connections, and their memory, which connections reuse: most send one request.

use std::sync::{Arc, Mutex, PoisonError};

use wire::sender::Parser;
use wire::zbxd;

/// Rows that one request may hold: Zabbix's senders send 250, proxies 1,000 a block; the rest is
/// for users' own tools. A larger request is refused.
const ROWS_MAX: usize = 1_000_000;
/// Memory of a parser that is kept between requests, in rows.
const ROWS_KEPT: usize = 4_096;
/// Packets that wait for a connection, and the bytes of text that each of them keeps at most.
const SPARE_MAX: usize = 32;
const SPARE_BYTES_MAX: usize = 256 << 10;

/// One packet at a time, with the memory for it. The next user finds nothing of the packet before.
pub(super) struct Packet {
    /// None only while it is being dropped.
    memory: Option<PacketMemory>,
    of: Arc<Packets>,
}

pub(super) struct PacketMemory {
    pub(super) decoder: zbxd::Decoder,
    pub(super) parser: Parser,
}

/// The pool of packets.
pub(super) struct Packets {
    limits: zbxd::FrameLimits,
    spare: Mutex<Vec<PacketMemory>>,
}

impl Packets {
    /// For packets of at most this size.
    pub(super) fn new(bytes_max: u64) -> Arc<Self> {
        let mut limits = zbxd::FrameLimits::with_max(bytes_max);
        limits.plain = zbxd::Plain::Refuse;
        Arc::new(Self { limits, spare: Mutex::default() })
    }

    pub(super) fn take(self: &Arc<Self>) -> Packet {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let memory = spare.unwrap_or_else(|| PacketMemory {
            decoder: zbxd::Decoder::new(self.limits),
            parser: Parser::new(ROWS_MAX),
        });
        Packet { memory: Some(memory), of: Arc::clone(self) }
    }
}

impl Packet {
    pub(super) fn memory(&mut self) -> &mut PacketMemory {
        self.memory.as_mut().expect("it is there until it is dropped")
    }

    /// For the next packet of the same connection.
    pub(super) fn reset(&mut self) {
        self.memory().reset();
    }
}

impl PacketMemory {
    fn reset(&mut self) {
        self.decoder.reset();
        self.parser.shrink(ROWS_KEPT);
    }
}

impl Drop for Packet {
    fn drop(&mut self) {
        let Some(mut memory) = self.memory.take() else { return };
        memory.reset();
        if SPARE_BYTES_MAX < memory.decoder.capacity() {
            return;
        }
        let mut spare = self.of.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < SPARE_MAX {
            spare.push(memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n_spare(packets: &Packets) -> usize {
        packets.spare.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    #[test]
    fn reused_memory_has_no_old_content() {
        let packets = Packets::new(1 << 20);
        let mut first = packets.take();
        first.memory().decoder.buffer().extend_from_slice(b"ZBXD\x01\x05\0\0");
        assert!(first.memory().decoder.is_partial());
        drop(first);
        assert_eq!(n_spare(&packets), 1);
        let mut second = packets.take();
        assert_eq!(n_spare(&packets), 0);
        assert!(!second.memory().decoder.is_partial());
        assert!(0 < second.memory().decoder.capacity());
    }

    #[test]
    fn little_is_kept() {
        let packets = Packets::new(1 << 30);
        let many: Vec<_> = (0..SPARE_MAX + 5).map(|_| packets.take()).collect();
        drop(many);
        assert_eq!(n_spare(&packets), SPARE_MAX);
        let mut large = packets.take();
        large.memory().decoder.buffer().reserve(SPARE_BYTES_MAX + 1);
        drop(large);
        assert_eq!(n_spare(&packets), SPARE_MAX - 1);
    }
}
