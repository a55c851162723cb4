//! Bits packed without gaps.

use varint::Bytes;

pub(crate) fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// Appends bits to bytes, lowest first.
#[derive(Debug)]
pub(crate) struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    bits: u64,
    n_bits: u32,
}

impl<'a> BitWriter<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, bits: 0, n_bits: 0 }
    }

    /// `value` must not have bits above `width`.
    #[inline]
    pub(crate) fn put(&mut self, value: u64, width: u32) {
        debug_assert!(value <= mask(width));
        self.bits |= value << self.n_bits;
        let n_bits = self.n_bits + width;
        if n_bits >= 64 {
            self.out.extend_from_slice(&self.bits.to_le_bytes());
            // The bits that did not fit: `checked_shr`, because all may have fit.
            self.bits = value.checked_shr(64 - self.n_bits).unwrap_or(0);
            self.n_bits = n_bits - 64;
        } else {
            self.n_bits = n_bits;
        }
    }

    pub(crate) fn finish(self) {
        let n = self.n_bits.div_ceil(8) as usize;
        self.out.extend_from_slice(self.bits.to_le_bytes().get(..n).unwrap_or_default());
    }
}

/// Reads `out.len()` numbers of `width` bits each.
pub(crate) fn unpack(bytes: &mut Bytes<'_>, width: u32, out: &mut [u64]) -> Option<()> {
    let n_bytes = (out.len() * width as usize).div_ceil(8);
    let packed = bytes.take(n_bytes)?;
    if width == 0 {
        out.fill(0);
        return Some(());
    }
    let mask = mask(width);
    let mut bit = 0_usize;
    for value in out {
        let shift = u32::try_from(bit % 8).unwrap_or(0);
        let window = load(packed, bit / 8);
        let low = window.0 >> shift;
        // At most seven bits spill into a ninth byte.
        let high = u64::from(window.1).checked_shl(64 - shift).unwrap_or(0);
        *value = (low | high) & mask;
        bit += width as usize;
    }
    Some(())
}

/// Eight bytes from `at` on and the ninth, zeros beyond the end.
#[inline]
fn load(bytes: &[u8], at: usize) -> (u64, u8) {
    let from = bytes.get(at..).unwrap_or_default();
    if let Some((eight, rest)) = from.split_first_chunk::<8>() {
        return (u64::from_le_bytes(*eight), rest.first().copied().unwrap_or(0));
    }
    let mut eight = [0; 8];
    for (to, byte) in eight.iter_mut().zip(from) {
        *to = *byte;
    }
    (u64::from_le_bytes(eight), 0)
}

/// Reads single fields of bits, lowest first.
#[derive(Debug)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    bit: usize,
}

impl<'a> BitReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, bit: 0 }
    }

    #[inline]
    pub(crate) fn get(&mut self, width: u32) -> Option<u64> {
        let end = self.bit + width as usize;
        if end > self.bytes.len() * 8 {
            return None;
        }
        let shift = u32::try_from(self.bit % 8).unwrap_or(0);
        let window = load(self.bytes, self.bit / 8);
        let high = u64::from(window.1).checked_shl(64 - shift).unwrap_or(0);
        self.bit = end;
        Some(((window.0 >> shift) | high) & mask(width))
    }

    /// Bytes read so far, the last one perhaps in part.
    pub(crate) fn n_bytes(&self) -> usize {
        self.bit.div_ceil(8)
    }
}
