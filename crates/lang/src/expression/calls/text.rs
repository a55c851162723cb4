//! Functions over texts. Positions and lengths count characters, from 1.

use super::super::value::{Env, Val};
use super::args::{TEXT_BYTES_MAX, exactly, text_of, uint_of, wrong_number};

type Answer<'v> = Result<Val<'v>, String>;

/// The characters that `trim` removes without a second argument.
const WHITE_SPACE: &str = " \t\r\n";

fn text<'v>(text: impl Into<String>) -> Val<'v> {
    Val::Text(text.into().into())
}

fn count(value: &Val<'_>) -> Result<usize, String> {
    uint_of(value).map(|it| usize::try_from(it).unwrap_or(usize::MAX))
}

pub(super) fn ascii<'v>(_name: &'static str, args: Vec<Val<'v>>, _env: &Env<'_>) -> Answer<'v> {
    let [arg] = exactly::<1>(args)?;
    match text_of(arg)?.bytes().next() {
        None => Ok(Val::UInt(0)),
        Some(byte) if byte.is_ascii() => Ok(Val::UInt(u64::from(byte))),
        _ => Err("invalid function argument".to_owned()),
    }
}

pub(super) fn char<'v>(_name: &'static str, args: Vec<Val<'v>>, _env: &Env<'_>) -> Answer<'v> {
    let [arg] = exactly::<1>(args)?;
    let code = uint_of(&arg)?;
    match u8::try_from(code) {
        // Texts end at the character 0.
        Ok(0) => Ok(text("")),
        Ok(code) if code.is_ascii() => Ok(text(char::from(code))),
        _ => Err(format!("function argument \"{code}\" is out of allowed range")),
    }
}

pub(super) fn length<'v>(_name: &'static str, args: Vec<Val<'v>>, _env: &Env<'_>) -> Answer<'v> {
    let [arg] = exactly::<1>(args)?;
    Ok(Val::UInt(text_of(arg)?.chars().count() as u64))
}

pub(super) fn byte_length<'v>(
    _name: &'static str,
    args: Vec<Val<'v>>,
    _env: &Env<'_>,
) -> Answer<'v> {
    let [arg] = exactly::<1>(args)?;
    if let Ok(it) = uint_of(&arg) {
        return Ok(Val::UInt(u64::from((u64::BITS - it.leading_zeros()).div_ceil(8))));
    }
    Ok(Val::UInt(text_of(arg)?.len() as u64))
}

pub(super) fn bit_length<'v>(
    _name: &'static str,
    args: Vec<Val<'v>>,
    _env: &Env<'_>,
) -> Answer<'v> {
    let [arg] = exactly::<1>(args)?;
    if let Ok(it) = uint_of(&arg) {
        return Ok(Val::UInt(u64::from(u64::BITS - it.leading_zeros())));
    }
    Ok(Val::UInt(text_of(arg)?.len() as u64 * 8))
}

pub(super) fn concat<'v>(_name: &'static str, args: Vec<Val<'v>>, _env: &Env<'_>) -> Answer<'v> {
    if args.len() < 2 {
        return Err(wrong_number());
    }
    let mut out = String::new();
    for arg in args {
        out.push_str(&text_of(arg)?);
        if out.len() > TEXT_BYTES_MAX {
            return Err("result is too long".to_owned());
        }
    }
    Ok(text(out))
}

pub(super) fn left<'v>(_name: &'static str, args: Vec<Val<'v>>, _env: &Env<'_>) -> Answer<'v> {
    let [value, n_chars] = exactly::<2>(args)?;
    let n_chars = count(&n_chars)?;
    Ok(text(text_of(value)?.chars().take(n_chars).collect::<String>()))
}

pub(super) fn right<'v>(_name: &'static str, args: Vec<Val<'v>>, _env: &Env<'_>) -> Answer<'v> {
    let [value, n_chars] = exactly::<2>(args)?;
    let n_chars = count(&n_chars)?;
    let value = text_of(value)?;
    let skip = value.chars().count().saturating_sub(n_chars);
    Ok(text(value.chars().skip(skip).collect::<String>()))
}

pub(super) fn mid<'v>(_name: &'static str, args: Vec<Val<'v>>, _env: &Env<'_>) -> Answer<'v> {
    let [value, start, n_chars] = exactly::<3>(args)?;
    let (start, n_chars) = (count(&start)?, count(&n_chars)?);
    let value = text_of(value)?;
    if start == 0 || start > value.chars().count() {
        return Err("invalid function second argument".to_owned());
    }
    Ok(text(value.chars().skip(start - 1).take(n_chars).collect::<String>()))
}

pub(super) fn trim<'v>(name: &'static str, mut args: Vec<Val<'v>>, _env: &Env<'_>) -> Answer<'v> {
    let chars = match args.len() {
        1 => WHITE_SPACE.into(),
        2 => text_of(args.pop().unwrap_or(Val::Null))?,
        _ => return Err(wrong_number()),
    };
    let value = text_of(args.pop().unwrap_or(Val::Null))?;
    let is_trimmed = |it: char| chars.contains(it);
    Ok(text(match name {
        "ltrim" => value.trim_start_matches(is_trimmed),
        "rtrim" => value.trim_end_matches(is_trimmed),
        _ => value.trim_matches(is_trimmed),
    }))
}

pub(super) fn repeat<'v>(_name: &'static str, args: Vec<Val<'v>>, _env: &Env<'_>) -> Answer<'v> {
    let [value, times] = exactly::<2>(args)?;
    let times = count(&times)?;
    let value = text_of(value)?;
    match value.len().checked_mul(times) {
        Some(len) if len <= TEXT_BYTES_MAX => Ok(text(value.repeat(times))),
        _ => Err("result is too long".to_owned()),
    }
}

pub(super) fn replace<'v>(_name: &'static str, args: Vec<Val<'v>>, _env: &Env<'_>) -> Answer<'v> {
    let [value, pattern, replacement] = exactly::<3>(args)?;
    let (value, pattern, replacement) = (text_of(value)?, text_of(pattern)?, text_of(replacement)?);
    if pattern.is_empty() {
        return Ok(Val::Text(value));
    }
    let n_found = value.matches(&*pattern).count();
    if value.len() + n_found.saturating_mul(replacement.len()) > TEXT_BYTES_MAX {
        return Err("result is too long".to_owned());
    }
    Ok(text(value.replace(&*pattern, &replacement)))
}

pub(super) fn insert<'v>(_name: &'static str, args: Vec<Val<'v>>, _env: &Env<'_>) -> Answer<'v> {
    let [value, start, n_chars, replacement] = exactly::<4>(args)?;
    let (start, n_chars) = (count(&start)?, count(&n_chars)?);
    let (value, replacement) = (text_of(value)?, text_of(replacement)?);
    let len = value.chars().count();
    if start == 0 || start > len {
        return Err("invalid function second argument".to_owned());
    }
    if n_chars > len - (start - 1) {
        return Err("invalid function third argument".to_owned());
    }
    let mut chars = value.chars();
    let mut out: String = chars.by_ref().take(start - 1).collect();
    out.push_str(&replacement);
    out.extend(chars.skip(n_chars));
    Ok(text(out))
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use crate::expression::{Env, Operand, Program, Value, parse};

    #[test]
    fn codes_and_lengths_at_their_edges() {
        for (text, expected) in [
            ("char(65)", Some(Value::Text("A".to_owned()))),
            ("char(127)", Some(Value::Text("\u{7f}".to_owned()))),
            ("char(128)", None),
            ("char(0)", Some(Value::Text(String::new()))),
            ("bytelength(255.9)", Some(Value::UInt(1))),
            ("bytelength(\"256.0\")", Some(Value::UInt(2))),
            ("bytelength(-1)", Some(Value::UInt(2))),
            ("bitlength(1.5)", Some(Value::UInt(1))),
            ("bitlength(\"a\")", Some(Value::UInt(8))),
        ] {
            let program = Program::compile(&parse(text).unwrap()).unwrap();
            let none: [Operand<'_>; 0] = [];
            let zone = TimeZone::UTC;
            let found = program.eval(&none, &Env::new(model::Time::ZERO, &zone)).ok();
            assert_eq!(found, expected, "{text}");
        }
    }
}
