//! Steps over numbers.

use model::ValueType;

use super::data::Data;
use super::error::StepError;
use formats::number;

/// Texts that mean 1, and texts that mean 0.
const TRUE: &[&str] =
    &["true", "t", "yes", "y", "on", "up", "running", "enabled", "available", "ok", "master"];
const FALSE: &[&str] =
    &["false", "f", "no", "n", "off", "down", "unused", "disabled", "unavailable", "err", "slave"];

/// The number that a value is or reads as: of the kind that the item stores where it fits. A number
/// that the item cannot store, such as -1 for whole numbers, is still calculated with: a later step
/// may correct it.
///
/// # Errors
/// Why there is none, for the end of a message.
pub(super) fn to_calculate(
    data: &Data<'_>,
    value_type: ValueType,
) -> Result<Data<'static>, String> {
    let number =
        data.to_number().ok_or_else(|| "cannot convert value to numeric type".to_owned())?;
    Ok(match (value_type, &number) {
        (ValueType::Float, Data::Unsigned(it)) => Data::Float(number::u64_to_f64(*it)),
        (ValueType::Unsigned, Data::Float(it)) => {
            number::f64_to_u64(*it).map_or(number, Data::Unsigned)
        }
        _ => number,
    })
}

/// `factor`: the number, also as a whole one if it is one, and as text.
pub(super) fn multiply(
    data: &Data<'_>,
    (factor, whole, written): (f64, Option<u64>, &str),
    value_type: ValueType,
) -> Result<Data<'static>, StepError> {
    let failed = |why: &str| {
        let kind = data.kind_name();
        StepError::Value(format!(
            "cannot apply multiplier \"{written}\" to value of type \"{kind}\": {why}"
        ))
    };
    Ok(match to_calculate(data, value_type).map_err(|why| failed(&why))? {
        // Later steps, or the item, decide about negative numbers.
        Data::Unsigned(value) if factor < 0.0 => Data::Float(number::u64_to_f64(value) * factor),
        Data::Unsigned(value) => {
            let product = match whole {
                Some(whole) => value.checked_mul(whole),
                None => number::f64_to_u64(number::u64_to_f64(value) * factor),
            };
            Data::Unsigned(product.ok_or_else(|| failed("the result is out of range"))?)
        }
        value => Data::Float(value.to_f64().unwrap_or(f64::NAN) * factor),
    })
}

pub(super) fn to_bool(data: &Data<'_>) -> Result<Data<'static>, StepError> {
    let text = data.as_text();
    let trimmed = digits_of(&text);
    if let Some(number) = number::parse_f64(trimmed) {
        return Ok(Data::Unsigned(u64::from(number != 0.0)));
    }
    let word = trimmed.to_ascii_lowercase();
    if TRUE.contains(&word.as_str()) {
        Ok(Data::Unsigned(1))
    } else if FALSE.contains(&word.as_str()) {
        Ok(Data::Unsigned(0))
    } else {
        Err(not_decimal(trimmed, "boolean"))
    }
}

fn not_decimal(value: &str, name: &str) -> StepError {
    // Two spaces, as in Zabbix: clients match the text.
    StepError::Value(format!(
        "cannot convert value  \"{value}\" from {name} to decimal format: invalid value format"
    ))
}

/// The text without quotes, spaces and line ends around it.
fn digits_of(text: &str) -> &str {
    text.trim_start_matches([' ', '"']).trim_end_matches([' ', '"', '\n', '\r'])
}

/// Octets of two hexadecimal digits each, separated by spaces or line breaks: `FF 0A`.
fn is_octets(text: &str) -> bool {
    let mut octets = text.split([' ', '\n']).filter(|it| !it.is_empty());
    octets.all(|it| it.len() == 2 && it.bytes().all(|it| it.is_ascii_hexdigit()))
}

pub(super) fn from_radix(data: &Data<'_>, radix: u32) -> Result<Data<'static>, StepError> {
    let text = data.as_text();
    let mut digits = digits_of(&text).to_owned();
    if radix == 16 && is_octets(&digits) {
        digits.retain(|it| !matches!(it, ' ' | '\n'));
    }
    let is_number = !digits.is_empty() && digits.chars().all(|it| it.is_digit(radix));
    let value = if is_number { u64::from_str_radix(&digits, radix).ok() } else { None };
    let name = if radix == 16 { "hexadecimal" } else { "octal" };
    value.map(Data::Unsigned).ok_or_else(|| not_decimal(digits_of(&text), name))
}

/// The limits of a range, as numbers and as text.
#[derive(Debug, Clone)]
pub(super) struct Range {
    pub(super) min: Option<(f64, String)>,
    pub(super) max: Option<(f64, String)>,
}

impl Range {
    pub(super) fn check(&self, data: &Data<'_>, value_type: ValueType) -> Result<(), StepError> {
        let number = to_calculate(data, value_type).map_err(StepError::Value)?;
        let value = number.to_f64().unwrap_or(f64::NAN);
        let is_less = |left: f64, right: f64| left < right && !number::same(left, right);
        let (min, max) = (self.min.as_ref(), self.max.as_ref());
        if min.is_none_or(|it| !is_less(value, it.0)) && max.is_none_or(|it| !is_less(it.0, value))
        {
            return Ok(());
        }
        let limits = [("less than", min), ("greater than", max)];
        let limits = limits.iter().filter_map(|(word, it)| Some(format!("{word} {}", (*it)?.1)));
        let limits: Vec<String> = limits.collect();
        Err(StepError::Value(format!("value is {}", limits.join(" or "))))
    }
}
