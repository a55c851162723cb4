//! Memory for answers in packets of Zabbix's protocol.

use std::io;
use std::time::Duration;

use rt::budget::NoRoom;
use rt::reading::{NO_ROOM, Reading};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::time::timeout;
use wire::zbxd::{Decoder, Progress};

/// Time to wait for room for more of an answer: less than the usual time-out, so that the error
/// names the reason.
const ROOM_WAIT_MAX: Duration = Duration::from_secs(1);

/// Reads some bytes, with room for all that have arrived.
pub(super) async fn read(
    from: &mut (impl AsyncRead + Unpin + Send),
    decoder: &mut Decoder,
    reading: &mut Reading,
) -> io::Result<usize> {
    let n = reading.awaiting(from.read_buf(decoder.buffer())).await.map_err(no_room)??;
    // A whole packet may be a compressed one. Its reader reports its errors.
    let bytes = match decoder.progress() {
        Ok(Progress::Whole { bytes }) => bytes,
        _ => decoder.buffer().len() as u64,
    };
    let covered = timeout(ROOM_WAIT_MAX, reading.cover(bytes)).await;
    covered.unwrap_or(Err(NoRoom)).map_err(no_room)?;
    Ok(n)
}

/// Whether an answer was not read because there was no room for it: its peer is not at fault.
pub(super) fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::OutOfMemory
}

fn no_room(_: NoRoom) -> io::Error {
    io::Error::new(io::ErrorKind::OutOfMemory, NO_ROOM)
}

#[cfg(test)]
mod tests {
    use rt::clock::Clock;
    use rt::metrics::Registry;
    use rt::reading::Readings;
    use wire::zbxd::{FrameLimits, encode_compressed};

    use super::*;

    async fn read_all(mut packet: &[u8], reading: &mut Reading) -> io::Result<()> {
        let mut decoder = Decoder::new(FrameLimits::with_max(16 << 20));
        while 0 < read(&mut packet, &mut decoder, reading).await? {}
        Ok(())
    }

    #[tokio::test]
    async fn small_packet_needs_room_for_its_decompressed_size() {
        let mut packet = Vec::new();
        encode_compressed(&vec![b'x'; 4 << 20], &mut packet).expect("memory");
        assert!(packet.len() < 64 << 10, "{}", packet.len());
        for (bytes_max, has_room) in [(64 << 20, true), (0, false)] {
            let readings = Readings::new(bytes_max, &Clock::real(), &Registry::new());
            let mut reading = readings.waiting(Duration::from_millis(1)).begin("agent");
            let read = read_all(&packet, &mut reading).await;
            assert_eq!(read.as_ref().is_err_and(is_missing), !has_room, "{read:?}");
        }
    }
}
