//! Floating point numbers to text: 15 significant digits if they are exact, else 17, no trailing zeros. Whole
//! numbers always have 17, so that those below 1e17 have no exponent.

use std::fmt::Write as _;

/// `value` as Zabbix 7.0 prints it: whole numbers by `%.17G`, others by `%.15G`, or `%.17G` if that does not
/// read back as the same number.
#[must_use]
pub fn format_f64(value: f64) -> String {
    let mut out = String::with_capacity(24);
    write_f64(&mut out, value);
    out
}

/// Appends [`format_f64`] to `out` without another allocation.
pub fn write_f64(out: &mut String, value: f64) {
    // Most values of monitoring are small integers: from 1e17 on 17 digits are too few for all of them.
    if value.fract() == 0.0 && value.abs() < 1e17 && !(value == 0.0 && value.is_sign_negative()) {
        #[expect(clippy::cast_possible_truncation, reason = "below 1e17 and whole")]
        let int = value as i64;
        put(out, format_args!("{int}"));
        return;
    }
    if !value.is_finite() {
        out.push_str(if value.is_nan() {
            "NAN"
        } else if value > 0.0 {
            "INF"
        } else {
            "-INF"
        });
        return;
    }
    // The shortest digits that read back: if 15 or fewer they are what %.15G prints.
    let start = out.len();
    put(out, format_args!("{value:e}"));
    let mantissa_digits = out.as_bytes()[start..]
        .iter()
        .take_while(|it| **it != b'e')
        .filter(|it| it.is_ascii_digit());
    if mantissa_digits.count() > 15 || value.fract() == 0.0 {
        out.truncate(start);
        put(out, format_args!("{value:.16e}"));
    }
    let scientific = out.split_off(start);
    write_general(out, &scientific);
}

/// `value` as the API writes a stored one: the shortest digits that read back, `1e+15` from there on and
/// below `0.0001`. That is PostgreSQL's text, which Zabbix hands on; [`format_f64`] is its server's.
#[must_use]
pub fn format_stored(value: f64) -> String {
    with_stored(value, str::to_owned)
}

/// Passes the result of [`format_stored`] to `then`, without allocation: most values of an answer
/// are such.
pub fn with_stored<T>(value: f64, then: impl FnOnce(&str) -> T) -> T {
    if !value.is_finite() {
        return then(&format_f64(value));
    }
    // Of two shortest texts that are as near the even one, as PostgreSQL does; the standard library takes the larger.
    let mut digits = zmij::Buffer::new();
    let digits = digits.format_finite(value);
    let size = value.abs();
    if size == 0.0 || (1e-4..1e15).contains(&size) {
        // The library writes these as a plain number, wholes with a zero after the point.
        return then(digits.strip_suffix(".0").unwrap_or(digits));
    }
    let mut out = String::with_capacity(24);
    write_scientific(&mut out, &in_scientific(digits), 15, 'e');
    then(&out)
}

/// `d.ddde-x` of a plain number; a number in that form stays.
fn in_scientific(digits: &str) -> String {
    if digits.contains('e') {
        return digits.to_owned();
    }
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |it| ("-", it));
    let (int, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{int}{fraction}");
    let (zeros, all) = (all.len() - all.trim_start_matches('0').len(), all.trim_matches('0'));
    // Of doubles neither has more than some hundred digits.
    let places = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
    let exponent = places(int.len()) - 1 - places(zeros);
    let (first, rest) = all.split_at(all.len().min(1));
    format!("{sign}{first}.{rest}e{exponent}")
}

/// Rewrites `d.ddde-x` the way `%G` chooses.
fn write_general(out: &mut String, scientific: &str) {
    let mantissa = scientific.split('e').next().unwrap_or("");
    let n_digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
    write_scientific(out, scientific, if n_digits > 15 { 17 } else { 15 }, 'E');
}

/// Rewrites `d.ddde-x`: from 10 to the `precision` on, and below 0.0001, with an exponent.
fn write_scientific(out: &mut String, scientific: &str, precision: i32, e: char) {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let (int, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    out.push_str(sign);
    if !(-4..precision).contains(&exponent) {
        out.push_str(int);
        if !fraction.is_empty() {
            out.push('.');
            out.push_str(fraction);
        }
        put(out, format_args!("{e}{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs()));
    } else if exponent < 0 {
        out.push_str("0.");
        out.extend((1..-exponent).map(|_| '0'));
        out.push_str(int);
        out.push_str(fraction);
    } else {
        let point = usize::try_from(exponent).unwrap_or(0);
        out.push_str(int);
        if fraction.len() > point {
            let (whole, rest) = fraction.split_at(point);
            out.push_str(whole);
            out.push('.');
            out.push_str(rest);
        } else {
            out.push_str(fraction);
            out.extend((fraction.len()..point).map(|_| '0'));
        }
    }
}

fn put(out: &mut String, args: std::fmt::Arguments<'_>) {
    out.write_fmt(args).expect("writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use super::{format_f64, format_stored, write_scientific};

    #[test]
    fn stored_doubles_print_as_the_database_has_them() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (1.0 / 3.0, "0.3333333333333333"),
            (0.30000000000000004, "0.30000000000000004"),
            (1e14, "100000000000000"),
            (1e15, "1e+15"),
            (1_234_567_890_123_456.0, "1.234567890123456e+15"),
            (1e24, "1e+24"),
            // Between two texts of as many digits.
            (667_082_108_456_853.0 + 0.25, "667082108456853.2"),
            (667_082_108_456_853.0 + 0.75, "667082108456853.8"),
            (-1.5e-5, "-1.5e-05"),
            (0.00015, "0.00015"),
            (1.7976931348623157e308, "1.7976931348623157e+308"),
        ] {
            assert_eq!(format_stored(value), text, "{value:e}");
        }
    }

    /// The same by the digits of the standard library.
    fn stored_by_digits(value: f64) -> String {
        let mut out = String::new();
        write_scientific(&mut out, &format!("{value:e}"), 15, 'e');
        out
    }

    #[test]
    fn stored_doubles_of_all_sizes_are_the_shortest_texts_that_read_back() {
        // Bits that are spread over all signs, exponents and mantissas.
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        let mut n_others = 0;
        for n in 0..200_000_u64 {
            bits = bits.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let any = f64::from_bits(bits);
            #[expect(clippy::cast_precision_loss, reason = "some numbers of every size")]
            let usual =
                (bits >> (n % 60)) as f64 / [1e-2, 1.0, 8.0, 1e3, 1e6, 1e9, 1e20][(n % 7) as usize];
            for value in [any, usual, -usual].into_iter().filter(|it| it.is_finite()) {
                let (text, other) = (format_stored(value), stored_by_digits(value));
                assert_eq!(text.parse(), Ok(value), "{value:e}");
                assert_eq!(text.len(), other.len(), "{text} {other}");
                n_others += usize::from(text != other);
            }
        }
        assert!(n_others < 2_000, "they differ only between two that are as near: {n_others}");
        for edge in [1e-4, 1e15, 0.0, -0.0, 9.999_999_999_999_999e-5, 999_999_999_999_999.9] {
            assert_eq!(format_stored(edge), stored_by_digits(edge), "{edge:e}");
        }
    }

    #[test]
    fn doubles_print_as_general_format() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-15.0, "-15"),
            (0.1, "0.1"),
            (0.30000000000000004, "0.30000000000000004"),
            (1.0 / 3.0, "0.33333333333333331"),
            (1e15, "1000000000000000"),
            (-1e16, "-10000000000000000"),
            (1e17, "1E+17"),
            (123_456_789_012_345.0, "123456789012345"),
            (1_234_567_890_123_456.0, "1234567890123456"),
            (123_456_789_012_345_678.0, "1.2345678901234568E+17"),
            (1e20, "1E+20"),
            (1e23, "9.9999999999999992E+22"),
            (1.5e-5, "1.5E-05"),
            (0.00015, "0.00015"),
            (1.7976931348623157e308, "1.7976931348623157E+308"),
            (12345.678, "12345.678"),
        ] {
            assert_eq!(format_f64(value), text, "{value:e}");
        }
    }
}
