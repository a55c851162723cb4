//! Inflating with a bound.

use flate2::{Decompress, FlushDecompress, Status};

use super::ZbxdError;

/// Deflate cannot do better than 1032:1 (258 bytes from two bits), so a higher ratio is false; the
/// constant adds the few bytes of zlib header, block header and checksum.
const RATIO_MAX: u64 = 1032;
const RATIO_SLACK: u64 = 64;
/// First room of the output; it doubles from here, so that memory follows what was really inflated.
const ROOM_FIRST: usize = 64 * 1024;

/// Whether this many bytes can inflate to the declared size.
pub(super) fn check_ratio(compressed: u64, declared: u64) -> Result<(), ZbxdError> {
    if declared > compressed.saturating_mul(RATIO_MAX).saturating_add(RATIO_SLACK) {
        return Err(ZbxdError::ImpossibleRatio { compressed, declared });
    }
    Ok(())
}

/// Inflates all of `data` into `out` (cleared first). The result must have exactly `declared`
/// bytes.
pub(super) fn inflate(data: &[u8], declared: u64, out: &mut Vec<u8>) -> Result<(), ZbxdError> {
    out.clear();
    let compressed = data.len() as u64;
    check_ratio(compressed, declared)?;
    let wrong_size = ZbxdError::WrongInflatedSize { declared };
    let Ok(size) = usize::try_from(declared) else { return Err(wrong_size) };
    let mut stream = Decompress::new(true);
    loop {
        if out.len() == out.capacity() {
            // One byte more than declared: this detects a longer stream without inflating all of
            // it.
            let room = (size + 1).saturating_sub(out.len()).min(out.len().max(ROOM_FIRST));
            out.reserve_exact(room.max(1));
        }
        let before = (stream.total_in(), out.len());
        let rest = usize::try_from(stream.total_in()).ok().and_then(|it| data.get(it..));
        let status = stream
            .decompress_vec(rest.unwrap_or_default(), out, FlushDecompress::None)
            .map_err(|_damaged| ZbxdError::DamagedStream)?;
        if out.len() > size {
            return Err(wrong_size);
        }
        if status == Status::StreamEnd {
            break;
        }
        if before == (stream.total_in(), out.len()) {
            // No progress although there is room: the stream is truncated.
            return Err(wrong_size);
        }
    }
    if out.len() != size {
        return Err(wrong_size);
    }
    if stream.total_in() != compressed {
        return Err(ZbxdError::DamagedStream);
    }
    Ok(())
}
