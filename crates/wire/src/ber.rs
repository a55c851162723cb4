//! BER: tags, lengths and integers.

/// Why bytes are no field.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq, Eq)]
pub enum BerError {
    #[error("datagram ends within a field")]
    Truncated,
    #[error("field length is indefinite or over 2^32")]
    BadLength,
    #[error("expected BER tag 0x{expected:02x}, found 0x{found:02x}")]
    UnexpectedTag { expected: u8, found: u8 },
    #[error("integer of {0} bytes")]
    BadInteger(usize),
}

pub(crate) const INTEGER: u8 = 0x02;
pub(crate) const OCTET_STRING: u8 = 0x04;
pub(crate) const NULL: u8 = 0x05;
pub(crate) const OID: u8 = 0x06;
pub(crate) const SEQUENCE: u8 = 0x30;

/// Reads fields one after the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The unread part.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next field of any kind: its tag and content.
    #[inline]
    pub(crate) fn any(&mut self) -> Result<(u8, &'a [u8]), BerError> {
        let [tag, first, rest @ ..] = self.rest else { return Err(BerError::Truncated) };
        let (len, rest) =
            if *first < 0x80 { (usize::from(*first), rest) } else { long_length(*first, rest)? };
        let (content, rest) = rest.split_at_checked(len).ok_or(BerError::Truncated)?;
        self.rest = rest;
        Ok((*tag, content))
    }

    /// The content of the next field, which must have this tag.
    #[inline]
    pub(crate) fn expect(&mut self, expected: u8) -> Result<&'a [u8], BerError> {
        let (found, content) = self.any()?;
        if found == expected {
            Ok(content)
        } else {
            Err(BerError::UnexpectedTag { expected, found })
        }
    }

    /// The next field, an integer of up to 64 bits.
    #[inline]
    pub(crate) fn integer(&mut self) -> Result<i64, BerError> {
        let content = self.expect(INTEGER)?;
        signed(content).ok_or(BerError::BadInteger(content.len()))
    }
}

#[cold]
fn long_length(first: u8, rest: &[u8]) -> Result<(usize, &[u8]), BerError> {
    let n_bytes = usize::from(first & 0x7f);
    let (bytes, rest) = rest.split_at_checked(n_bytes).ok_or(BerError::Truncated)?;
    // Superfluous zeros are allowed; 0x80 (indefinite) has no bytes at all.
    let significant = bytes.iter().skip_while(|it| **it == 0);
    if n_bytes == 0 || significant.clone().count() > 4 {
        return Err(BerError::BadLength);
    }
    let len = significant.fold(0_u64, |sum, it| (sum << 8) | u64::from(*it));
    Ok((usize::try_from(len).map_err(|_too_long| BerError::BadLength)?, rest))
}

/// Two's complement of 1..=8 bytes.
#[inline]
pub(crate) fn signed(content: &[u8]) -> Option<i64> {
    let (&first, rest) = content.split_first()?;
    if rest.len() > 7 {
        return None;
    }
    let start = i64::from(first.cast_signed());
    Some(rest.iter().fold(start, |sum, it| (sum << 8) | i64::from(*it)))
}

/// An unsigned number. Devices forget the leading zero before a high bit, and often add a
/// superfluous one, so that up to 8 bytes after zeros are taken as they are.
#[inline]
pub(crate) fn unsigned(content: &[u8]) -> Option<u64> {
    let content = match content {
        [0, rest @ ..] if rest.len() >= 8 => rest,
        _ => content,
    };
    if content.is_empty() || content.len() > 8 {
        return None;
    }
    Some(content.iter().fold(0, |sum, it| (sum << 8) | u64::from(*it)))
}

/// Writes fields last to first, so that every length is known when it is written. Appended bytes
/// are in reverse order until [`Writer::finish`].
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>) -> Self {
        let start = out.len();
        Self { out, start }
    }

    pub(crate) fn finish(self) {
        if let Some(written) = self.out.get_mut(self.start..) {
            written.reverse();
        }
    }

    /// The mark before everything.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// A mark for [`Writer::wrap`].
    pub(crate) fn mark(&self) -> usize {
        self.out.len()
    }

    /// Puts tag and length before everything written since the mark.
    pub(crate) fn wrap(&mut self, tag: u8, mark: usize) {
        let len = self.out.len() - mark;
        if len < 0x80 {
            self.out.push(len.to_le_bytes()[0]);
        } else {
            let bytes = len.to_le_bytes();
            let n_bytes = bytes.len() - len.leading_zeros() as usize / 8;
            self.out.extend(bytes.iter().take(n_bytes));
            self.out.push(0x80 | n_bytes.to_le_bytes()[0]);
        }
        self.out.push(tag);
    }

    pub(crate) fn raw(&mut self, byte: u8) {
        self.out.push(byte);
    }

    /// Appends fields that were written before.
    pub(crate) fn verbatim(&mut self, fields: &[u8]) {
        self.out.extend(fields.iter().rev());
    }

    pub(crate) fn bytes(&mut self, tag: u8, content: &[u8]) {
        let mark = self.mark();
        self.out.extend(content.iter().rev());
        self.wrap(tag, mark);
    }

    /// The shortest two's complement.
    pub(crate) fn signed(&mut self, tag: u8, value: i64) {
        let mark = self.mark();
        let mut rest = value;
        loop {
            let byte = rest.to_le_bytes()[0];
            self.out.push(byte);
            rest >>= 8;
            let sign_shows = (byte & 0x80 != 0) == (rest < 0);
            if sign_shows && (rest == 0 || rest == -1) {
                break;
            }
        }
        self.wrap(tag, mark);
    }

    /// The shortest form, with a leading zero where the high bit would make it negative.
    pub(crate) fn unsigned(&mut self, tag: u8, value: u64) {
        let mark = self.mark();
        let mut rest = value;
        loop {
            let byte = rest.to_le_bytes()[0];
            self.out.push(byte);
            rest >>= 8;
            if rest == 0 {
                if byte & 0x80 != 0 {
                    self.out.push(0);
                }
                break;
            }
        }
        self.wrap(tag, mark);
    }
}
