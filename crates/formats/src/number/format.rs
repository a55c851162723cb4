//! Floating point numbers to text: 15 significant digits if they are exact, else 17, no trailing zeros.

use std::fmt::Write as _;

/// `value` as Zabbix prints it: `%.15G`, or `%.17G` if that does not read back as the same number.
#[must_use]
pub fn format_f64(value: f64) -> String {
    let mut out = String::with_capacity(24);
    write_f64(&mut out, value);
    out
}

/// Appends [`format_f64`] to `out` without another allocation.
pub fn write_f64(out: &mut String, value: f64) {
    // Most values of monitoring are small integers: 1e15 is the largest power that 15 digits hold.
    if value.fract() == 0.0 && value.abs() < 1e15 && !(value == 0.0 && value.is_sign_negative()) {
        #[expect(clippy::cast_possible_truncation, reason = "below 1e15 and whole")]
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
    if mantissa_digits.count() > 15 {
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
    if !value.is_finite() {
        return format_f64(value);
    }
    let mut out = String::with_capacity(24);
    write_scientific(&mut out, &format!("{value:e}"), 15, 'e');
    out
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
    use super::{format_f64, format_stored};

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
            (-1.5e-5, "-1.5e-05"),
            (0.00015, "0.00015"),
            (1.7976931348623157e308, "1.7976931348623157e+308"),
        ] {
            assert_eq!(format_stored(value), text, "{value:e}");
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
            (1e15, "1E+15"),
            (123_456_789_012_345.0, "123456789012345"),
            (1_234_567_890_123_456.0, "1234567890123456"),
            (1e20, "1E+20"),
            (1.5e-5, "1.5E-05"),
            (0.00015, "0.00015"),
            (1.7976931348623157e308, "1.7976931348623157E+308"),
            (12345.678, "12345.678"),
        ] {
            assert_eq!(format_f64(value), text, "{value:e}");
        }
    }
}
