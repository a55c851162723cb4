//! Ids of the form that Zabbix gives records of the audit log: CUIDs.

/// Characters of one.
pub(super) const LENGTH: usize = 25;
/// Characters of the time, in milliseconds, and of the number after it.
const TIME: usize = 8;
const NUMBER: usize = LENGTH - 1 - TIME;

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// The CUID of a numbered row of a time in seconds since 1970. Later ones are greater as texts.
pub(super) fn of(clock: i64, number: u64) -> String {
    let millis = u64::try_from(clock).unwrap_or_default().saturating_mul(1_000);
    format!("c{}{}", in_base_36(millis, TIME), in_base_36(number, NUMBER))
}

/// The last digits of a number.
fn in_base_36(mut number: u64, length: usize) -> String {
    let mut digits = vec![b'0'; length];
    for digit in digits.iter_mut().rev() {
        let at = usize::try_from(number % 36).unwrap_or_default();
        *digit = DIGITS.get(at).copied().unwrap_or(b'0');
        number /= 36;
    }
    String::from_utf8(digits).unwrap_or_default()
}

/// The error of a text that is no CUID.
pub(super) fn check(text: &str) -> Result<(), String> {
    if text.chars().count() != LENGTH {
        return Err(format!("must be {LENGTH} characters long"));
    }
    let is_one = text.starts_with('c') && text.bytes().all(|it| DIGITS.contains(&it));
    if is_one { Ok(()) } else { Err("CUID is expected".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_in_order_of_time_and_number() {
        let one = of(1_700_000_000, 9);
        assert_eq!(one, "cloyw3v280000000000000009");
        assert!(check(&one).is_ok());
        assert!(one < of(1_700_000_000, 10));
        assert!(of(1_700_000_000, u64::MAX) < of(1_700_000_001, 1));
        assert_eq!(of(-5, 0), "c000000000000000000000000");
    }

    #[test]
    fn a_wrong_id_is_refused() {
        assert_eq!(check("7").unwrap_err(), "must be 25 characters long");
        assert_eq!(check(&"x".repeat(25)).unwrap_err(), "CUID is expected");
        assert_eq!(check(&format!("c{}", "A".repeat(24))).unwrap_err(), "CUID is expected");
    }
}
