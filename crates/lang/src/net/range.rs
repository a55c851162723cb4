//! Ranges of addresses: each number of the address may be a range (`10.0.0-3.1-254`), or the whole is
//! a network (`10.0.0.0/24`).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Longest prefix of an IPv4 network: below it nothing is left between network and broadcast address.
const IPV4_BITS_MAX: u32 = 30;
const IPV6_BITS_MAX: u32 = 128;

/// First and last value of one number of an address.
type Span = (u16, u16);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spans {
    V4([Span; 4]),
    V6([Span; 8]),
}

/// One range or network. Its addresses are ordered like numbers read digit by digit: the last part of
/// the address counts fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IpRange {
    spans: Spans,
    /// An IPv4 network: its first and last address belong to no host.
    has_edges: bool,
}

impl IpRange {
    /// Parses one range; white space around it does not count.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(prefix_len(bits)?)),
            None => (text, None),
        };
        let mut spans = if address.contains(':') {
            Spans::V6(parse_v6(address)?)
        } else {
            Spans::V4(parse_v4(address)?)
        };
        let Some(bits) = bits else { return Some(Self { spans, has_edges: false }) };
        // A network is written by one of its addresses.
        let list: &[Span] = match &spans {
            Spans::V4(it) => it,
            Spans::V6(it) => it,
        };
        if list.iter().any(|it| it.0 != it.1) {
            return None;
        }
        match &mut spans {
            Spans::V4(spans) if bits <= IPV4_BITS_MAX => mask(spans, bits, 8),
            Spans::V6(spans) if bits <= IPV6_BITS_MAX => mask(spans, bits, 16),
            _ => return None,
        }
        Some(Self { spans, has_edges: matches!(spans, Spans::V4(_)) })
    }

    fn spans(&self) -> &[Span] {
        match &self.spans {
            Spans::V4(it) => it,
            Spans::V6(it) => it,
        }
    }

    /// Is it a range of IPv6 addresses?
    #[must_use]
    pub fn is_v6(&self) -> bool {
        matches!(self.spans, Spans::V6(_))
    }

    /// Does the address lie in it? The network's own address and its broadcast address do.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let parts = parts_of(address);
        let spans = self.spans();
        parts.len() == spans.len()
            && spans.iter().zip(&parts).all(|((from, to), it)| (from..=to).contains(&it))
    }

    /// The number of addresses to check: an IPv4 network is counted without its network and broadcast
    /// address. [`u128::MAX`] also means 2^128.
    #[must_use]
    pub fn len(&self) -> u128 {
        let count = self
            .spans()
            .iter()
            .fold(1_u128, |product, (from, to)| product.saturating_mul(u128::from(to - from) + 1));
        if self.has_edges { count - 2 } else { count }
    }

    /// Never true: a range has an address.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The addresses in order.
    #[must_use]
    pub fn iter(&self) -> RangeAddresses<'_> {
        let first = self.spans().iter().map(|it| it.0).collect();
        RangeAddresses { range: self, next: Some(first) }
    }

    /// The addresses that come after `address`, which need not be one of them.
    #[must_use]
    pub fn iter_after(&self, address: IpAddr) -> RangeAddresses<'_> {
        let parts = parts_of(address);
        if parts.len() != self.spans().len() {
            return self.iter();
        }
        RangeAddresses { range: self, next: self.after(parts) }
    }

    /// The first address of the range that is greater.
    fn after(&self, mut parts: Vec<u16>) -> Option<Vec<u16>> {
        let spans = self.spans();
        // The first part that leaves its span decides how much of the address stays.
        let outside =
            spans.iter().zip(&parts).position(|((from, to), it)| !(from..=to).contains(&it));
        let mut at = match outside {
            Some(at) if parts[at] < spans[at].0 => {
                for (part, span) in parts.iter_mut().zip(spans).skip(at) {
                    *part = span.0;
                }
                return Some(parts);
            }
            Some(at) => at,
            None => spans.len(),
        };
        while at > 0 {
            at -= 1;
            if parts[at] < spans[at].1 {
                parts[at] += 1;
                for (part, span) in parts.iter_mut().zip(spans).skip(at + 1) {
                    *part = span.0;
                }
                return Some(parts);
            }
        }
        None
    }

    fn is_edge(&self, parts: &[u16]) -> bool {
        let spans = self.spans();
        let all =
            |which: fn(&Span) -> u16| spans.iter().zip(parts).all(|(it, part)| which(it) == *part);
        self.has_edges && (all(|it| it.0) || all(|it| it.1))
    }
}

/// Iterator over the addresses of a range.
#[derive(Debug, Clone)]
pub struct RangeAddresses<'a> {
    range: &'a IpRange,
    next: Option<Vec<u16>>,
}

impl Iterator for RangeAddresses<'_> {
    type Item = IpAddr;

    fn next(&mut self) -> Option<IpAddr> {
        loop {
            let parts = self.next.take()?;
            let address = address_of(&parts);
            let is_edge = self.range.is_edge(&parts);
            self.next = self.range.after(parts);
            if !is_edge {
                return Some(address);
            }
        }
    }
}

/// Whether the address is in one of the ranges of a list. Entries that are no range are ignored.
#[must_use]
pub fn is_in_ranges(list: &str, address: IpAddr) -> bool {
    list.split(',').filter_map(IpRange::parse).any(|it| it.contains(address))
}

/// A list of ranges, separated by commas.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IpRanges {
    ranges: Vec<IpRange>,
}

impl IpRanges {
    /// Parses a list; `None` if one of its ranges is wrong or there is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let ranges: Option<Vec<IpRange>> = text.split(',').map(IpRange::parse).collect();
        Some(Self { ranges: ranges? })
    }

    /// The ranges in the order in which they are written.
    #[must_use]
    pub fn ranges(&self) -> &[IpRange] {
        &self.ranges
    }

    /// Whether the address is in one of them.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        self.ranges.iter().any(|it| it.contains(address))
    }

    /// The addresses of all ranges, each once, range after range.
    pub fn iter(&self) -> impl Iterator<Item = IpAddr> {
        self.ranges.iter().enumerate().flat_map(|(idx, it)| self.unseen(idx, it.iter()))
    }

    /// As [`IpRanges::iter`], continuing after an address of range `idx`.
    pub fn iter_after(&self, idx: usize, address: IpAddr) -> impl Iterator<Item = IpAddr> {
        self.ranges.iter().enumerate().skip(idx).flat_map(move |(at, it)| {
            let addresses = if at == idx { it.iter_after(address) } else { it.iter() };
            self.unseen(at, addresses)
        })
    }

    /// Without the addresses of ranges before `idx`.
    fn unseen<'a>(
        &'a self,
        idx: usize,
        addresses: RangeAddresses<'a>,
    ) -> impl Iterator<Item = IpAddr> + 'a {
        let before = &self.ranges[..idx];
        addresses.filter(move |address| !before.iter().any(|it| it.contains(*address)))
    }
}

fn parts_of(address: IpAddr) -> Vec<u16> {
    match address {
        IpAddr::V4(it) => it.octets().map(u16::from).to_vec(),
        IpAddr::V6(it) => it.segments().to_vec(),
    }
}

fn address_of(parts: &[u16]) -> IpAddr {
    let octet = |idx: usize| u8::try_from(parts.get(idx).copied().unwrap_or(0)).unwrap_or(u8::MAX);
    match <[u16; 8]>::try_from(parts) {
        Ok(segments) => Ipv6Addr::from(segments).into(),
        Err(_four) => Ipv4Addr::new(octet(0), octet(1), octet(2), octet(3)).into(),
    }
}

fn prefix_len(text: &str) -> Option<u32> {
    let is_number = (1..=3).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

/// Spans of the network with a prefix of `bits`, of numbers of `width` bits.
fn mask(spans: &mut [Span], bits: u32, width: u32) {
    for (idx, span) in (0_u32..).zip(spans.iter_mut()) {
        let kept = bits.saturating_sub(idx * width).min(width);
        let host = (1_u32 << (width - kept)) - 1;
        let host = u16::try_from(host).unwrap_or(u16::MAX);
        *span = (span.0 & !host, span.0 & !host | host);
    }
}

/// `12` or `12-15` in a radix.
fn span(text: &str, radix: u32, max: u16) -> Option<Span> {
    let number = |it: &str| {
        let is_number = !it.is_empty() && it.chars().all(|it| it.is_digit(radix));
        if is_number { u16::from_str_radix(it, radix).ok().filter(|it| *it <= max) } else { None }
    };
    let (from, to) = match text.split_once('-') {
        Some((from, to)) => (number(from)?, number(to)?),
        None => (number(text)?, number(text)?),
    };
    (from <= to).then_some((from, to))
}

fn parse_v4(text: &str) -> Option<[Span; 4]> {
    let mut spans = [(0, 0); 4];
    let mut parts = text.split('.');
    for it in &mut spans {
        *it = span(parts.next()?, 10, 255)?;
    }
    parts.next().is_none().then_some(spans)
}

fn parse_v6(text: &str) -> Option<[Span; 8]> {
    let groups = |it: &str| -> Option<Vec<Span>> {
        if it.is_empty() {
            return Some(Vec::new());
        }
        it.split(':').map(|it| span(it, 16, u16::MAX)).collect()
    };
    let Some((head, tail)) = text.split_once("::") else {
        return groups(text)?.try_into().ok();
    };
    let (head, tail) = (groups(head)?, groups(tail)?);
    // "::" replaces at least one group.
    if head.len() + tail.len() > 7 {
        return None;
    }
    let mut spans = [(0, 0); 8];
    spans[..head.len()].copy_from_slice(&head);
    spans[8 - tail.len()..].copy_from_slice(&tail);
    Some(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        IpRanges::parse(text).unwrap().iter().map(|it| it.to_string()).collect()
    }

    #[test]
    fn ranges_and_networks_are_walked_in_order() {
        assert_eq!(list("10.0.0-1.1-2"), ["10.0.0.1", "10.0.0.2", "10.0.1.1", "10.0.1.2"]);
        assert_eq!(list("10.0.0.9/30"), ["10.0.0.9", "10.0.0.10"]);
        assert_eq!(list("fe80::fffe-ffff"), ["fe80::fffe", "fe80::ffff"]);
        assert_eq!(list("::/127"), ["::", "::1"]);
        assert_eq!(list("10.0.0.1-2, 10.0.0.2-3"), ["10.0.0.1", "10.0.0.2", "10.0.0.3"]);
    }

    #[test]
    fn a_walk_goes_on_where_it_stopped() {
        let ranges = IpRanges::parse("10.0.0.1-3,10.0.1.1").unwrap();
        let after = |idx, text: &str| -> Vec<String> {
            ranges.iter_after(idx, text.parse().unwrap()).map(|it| it.to_string()).collect()
        };
        assert_eq!(after(0, "10.0.0.2"), ["10.0.0.3", "10.0.1.1"]);
        assert_eq!(after(0, "10.0.0.9"), ["10.0.1.1"]);
        assert_eq!(after(0, "9.9.9.9").len(), 4);
        assert_eq!(after(1, "10.0.1.1"), [""; 0]);
    }

    #[test]
    fn entries_that_are_no_range_are_skipped() {
        let lies = |list| is_in_ranges(list, "10.0.0.2".parse().unwrap());
        assert!(lies("10.0.0.9/31,x,,10.0.0.1-2") && lies("10.0.0.0/30"));
        assert!(!lies("") && !lies("10.0.0.3") && !lies("::/0"));
    }

    #[test]
    fn sizes_leave_out_network_and_broadcast() {
        let len = |text| IpRange::parse(text).unwrap().len();
        assert_eq!(len("10.0.0.0/30"), 2);
        assert_eq!(len("0.0.0.0/0"), (1 << 32) - 2);
        assert_eq!(len("::/0"), u128::MAX);
        assert_eq!(len("1-2.1-3.0.0"), 6);
    }

    #[test]
    fn malformed_ranges_are_refused() {
        for text in [
            "",
            "1.2.3",
            "1.2.3.4.5",
            "1.2.3.4/31",
            "1.2.3.1-4/24",
            "::1-4/64",
            "1.2.3.4/",
            "1.2.3.4/a",
            "1.2.3.5-4",
            "1.2.3.-4",
            "1.2.3.256",
            "::1::",
            "1:2:3:4:5:6:7",
            "1:2:3:4:5:6:7::8",
            "::/129",
            "::g",
            "a.b.c.d",
        ] {
            assert_eq!(IpRange::parse(text), None, "{text}");
        }
    }
}
