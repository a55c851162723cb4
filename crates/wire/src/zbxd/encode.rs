//! Writing frames.

use flate2::{Compress, Compression, FlushCompress, Status};

use super::{FLAG_COMPRESSED, FLAG_LARGE, FLAG_PROTOCOL, MAGIC, ZbxdError};

/// Appends `payload` as an uncompressed frame to `out`.
pub fn encode(payload: &[u8], out: &mut Vec<u8>) {
    header(FLAG_PROTOCOL, payload.len() as u64, 0, out);
    out.extend_from_slice(payload);
}

/// Appends the beginning of an uncompressed frame with a payload of this size, which follows it.
pub fn encode_header(payload_bytes: u64, out: &mut Vec<u8>) {
    header(FLAG_PROTOCOL, payload_bytes, 0, out);
}

/// Appends `payload` as a compressed frame to `out`.
///
/// # Errors
/// [`ZbxdError::Compress`] when the compressor fails, which memory alone can cause.
pub fn encode_compressed(payload: &[u8], out: &mut Vec<u8>) -> Result<(), ZbxdError> {
    // Level 1: the peer is near and the processor is shared with a hundred thousand devices.
    let mut stream = Compress::new(Compression::fast(), true);
    let mut data = Vec::with_capacity(payload.len() / 2 + 64);
    loop {
        let rest = usize::try_from(stream.total_in()).ok().and_then(|it| payload.get(it..));
        let status = stream
            .compress_vec(rest.unwrap_or_default(), &mut data, FlushCompress::Finish)
            .map_err(|_cause| ZbxdError::Compress)?;
        match status {
            Status::StreamEnd => break,
            Status::Ok | Status::BufError => data.reserve(data.capacity().max(64)),
        }
    }
    header(FLAG_PROTOCOL | FLAG_COMPRESSED, data.len() as u64, payload.len() as u64, out);
    out.extend_from_slice(&data);
    Ok(())
}

/// Chooses the large form if a length needs it.
fn header(flags: u8, data_len: u64, reserved: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(MAGIC);
    if let (Ok(small_len), Ok(small_reserved)) = (u32::try_from(data_len), u32::try_from(reserved))
    {
        out.push(flags);
        out.extend_from_slice(&small_len.to_le_bytes());
        out.extend_from_slice(&small_reserved.to_le_bytes());
    } else {
        out.push(flags | FLAG_LARGE);
        out.extend_from_slice(&data_len.to_le_bytes());
        out.extend_from_slice(&reserved.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_4_gib_switch_to_the_large_form() {
        let mut out = Vec::new();
        header(FLAG_PROTOCOL, 1 << 32, 0, &mut out);
        assert_eq!(out, b"ZBXD\x05\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0");
        out.clear();
        header(FLAG_PROTOCOL | FLAG_COMPRESSED, 10, 1 << 32, &mut out);
        assert_eq!(out, b"ZBXD\x07\x0a\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0");
        out.clear();
        header(FLAG_PROTOCOL, u64::from(u32::MAX), 0, &mut out);
        assert_eq!(out, b"ZBXD\x01\xff\xff\xff\xff\0\0\0\0");
    }
}
