//! Bytes of file headers and frames. All numbers are little-endian.
//!
//! ```text
//! file header, 48 bytes        frame header, 32 bytes, then the body
//!  0  magic "SAKERJNL"          0  crc32c of body, then of bytes 4..32
//!  8  version u32 (1)           4  length of the body u32
//! 12  identity u32              8  lsn u64: position of this frame
//! 16  first lsn u64            16  first id u64
//! 24  next id u64              24  number of ids u32
//! 32  synced lsn u64           28  unsynced u32: lsn minus the synced position when this
//! 40  crc32c of 0..40              frame was appended; 2^32-1 = no claim
//! 44  zero u32                 32  body
//! ```
//!
//! The crc runs over the body first so that the body's part is computed before the lock is taken,
//! when position and ids are not known yet. `unsynced` distinguishes a torn end from damage: if a
//! later frame says that the journal had been synced past a bad one, the bad one was damaged.

use crate::lsn::Lsn;

pub(crate) const FILE_HEADER_BYTES: usize = 48;
pub(crate) const FRAME_HEADER_BYTES: usize = 32;
pub(crate) const VERSION: u32 = 1;
const MAGIC: &[u8; 8] = b"SAKERJNL";

/// The largest body: far above any step's record, small enough that a reader can hold it.
pub const RECORD_BYTES_MAX: usize = 64 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileHeader {
    /// Of the journal; 0 in files of before there was one.
    pub(crate) identity: u32,
    pub(crate) first: Lsn,
    pub(crate) next_id: u64,
    pub(crate) synced: Lsn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileHeaderError {
    Bad,
    Version(u32),
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

impl FileHeader {
    pub(crate) fn encode(&self) -> [u8; FILE_HEADER_BYTES] {
        let mut bytes = [0; FILE_HEADER_BYTES];
        bytes[0..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.identity.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.first.0.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.next_id.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.synced.0.to_le_bytes());
        let crc = crc32c::crc32c(&bytes[..40]);
        bytes[40..44].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, FileHeaderError> {
        let head = bytes.get(..FILE_HEADER_BYTES).ok_or(FileHeaderError::Bad)?;
        let parse = || {
            let is_zero = u32_at(head, 44)? == 0;
            if !is_zero
                || !head.starts_with(MAGIC)
                || u32_at(head, 40)? != crc32c::crc32c(head.get(..40)?)
            {
                return None;
            }
            let header = Self {
                identity: u32_at(head, 12)?,
                first: Lsn(u64_at(head, 16)?),
                next_id: u64_at(head, 24)?,
                synced: Lsn(u64_at(head, 32)?),
            };
            Some((u32_at(head, 8)?, header))
        };
        match parse() {
            Some((VERSION, header)) => Ok(header),
            Some((version, _)) => Err(FileHeaderError::Version(version)),
            None => Err(FileHeaderError::Bad),
        }
    }
}

/// The fields of a frame other than its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameHeader {
    pub(crate) lsn: Lsn,
    pub(crate) body_bytes: usize,
    pub(crate) first_id: u64,
    pub(crate) n_ids: u32,
    pub(crate) unsynced: u32,
    crc: u32,
}

impl FrameHeader {
    pub(crate) fn frame_bytes(&self) -> u64 {
        (FRAME_HEADER_BYTES + self.body_bytes) as u64
    }

    pub(crate) fn next_lsn(&self) -> Lsn {
        Lsn(self.lsn.0 + self.frame_bytes())
    }

    pub(crate) fn next_id(&self) -> u64 {
        self.first_id.saturating_add(u64::from(self.n_ids))
    }

    /// The position up to which the journal was synced for sure when this frame was appended.
    pub(crate) fn claims_synced(&self) -> Option<Lsn> {
        (self.unsynced != u32::MAX).then(|| Lsn(self.lsn.0.saturating_sub(self.unsynced.into())))
    }

    /// Reads a header that is meant to lie at `lsn`; the crc is checked by [`Self::check`] once
    /// the body is there.
    pub(crate) fn decode(bytes: &[u8], lsn: Lsn) -> Result<Self, &'static str> {
        let parse = || {
            Some(Self {
                crc: u32_at(bytes, 0)?,
                body_bytes: usize::try_from(u32_at(bytes, 4)?).ok()?,
                lsn: Lsn(u64_at(bytes, 8)?),
                first_id: u64_at(bytes, 16)?,
                n_ids: u32_at(bytes, 24)?,
                unsynced: u32_at(bytes, 28)?,
            })
        };
        let header = parse().ok_or("the file ends inside a frame header")?;
        if header.lsn != lsn {
            return Err("no frame of this position");
        }
        if header.body_bytes > RECORD_BYTES_MAX {
            return Err("impossible length");
        }
        Ok(header)
    }

    /// Whether `frame`, the whole of it, has the right checksum.
    pub(crate) fn check(&self, frame: &[u8]) -> bool {
        let Some((head, body)) = frame.split_at_checked(FRAME_HEADER_BYTES) else { return false };
        crc32c::crc32c_append(crc32c::crc32c(body), &head[4..]) == self.crc
    }
}

/// Writes a frame to `out`, replacing what it held. `crc_body` is the crc32c of the body.
pub(crate) fn encode(
    out: &mut Vec<u8>,
    body: &[u8],
    crc_body: u32,
    lsn: Lsn,
    ids: (u64, u32),
    synced: Lsn,
) {
    let unsynced = u32::try_from(lsn.0.saturating_sub(synced.0)).unwrap_or(u32::MAX);
    let body_bytes = u32::try_from(body.len()).expect("append checked the length");
    let mut head = [0; FRAME_HEADER_BYTES];
    head[4..8].copy_from_slice(&body_bytes.to_le_bytes());
    head[8..16].copy_from_slice(&lsn.0.to_le_bytes());
    head[16..24].copy_from_slice(&ids.0.to_le_bytes());
    head[24..28].copy_from_slice(&ids.1.to_le_bytes());
    head[28..32].copy_from_slice(&unsynced.to_le_bytes());
    let crc = crc32c::crc32c_append(crc_body, &head[4..]);
    head[0..4].copy_from_slice(&crc.to_le_bytes());
    out.clear();
    out.extend_from_slice(&head);
    out.extend_from_slice(body);
}

/// Splits the first frame off `bytes`, which start at position `lsn`.
pub(crate) fn split_first(bytes: &[u8], lsn: Lsn) -> Result<(FrameHeader, &[u8]), &'static str> {
    let header = FrameHeader::decode(bytes, lsn)?;
    let frame = bytes
        .get(..FRAME_HEADER_BYTES + header.body_bytes)
        .ok_or("the file ends inside a frame")?;
    if header.check(frame) { Ok((header, frame)) } else { Err("wrong checksum") }
}

/// The first whole frame at or after position `lsn` in `bytes`, which start there.
///
/// A frame is recognised by its own position in its header and its checksum, so that text inside
/// of bodies is not mistaken for one by accident.
pub(crate) fn find_next(bytes: &[u8], lsn: Lsn) -> Option<FrameHeader> {
    (0..bytes.len().saturating_sub(FRAME_HEADER_BYTES - 1)).find_map(|at| {
        let here = Lsn(lsn.0 + at as u64);
        // The cheap test first: this loop runs over every byte of what follows a damage.
        (u64_at(bytes, at + 8) == Some(here.0)).then_some(())?;
        split_first(&bytes[at..], here).ok().map(|(header, _)| header)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(body: &[u8], lsn: u64, synced: u64) -> Vec<u8> {
        let mut out = Vec::new();
        encode(&mut out, body, crc32c::crc32c(body), Lsn(lsn), (7, 2), Lsn(synced));
        out
    }

    #[test]
    fn frames_read_back_as_written() {
        let bytes = framed(b"hello", 1_000, 900);
        let (header, frame) = split_first(&bytes, Lsn(1_000)).expect("a frame");
        assert_eq!(frame, &bytes[..]);
        assert_eq!((header.first_id, header.n_ids, header.next_id()), (7, 2, 9));
        assert_eq!(header.next_lsn(), Lsn(1_037));
        assert_eq!(header.claims_synced(), Some(Lsn(900)));
        let far = framed(b"", 1 << 40, 0);
        let (header, _) = split_first(&far, Lsn(1 << 40)).expect("a frame");
        assert_eq!(header.claims_synced(), None);
    }

    #[test]
    fn every_changed_bit_is_noticed() {
        let bytes = framed(b"hello", 1_000, 900);
        for bit in 0..bytes.len() * 8 {
            let mut bad = bytes.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(split_first(&bad, Lsn(1_000)).is_err(), "bit {bit}");
        }
        let header = FileHeader { identity: 9, first: Lsn(3), next_id: 4, synced: Lsn(2) };
        assert_eq!(FileHeader::decode(&header.encode()), Ok(header));
        for bit in 0..FILE_HEADER_BYTES * 8 {
            let mut bad = header.encode();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(FileHeader::decode(&bad).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn zeros_are_no_frame() {
        assert!(split_first(&[0; 4_096], Lsn(0)).is_err());
        assert!(find_next(&[0; 4_096], Lsn(0)).is_none());
    }

    #[test]
    fn the_next_frame_is_found_behind_damage() {
        let mut bytes = vec![0xaa; 100];
        bytes.extend(framed(b"later", 600, 500));
        assert_eq!(find_next(&bytes, Lsn(500)).map(|it| it.lsn), Some(Lsn(600)));
        // The same bytes elsewhere are not a frame of that place.
        assert!(find_next(&bytes, Lsn(501)).is_none());
    }
}
