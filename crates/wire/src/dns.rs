//! DNS names: of addresses (for reverse look-ups), and of hosts in other scripts.

use std::net::IpAddr;

/// The name under which an address is looked up: `1.64.168.192.in-addr.arpa`. A name of that kind
/// is returned as it is.
///
/// # Errors
/// If the text is neither; a sentence.
pub fn reverse_name(text: &str) -> Result<String, String> {
    match text.parse() {
        Ok(IpAddr::V4(it)) => {
            let [a, b, c, d] = it.octets();
            Ok(format!("{d}.{c}.{b}.{a}.in-addr.arpa"))
        }
        Ok(IpAddr::V6(it)) => {
            let mut name = String::with_capacity(72);
            for byte in it.octets().iter().rev() {
                name.push_str(&format!("{:x}.{:x}.", byte & 15, byte >> 4));
            }
            Ok(name + "ip6.arpa")
        }
        Err(_) if text.contains(".in-addr.arpa") || text.contains(".ip6.arpa") => {
            Ok(text.to_owned())
        }
        Err(_) => Err(format!("IP: '{text}' could not be parsed.")),
    }
}

const TYPE_PTR: u16 = 12;
const CLASS_IN: u16 = 1;
/// Longest name, and most jumps within one.
const NAME_BYTES_MAX: usize = 255;
const JUMPS_MAX: usize = 32;

/// The question for the name of an address, as a datagram (RFC 1035). `None`: there is no such name.
#[must_use]
pub fn ptr_question(id: u16, address: IpAddr) -> Option<Vec<u8>> {
    let name = reverse_name(&address.to_string()).ok()?;
    let mut out = Vec::with_capacity(18 + name.len());
    out.extend_from_slice(&id.to_be_bytes());
    // Recursion is desired; one question, nothing else.
    out.extend_from_slice(&[1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    for label in name.split('.') {
        out.push(u8::try_from(label.len()).ok().filter(|it| *it < 64)?);
        out.extend_from_slice(label.as_bytes());
    }
    out.push(0);
    out.extend_from_slice(&TYPE_PTR.to_be_bytes());
    out.extend_from_slice(&CLASS_IN.to_be_bytes());
    Some(out)
}

/// The name in an answer to such a question, without the dot at its end.
#[must_use]
pub fn ptr_answer(id: u16, datagram: &[u8]) -> Option<String> {
    let number = |at: usize| {
        let bytes = datagram.get(at..at.checked_add(2)?)?;
        Some(u16::from_be_bytes([*bytes.first()?, *bytes.get(1)?]))
    };
    let is_answer = number(0)? == id && datagram.get(2)? & 0x80 != 0 && datagram.get(3)? & 15 == 0;
    if !is_answer {
        return None;
    }
    let mut at = 12;
    for _ in 0..number(4)? {
        at = name_at(datagram, at)?.1 + 4;
    }
    for _ in 0..number(6)? {
        let (_, behind) = name_at(datagram, at)?;
        let (kind, class, len) = (number(behind)?, number(behind + 2)?, number(behind + 8)?);
        let data = behind + 10;
        if (kind, class) == (TYPE_PTR, CLASS_IN) {
            return name_at(datagram, data).map(|it| it.0).filter(|it| !it.is_empty());
        }
        at = data + usize::from(len);
    }
    None
}

/// A name of a datagram, and the place after it.
fn name_at(datagram: &[u8], mut at: usize) -> Option<(String, usize)> {
    let (mut name, mut behind, mut n_jumps) = (String::new(), None, 0);
    loop {
        let len = usize::from(*datagram.get(at)?);
        match len >> 6 {
            0 if len == 0 => return Some((name, behind.unwrap_or(at + 1))),
            0 => {
                let label = str::from_utf8(datagram.get(at + 1..at + 1 + len)?).ok()?;
                if !name.is_empty() {
                    name.push('.');
                }
                name.push_str(label);
                at += 1 + len;
            }
            3 => {
                n_jumps += 1;
                behind = behind.or(Some(at + 2));
                at = (len & 0x3f) << 8 | usize::from(*datagram.get(at + 1)?);
            }
            _ => return None,
        }
        if NAME_BYTES_MAX < name.len() || JUMPS_MAX < n_jumps {
            return None;
        }
    }
}

/// A host name for DNS: labels in other scripts become `xn--…`. `None` if a label cannot be
/// converted.
#[must_use]
pub fn to_ascii(host: &str) -> Option<String> {
    let labels: Option<Vec<String>> = host.split(['.', '\u{3002}']).map(label_to_ascii).collect();
    Some(labels?.join("."))
}

fn label_to_ascii(label: &str) -> Option<String> {
    if label.is_ascii() {
        return Some(label.to_owned());
    }
    punycode(&label.to_lowercase()).map(|it| format!("xn--{it}"))
}

// RFC 3492, section 5.
const BASE: u32 = 36;
const T_MIN: u32 = 1;
const T_MAX: u32 = 26;
const SKEW: u32 = 38;
const DAMP: u32 = 700;
const INITIAL_BIAS: u32 = 72;
const INITIAL_N: u32 = 128;
/// The longest label of DNS; more would also cost quadratic time.
const LABEL_CHARS_MAX: usize = 63;

fn punycode(label: &str) -> Option<String> {
    let codes: Vec<u32> = label.chars().take(LABEL_CHARS_MAX + 1).map(u32::from).collect();
    if codes.len() > LABEL_CHARS_MAX {
        return None;
    }
    let mut out: String = label.chars().filter(char::is_ascii).collect();
    let n_basic = u32::try_from(out.len()).ok()?;
    if n_basic > 0 {
        out.push('-');
    }
    let (mut n, mut delta, mut bias, mut handled) = (INITIAL_N, 0_u32, INITIAL_BIAS, n_basic);
    while (handled as usize) < codes.len() {
        let next = codes.iter().copied().filter(|it| *it >= n).min()?;
        delta = delta.checked_add((next - n).checked_mul(handled + 1)?)?;
        n = next;
        for code in &codes {
            if *code < n {
                delta = delta.checked_add(1)?;
            }
            if *code == n {
                push_number(&mut out, delta, bias);
                bias = adapt(delta, handled + 1, handled == n_basic);
                delta = 0;
                handled += 1;
            }
        }
        delta = delta.checked_add(1)?;
        n += 1;
    }
    Some(out)
}

fn push_number(out: &mut String, mut number: u32, bias: u32) {
    let mut k = BASE;
    loop {
        let threshold = k.saturating_sub(bias).clamp(T_MIN, T_MAX);
        if number < threshold {
            break;
        }
        let rest = number - threshold;
        out.push(digit(threshold + rest % (BASE - threshold)));
        number = rest / (BASE - threshold);
        k += BASE;
    }
    out.push(digit(number));
}

/// Digits of punycode begin with the letters.
const DIGITS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";

fn digit(value: u32) -> char {
    DIGITS.get(value as usize).map_or('0', |it| char::from(*it))
}

fn adapt(delta: u32, n_points: u32, is_first: bool) -> u32 {
    let mut delta = if is_first { delta / DAMP } else { delta / 2 };
    delta += delta / n_points;
    let mut k = 0;
    while delta > ((BASE - T_MIN) * T_MAX) / 2 {
        delta /= BASE - T_MIN;
        k += BASE;
    }
    k + (BASE - T_MIN + 1) * delta / (delta + SKEW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_of_an_address_is_requested_and_read() {
        let address = "192.0.2.7".parse().expect("an address");
        let question = ptr_question(7, address).expect("there is a name");
        assert_eq!(&question[..13], b"\x00\x07\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x01");
        let mut answer = question.clone();
        (answer[2], answer[7]) = (0x81, 1);
        // A pointer to the name of the question; type, class, time to live, length.
        answer.extend_from_slice(b"\xc0\x0c\x00\x0c\x00\x01\x00\x00\x00\x3c\x00\x11");
        answer.extend_from_slice(b"\x03web\x07example\x03com\x00");
        assert_eq!(ptr_answer(7, &answer).as_deref(), Some("web.example.com"));
        assert_eq!(ptr_answer(8, &answer), None, "an answer to another question");
        for len in 0..answer.len() {
            assert_eq!(ptr_answer(7, &answer[..len]), None, "cut at {len}");
        }
        let none = [&answer[..3], &[0x83], &answer[4..]].concat();
        assert_eq!(ptr_answer(7, &none), None, "there is no such name");
        let n = question.len();
        let looped = [&answer[..n + 12], &[0xc0, u8::try_from(n + 12).expect("short")]].concat();
        assert_eq!(ptr_answer(7, &looped), None, "a name that never ends");
    }

    #[test]
    fn names_of_addresses() {
        assert_eq!(reverse_name("192.0.2.1").unwrap(), "1.2.0.192.in-addr.arpa");
        assert!(reverse_name("2001:db8::1").unwrap().starts_with("1.0.0.0."));
        assert!(reverse_name("2001:db8::1").unwrap().ends_with(".8.b.d.0.1.0.0.2.ip6.arpa"));
        assert_eq!(reverse_name("x.ip6.arpa").unwrap(), "x.ip6.arpa");
        assert_eq!(reverse_name("ip6.arpa").unwrap_err(), "IP: 'ip6.arpa' could not be parsed.");
    }

    #[test]
    fn hosts_in_other_scripts() {
        assert_eq!(to_ascii("www.example.com").unwrap(), "www.example.com");
        assert_eq!(to_ascii("Пример.рус").unwrap(), "xn--e1afmkfd.xn--p1acf");
        assert_eq!(to_ascii("bücher.example").unwrap(), "xn--bcher-kva.example");
        assert_eq!(to_ascii(&"ы".repeat(64)), None);
    }
}
