//! Object names. They are kept in their BER encoding: seven bits a byte, the high bit on all but
//! the last byte of a number, the first two numbers in one.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;

use super::SnmpError;

/// Most numbers in a name, by RFC 3416.
const ARCS_MAX: usize = 128;

/// An object name, checked, somewhere in a datagram or in an [`Oid`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct OidRef<'a> {
    ber: &'a [u8],
}

/// An owned object name.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Oid {
    ber: Box<[u8]>,
}

impl<'a> OidRef<'a> {
    /// Checks the content of a BER field.
    #[inline]
    pub(super) fn from_ber(ber: &'a [u8]) -> Result<Self, SnmpError> {
        let mut value = 0_u32;
        let mut n_arcs = 1;
        let mut at_start = true;
        for &byte in ber {
            // A leading 0x80 adds nothing: with it one name would have two encodings.
            if value >= 1 << 25 || (at_start && byte == 0x80) {
                return Err(SnmpError::BadOid);
            }
            at_start = byte & 0x80 == 0;
            value = if at_start { 0 } else { (value << 7) | u32::from(byte & 0x7f) };
            n_arcs += usize::from(at_start);
        }
        if ber.is_empty() || !at_start || n_arcs > ARCS_MAX {
            return Err(SnmpError::BadOid);
        }
        Ok(Self { ber })
    }

    /// As BER, without tag and length.
    #[must_use]
    pub fn as_ber(self) -> &'a [u8] {
        self.ber
    }

    #[must_use]
    pub fn to_owned(self) -> Oid {
        Oid { ber: self.ber.into() }
    }

    /// Its numbers.
    #[must_use]
    pub fn arcs(self) -> Arcs<'a> {
        Arcs { second: None, rest: self.ber, at_start: true }
    }

    /// Whether `prefix` is the same name or one above in the tree.
    #[must_use]
    pub fn starts_with(self, prefix: OidRef<'_>) -> bool {
        // The prefix ends with the end of a number, so that comparing bytes is enough.
        self.ber.starts_with(prefix.ber)
    }

    /// The part after `prefix`, if this name lies below it.
    #[must_use]
    pub fn suffix(self, prefix: OidRef<'_>) -> Option<Arcs<'a>> {
        let rest = self.ber.strip_prefix(prefix.ber)?;
        Some(Arcs { second: None, rest, at_start: false })
    }
}

impl Oid {
    /// Reads numbers, such as `.1.3.6.1.2.1.1.3.0` (the dot in front is optional), and the few
    /// names of interface columns that Zabbix knows without a MIB, such as `ifInOctets.1`.
    ///
    /// # Errors
    /// [`SnmpError::BadOid`] for everything else.
    pub fn parse(text: &str) -> Result<Self, SnmpError> {
        let text = text.trim();
        // Names are rare, and items are parsed at each of their checks.
        if text.starts_with(|it: char| it.is_ascii_alphabetic())
            && let Some(oid) = parse_if_column(text)
        {
            return oid;
        }
        let numbers = text.strip_prefix('.').unwrap_or(text);
        Self::encode(numbers.as_bytes().split(|it| *it == b'.').map(parse_arc), numbers.len())
    }

    /// # Errors
    /// [`SnmpError::BadOid`] unless there are 2..=128 numbers, the first below 3, and the second below
    /// 40 where the first is below 2.
    pub fn from_arcs(arcs: &[u32]) -> Result<Self, SnmpError> {
        Self::encode(arcs.iter().copied().map(Ok), arcs.len() + 4)
    }

    /// As [`Self::from_arcs`]; `n_bytes` is the expected size.
    fn encode(
        mut arcs: impl Iterator<Item = Result<u32, SnmpError>>,
        n_bytes: usize,
    ) -> Result<Self, SnmpError> {
        let mut next = || arcs.next().ok_or(SnmpError::BadOid)?;
        let (first, second) = (next()?, next()?);
        if first > 2 || (first < 2 && second >= 40) {
            return Err(SnmpError::BadOid);
        }
        let mut ber = Vec::with_capacity(n_bytes.min(ARCS_MAX));
        push_arc(first * 40 + shared_arc(second)?, &mut ber);
        for (n_before, arc) in (2..).zip(arcs) {
            if n_before >= ARCS_MAX {
                return Err(SnmpError::BadOid);
            }
            push_arc(arc?, &mut ber);
        }
        Ok(Self { ber: ber.into() })
    }

    #[must_use]
    pub fn as_ref(&self) -> OidRef<'_> {
        OidRef { ber: &self.ber }
    }

    /// This name followed by more numbers.
    ///
    /// # Errors
    /// [`SnmpError::BadOid`] when it gets too long.
    pub fn child(&self, arcs: impl IntoIterator<Item = u32>) -> Result<Self, SnmpError> {
        let mut ber = self.ber.to_vec();
        arcs.into_iter().for_each(|it| push_arc(it, &mut ber));
        OidRef::from_ber(&ber).map(OidRef::to_owned)
    }
}

/// The first two numbers share one of 32 bits.
fn shared_arc(second: u32) -> Result<u32, SnmpError> {
    if second <= u32::MAX - 80 { Ok(second) } else { Err(SnmpError::BadOid) }
}

fn parse_arc(text: &[u8]) -> Result<u32, SnmpError> {
    if text.is_empty() {
        return Err(SnmpError::BadOid);
    }
    text.iter().try_fold(0_u32, |arc, byte| {
        let digit = byte.wrapping_sub(b'0');
        let larger = arc.checked_mul(10).and_then(|it| it.checked_add(digit.into()));
        larger.filter(|_| digit < 10).ok_or(SnmpError::BadOid)
    })
}

fn push_arc(arc: u32, ber: &mut Vec<u8>) {
    if arc < 0x80 {
        ber.push(arc.to_le_bytes()[0]);
        return;
    }
    for shift in [28, 21, 14, 7] {
        if arc >> shift != 0 {
            ber.push(0x80 | (arc >> shift).to_le_bytes()[0]);
        }
    }
    ber.push(arc.to_le_bytes()[0] & 0x7f);
}

/// Columns of `ifEntry` (1.3.6.1.2.1.2.2.1) that Zabbix names in keys and templates.
const IF_COLUMNS: &[(&str, u32)] = &[
    ("ifIndex", 1),
    ("ifDescr", 2),
    ("ifType", 3),
    ("ifMtu", 4),
    ("ifSpeed", 5),
    ("ifPhysAddress", 6),
    ("ifAdminStatus", 7),
    ("ifOperStatus", 8),
    ("ifInOctets", 10),
    ("ifInUcastPkts", 11),
    ("ifInNUcastPkts", 12),
    ("ifInDiscards", 13),
    ("ifInErrors", 14),
    ("ifInUnknownProtos", 15),
    ("ifOutOctets", 16),
    ("ifOutUcastPkts", 17),
    ("ifOutNUcastPkts", 18),
    ("ifOutDiscards", 19),
    ("ifOutErrors", 20),
    ("ifOutQLen", 21),
];

fn parse_if_column(text: &str) -> Option<Result<Oid, SnmpError>> {
    let (name, index) = match text.split_once('.') {
        Some((name, index)) => (name, Some(index)),
        None => (text, None),
    };
    let (_, column) = IF_COLUMNS.iter().find(|(known, _)| *known == name)?;
    let mut arcs = vec![1, 3, 6, 1, 2, 1, 2, 2, 1, *column];
    for number in index.into_iter().flat_map(|it| it.split('.')) {
        match parse_arc(number.as_bytes()) {
            Ok(arc) => arcs.push(arc),
            Err(error) => return Some(Err(error)),
        }
    }
    Some(Oid::from_arcs(&arcs))
}

/// The numbers of a name.
#[derive(Debug, Clone)]
pub struct Arcs<'a> {
    /// The second number, which is encoded in the same bytes as the first.
    second: Option<u32>,
    rest: &'a [u8],
    at_start: bool,
}

impl Iterator for Arcs<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if let Some(second) = self.second.take() {
            return Some(second);
        }
        let mut value = 0;
        loop {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            value = (value << 7) | u32::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                break;
            }
        }
        if !std::mem::take(&mut self.at_start) {
            return Some(value);
        }
        let first = (value / 40).min(2);
        self.second = Some(value - first * 40);
        Some(first)
    }
}

impl Ord for OidRef<'_> {
    /// By number, in the order of agents' trees.
    fn cmp(&self, other: &Self) -> Ordering {
        self.arcs().cmp(other.arcs())
    }
}

impl PartialOrd for OidRef<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Oid {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_ref().cmp(&other.as_ref())
    }
}

impl PartialOrd for Oid {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By its encoding, so that a map of [`Oid`] is searched with [`OidRef::as_ber`].
impl Borrow<[u8]> for Oid {
    fn borrow(&self) -> &[u8] {
        &self.ber
    }
}

/// `.1.3.6.1`, with a dot in front, as Zabbix shows names.
impl fmt::Display for OidRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.arcs().try_for_each(|it| write!(f, ".{it}"))
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().fmt(f)
    }
}

impl fmt::Debug for OidRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
